/* train/recipe_rows.h - the hyper-parameters of the paper's CIFAR experiments: one row
 * a data set and method. Everything else in a recipe follows from recipe.c. */
#ifndef JSNI_TRAIN_RECIPE_ROWS_H
#define JSNI_TRAIN_RECIPE_ROWS_H

enum { JSNI_RECIPE_NOISES = 7 }; /* clean, sym-20 .. sym-80, asym-20, asym-40 */

typedef struct jsni_recipe_row {
    const char *dataset;
    const char *method;
    const char *form;            /* loss spec; "%s" takes the parameters below */
    const char *lr_sym, *wd_sym; /* also for clean labels */
    const char *lr_asym, *wd_asym;
    /* by noise, in the order above; two numbers are joined by '/' */
    const char *param[JSNI_RECIPE_NOISES];
    const char *noisy_validation_param; /* chosen at sym-40 by noisy validation */
} jsni_recipe_row;

extern const jsni_recipe_row jsni_recipe_rows[];
extern const size_t jsni_recipe_row_count;

#endif /* JSNI_TRAIN_RECIPE_ROWS_H */
