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

typedef struct jsn_recipe {
    char name[JSN_RECIPE_TEXT];
    const char *result;  /* table or figure it belongs to: "table1", "fig4" */
    const char *dataset; /* "cifar10", "cifar100", "webvision", ... */
    size_t option_count;
    jsn_recipe_option options[JSN_RECIPE_MAX_OPTIONS];
} jsn_recipe;

JSN_API size_t jsn_recipe_count(void);

/* The recipe at `index`. JSN_ERR_RANGE when index >= jsn_recipe_count(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_recipe_at(size_t index, jsn_recipe *out);

/* The recipe called `name`. JSN_ERR_UNKNOWN_NAME, with a hint, when there is none. */
JSN_API JSN_MUST_CHECK jsn_status jsn_recipe_find(const char *name, jsn_recipe *out);

/* The value of an option in a recipe, or NULL when the recipe does not set it. */
JSN_API const char *jsn_recipe_value(const jsn_recipe *recipe, const char *option);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_RECIPE_H */
