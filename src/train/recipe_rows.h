/* train/recipe_rows.h - the hyper-parameters of the paper's CIFAR experiments: one row
 * a data set and method. Everything else in a recipe follows from recipe.c. */
#ifndef JSNI_TRAIN_RECIPE_ROWS_H
#define JSNI_TRAIN_RECIPE_ROWS_H

#include <stddef.h>

#include "jensen/recipe.h"

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

extern const char *const jsni_recipe_noises[JSNI_RECIPE_NOISES];
extern const jsni_recipe_row jsni_recipe_rows[];
extern const size_t jsni_recipe_row_count;

/* The loss spec of a form with the one or two numbers of `param`: "sce:alpha=%s,beta=%s" and
 * "0.1/1.0" make "sce:alpha=0.1,beta=1.0". */
void jsni_recipe_loss(char out[JSN_RECIPE_TEXT], const char *form, const char *param);

#endif /* JSNI_TRAIN_RECIPE_ROWS_H */
