/* backend/optim_sgd.c - stochastic gradient descent with momentum, PyTorch's form
 * (dampening 0).
 *
 *     d = g + decay*p;  v = momentum*v + d (v starts as 0, so the first v is d);
 *     p -= rate * (nesterov ? d + momentum*v : v)
 */
#include "backend/optim_rule.h"

static const jsn_param_info sgd_params[] = {
    {"momentum", "part of the velocity that is kept", 0.9, 0, 0.999999, JSN_PARAM_REAL},
    {"nesterov", "1: look ahead", 1, 0, 1, JSN_PARAM_REAL},
};

enum { SGD_RATE, SGD_MOMENTUM, SGD_DECAY, SGD_NESTEROV };

static void sgd_prepare(const jsni_update *update, double decay, float *c)
{
    c[SGD_RATE] = (float)update->rate;
    c[SGD_MOMENTUM] = (float)update->value[0];
    c[SGD_DECAY] = (float)decay;
    c[SGD_NESTEROV] = update->value[1] != 0.0 ? 1.0f : 0.0f;
}

/* Chooses without branches, so that a device always fuses the last product and sum. */
JSNI_HD static inline float sgd_rule(float p, float g, float *s, const float *c)
{
    const bool plain = c[SGD_MOMENTUM] == 0.0f;
    const float d = g + c[SGD_DECAY] * p;
    const float v = c[SGD_MOMENTUM] * s[0] + d;
    const float ahead = c[SGD_NESTEROV] != 0.0f ? d + c[SGD_MOMENTUM] * v : v;
    s[0] = plain ? s[0] : v;
    return p - c[SGD_RATE] * (plain ? d : ahead);
}

JSNI_OPTIM_DEFINE(sgd, "gradient descent with momentum", sgd_params, 2, 1, 0.1);
