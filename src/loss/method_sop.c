/* loss/method_sop.c - sparse over-parameterisation.
 *
 *     s = u^2 at the label, -v^2 elsewhere, each square at most 1
 *     q = max(p + s, c);   L = -log max(q_y / sum_k q_k, c) + sum_k (h_k + s_k - t_k)^2
 *
 * after Liu et al., "Robust Training under Label Noise by Over-parameterization", ICML
 * 2022. h is 1 at the most probable class. The memory of a sample is w, u at its label and
 * v elsewhere, which begins near 0; a step of gradient descent on the mean of L moves it:
 *
 *     dL/ds_k = 2 (h_k + s_k - t_k) + [k = y] d(-log ...)/dq_y
 *
 * What a network cannot explain of a label is taken up by s, so that it need not be learnt.
 * As in the authors' code u follows both parts of L and v the second; in the paper u follows
 * the first alone. Of several views L is the mean. */
#include "loss/row.h"

enum { SOP_LR_U, SOP_LR_V, SOP_SPREAD, SOP_CLAMP };

JSNI_SETUP const jsn_param_info sop_params[] = {
    {"lr_u", "learning rate of u, at the label", 10, 0, 1e6, JSN_PARAM_REAL},
    {"lr_v", "learning rate of v, elsewhere", 10, 0, 1e6, JSN_PARAM_REAL},
    {"init", "deviation of u and v at first", 1e-8, 1e-18, 1, JSN_PARAM_REAL},
    {"clamp", "probabilities are cut this far from 0", 1e-4, 1e-12, 0.1,
     JSN_PARAM_REAL},
};

JSNI_SETUP jsn_status sop_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    (void)spec;
    (void)views;
    setup->spread = values[SOP_SPREAD].real;
    return JSN_OK;
}

/* Where the sums of a view stand. */
typedef struct sop_sums {
    jsni_real all;   /* 1 / sum_k q_k */
    jsni_real label; /* 1 / q_y; 0 where the quotient is cut */
    jsni_real on;    /* 1, or 0 where it is cut */
} sop_sums;

JSNI_ROW static inline jsni_real sop_shift(const jsni_row *row, size_t c)
{
    const jsni_real w = jsni_recall(row, c), one = jsni_fill(R(1));
    const jsni_real square = jsni_less(one, w * w, one, w * w);
    return square * (R(2) * jsni_target(row, c) - R(1));
}

/* 1 at the largest logit, before jsni_put(). */
JSNI_ROW static inline jsni_real sop_peak(const jsni_row *row, size_t v, size_t c)
{
    const jsni_real zero = jsni_fill(R(0));
    const jsni_real top =
        jsni_less(row->d[jsni_at(row, v, c)], zero, zero, jsni_fill(R(1)));
    return jsni_inside(row, v, c, top);
}

/* Adds the loss of a view to *value. */
JSNI_ROW static inline sop_sums sop_view(const jsni_row *row, size_t v,
                                         jsni_real *value)
{
    const jsni_real low = jsni_fill(row->constant[SOP_CLAMP]);
    const jsni_real zero = jsni_fill(R(0)), one = jsni_fill(R(1));
    jsni_real sum = zero, label = zero, squares = zero;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_target(row, c), s = sop_shift(row, c);
        const jsni_real q = jsni_max(low, jsni_p(row, v, c) + s);
        const jsni_real off = sop_peak(row, v, c) + s - t;
        sum = sum + jsni_inside(row, v, c, q);
        label = jsni_fma(t, q, label);
        squares = jsni_fma(off, off, squares);
    }
    sum = jsni_total(row, sum);
    label = jsni_total(row, label);
    const jsni_real share = label / sum;
    *value = *value + jsni_total(row, squares) - jsni_log(jsni_max(low, share)) +
             jsni_doubt(row, v);
    const sop_sums sums = {one / sum, one / label, jsni_less(share, low, zero, one)};
    return sums;
}

/* The gradient of view v in chunk c, and what w is moved by it. */
JSNI_ROW static inline jsni_real sop_entry(const jsni_row *row, size_t v, size_t c,
                                           jsni_real t, jsni_real s,
                                           const sop_sums *sums, jsni_real *sum)
{
    const jsni_real zero = jsni_fill(R(0)), low = jsni_fill(row->constant[SOP_CLAMP]);
    const jsni_real p = jsni_p(row, v, c);
    const jsni_real slope =
        sums->on * jsni_less(p + s, low, zero, sums->all - t * sums->label);
    const jsni_real off = sop_peak(row, v, c) + s - t;
    jsni_put(row, v, c, p * slope);
    *sum = *sum + p * slope;
    return R(2) * off + t * slope;
}

/* `views` is passed apart from the row so that a constant keeps the sums in registers. */
JSNI_ROW static inline jsni_real sop_views(const jsni_row *row, size_t views,
                                           jsni_grad *grad)
{
    const jsni_scalar each = R(1) / R(views);
    const jsni_scalar rate_u = row->constant[SOP_LR_U],
                      rate_v = row->constant[SOP_LR_V];
    const jsni_real zero = jsni_fill(R(0)), one = jsni_fill(R(1));
    sop_sums sums[JSN_LOSS_MAX_VIEWS];
    jsni_real total[JSN_LOSS_MAX_VIEWS];
    jsni_real value = zero;
    for (size_t v = 0; v < views; v++) {
        sums[v] = sop_view(row, v, &value);
        total[v] = zero;
    }
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real w = jsni_recall(row, c), t = jsni_target(row, c);
        const jsni_real s = sop_shift(row, c);
        jsni_real slope = zero;
        for (size_t v = 0; v < views; v++)
            slope = slope + sop_entry(row, v, c, t, s, &sums[v], &total[v]);
        const jsni_real rate = rate_v + (rate_u - rate_v) * t;
        const jsni_real step = R(2) * each * w * slope * (R(2) * t - R(1));
        const jsni_real moved = w - rate * row->share * step;
        jsni_remember(row, c, jsni_less(one, w * w, w, moved));
    }
    for (size_t v = 0; v < views; v++) {
        grad[v].dense = 1;
        grad[v].dense_scale = jsni_fill(each);
        grad[v].dense_sum = each * jsni_total(row, total[v]);
    }
    return each * value;
}

JSNI_ROW static inline jsni_real sop_row(const jsni_row *row, jsni_grad *grad)
{
    if (row->views == 1)
        return sop_views(row, 1, grad);
    return sop_views(row, row->views, grad);
}

JSNI_LOSS_DEFINE(sop, "sop", "sparse over-parameterisation, in place of the loss",
                 JSNI_JOINT | JSNI_HARD_ONLY | JSNI_METHOD | JSNI_WHOLE, sop_params,
                 JSNI_COUNT_OF(sop_params), sop_prepare);
