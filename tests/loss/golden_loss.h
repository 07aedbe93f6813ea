/* tests/loss/golden_loss.h - the golden loss cases (220-digit arithmetic, see
 * tests/golden/losses.json and make_robust_losses.py) as the library wants them, and the measure that comes with
 * them: |got - want| / max(1, |want|) for a loss; for a gradient, times the batch size,
 * the largest difference over max(1, largest |want|). */
#ifndef TESTS_LOSS_GOLDEN_LOSS_H
#define TESTS_LOSS_GOLDEN_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/json.h"
#include "format/safetensors.h"

enum { GOLDEN_MOST = 5 * 8 * 1000 };

typedef struct golden {
    jsni_safetensors *tensors;
    jsni_json *manifest;
    jsni_safetensors
        *robust_tensors; /* cases with a spec of their own, on the same inputs */
    jsni_json *robust_manifest;
    size_t cases, robust_cases;
    size_t count; /* of both */
} golden;

/* One case, as the library wants it. */
typedef struct golden_case {
    const char *name;
    char spec[256];
    size_t views, samples, classes;
    bool extreme; /* pi1 outside [0.01, 0.99] */
    const float *logits[5];
    const int32_t *labels;
    const float *targets;
    const double *loss;
    const double *grad[5];
} golden_case;

/* Group set-up and tear-down; *state is a golden. */
int golden_open(void **state);
int golden_close(void **state);

void golden_read(const golden *g, size_t index, golden_case *c);

/* `values` is [samples], `grad` [views][samples][classes]; NaN when any is. */
double golden_loss_error(const golden_case *c, const double *values);
double golden_gradient_error(const golden_case *c, const double *grad);

#endif /* TESTS_LOSS_GOLDEN_LOSS_H */
