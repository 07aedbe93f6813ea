/* backend/optim_impl.h - optimisers as backends use them: the table, one step over a
 * stretch of parameters, and the constants of a step for a device that runs the same
 * rules. What an optimiser is written against is in optim_rule.h. */
#ifndef JSNI_BACKEND_OPTIM_IMPL_H
#define JSNI_BACKEND_OPTIM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/param.h"
#include "jensen/status.h"
#include "nn/graph.h"

enum {
    JSNI_OPTIM_MAX_PARAMS = 6,
    JSNI_OPTIM_MAX_SLOTS = 2,
    JSNI_OPTIM_CONSTANTS = 8,
    JSNI_OPTIM_L1 = JSNI_OPTIM_CONSTANTS - 1 /* the last one; the rest are the rule's */
};

/* One optimiser step: which one, and its numbers. */
typedef struct jsni_update {
    size_t optimiser; /* in optim_list.h */
    double rate;      /* learning rate of this step */
    double decay;     /* weight decay */
    double l1;        /* factor of the L1 norm of the parameters, in the loss */
    bool decay_all;   /* false: decay and L1 not on BatchNorm parameters and biases */
    uint64_t step;    /* counts from 1 */
    double
        value[JSNI_OPTIM_MAX_PARAMS]; /* the parameters of its spec, in their order */
    /* [graph->param_count] of the rate, by tensor; NULL: all 1. CPU backends alone. */
    const double *factor;
} jsni_update;

/* Turns one step into the numbers that the rule reads, rounded to float once; `decay` is
 * what applies to the tensor. */
typedef void jsni_optim_prepare_fn(const jsni_update *update, double decay,
                                   float constant[JSNI_OPTIM_CONSTANTS]);

typedef struct jsni_optim_def {
    jsn_entry info;
    double usual_rate; /* learning rate for batches of 128 where none is named */
    size_t slots;      /* floats of state a parameter */
    jsni_optim_prepare_fn *prepare;
    /* Steps `count` parameters; slot s of parameter i is state[s * stride + i]. */
    void (*apply)(const float constant[JSNI_OPTIM_CONSTANTS], size_t count,
                  float *params, const float *grads, float *state, size_t stride);
} jsni_optim_def;

jsn_entry jsni_optim_entry(size_t index); /* all zero behind the last */

/* The optimiser that a spec names, or NULL with the failure recorded. */
const jsni_optim_def *jsni_optim_find(const char *spec);

/* Reads "sgd:momentum=0.9,nesterov=1" or "adamw:beta1=0.9": the update with rate 0,
 * decay 0, L1 0, decay_all true, step 0, and the floats of state a parameter.
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE as specs do */
JSN_MUST_CHECK jsn_status jsni_optim_parse(const char *spec, jsni_update *out,
                                           size_t *slots);

/* The constants of the step for parameters of tensor role `role`. */
void jsni_optim_prepare(const jsni_update *update, jsni_role role,
                        float constant[JSNI_OPTIM_CONSTANTS]);

/* One step over parameters of tensor role `role`, in any layout: element-wise. */
void jsni_optim_apply(const jsni_update *update, jsni_role role, size_t count,
                      float *params, const float *grads, float *state, size_t stride);

#endif /* JSNI_BACKEND_OPTIM_IMPL_H */
