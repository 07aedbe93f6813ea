/* backend/update_rule.h - the arithmetic of one optimiser step for one parameter, in
 * the forms PyTorch uses; all backends compile these functions.
 *
 * SGD:   d = g + wd*p;  v = momentum*v + d (v starts as 0, so the first v is d);
 *        p -= lr * (nesterov ? d + momentum*v : v)
 * AdamW: p -= lr*wd*p;  m = m + (1-b1)*(g - m);  s = b2*s + (1-b2)*g*g;
 *        p -= lr/(1-b1^t) * m / (sqrt(s)/sqrt(1-b2^t) + eps)
 *        (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019)
 */
#ifndef JSNI_BACKEND_UPDATE_RULE_H
#define JSNI_BACKEND_UPDATE_RULE_H

#include <math.h>

#include "core/hd.h"

/* The constants of one step, rounded to float once. */
typedef struct jsni_sgd_step {
    float rate, momentum, decay;
    int nesterov;
} jsni_sgd_step;

typedef struct jsni_adamw_step {
    float keep;         /* 1 - rate*decay */
    float one_minus_b1; /* 1 - beta1 */
    float b2, one_minus_b2;
    float step_size; /* rate / (1 - beta1^t) */
    float root;      /* sqrt(1 - beta2^t) */
    float epsilon;
} jsni_adamw_step;

static inline JSNI_HD float jsni_sgd_rule(float p, float g, float *v, jsni_sgd_step s)
{
    const float d = g + s.decay * p;
    if (s.momentum == 0.0f)
        return p - s.rate * d;
    *v = s.momentum * *v + d;
    return p - s.rate * (s.nesterov ? d + s.momentum * *v : *v);
}

static inline JSNI_HD float jsni_adamw_rule(float p, float g, float *m, float *v,
                                            jsni_adamw_step s)
{
    p *= s.keep;
    *m += s.one_minus_b1 * (g - *m);
    *v = s.b2 * *v + s.one_minus_b2 * g * g;
    return p - s.step_size * (*m / (sqrtf(*v) / s.root + s.epsilon));
}

#endif /* JSNI_BACKEND_UPDATE_RULE_H */
