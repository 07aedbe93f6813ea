/* loss/lane_method.h - a loss with a method beside it, as one description of both; part of
 * lane_driver.c. Unlike those of a sum (lane_sum.h) their gradients are not made entry by
 * entry before they are added, but where the loss has an array of its own. */
#ifndef JSNI_LOSS_LANE_METHOD_H
#define JSNI_LOSS_LANE_METHOD_H

#include "loss/lane_sum.h"

/* Whether the terms of a job are one loss and a method. */
static inline bool jsni_is_method_row(const jsni_loss_job *job)
{
    return job->term_count == 2 && job->terms[1].def->method;
}

/* Adds the loss, whose array is in d of view v, to `grad`, which describes the method and its
 * array in `own`; without `own` the loss has none, and d is the method's. */
static void join(const jsni_row *row, size_t v, const jsni_grad *loss,
                 jsni_scalar weight, const jsni_real *own, jsni_grad *grad)
{
    jsni_real *d = row->d + v * row->chunks;
    const jsni_real scale = weight * loss->dense_scale, plogp = weight * loss->plogp;
    for (size_t c = 0; own != NULL && c < row->chunks; c++) {
        const jsni_real entry = loss->dense
                                    ? scale * d[c]
                                    : plogp * jsni_p(row, v, c) * jsni_logp(row, v, c);
        d[c] = jsni_fma(grad->dense_scale, own[c], entry);
    }
    if (own != NULL)
        grad->dense_scale = jsni_fill(R(1));
    grad->target = grad->target + weight * loss->target;
    grad->uniform = grad->uniform + weight * loss->uniform;
    grad->dense_sum = grad->dense_sum + weight * (loss->dense_sum + loss->plogp_sum);
    grad->mixed = 1;
}

/* As a row function, of `views` views; `kept` has room for all, and takes what the method
 * writes where the loss needs d for itself. *dense is whether it does, so that a copy is needed;
 * it is 1 before the first row, which tells. `first` has a gradient for each view. */
static inline jsni_real method_row(const jsni_loss_job *job, jsni_row *row,
                                   size_t views, jsni_real *kept,
                                   jsni_row_fn *const *rows, jsni_grad *first,
                                   jsni_grad *grad, int *dense)
{
    const jsni_scalar *constant = row->constant;
    const jsni_loss_term *loss = &job->terms[0], *method = &job->terms[1];
    const size_t passes = loss->def->joint ? 1 : views;
    const jsni_scalar weight = R(loss->weight / (double)passes);
    const jsni_real zero = jsni_fill(R(0));
    jsni_real value = zero;
    if (JSNI_EXACT || *dense) /* a plugin may write now and then, and is evaluated so */
        copy_chunks(kept, row->d, views * row->chunks);
    for (size_t v = 0; v < views; v++)
        first[v] = (jsni_grad){zero, zero, zero, zero, zero, zero, 0, 0, 0};
    row->constant = jsni_term_constants(loss);
    if (passes == 1)
        value = weight * rows[loss->index](row, first);
    for (size_t v = 0; v < views && passes > 1; v++) {
        const jsni_row one = view_of(row, v);
        value = value + weight * rows[loss->index](&one, &first[v]);
    }
    *dense = 0;
    for (size_t v = 0; v < views; v++)
        *dense = *dense || first[v].dense || first[v].entropic;
    jsni_real *const d = row->d;
    row->d = *dense ? kept : d;
    row->constant = jsni_term_constants(method);
    value = value + rows[method->index](row, grad);
    row->d = d;
    row->constant = constant;
    for (size_t v = 0; v < views; v++)
        join(row, v, &first[v], weight, *dense ? kept + v * row->chunks : NULL,
             &grad[v]);
    return value;
}

static jsni_real jsni_method_row(const jsni_loss_job *job, jsni_row *row,
                                 jsni_real *kept, jsni_row_fn *const *rows,
                                 jsni_grad *grad, int *dense)
{
    if (row->views == 1) { /* the usual case, without loops */
        jsni_grad first;
        return method_row(job, row, 1, kept, rows, &first, grad, dense);
    }
    jsni_grad first[JSN_LOSS_MAX_VIEWS];
    return method_row(job, row, row->views, kept, rows, first, grad, dense);
}

#endif /* JSNI_LOSS_LANE_METHOD_H */
