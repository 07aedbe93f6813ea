/* jensen/recipe.h - the paper's training configurations by name.
 *
 * A recipe is a list of option values, "cifar10/sym-40/gjs" for instance. All are made
 * from one table of hyper-parameters; `jensen show recipes` lists them, and
 * `jensen train DATA --recipe NAME` starts from one.
 */
#ifndef JENSEN_RECIPE_H
#define JENSEN_RECIPE_H

#include <stddef.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JSN_RECIPE_MAX_OPTIONS = 20, JSN_RECIPE_TEXT = 96 };

typedef struct jsn_recipe_option {
    const char *name;            /* of a training option */
    char value[JSN_RECIPE_TEXT]; /* as text */
} jsn_recipe_option;

typedef enum jsn_recipe_noise {
    JSN_RECIPE_REAL, /* whatever the data set has */
    JSN_RECIPE_CLEAN,
    JSN_RECIPE_SYMMETRIC,
    JSN_RECIPE_ASYMMETRIC,
    JSN_RECIPE_INSTANCE
} jsn_recipe_noise;

/* Static texts; NULL or 0 where a recipe does not vary in it. */
typedef struct jsn_recipe {
    char name[JSN_RECIPE_TEXT];
    const char *result;  /* table or figure it belongs to: "table1", "fig4" */
    const char *dataset; /* "cifar10", "cifar100", "webvision", ... */
    const char *method;  /* what its row is called: "gjs" */
    const char *noisy;   /* the method on mislabelled samples */
    const char *tuned;   /* the method whose learning rate and weight decay it has */
    jsn_recipe_noise noise;
    int percent;         /* of the noise */
    const char *variant; /* of augmentation: "no-cutout"; of noise: "type1" */
    const char *pi1;
    int m;               /* distributions in the divergence */
    const char *weights; /* what its runs start from: "resnet50-imagenet", ResNet-50 as
                          * trained on ImageNet (--init); NULL: random weights */
    size_t option_count;
    jsn_recipe_option options[JSN_RECIPE_MAX_OPTIONS];
} jsn_recipe;

/* The recipe at `index`. JSN_ERR_RANGE behind the last. */
JSN_API JSN_MUST_CHECK jsn_status jsn_recipe_at(size_t index, jsn_recipe *out);

/* The value of an option in a recipe, or NULL when the recipe does not set it. */
JSN_API const char *jsn_recipe_value(const jsn_recipe *recipe, const char *option);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_RECIPE_H */
