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

/* d(-log ...)/dq_k of a view where q is not cut: 1 / sum_k q_k, at the label less 1 / q_y; 0
 * where the quotient is cut. */
typedef struct sop_slopes {
    jsni_real label, other;
    jsni_real
        inverse; /* of the view, which in the row would be read again for each chunk */
} sop_slopes;

/* `label` where t is 1, `other` where it is 0. `targeted` is a constant at every call: 0
 * where the chunks have no label. */
JSNI_ROW static inline jsni_real sop_choose(int targeted, jsni_real t, jsni_real label,
                                            jsni_real other)
{
    return targeted ? jsni_less(jsni_fill(R(0)), t, label, other) : other;
}

/* |s|, from the memory w. */
JSNI_ROW static inline jsni_real sop_size(jsni_real w)
{
    return jsni_min(jsni_fill(R(1)), w * w);
}

/* x + s, from |s|. */
JSNI_ROW static inline jsni_real sop_shift(int targeted, jsni_real t, jsni_real size,
                                           jsni_real x)
{
    return targeted ? jsni_fma(t * R(2) - R(1), size, x) : x - size;
}

/* h + s - t, before jsni_put(): h is 1 at the largest logit. */
JSNI_ROW static inline jsni_real sop_off(const jsni_row *row, size_t v, size_t c,
                                         int targeted, jsni_real t, jsni_real size)
{
    const jsni_real zero = jsni_fill(R(0));
    const jsni_real top =
        jsni_less(row->d[jsni_at(row, v, c)], zero, zero, jsni_fill(R(1)));
    const jsni_real off = sop_shift(targeted, t, size, jsni_inside(row, v, c, top));
    return targeted ? off - t : off;
}

/* The sums of a view over all classes: q, q at the label, (h + s - t)^2. */
typedef struct sop_sums {
    jsni_real all, label, squares;
} sop_sums;

/* Leaves h + s - t in place of d. */
JSNI_ROW static inline void sop_add(const jsni_row *row, size_t v, size_t first,
                                    size_t last, int targeted, sop_sums *sums)
{
    /* In the row they would be read again for each chunk. */
    const jsni_real low = jsni_fill(row->constant[SOP_CLAMP]),
                    inverse = row->inverse[v];
    sop_sums sum = *sums;
    JSNI_UNROLL
    for (size_t c = first; c < last; c++) {
        const jsni_real t = targeted ? jsni_target(row, c) : jsni_fill(R(0));
        const jsni_real size = sop_size(jsni_recall(row, c));
        const jsni_real p = row->e[jsni_at(row, v, c)] * inverse;
        const jsni_real q = jsni_max(low, sop_shift(targeted, t, size, p));
        const jsni_real off = sop_off(row, v, c, targeted, t, size);
        sum.all = sum.all + jsni_inside(row, v, c, q);
        jsni_put(row, v, c, off);
        if (targeted)
            sum.label = jsni_fma(t, q, sum.label);
        sum.squares = jsni_fma(off, off, sum.squares);
    }
    *sums = sum;
}

/* Adds the loss of a view to *value. */
JSNI_ROW static inline sop_slopes sop_view(const jsni_row *row, size_t v,
                                           jsni_real *value)
{
    const jsni_real low = jsni_fill(row->constant[SOP_CLAMP]);
    const jsni_real zero = jsni_fill(R(0)), one = jsni_fill(R(1));
    sop_sums sums = {zero, zero, zero};
    sop_add(row, v, 0, row->target_first, 0, &sums);
    sop_add(row, v, row->target_first, row->target_last, 1, &sums);
    sop_add(row, v, row->target_last, row->chunks, 0, &sums);
    const jsni_real all = jsni_total(row, sums.all);
    const jsni_real label = jsni_total(row, sums.label), share = label / all;
    *value = *value + jsni_total(row, sums.squares) - jsni_log(jsni_max(low, share)) +
             jsni_doubt(row, v);
    const jsni_real on = jsni_less(share, low, zero, one), other = one / all;
    const sop_slopes slopes = {on * (other - one / label), on * other, row->inverse[v]};
    return slopes;
}

/* Leaves the gradient of view v in chunk c; returns half of that of s. `size` is |s|. */
JSNI_ROW static inline jsni_real sop_entry(const jsni_row *row, size_t v, size_t c,
                                           int targeted, jsni_real t, jsni_real size,
                                           jsni_real low, const sop_slopes *slopes,
                                           jsni_real *sum)
{
    const jsni_real zero = jsni_fill(R(0));
    const jsni_real p = row->e[jsni_at(row, v, c)] * slopes->inverse;
    const jsni_real slope =
        jsni_less(sop_shift(targeted, t, size, p), low, zero,
                  sop_choose(targeted, t, slopes->label, slopes->other));
    const jsni_real off = row->d[jsni_at(row, v, c)], g = p * slope;
    jsni_put(row, v, c, g);
    *sum = *sum + g;
    return targeted ? jsni_fma(t, R(0.5) * slope, off) : off;
}

/* Gradients and memory of some chunks. `views` is passed apart from the row so that a
 * constant keeps the sums in registers. */
JSNI_ROW static inline void sop_move(const jsni_row *row, size_t views, size_t first,
                                     size_t last, int targeted,
                                     const sop_slopes *slopes, jsni_real *totals)
{
    const jsni_scalar four = R(4) / R(views);
    /* What w is to gain of itself, of u and v; s falls with v. */
    const jsni_real rate_u = -(four * row->constant[SOP_LR_U] * row->share);
    const jsni_real rate_v = four * row->constant[SOP_LR_V] * row->share;
    const jsni_real zero = jsni_fill(R(0)), one = jsni_fill(R(1));
    const jsni_real low = jsni_fill(row->constant[SOP_CLAMP]);
    jsni_real total[JSN_LOSS_MAX_VIEWS];
    for (size_t v = 0; v < views; v++)
        total[v] = totals[v];
    JSNI_UNROLL
    for (size_t c = first; c < last; c++) {
        const jsni_real w = jsni_recall(row, c);
        const jsni_real t = targeted ? jsni_target(row, c) : zero;
        const jsni_real size = sop_size(w);
        jsni_real slope = zero;
        for (size_t v = 0; v < views; v++)
            slope = slope +
                    sop_entry(row, v, c, targeted, t, size, low, &slopes[v], &total[v]);
        const jsni_real rate = sop_choose(targeted, t, rate_u, rate_v);
        const jsni_real moved = jsni_fma(w * rate, slope, w);
        jsni_remember(row, c, jsni_less(one, w * w, w, moved));
    }
    for (size_t v = 0; v < views; v++)
        totals[v] = total[v];
}

JSNI_ROW static inline jsni_real sop_views(const jsni_row *row, size_t views,
                                           jsni_grad *grad)
{
    const jsni_scalar each = R(1) / R(views);
    sop_slopes slopes[JSN_LOSS_MAX_VIEWS];
    jsni_real total[JSN_LOSS_MAX_VIEWS];
    jsni_real value = jsni_fill(R(0));
    for (size_t v = 0; v < views; v++) {
        slopes[v] = sop_view(row, v, &value);
        total[v] = jsni_fill(R(0));
    }
    sop_move(row, views, 0, row->target_first, 0, slopes, total);
    sop_move(row, views, row->target_first, row->target_last, 1, slopes, total);
    sop_move(row, views, row->target_last, row->chunks, 0, slopes, total);
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
