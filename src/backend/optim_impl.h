/* backend/optim_impl.h - optimisers: their table, and one step over a stretch of
 * parameters for CPU backends. A GPU backend reads jsni_update and runs the same
 * rules (update_rule.h) in kernels of its own. */
#ifndef JSNI_BACKEND_OPTIM_IMPL_H
#define JSNI_BACKEND_OPTIM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/optim_list.h"
#include "backend/update_rule.h"
#include "core/spec.h"
#include "jensen/backend.h"
#include "nn/graph.h"

enum { JSNI_OPTIM_MAX_PARAMS = 6, JSNI_OPTIM_MAX_SLOTS = 2 };

typedef enum jsni_optim_kind { JSNI_OPTIM_SGD, JSNI_OPTIM_ADAMW } jsni_optim_kind;

/* One optimiser step: the kind and its numbers. */
typedef struct jsni_update {
    jsni_optim_kind kind;
    double rate;         /* learning rate of this step */
    double decay;        /* weight decay */
    bool decay_all;      /* false: not on BatchNorm parameters and biases */
    uint64_t step;       /* counts from 1 */
    double momentum;     /* sgd */
    bool nesterov;       /* sgd */
    double beta1, beta2; /* adamw */
    double epsilon;      /* adamw */
} jsni_update;

/* The decay that applies to tensors of this role. */
double jsni_update_decay(const jsni_update *update, jsni_role role);

/* The constants of the rules for one step; `decay` is what applies to the tensor. */
jsni_sgd_step jsni_update_sgd(const jsni_update *update, double decay);
jsni_adamw_step jsni_update_adamw(const jsni_update *update, double decay);

typedef struct jsni_optim_def {
    jsn_optimiser_info info;
    jsni_optim_kind kind;
    size_t slots; /* floats of state a parameter */
    /* Sets what the spec says; rate, decay and step stay as they are. */
    void (*set)(jsni_update *update, const jsni_spec_value *values);
    /* Steps `count` parameters; slot s of parameter i is state[s * stride + i]. */
    void (*apply)(const jsni_update *update, double decay, size_t count, float *params,
                  const float *grads, float *state, size_t stride);
} jsni_optim_def;

#define JSNI_OPTIM_DECLARE(id) extern const jsni_optim_def jsni_optim_##id;
JSNI_OPTIM_LIST(JSNI_OPTIM_DECLARE)
#undef JSNI_OPTIM_DECLARE

/* Reads "sgd:momentum=0.9,nesterov=1" or "adamw:beta1=0.9": the update with rate 0,
 * decay 0, decay_all true, step 0, and the floats of state a parameter.
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE as specs do */
JSN_MUST_CHECK jsn_status jsni_optim_parse(const char *spec, jsni_update *out,
                                           size_t *slots);

/* One step over parameters of tensor role `role`, in any layout: element-wise. */
void jsni_optim_apply(const jsni_update *update, jsni_role role, size_t count,
                      float *params, const float *grads, float *state, size_t stride);

#endif /* JSNI_BACKEND_OPTIM_IMPL_H */
