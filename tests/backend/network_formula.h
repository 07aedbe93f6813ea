/* tests/backend/network_formula.h - weights, images and labels of the golden networks, by
 * the formula in tests/golden/network.json: the same on every machine. */
#ifndef TESTS_BACKEND_NETWORK_FORMULA_H
#define TESTS_BACKEND_NETWORK_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#include "nn/graph.h"

uint64_t formula_fnv1a64(const char *name);
uint64_t formula_splitmix64(uint64_t x);
/* In [0, 1). */
double formula_uniform(uint64_t name, size_t i);

/* `offset` is added to and taken from the biases of BatchNorm in turn. */
void formula_param(const jsni_tensor *t, double offset, float *to);
/* All images of view `view`, `count` numbers. */
void formula_images(size_t view, size_t count, float *to);
void formula_labels(size_t samples, size_t classes, int32_t *to);

#endif /* TESTS_BACKEND_NETWORK_FORMULA_H */
