/* loss/loss_forward.c - forward correction for symmetric label noise.
 *
 *     L = -log((1 - r) p_y + r / K);   of a matrix: loss/loss_forward_matrix.c
 *
 * after Patrini et al., "Making Deep Neural Networks Robust to Label Noise: A Loss
 * Correction Approach", CVPR 2017, with the transition matrix of `--noise sym:rate=r`:
 * the prediction is made as noisy as the labels before the two are compared. */
#include "loss/row.h"
#include "loss/transition.h"

JSNI_SETUP const jsn_param_info forward_params[] = {JSNI_CORRECTION_PARAMS};

JSNI_SETUP jsn_status forward_prepare(const char *spec, const jsni_spec_value *values,
                                      size_t views, jsni_loss_setup *setup)
{
    (void)views;
    return jsni_correction_prepare(spec, values, JSNI_LOSS_AT_forward_matrix, setup);
}

JSNI_ROW static inline jsni_real forward_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar rate = row->constant[JSNI_CORRECTION_RATE];
    const jsni_scalar keep = R(1) - rate, share = rate / row->classes;
    const jsni_real l = row->label_logp[0];
    const jsni_real p = jsni_exp(l);
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    const jsni_real sum = jsni_max(tiny, keep * p + share);
    if (rate == R(0)) { /* cross-entropy, whose logarithm of p is at hand */
        grad->target = jsni_fill(R(-1));
        return -l;
    }
    grad->target = -(keep * p) / sum;
    return jsni_doubt(row, 0) - jsni_log(sum);
}

JSNI_LOSS_DEFINE(forward, "forward", "forward correction, -log((1-r) p_y + r/K)",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, forward_params,
                 JSNI_COUNT_OF(forward_params), forward_prepare);
