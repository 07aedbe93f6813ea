/* loss/method_elr.c - early-learning regularisation.
 *
 *     q = p cut to [c, 1-c];   t' = beta t + (1-beta) q / sum_k q_k
 *     L = lambda log(1 - sum_k t'_k q_k),   added to the loss
 *
 * after Liu et al., "Early-Learning Regularization Prevents Memorization of Noisy Labels",
 * NeurIPS 2020. The memory of a sample is t, the moving average of its predictions, which
 * are right before the network begins to learn wrong labels by heart; the term keeps the
 * prediction close to them. The cut is that of the authors' code (the paper has none);
 * without it the term falls without bound where prediction and memory agree. Of several
 * views t takes the mean prediction, and the term is the mean over them. */
#include "loss/row.h"

enum { ELR_BETA, ELR_LAMBDA, ELR_CLAMP };

JSNI_SETUP const jsn_param_info elr_params[] = {
    {"beta", "share of the past in the average of predictions", 0.7, 0, 0.999999,
     JSN_PARAM_REAL},
    {"lambda", "weight of the term", 3, 0, 1000, JSN_PARAM_REAL},
    {"clamp", "probabilities are cut this far from 0 and 1; 0: not at all", 1e-4, 0,
     0.1, JSN_PARAM_REAL},
};

/* x cut to [low, 1 - low]. */
JSNI_ROW static inline jsni_real elr_cut(jsni_real x, jsni_scalar low)
{
    const jsni_real high = jsni_fill(R(1) - low);
    return jsni_max(jsni_fill(low), jsni_less(high, x, high, x));
}

JSNI_ROW static inline jsni_real elr_prediction(const jsni_row *row, size_t v, size_t c)
{
    return jsni_inside(row, v, c, elr_cut(jsni_p(row, v, c), row->constant[ELR_CLAMP]));
}

JSNI_ROW static inline void elr_update(const jsni_row *row)
{
    const jsni_scalar beta = row->constant[ELR_BETA];
    jsni_real part[JSN_LOSS_MAX_VIEWS]; /* of a view's prediction in the memory */
    for (size_t v = 0; v < row->views; v++) {
        jsni_real sum = jsni_fill(R(0));
        JSNI_UNROLL
        for (size_t c = 0; c < row->chunks; c++)
            sum = sum + elr_prediction(row, v, c);
        part[v] = (R(1) - beta) / (R(row->views) * jsni_total(row, sum));
    }
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        jsni_real t = beta * jsni_recall(row, c);
        for (size_t v = 0; v < row->views; v++)
            t = jsni_fma(part[v], elr_prediction(row, v, c), t);
        jsni_remember(row, c, t);
    }
}

/* 1 - sum_k t_k q_k = (1 - sum_k t_k) + sum_k t_k (1 - q_k), which cancels less. */
JSNI_ROW static inline jsni_real elr_rest(const jsni_row *row, size_t v)
{
    const jsni_scalar low = row->constant[ELR_CLAMP];
    jsni_real sum = jsni_fill(R(0)), lack = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_recall(row, c);
        const jsni_real rest =
            JSNI_EXACT ? -jsni_expm1(jsni_logp(row, v, c)) : R(1) - jsni_p(row, v, c);
        sum = sum + t;
        lack = jsni_fma(t, elr_cut(rest, low), lack);
    }
    return (R(1) - jsni_total(row, sum)) + jsni_total(row, lack);
}

JSNI_ROW static inline jsni_real elr_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar weight = row->constant[ELR_LAMBDA] / R(row->views);
    const jsni_real zero = jsni_fill(R(0)), low = jsni_fill(row->constant[ELR_CLAMP]);
    const jsni_real high = R(1) - low;
    jsni_real value = zero;
    elr_update(row);
    for (size_t v = 0; v < row->views; v++) {
        const jsni_real rest = jsni_max(jsni_fill(R(JSNI_TINY)), elr_rest(row, v));
        jsni_real sum = zero;
        JSNI_UNROLL
        for (size_t c = 0; c < row->chunks; c++) {
            const jsni_real p = jsni_p(row, v, c);
            const jsni_real g = jsni_less(
                p, low, zero, jsni_less(high, p, zero, p * jsni_recall(row, c)));
            jsni_put(row, v, c, g);
            sum = sum + g;
        }
        grad[v].dense = 1;
        grad[v].dense_scale = -weight / rest;
        grad[v].dense_sum = grad[v].dense_scale * jsni_total(row, sum);
        value = value + weight * jsni_log(rest) + jsni_doubt(row, v);
    }
    return value;
}

JSNI_LOSS_DEFINE(elr, "elr", "early-learning regularisation, added to the loss",
                 JSNI_JOINT | JSNI_METHOD, elr_params, JSNI_COUNT_OF(elr_params), NULL);
