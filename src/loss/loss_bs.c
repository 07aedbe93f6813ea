/* loss/loss_bs.c - soft bootstrapping.
 *
 *     L = -sum_k (beta t_k + (1 - beta) p_k) log p_k = beta CE + (1 - beta) H(p)
 *
 * after Reed et al., "Training Deep Neural Networks on Noisy Labels with
 * Bootstrapping", ICLR workshop 2015: the model's own prediction is part of the target.
 * The gradient flows through both places of p. */
#include "loss/clamped.h"

enum { BS_BETA, BS_CLAMP };

JSNI_SETUP const jsn_param_info bs_params[] = {
    {"beta", "weight of the given label; the rest is the prediction's", 0.8, 0, 1,
     JSN_PARAM_REAL},
    JSNI_CLAMP_PARAM,
};

JSNI_SETUP jsn_status bs_prepare(const char *spec, const jsni_spec_value *values,
                                 size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "clamp", values[BS_CLAMP].real);
}

JSNI_ROW static inline jsni_real bs_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar beta = row->constant[BS_BETA];
    if (row->constant[BS_CLAMP] != R(0))
        return jsni_clamped(row, grad, beta, beta - R(1), R(0));
    grad->target = jsni_fill(-beta);
    const jsni_real entropy = jsni_add_plogp(row, grad, beta - R(1));
    return entropy - beta * jsni_target_logp(row);
}

JSNI_LOSS_DEFINE(bs, "bs", "soft bootstrapping, beta ce + (1-beta) H(p)", JSNI_ONE_VIEW,
                 bs_params, JSNI_COUNT_OF(bs_params), bs_prepare);
