/* loss/loss_bitempered.c - bi-tempered logistic loss.
 *
 *     p_k = exp_t2(z_k - a),  a such that sum_k p_k = 1
 *     L = -log_t1 p_y - (1 - sum_k p_k^(2-t1)) / (2 - t1)
 *     log_t x = (x^(1-t) - 1) / (1 - t),  exp_t x = (1 + (1-t) x)^(1/(1-t))
 *
 * after Amid et al., "Robust Bi-Tempered Logistic Loss Based on Bregman Divergences",
 * NeurIPS 2019. t1 < 1 bounds the loss, t2 > 1 gives the softmax a heavy tail; t1 = t2 = 1
 * is cross-entropy. With q_k = p_k^t2 / sum_i p_i^t2 and
 * G_k = (p_k - [k = y]) p_k^(t2-t1) the gradient of the logits is G_k - q_k sum_i G_i.
 *
 * a solves sum_k exp_t2(d_k - a) = S = 1. S^(1-t2) is nearly linear in a (exactly, for
 * equal logits), so Newton's method on it converges in a few steps to all digits; the
 * authors iterate a fixed point five times.
 *
 * With s = t2 - 1 and r = 1 / (1 + s (a - z)), which is p^s, every power of p is one of r.
 * Where their exponents are whole, as for the authors' temperatures, they are products. Else
 * each takes a logarithm and an exponential, and the loss is several times as long. */
#include <math.h>

#include "loss/row.h"

enum {
    BITEMPERED_T1,
    BITEMPERED_T2,
    BITEMPERED_WHOLE = 6, /* 1/s, or 0: powers are no products */
    BITEMPERED_RISE,      /* (1 - t1) / s */
    BITEMPERED_MOST = 16  /* as the exponent of a product */
};

JSNI_SETUP const jsn_param_info bitempered_params[] = {
    {"t1", "temperature of the logarithm; below 1 the loss is bounded", 0.8, 0, 1,
     JSN_PARAM_REAL},
    {"t2", "temperature of the softmax; above 1 its tail is heavy", 1.2, 1, 4,
     JSN_PARAM_REAL},
};

/* The exponents, where all are whole. */
JSNI_SETUP jsn_status bitempered_prepare(const char *spec,
                                         const jsni_spec_value *values, size_t views,
                                         jsni_loss_setup *setup)
{
    (void)spec;
    (void)views;
    const double t1 = values[BITEMPERED_T1].real, s = values[BITEMPERED_T2].real - 1.0;
    const double whole = rint(1.0 / s), rise = rint((1.0 - t1) / s);
    if (!(whole <= BITEMPERED_MOST) || fabs(whole * s - 1.0) > 1e-9 ||
        fabs(rise * s - (1.0 - t1)) > 1e-9)
        return JSN_OK;
    setup->constant[BITEMPERED_WHOLE] = whole;
    setup->constant[BITEMPERED_RISE] = rise;
    return JSN_OK;
}

/* log exp_t2(x) for x <= 0; s = t2 - 1. */
JSNI_ROW static inline jsni_real tempered_log(jsni_real x, jsni_scalar s)
{
    return s > R(1e-6) ? jsni_log1p(-s * x) / -s : x;
}

/* expm1(x u) / x, u where x is 0. */
JSNI_ROW static inline jsni_real grown_by(jsni_real u, jsni_scalar x)
{
    return x > R(1e-6) ? jsni_expm1(x * u) / x : u;
}

/* r^n */
JSNI_ROW static inline jsni_real product(jsni_real r, int n)
{
    jsni_real all = jsni_fill(R(1));
    for (;;) {
        if (n & 1)
            all = all * r;
        n >>= 1;
        if (n == 0)
            return all;
        r = r * r;
    }
}

/* Of an entry: p, p^t2, p^(t2-t1) and p^(2-t1). */
typedef struct tempered {
    jsni_real p, heavy, rise, power;
} tempered;

JSNI_ROW static inline tempered tempered_at(const jsni_row *row, size_t c, jsni_real a)
{
    const jsni_scalar t1 = row->constant[BITEMPERED_T1];
    const jsni_scalar s = row->constant[BITEMPERED_T2] - R(1);
    const int n = (int)row->constant[BITEMPERED_WHOLE];
    const jsni_real x = row->d[jsni_at(row, 0, c)] - a;
    if (n > 0) {
        const jsni_real r = R(1) / (R(1) - s * x), p = product(r, n);
        const jsni_real rise = product(r, (int)row->constant[BITEMPERED_RISE]);
        return (tempered){p, p * r, rise * r, rise * p};
    }
    const jsni_real l = tempered_log(x, s);
    return (tempered){jsni_exp(l), jsni_exp((s + R(1)) * l),
                      jsni_exp((s + R(1) - t1) * l), jsni_exp((R(2) - t1) * l)};
}

/* Steps enough for 1e-14 of p, whatever the logits, or for 2e-7 in float: few where the tail
 * is light. */
JSNI_ROW static inline jsni_real shift_of(const jsni_row *row, jsni_scalar s)
{
    const int steps = s > R(0.2001) ? 8 : JSNI_EXACT ? 4 : 3;
    jsni_real a = jsni_fill(R(0));
    for (int step = 0; step < steps; step++) {
        jsni_real sum = jsni_fill(R(0)), slope = jsni_fill(R(0));
        JSNI_UNROLL
        for (size_t c = 0; c < row->chunks; c++) {
            const tempered at = tempered_at(row, c, a);
            sum = sum + jsni_inside(row, 0, c, at.p);
            slope = slope + jsni_inside(row, 0, c, at.heavy);
        }
        sum = jsni_total(row, sum);
        slope = jsni_total(row, slope);
        /* (S^-s - 1) / (s S^(-s-1) slope) on the side where S > 1 */
        const jsni_real log_sum = jsni_log(sum);
        a = a + sum * grown_by(log_sum, s) / slope;
    }
    return a;
}

JSNI_ROW static inline jsni_real bitempered_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar t1 = row->constant[BITEMPERED_T1];
    const jsni_scalar s = row->constant[BITEMPERED_T2] - R(1);
    const jsni_real a = shift_of(row, s), zero = jsni_fill(R(0));
    jsni_real power = zero, escort = zero, pull = zero, label = zero;
    JSNI_UNROLL
    for (size_t c = row->target_first; c < row->target_last; c++)
        label = jsni_fma(jsni_target(row, c),
                         tempered_log(row->d[jsni_at(row, 0, c)] - a, s), label);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const tempered at = tempered_at(row, c, a);
        const jsni_real own = (at.p - jsni_target(row, c)) * at.rise;
        power = power + jsni_inside(row, 0, c, at.power);
        escort = escort + jsni_inside(row, 0, c, at.heavy);
        pull = pull + jsni_inside(row, 0, c, own);
    }
    power = jsni_total(row, power);
    pull = jsni_total(row, pull) / jsni_total(row, escort);
    label = jsni_total(row, label);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const tempered at = tempered_at(row, c, a);
        const jsni_real own = (at.p - jsni_target(row, c)) * at.rise;
        jsni_put(row, 0, c, jsni_inside(row, 0, c, own - pull * at.heavy));
    }
    grad->dense = 1; /* complete: it sums to 0 */
    grad->dense_scale = jsni_fill(R(1));
    return jsni_doubt(row, 0) - grown_by(label, R(1) - t1) -
           (R(1) - power) / (R(2) - t1);
}

JSNI_LOSS_DEFINE(bitempered, "bitempered", "bi-tempered logistic loss",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, bitempered_params,
                 JSNI_COUNT_OF(bitempered_params), bitempered_prepare);
