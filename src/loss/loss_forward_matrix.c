/* loss/loss_forward_matrix.c - what evaluates forward:matrix=FILE.
 *
 *     L = -log sum_k T(k,y) p_k
 *     dL/dl_k = -T(k,y) p_k / sum_i T(i,y) p_i
 *
 * after Patrini et al., CVPR 2017, with any transition matrix T. The row of the table is
 * T(.,y). The exponentials are taken beside the largest logit among classes that can have the
 * label, so that nothing vanishes where these are improbable. */
#include "loss/row.h"

JSNI_ROW static inline jsni_real forward_matrix_row(const jsni_row *row,
                                                    jsni_grad *grad)
{
    const jsni_real lowest = jsni_fill(-R(JSNI_LARGE)), zero = jsni_fill(R(0));
    jsni_real top = lowest, sum = zero;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        top = jsni_max(top, jsni_less(zero, jsni_recall(row, c),
                                      row->d[jsni_at(row, 0, c)], lowest));
    top = jsni_highest(row, top);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_recall(row, c), x = row->d[jsni_at(row, 0, c)] - top;
        const jsni_real part = t * jsni_exp(jsni_less(zero, x, zero, x));
        jsni_put(row, 0, c, part);
        sum = sum + part;
    }
    sum = jsni_total(row, sum);
    grad->dense = 1;
    grad->dense_scale = R(-1) / sum;
    grad->dense_sum = jsni_fill(R(-1));
    return row->log_sum[0] - (top + jsni_log(sum)) + jsni_doubt(row, 0);
}

JSNI_LOSS_DEFINE(forward_matrix, "forward:matrix",
                 "forward correction by a transition matrix",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY | JSNI_HIDDEN, NULL, 0, NULL);
