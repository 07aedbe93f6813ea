/* loss/loss_peer.c - peer loss.
 *
 *     L = CE(y) + alpha / K sum_k log(p_k + c)
 *
 * after Liu and Guo, "Peer Loss Functions: Learning from Noisy Labels without Knowing
 * Noise Rates", ICML 2020. Their peer is another sample's prediction with a third one's
 * label; this is its mean over labels drawn from all classes (Cheng et al., ICLR 2021),
 * which needs no other sample and has less variance. With c = 0 there is no lower bound: at
 * alpha = 1 the loss is linear in the logits. The authors' code adds c, 1e-5. */
#include "loss/row.h"

enum { PEER_ALPHA, PEER_CLAMP };

JSNI_SETUP const jsn_param_info peer_params[] = {
    {"alpha", "weight of the peer's loss", 1, 0, 10, JSN_PARAM_REAL},
    {"clamp",
     "added to the probabilities of the peer's loss, which bounds it; 0: no bound", 0,
     0, 0.1, JSN_PARAM_REAL},
};

/* In float a probability below e^-80 is 0, which beside a smaller clamp is another loss. */
JSNI_SETUP jsn_status peer_prepare(const char *spec, const jsni_spec_value *values,
                                   size_t views, jsni_loss_setup *setup)
{
    (void)spec;
    (void)views;
    const double clamp = values[PEER_CLAMP].real;
    setup->in_double = clamp > 0.0 && clamp < 1e-29;
    return JSN_OK;
}

JSNI_ROW static inline jsni_real peer_clamped(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar share = row->constant[PEER_ALPHA] / row->classes;
    const jsni_real own = jsni_target_logp(row);
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c), q = p + row->constant[PEER_CLAMP];
        const jsni_real slope = p / q; /* d log(p + c) / dl */
        sum = sum + jsni_inside(row, 0, c, jsni_log(q));
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    grad->target = jsni_fill(R(-1));
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(share);
    grad->dense_sum = share * jsni_total(row, slopes);
    return jsni_doubt(row, 0) + share * jsni_total(row, sum) - own;
}

JSNI_ROW static inline jsni_real peer_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar share = row->constant[PEER_ALPHA] / row->classes;
    if (row->constant[PEER_CLAMP] > R(0))
        return peer_clamped(row, grad);
    grad->target = jsni_fill(R(-1));
    grad->uniform = jsni_fill(share);
    return share * jsni_sum_logp(row) - jsni_target_logp(row);
}

JSNI_LOSS_DEFINE(peer, "peer", "peer loss, ce(y) - alpha/K sum_k ce(k)", JSNI_ONE_VIEW,
                 peer_params, JSNI_COUNT_OF(peer_params), peer_prepare);
