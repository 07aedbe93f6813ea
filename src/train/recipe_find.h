/* train/recipe_find.h - a recipe by its name. */
#ifndef JSNI_TRAIN_RECIPE_FIND_H
#define JSNI_TRAIN_RECIPE_FIND_H

#include "jensen/recipe.h"

/* The recipe called `name`. JSN_ERR_UNKNOWN_NAME, with a hint, when there is none. */
JSN_MUST_CHECK jsn_status jsni_recipe_find(const char *name, jsn_recipe *out);

/* How many recipes there are; makes them all to count them. */
size_t jsni_recipe_count(void);

#endif /* JSNI_TRAIN_RECIPE_FIND_H */
