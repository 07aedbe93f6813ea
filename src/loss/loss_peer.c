/* loss/loss_peer.c - peer loss.
 *
 *     L = CE(y) - alpha / K sum_k CE(k)
 *
 * after Liu and Guo, "Peer Loss Functions: Learning from Noisy Labels without Knowing
 * Noise Rates", ICML 2020. Their peer is another sample's prediction with a third one's
 * label; this is its mean over labels drawn from all classes (Cheng et al., ICLR 2021),
 * which needs no other sample and has less variance. No lower bound. */
#include "loss/row.h"

enum { PEER_ALPHA };

JSNI_SETUP const jsn_param_info peer_params[] = {
    {"alpha", "weight of the peer's loss", 1, 0, 10, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real peer_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar share = row->constant[PEER_ALPHA] / row->classes;
    grad->target = jsni_fill(R(-1));
    grad->uniform = jsni_fill(share);
    return share * jsni_sum_logp(row) - jsni_target_logp(row);
}

JSNI_LOSS_DEFINE(peer, "peer", "peer loss, ce(y) - alpha/K sum_k ce(k)", JSNI_ONE_VIEW,
                 peer_params, JSNI_COUNT_OF(peer_params), NULL);
