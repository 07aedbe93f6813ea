/* backend/optim_adamw.c - Adam with decoupled weight decay (Loshchilov and Hutter,
 * "Decoupled weight decay regularization", 2019), in PyTorch's form.
 *
 *     p -= rate*decay*p;  m = m + (1-b1)*(g - m);  v = b2*v + (1-b2)*g*g;
 *     p -= rate/(1-b1^t) * m / (sqrt(v)/sqrt(1-b2^t) + epsilon)
 *
 * The corrections of the start, 1 - beta^t, are made in double. */
#include "backend/optim_rule.h"

static const jsn_param_info adamw_params[] = {
    {"beta1", "memory of the mean gradient", 0.9, 0, 0.999999, JSN_PARAM_REAL},
    {"beta2", "memory of the mean square", 0.999, 0, 0.9999999, JSN_PARAM_REAL},
    {"epsilon", "added to the root", 1e-8, 1e-30, 1, JSN_PARAM_REAL},
};

enum {
    ADAMW_KEEP,         /* 1 - rate*decay */
    ADAMW_ONE_MINUS_B1, /* 1 - beta1 */
    ADAMW_B2,
    ADAMW_ONE_MINUS_B2,
    ADAMW_STEP_SIZE, /* rate / (1 - beta1^t) */
    ADAMW_ROOT,      /* sqrt(1 - beta2^t) */
    ADAMW_EPSILON
};

static void adamw_prepare(const jsni_update *update, double decay, float *c)
{
    const double t = (double)update->step;
    const double beta1 = update->value[0], beta2 = update->value[1];
    c[ADAMW_KEEP] = (float)(1.0 - update->rate * decay);
    c[ADAMW_ONE_MINUS_B1] = (float)(1.0 - beta1);
    c[ADAMW_B2] = (float)beta2;
    c[ADAMW_ONE_MINUS_B2] = (float)(1.0 - beta2);
    c[ADAMW_STEP_SIZE] = (float)(update->rate / (1.0 - pow(beta1, t)));
    c[ADAMW_ROOT] = (float)sqrt(1.0 - pow(beta2, t));
    c[ADAMW_EPSILON] = (float)update->value[2];
}

JSNI_HD static inline float adamw_rule(float p, float g, float *s, const float *c)
{
    const float m = s[0] + c[ADAMW_ONE_MINUS_B1] * (g - s[0]);
    const float v = c[ADAMW_B2] * s[1] + c[ADAMW_ONE_MINUS_B2] * g * g;
    s[0] = m;
    s[1] = v;
    p *= c[ADAMW_KEEP];
    return p - c[ADAMW_STEP_SIZE] * (m / (sqrtf(v) / c[ADAMW_ROOT] + c[ADAMW_EPSILON]));
}

JSNI_OPTIM_DEFINE(adamw, "Adam with decoupled weight decay", adamw_params, 3, 2, 1e-3);
