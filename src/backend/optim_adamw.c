/* backend/optim_adamw.c - Adam with decoupled weight decay; the rule is in
 * update_rule.h. The corrections of the start, 1 - beta^t, are made in double. */
#include <math.h>

#include "backend/optim_impl.h"

static const jsn_param_info params[] = {
    {"beta1", "memory of the mean gradient", 0.9, 0, 0.999999, JSN_PARAM_REAL},
    {"beta2", "memory of the mean square", 0.999, 0, 0.9999999, JSN_PARAM_REAL},
    {"epsilon", "added to the root", 1e-8, 1e-30, 1, JSN_PARAM_REAL},
};

static void set(jsni_update *update, const jsni_spec_value *values)
{
    update->beta1 = values[0].real;
    update->beta2 = values[1].real;
    update->epsilon = values[2].real;
}

jsni_adamw_step jsni_update_adamw(const jsni_update *update, double decay)
{
    const double t = (double)update->step;
    const jsni_adamw_step step = {
        (float)(1.0 - update->rate * decay),
        (float)(1.0 - update->beta1),
        (float)update->beta2,
        (float)(1.0 - update->beta2),
        (float)(update->rate / (1.0 - pow(update->beta1, t))),
        (float)sqrt(1.0 - pow(update->beta2, t)),
        (float)update->epsilon,
    };
    return step;
}

static void apply(const jsni_update *update, double decay, size_t count, float *weights,
                  const float *grads, float *state, size_t stride)
{
    const jsni_adamw_step step = jsni_update_adamw(update, decay);
    for (size_t i = 0; i < count; i++)
        weights[i] =
            jsni_adamw_rule(weights[i], grads[i], &state[i], &state[stride + i], step);
}

const jsni_optim_def jsni_optim_adamw = {
    {"adamw", "Adam with decoupled weight decay", params, 3},
    JSNI_OPTIM_ADAMW,
    2,
    set,
    apply};
