/* loss/lane_sum.h - a sum of losses as one: the softmax is that of all, and the gradients
 * of the logits are added before they are written; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_SUM_H
#define JSNI_LOSS_LANE_SUM_H

#include <string.h>

#include "loss/lane_project.h"

/* total += the gradient of the logits that `grad` describes for one view. */
static inline void add_projected(int kind, const projection *p, size_t chunks,
                                 const jsni_real *e, const jsni_real *d,
                                 const jsni_real *t, jsni_real *total)
{
    for (size_t c = 0; c < chunks; c++)
        total[c] = total[c] + project(kind, p, (const jsni_scalar *)(e + c),
                                      (const jsni_scalar *)(d + c),
                                      (const jsni_scalar *)(t + c));
}

static void add_gradient(const jsni_row *row, size_t v, const jsni_grad *grad,
                         jsni_real target_sum, jsni_scalar weight, jsni_real *total)
{
    const size_t n = row->chunks;
    const jsni_real *e = row->e + v * n, *d = row->d + v * n;
    const projection p = make_projection(row, grad, v, target_sum, jsni_fill(weight));
    switch (projection_kind(grad, row->soft != 0)) {
    case PROJECT_DENSE:
        add_projected(PROJECT_DENSE, &p, n, e, d, row->t, total);
        break;
    case PROJECT_TARGET:
        add_projected(PROJECT_TARGET, &p, n, e, d, row->t, total);
        break;
    case PROJECT_DENSE_TARGET:
        add_projected(PROJECT_DENSE_TARGET, &p, n, e, d, row->t, total);
        break;
    default:
        add_projected(PROJECT_PLOGP, &p, n, e, d, row->t, total);
        break;
    }
}

/* The row of one view of several, for a loss that sees one at a time. */
static jsni_row view_of(const jsni_row *row, size_t v)
{
    jsni_row one = *row;
    one.views = 1;
    one.e = row->e + v * row->chunks;
    one.d = row->d + v * row->chunks;
    one.inverse[0] = row->inverse[v];
    one.log_sum[0] = row->log_sum[v];
    one.label_logp[0] = row->label_logp[v];
    return one;
}

/* Adds one loss of the sum for the views that `row` has; returns its value. */
static jsni_real add_term(const jsni_row *row, jsni_row_fn *fn, jsni_real target_sum,
                          jsni_scalar weight, const jsni_real *kept, jsni_real *total)
{
    const jsni_real zero = jsni_fill(R(0));
    jsni_grad grad[JSN_LOSS_MAX_VIEWS];
    for (size_t v = 0; v < row->views; v++)
        grad[v] = (jsni_grad){zero, zero, zero, zero, zero, zero, 0, 0, 0};
    const jsni_real value = weight * fn(row, grad);
    for (size_t v = 0; v < row->views; v++) {
        const size_t from = v * row->chunks;
        add_gradient(row, v, &grad[v], target_sum, weight, total + from);
        if (grad[v].dense)
            memcpy(row->d + from, kept + from, row->chunks * sizeof *kept);
    }
    return value;
}

/* As a row function: the gradient is dense, and complete, so that nothing of p is to be
 * taken from it. */
static jsni_real jsni_sum_row(const jsni_loss_job *job, const jsni_row *row,
                              jsni_real target_sum, jsni_real *kept, jsni_real *total,
                              jsni_row_fn *const *rows, jsni_grad *grad)
{
    const size_t cells = row->views * row->chunks;
    jsni_real value = jsni_fill(R(0));
    memcpy(kept, row->d, cells * sizeof *kept);
    for (size_t c = 0; c < cells; c++)
        total[c] = jsni_fill(R(0));
    for (size_t i = 0; i < job->term_count; i++) {
        const jsni_loss_term *term = &job->terms[i];
        const size_t passes = term->def->joint ? 1 : row->views;
        const jsni_scalar weight = R(term->weight / (double)passes);
        for (size_t v = 0; v < passes; v++) {
            const size_t from = v * row->chunks;
            jsni_row one = passes > 1 ? view_of(row, v) : *row;
            one.constant = jsni_term_constants(term);
            value = value + add_term(&one, rows[term->index], target_sum, weight,
                                     kept + from, total + from);
        }
    }
    memcpy(row->d, total, cells * sizeof *total);
    for (size_t v = 0; v < row->views; v++) {
        grad[v].dense = 1;
        grad[v].dense_scale = jsni_fill(R(1));
    }
    return value;
}

#endif /* JSNI_LOSS_LANE_SUM_H */
