/* loss/transition.h - the transition matrix of the corrections: T(i,j) is the probability
 * that a sample of class i has the label j. A loss reads a row a label of what transition.c
 * makes of it. */
#ifndef JSNI_LOSS_TRANSITION_H
#define JSNI_LOSS_TRANSITION_H

#include "loss/loss_impl.h"
#include "loss/loss_number.h"

/* Parameters of both corrections. */
enum { JSNI_CORRECTION_RATE, JSNI_CORRECTION_MATRIX };
#define JSNI_CORRECTION_PARAMS                                                         \
    {"rate", "of the noise, drawn from all classes", 0.4, 0, 0.99, JSN_PARAM_REAL},    \
        {"matrix", "instead: file with the probabilities of the labels of each class", \
         0,        0,                                                                  \
         0,        JSN_PARAM_TEXT},

/* A matrix in place of the rate is evaluated by the loss `with_matrix` of loss_list.h. */
JSN_MUST_CHECK jsn_status jsni_correction_prepare(const char *spec,
                                                  const jsni_spec_value *values,
                                                  size_t with_matrix,
                                                  jsni_loss_setup *setup);

#endif /* JSNI_LOSS_TRANSITION_H */
