/* loss/loss_backward_matrix.c - what evaluates backward:matrix=FILE.
 *
 *     L = -sum_k B(y,k) log p_k,   B the inverse of the transition matrix
 *
 * after Patrini et al., CVPR 2017. The row of the table is B(y,.), which sums to 1. */
#include "loss/row.h"

JSNI_ROW static inline jsni_real backward_matrix_row(const jsni_row *row,
                                                     jsni_grad *grad)
{
    jsni_real value = jsni_fill(R(0)), sum = value;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real b = jsni_recall(row, c);
        value = value - b * jsni_logp(row, 0, c);
        sum = sum + b;
        jsni_put(row, 0, c, b);
    }
    grad->dense = 1;
    grad->dense_scale = jsni_fill(R(-1));
    grad->dense_sum = -jsni_total(row, sum);
    return jsni_total(row, value);
}

JSNI_LOSS_DEFINE(backward_matrix, "backward:matrix",
                 "backward correction by a transition matrix",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY | JSNI_HIDDEN, NULL, 0, NULL);
