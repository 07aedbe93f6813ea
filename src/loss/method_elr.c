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

/* What the loops over chunks share. In the row it would be read again after each entry that
 * is written. */
typedef struct elr_terms {
    jsni_real low, high; /* of the cut */
    jsni_real beta;
    jsni_real inverse[JSN_LOSS_MAX_VIEWS]; /* of the sums of the exponentials */
    jsni_real part[JSN_LOSS_MAX_VIEWS];    /* of a view's prediction in the memory */
} elr_terms;

/* x cut to [low, high]. */
JSNI_ROW static inline jsni_real elr_cut(const elr_terms *terms, jsni_real x)
{
    return jsni_max(terms->low, jsni_min(terms->high, x));
}

JSNI_ROW static inline jsni_real elr_p(const jsni_row *row, const elr_terms *terms,
                                       size_t v, size_t c)
{
    return row->e[jsni_at(row, v, c)] * terms->inverse[v];
}

JSNI_ROW static inline jsni_real elr_prediction(const jsni_row *row,
                                                const elr_terms *terms, size_t v,
                                                size_t c, jsni_real p)
{
    return jsni_inside(row, v, c, elr_cut(terms, p));
}

/* What a view's prediction counts for in the memory. */
JSNI_ROW static inline jsni_real elr_part(const jsni_row *row, const elr_terms *terms,
                                          size_t v)
{
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = sum + elr_prediction(row, terms, v, c, elr_p(row, terms, v, c));
    return (R(1) - row->constant[ELR_BETA]) / (R(row->views) * jsni_total(row, sum));
}

/* The sums of a view: sum_k t_k (1 - q_k), and of its dense gradient. */
typedef struct elr_sums {
    jsni_real lack, dense;
} elr_sums;

/* Adds what chunk c of view v has, with its p and the memory t there; leaves its dense
 * gradient, which is 0 where p is cut. */
JSNI_ROW static inline void elr_entry(const jsni_row *row, const elr_terms *terms,
                                      size_t v, size_t c, jsni_real p, jsni_real t,
                                      elr_sums *sums)
{
    const jsni_real rest = JSNI_EXACT ? -jsni_expm1(jsni_logp(row, v, c)) : R(1) - p;
    const jsni_real g = jsni_same(p, elr_cut(terms, p), p * t);
    sums->lack = jsni_fma(t, elr_cut(terms, rest), sums->lack);
    sums->dense = sums->dense + g;
    jsni_put(row, v, c, g);
}

/* Renews the memory, and sums over it in the same pass; returns sum_k t_k. `views` is
 * passed apart from the row so that a constant keeps the sums in registers. */
JSNI_ROW static inline jsni_real elr_pass(const jsni_row *row, size_t views,
                                          elr_sums *sums)
{
    const jsni_real zero = jsni_fill(R(0));
    elr_terms terms;
    jsni_real total = zero;
    terms.low = jsni_fill(row->constant[ELR_CLAMP]);
    terms.high = R(1) - terms.low;
    terms.beta = jsni_fill(row->constant[ELR_BETA]);
    for (size_t v = 0; v < views; v++) {
        terms.inverse[v] = row->inverse[v];
        terms.part[v] = elr_part(row, &terms, v);
        sums[v].lack = sums[v].dense = zero;
    }
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        jsni_real t = terms.beta * jsni_recall(row, c), p[JSN_LOSS_MAX_VIEWS];
        for (size_t v = 0; v < views; v++) {
            p[v] = elr_p(row, &terms, v, c);
            t = jsni_fma(terms.part[v], elr_prediction(row, &terms, v, c, p[v]), t);
        }
        jsni_remember(row, c, t);
        t = jsni_recall(row, c); /* as the memory holds it */
        total = total + t;
        for (size_t v = 0; v < views; v++)
            elr_entry(row, &terms, v, c, p[v], t, &sums[v]);
    }
    return jsni_total(row, total);
}

JSNI_ROW static inline jsni_real elr_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar weight = row->constant[ELR_LAMBDA] / R(row->views);
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    jsni_real value = jsni_fill(R(0));
    elr_sums sums[JSN_LOSS_MAX_VIEWS];
    const jsni_real total =
        row->views == 1 ? elr_pass(row, 1, sums) : elr_pass(row, row->views, sums);
    for (size_t v = 0; v < row->views; v++) {
        /* 1 - sum_k t_k q_k, in a form that cancels less */
        const jsni_real rest =
            jsni_max(tiny, (R(1) - total) + jsni_total(row, sums[v].lack));
        grad[v].dense = 1;
        grad[v].dense_scale = -weight / rest;
        grad[v].dense_sum = grad[v].dense_scale * jsni_total(row, sums[v].dense);
        value = value + weight * jsni_log(rest) + jsni_doubt(row, v);
    }
    return value;
}

JSNI_LOSS_DEFINE(elr, "elr", "early-learning regularisation, added to the loss",
                 JSNI_JOINT | JSNI_METHOD, elr_params, JSNI_COUNT_OF(elr_params), NULL);
