/* loss/loss_backward.c - backward correction for symmetric label noise.
 *
 *     L = (CE(y) - r / K sum_k CE(k)) / (1 - r);   of a matrix: loss/loss_backward_matrix.c
 *
 * after Patrini et al., "Making Deep Neural Networks Robust to Label Noise: A Loss
 * Correction Approach", CVPR 2017, with the inverse transition matrix of
 * `--noise sym:rate=r`: its mean over the noise is the loss on clean labels. It has no
 * lower bound, so that a network can drive it to minus infinity. */
#include "loss/row.h"
#include "loss/transition.h"

JSNI_SETUP const jsn_param_info backward_params[] = {JSNI_CORRECTION_PARAMS};

JSNI_SETUP jsn_status backward_prepare(const char *spec, const jsni_spec_value *values,
                                       size_t views, jsni_loss_setup *setup)
{
    (void)views;
    return jsni_correction_prepare(spec, values, JSNI_LOSS_AT_backward_matrix, setup);
}

JSNI_ROW static inline jsni_real backward_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar keep = R(1) - row->constant[JSNI_CORRECTION_RATE];
    const jsni_scalar share = row->constant[JSNI_CORRECTION_RATE] / row->classes / keep;
    grad->target = jsni_fill(R(-1) / keep);
    grad->uniform = jsni_fill(share);
    return share * jsni_sum_logp(row) - jsni_target_logp(row) / keep;
}

JSNI_LOSS_DEFINE(backward, "backward",
                 "backward correction, (ce(y) - r/K sum_k ce(k)) / (1-r)",
                 JSNI_ONE_VIEW, backward_params, JSNI_COUNT_OF(backward_params),
                 backward_prepare);
