/* backend/optim_sgd.c - stochastic gradient descent with momentum, PyTorch's form
 * (dampening 0); the rule is in update_rule.h. */
#include "backend/optim_impl.h"

static const jsn_param_info params[] = {
    {"momentum", "part of the velocity that is kept", 0.9, 0, 0.9999, JSN_PARAM_REAL},
    {"nesterov", "1: look ahead", 1, 0, 1, JSN_PARAM_REAL},
};

static void set(jsni_update *update, const jsni_spec_value *values)
{
    update->momentum = values[0].real;
    update->nesterov = values[1].real != 0.0;
}

jsni_sgd_step jsni_update_sgd(const jsni_update *update, double decay)
{
    const jsni_sgd_step step = {(float)update->rate, (float)update->momentum,
                                (float)decay, update->nesterov ? 1 : 0};
    return step;
}

static void apply(const jsni_update *update, double decay, size_t count, float *weights,
                  const float *grads, float *state, size_t stride)
{
    (void)stride;
    const jsni_sgd_step step = jsni_update_sgd(update, decay);
    for (size_t i = 0; i < count; i++)
        weights[i] = jsni_sgd_rule(weights[i], grads[i], &state[i], step);
}

const jsni_optim_def jsni_optim_sgd = {
    {"sgd", "gradient descent with momentum", params, 2},
    JSNI_OPTIM_SGD,
    1,
    set,
    apply};
