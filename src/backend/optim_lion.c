/* backend/optim_lion.c - Lion, steps of one size by the sign of a mean gradient (Chen et
 * al., "Symbolic discovery of optimization algorithms", 2023).
 *
 *     p -= rate*decay*p;  p -= rate * sign(b1*m + (1-b1)*g);  m = b2*m + (1-b2)*g
 *
 * Wants a tenth of AdamW's rate and several times its decay. The sign of 0 is 0, and NaN
 * stays NaN: a broken gradient shows in the weights. */
#include "backend/optim_rule.h"

static const jsn_param_info lion_params[] = {
    {"beta1", "part of the mean in the step's sign", 0.9, 0, 0.999999, JSN_PARAM_REAL},
    {"beta2", "memory of the mean gradient", 0.99, 0, 0.999999, JSN_PARAM_REAL},
};

enum { LION_KEEP, LION_RATE, LION_B1, LION_ONE_MINUS_B1, LION_B2, LION_ONE_MINUS_B2 };

static void lion_prepare(const jsni_update *update, double decay, float *c)
{
    c[LION_KEEP] = (float)(1.0 - update->rate * decay);
    c[LION_RATE] = (float)update->rate;
    c[LION_B1] = (float)update->value[0];
    c[LION_ONE_MINUS_B1] = (float)(1.0 - update->value[0]);
    c[LION_B2] = (float)update->value[1];
    c[LION_ONE_MINUS_B2] = (float)(1.0 - update->value[1]);
}

JSNI_HD static inline float lion_rule(float p, float g, float *s, const float *c)
{
    const float mean = c[LION_B1] * s[0] + c[LION_ONE_MINUS_B1] * g;
    const float sign = mean > 0.0f ? 1.0f : mean < 0.0f ? -1.0f : mean;
    s[0] = c[LION_B2] * s[0] + c[LION_ONE_MINUS_B2] * g;
    p *= c[LION_KEEP];
    return p - c[LION_RATE] * sign;
}

JSNI_OPTIM_DEFINE(lion, "steps of one size by the sign of the mean gradient",
                  lion_params, 2, 1, 1e-4);
