/* tests/loss/golden_method.h - the golden cases of the methods (tests/golden/methods.json,
 * make_methods.py): three steps each, the memory handed from step to step. */
#ifndef TESTS_LOSS_GOLDEN_METHOD_H
#define TESTS_LOSS_GOLDEN_METHOD_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/loss.h"

/* The largest errors of a case: of a loss over max(1, |want|); of a gradient, times the
 * batch size, and of the memory over the largest number there (at least 1 for the former). */
typedef struct method_errors {
    double loss, gradient, memory;
} method_errors;

/* Evaluates one batch: values [samples], a gradient typed as the logits, and the memory. */
typedef void method_eval_fn(jsn_loss *loss, const jsn_loss_batch *batch, double *values,
                            void *grad);

/* Runs every case in double or float; each is made ready by `begin`, which may be NULL.
 * Prints the cases beyond `most` and returns how many there are. */
size_t golden_methods(bool f64, void (*begin)(jsn_loss *loss), method_eval_fn *eval,
                      method_errors most);

#endif /* TESTS_LOSS_GOLDEN_METHOD_H */
