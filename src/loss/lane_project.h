/* loss/lane_project.h - from the derivative that a row function describes to the gradient
 * of the logits; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_PROJECT_H
#define JSNI_LOSS_LANE_PROJECT_H

#include <stdbool.h>

#include "loss/row.h"

/* The gradient of the logits is g_k - p_k sum_i g_i: with g as the row function
 * describes it, A t_k + U + D d_k - X e_k. */
typedef struct projection {
    jsni_real a, u, d, x;   /* the four factors, sample weight included */
    jsni_real plogp, shift; /* for p_k l_k: plogp e_k (d_k - shift) in place of D d_k */
} projection;

static inline projection make_projection(const jsni_row *row, const jsni_grad *g,
                                         size_t v, jsni_real target_sum,
                                         jsni_real scale)
{
    const jsni_real sum = g->target * target_sum + row->classes * g->uniform +
                          (g->plogp_sum + g->dense_sum);
    const projection p = {scale * g->target,
                          scale * g->uniform,
                          scale * g->dense_scale,
                          scale * sum * row->inverse[v],
                          scale * g->plogp * row->inverse[v],
                          row->log_sum[v]};
    return p;
}

/* PROJECT_DONE: d is the gradient of the logits, and e is not read. */
enum {
    PROJECT_DENSE,
    PROJECT_TARGET,
    PROJECT_DENSE_TARGET,
    PROJECT_PLOGP,
    PROJECT_DONE
};

static inline int projection_kind(const jsni_grad *grad, bool soft)
{
    if (grad->entropic)
        return PROJECT_PLOGP;
    if (grad->dense)
        return soft || grad->mixed ? PROJECT_DENSE_TARGET : PROJECT_DENSE;
    return PROJECT_TARGET;
}

/* Entries at *e, *d, *t. `kind` is a constant at every call. */
static inline jsni_real project(int kind, const projection *p, const jsni_scalar *e,
                                const jsni_scalar *d, const jsni_scalar *t)
{
    if (kind == PROJECT_DONE)
        return jsni_load(d) * p->d;
    const jsni_real ev = jsni_load(e);
    if (kind == PROJECT_DENSE)
        return jsni_fma(-ev, p->x, jsni_load(d) * p->d);
    jsni_real out = jsni_fma(jsni_load(t), p->a, jsni_fma(-ev, p->x, p->u));
    if (kind == PROJECT_DENSE_TARGET)
        out = jsni_fma(jsni_load(d), p->d, out);
    if (kind == PROJECT_PLOGP)
        out = jsni_fma(ev * p->plogp, jsni_load(d) - p->shift, out);
    return out;
}

#endif /* JSNI_LOSS_LANE_PROJECT_H */
