/* loss/loss_list.h - the table of losses, in the order of `jensen show losses`. To add
 * one, write loss/loss_<id>.c and add its row here. The host, each of its instruction
 * sets and the CUDA backend build their tables from this list. What has no name of its own
 * (JSNI_HIDDEN) stands at the end, and behind it the methods, which have a table of their
 * own. */
#ifndef JSNI_LOSS_LIST_H
#define JSNI_LOSS_LIST_H

#include "loss/method_list.h"

#define JSNI_LOSS_LIST(X) \
    X(gjs)                \
    X(js)                 \
    X(gjs_nocons)         \
    X(gjs_consistency)    \
    X(ce)                 \
    X(mae)                \
    X(gce)                \
    X(sce)                \
    X(nce)                \
    X(rce)                \
    X(nce_rce)            \
    X(ls)                 \
    X(bs)                 \
    X(kl)                 \
    X(kl_rev)             \
    X(jeffreys)           \
    X(k)                  \
    X(k_rev)              \
    X(js_sqrt)            \
    X(focal)              \
    X(nfl)                \
    X(agce)               \
    X(aul)                \
    X(ael)                \
    X(nce_agce)           \
    X(nce_aul)            \
    X(nce_ael)            \
    X(anl_ce)             \
    X(anl_fl)             \
    X(taylor)             \
    X(poly)               \
    X(bitempered)         \
    X(eps_ce)             \
    X(eps_ce_mae)         \
    X(forward)            \
    X(backward)           \
    X(peer)               \
    X(fdiv_tv)            \
    X(fdiv_pearson)       \
    X(fdiv_js)            \
    X(js_clamped)         \
    X(gjs_clamped)        \
    X(forward_matrix)     \
    X(backward_matrix)    \
    JSNI_METHOD_LIST(X)

#endif /* JSNI_LOSS_LIST_H */
