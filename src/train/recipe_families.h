/* train/recipe_families.h - every recipe, generated family by family. */
#ifndef JSNI_TRAIN_RECIPE_FAMILIES_H
#define JSNI_TRAIN_RECIPE_FAMILIES_H

#include <stdbool.h>

#include "jensen/recipe.h"

/* Returns true to end the walk. */
typedef bool jsni_recipe_visit(const jsn_recipe *recipe, void *user);

/* Hands every recipe to the visitor, in the order of the paper's results. */
void jsni_recipe_walk(jsni_recipe_visit *visit, void *user);

/* Learning rate and weight decay that an ablation has on another CIFAR data set than its
 * own, as texts: those of that set's row of Table 7. False: what the recipe says. */
bool jsni_recipe_rates(const jsn_recipe *recipe, const char *dataset, const char **lr,
                       const char **weight_decay);

#endif /* JSNI_TRAIN_RECIPE_FAMILIES_H */
