/* loss/focal_normalized.h - the focal term of the label over that of all classes.
 *
 *     L = F_y / S,  S = sum_k F_k
 *     dL/dl_k = [k = y] F'_y / S - F_y F'_k / S^2
 */
#ifndef JSNI_LOSS_FOCAL_NORMALIZED_H
#define JSNI_LOSS_FOCAL_NORMALIZED_H

#include "loss/focal_term.h"

/* weight times the loss; its gradient is the whole of `grad`. */
JSNI_ROW static inline jsni_real jsni_focal_normalized(const jsni_row *row,
                                                       jsni_grad *grad,
                                                       jsni_scalar weight,
                                                       jsni_scalar gamma)
{
    jsni_real slope, sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real value =
            jsni_focal_term(jsni_logp(row, 0, c), jsni_p(row, 0, c), gamma, &slope);
        sum = sum + jsni_inside(row, 0, c, value);
        slope = jsni_inside(row, 0, c, slope);
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    sum = jsni_total(row, sum);
    const jsni_real l = row->label_logp[0];
    const jsni_real own = jsni_focal_term(l, jsni_exp(l), gamma, &slope);
    const jsni_real value = weight * (own / sum);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = -value / sum;
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = weight * slope / sum;
    return value;
}

#endif /* JSNI_LOSS_FOCAL_NORMALIZED_H */
