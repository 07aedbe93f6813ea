/* train/recipe_beyond.h - recipes of others for data with real label noise that the paper
 * has not: CIFAR-10N, CIFAR-100N, Clothing1M. */
#ifndef JSNI_TRAIN_RECIPE_BEYOND_H
#define JSNI_TRAIN_RECIPE_BEYOND_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/recipe.h"

/* The recipe at `index`; false behind the last. */
bool jsni_recipe_beyond(size_t index, jsn_recipe *out);

#endif /* JSNI_TRAIN_RECIPE_BEYOND_H */
