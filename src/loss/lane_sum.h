/* loss/lane_sum.h - a sum of losses as one: the softmax is that of all, and the gradients
 * of the logits are added before they are written; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_SUM_H
#define JSNI_LOSS_LANE_SUM_H

#include "loss/lane_project.h"

/* What a loss of the sum adds its gradient to, and where the result goes. */
typedef struct sum_step {
    jsni_scalar weight;
    const jsni_real *from; /* [views][chunks] of the losses before it; NULL: none */
    jsni_real *to; /* the same with it; NULL, of the last one: into the row's d */
    const jsni_real *kept; /* what d was, for those behind it */
} sum_step;

/* Copies groups here rather than by a call of memcpy(), which took 5% of the time of a method
 * with 10 classes; the empty assembly keeps gcc from making one of it. */
static inline void copy_chunks(jsni_real *to, const jsni_real *from, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        to[c] = from[c];
        __asm__("" ::: "memory");
    }
}

static inline void add_projected(int kind, const projection *p, const jsni_row *row,
                                 size_t v, const jsni_real *from, jsni_real *to)
{
    const jsni_real zero = jsni_fill(R(0));
    const jsni_scalar *e = (const jsni_scalar *)(row->e + v * row->chunks);
    const jsni_scalar *d = (const jsni_scalar *)(row->d + v * row->chunks);
    const jsni_scalar *t = (const jsni_scalar *)row->t;
    const size_t chunks = row->chunks;
    for (size_t c = 0; c < chunks; c++) {
        const size_t k = c * JSNI_LANES;
        const jsni_real own = project(kind, p, e + k, d + k, t + k);
        to[c] = (from == NULL ? zero : from[c]) + own;
    }
}

/* Adds the gradient of the logits that `grad` describes for view v. */
static void add_gradient(const jsni_row *row, size_t v, const jsni_grad *grad,
                         jsni_real target_sum, const sum_step *step)
{
    const size_t at = v * row->chunks;
    const jsni_real *from = step->from == NULL ? NULL : step->from + at;
    jsni_real *to = step->to == NULL ? row->d + at : step->to + at;
    const projection p =
        make_projection(row, grad, v, target_sum, jsni_fill(step->weight));
    switch (projection_kind(grad, row->soft != 0)) {
    case PROJECT_DENSE:
        add_projected(PROJECT_DENSE, &p, row, v, from, to);
        break;
    case PROJECT_TARGET:
        add_projected(PROJECT_TARGET, &p, row, v, from, to);
        break;
    case PROJECT_DENSE_TARGET:
        add_projected(PROJECT_DENSE_TARGET, &p, row, v, from, to);
        break;
    default:
        add_projected(PROJECT_PLOGP, &p, row, v, from, to);
        break;
    }
    if (step->to != NULL && grad->dense)
        copy_chunks(row->d + at, step->kept + at, row->chunks);
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
                          const sum_step *step)
{
    const jsni_real zero = jsni_fill(R(0));
    jsni_grad grad[JSN_LOSS_MAX_VIEWS];
    for (size_t v = 0; v < row->views; v++)
        grad[v] = (jsni_grad){zero, zero, zero, zero, zero, zero, 0, 0, 0};
    const jsni_real value = step->weight * fn(row, grad);
    for (size_t v = 0; v < row->views; v++)
        add_gradient(row, v, &grad[v], target_sum, step);
    return value;
}

/* The same of a loss that sees one view at a time, for each of them. */
static jsni_real add_views(const jsni_row *row, jsni_row_fn *fn, jsni_real target_sum,
                           const sum_step *step, jsni_real value)
{
    for (size_t v = 0; v < row->views; v++) {
        const size_t at = v * row->chunks;
        const jsni_row one = view_of(row, v);
        const sum_step own = {step->weight, step->from == NULL ? NULL : step->from + at,
                              step->to == NULL ? NULL : step->to + at, step->kept + at};
        value = value + add_term(&one, fn, target_sum, &own);
    }
    return value;
}

/* As a row function: the gradient is dense, and complete, so that nothing of p is to be
 * taken from it. The constants of the row come and go. */
static jsni_real jsni_sum_row(const jsni_loss_job *job, jsni_row *row,
                              jsni_real target_sum, jsni_real *kept, jsni_real *total,
                              jsni_row_fn *const *rows, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    jsni_real value = jsni_fill(R(0));
    copy_chunks(kept, row->d, row->views * row->chunks);
    for (size_t i = 0; i < job->term_count; i++) {
        const jsni_loss_term *term = &job->terms[i];
        const size_t passes = term->def->joint ? 1 : row->views;
        const sum_step step = {R(term->weight / (double)passes), i == 0 ? NULL : total,
                               i + 1 == job->term_count ? NULL : total, kept};
        row->constant = jsni_term_constants(term);
        if (passes > 1)
            value = add_views(row, rows[term->index], target_sum, &step, value);
        else
            value = value + add_term(row, rows[term->index], target_sum, &step);
    }
    row->constant = constant;
    for (size_t v = 0; v < row->views; v++) {
        grad[v].dense = 1;
        grad[v].dense_scale = jsni_fill(R(1));
    }
    return value;
}

#endif /* JSNI_LOSS_LANE_SUM_H */
