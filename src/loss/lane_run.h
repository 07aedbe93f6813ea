/* loss/lane_run.h - one run over samples: the job and its pieces of scratch, and what both
 * arrangements of lane_driver.c do with them. */
#ifndef JSNI_LOSS_LANE_RUN_H
#define JSNI_LOSS_LANE_RUN_H

#include <math.h>
#include <stdbool.h>

#include "loss/lane_clip.h"
#include "loss/lane_io.h"
#include "loss/lane_method.h"
#include "loss/lane_project.h"
#include "loss/lane_sum.h"
#include "loss/row.h"

/* Of a loss: up to here it is taken as it is, beyond its logits are looked at. */
static const double LARGE_VALUE = 1e4;

/* One run: the job and its pieces of scratch. */
typedef struct lane_run {
    const jsni_loss_job *job;
    jsni_row_fn *const *rows; /* of all losses */
    jsni_row_fn *fn;
    jsni_pair_fn *pair; /* or NULL */
    jsni_real *t;       /* [chunks] */
    jsni_real *m;       /* [chunks] memory of a method */
    jsni_real *e;       /* [views][chunks] */
    jsni_real *d;       /* [views][chunks] */
    jsni_real *kept;  /* [views][chunks] d of a sum, which dense gradients overwrite */
    jsni_real *total; /* [views][chunks] gradient of a sum */
    lane_clip clip[JSN_LOSS_MAX_VIEWS]; /* of a loss of clipped logits */
    int dense; /* whether the loss beside a method writes over d */
    jsni_row row;
    jsni_real target_sum;
    jsni_grad grad[JSN_LOSS_MAX_VIEWS];
    jsni_loss_part *part;
} lane_run;

/* Takes the sum of the exponentials apart; the difference turns infinite and NaN sums,
 * which the logarithm of bits would not notice, into NaN. */
static void finish_softmax(jsni_row *row, size_t v, jsni_real sum)
{
    row->inverse[v] = R(1) / sum;
    row->log_sum[v] = jsni_log(sum) + (sum - sum);
}

/* Of a loss that needs none: what its row must not read is in order. */
static void skip_softmax(jsni_row *row, size_t v)
{
    row->inverse[v] = jsni_fill(R(1));
    row->log_sum[v] = jsni_fill(R(0));
}

/* Lanes of the last group that hold a class, 0: all. */
static size_t lanes_left(const lane_run *run)
{
    return run->row.apart ? 0 : run->job->classes % JSNI_LANES;
}

/* Clips the logits in d of view v, and takes their softmax. */
static void softmax_clipped(lane_run *run, size_t v)
{
    jsni_row *row = &run->row;
    jsni_real *e = run->e + v * row->chunks, *d = run->d + v * row->chunks;
    const size_t left = lanes_left(run);
    const lane_clip by = run->clip[v] = clip_logits(row, run->job->clip, left, d);
    jsni_real sum = jsni_fill(R(0)), label = jsni_fill(R(0));
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real x = d[c] * by.factor - by.top;
        d[c] = clip_keep(row, c, left, x);
        e[c] = clip_keep(row, c, left, jsni_exp(x));
        sum = sum + e[c];
        if (row->apart) /* else it is read where it lies */
            label = jsni_fma(run->t[c], d[c], label);
    }
    finish_softmax(row, v, jsni_total(row, sum));
    row->label_logp[v] = label - row->log_sum[v];
}

/* Entropy and sum of soft targets that are in place. */
static void measure_target(lane_run *run)
{
    jsni_real plogp = jsni_fill(R(0));
    jsni_real sum = jsni_fill(R(0));
    for (size_t c = 0; c < run->row.chunks; c++) {
        plogp = plogp + jsni_xlogx(run->t[c]);
        sum = sum + run->t[c];
    }
    run->row.target_plogp = jsni_total(&run->row, plogp);
    run->target_sum = jsni_total(&run->row, sum);
}

/* Whether a value too large for the logits is there because one of them is -infinity,
 * which is computed as -JSNI_LARGE: a small factor (of a soft target, of smoothing)
 * makes a number of that which looks like any other. The logits are those of `views`
 * views from entry `first` on. */
static bool comes_from_masked(const lane_run *run, size_t first, size_t views,
                              double value)
{
    const jsni_loss_job *job = run->job;
    const size_t step = job->samples * job->classes;
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool masked = false;
    for (size_t v = 0; v < views; v++)
        for (size_t k = 0; k < job->classes; k++) {
            const size_t at = first + v * step + k;
            const double z = job->f64 ? ((const double *)job->logits)[at]
                                      : (double)((const float *)job->logits)[at];
            masked = masked || z == -HUGE_VAL;
            low = z != -HUGE_VAL && z < low ? z : low;
            high = z > high ? z : high;
        }
    return masked && fabs(value) > LARGE_VALUE * (1.0 + high - low);
}

/* Notes the first sample whose loss is not finite. */
static void check_value(const lane_run *run, size_t sample, size_t first, size_t views,
                        double value)
{
    if (fabs(value) < LARGE_VALUE || run->part->bad != SIZE_MAX)
        return;
    if (!(fabs(value) < 0.01 * (double)JSNI_LARGE) ||
        comes_from_masked(run, first, views, value))
        run->part->bad = sample;
}

/* A gradient that is written over the logits leaves nothing to look at afterwards. */
static bool is_in_place(const jsni_loss_job *job)
{
    return job->grad == job->logits;
}

/* Lists a value and returns `sum` with it. The sum is passed through, so that it stays
 * in a register over a group: through memory, each addition would wait for the last. */
static double take_value(const lane_run *run, size_t sample, double weight,
                         double value, double sum)
{
    if (run->job->per_sample != NULL)
        run->job->per_sample[sample] = value;
    if (!(fabs(value) < LARGE_VALUE) && !is_in_place(run->job))
        check_value(run, sample, sample * run->job->classes, run->job->views_read,
                    value);
    return sum + weight * value;
}

static void clear_grad(lane_run *run)
{
    /* Member by member: stores of registers, not a call for a few lines of memory. */
    const jsni_real zero = jsni_fill(R(0));
    for (size_t v = 0; v < run->row.views; v++)
        run->grad[v] = (jsni_grad){zero, zero, zero, zero, zero, zero, 0, 0, 0};
}

/* A sum of losses, clipped or not. */
static jsni_real evaluate_sum(lane_run *run)
{
    const jsni_real value = jsni_sum_row(run->job, &run->row, run->target_sum,
                                         run->kept, run->total, run->rows, run->grad);
    for (size_t v = 0; run->job->clip != NULL && v < run->row.views; v++)
        clip_gradient(&run->row, run->job->clip, &run->clip[v], lanes_left(run),
                      run->kept + v * run->row.chunks, run->d + v * run->row.chunks);
    return value;
}

/* The gradient of clipped logits, into `total`; returns its product with them, of which lanes
 * without a class are none. `kind` is a constant at every call. */
static inline jsni_real project_clipped(int kind, const lane_run *run,
                                        const projection *p, const jsni_real *kept)
{
    const size_t left = lanes_left(run), chunks = run->row.chunks;
    const jsni_scalar *e = (const jsni_scalar *)run->e,
                      *d = (const jsni_scalar *)run->d;
    const jsni_scalar *t = (const jsni_scalar *)run->t;
    jsni_real dot = jsni_fill(R(0));
    for (size_t c = 0; c < chunks; c++) {
        const size_t k = c * JSNI_LANES;
        run->total[c] = project(kind, p, e + k, d + k, t + k);
        dot = dot + clip_keep(&run->row, c, left,
                              run->total[c] * (kept[c] + run->clip[0].top));
    }
    return dot;
}

/* One loss of one view, clipped: as evaluate_sum(), with fewer passes. */
static jsni_real evaluate_clipped(lane_run *run)
{
    const jsni_loss_term *term = run->job->terms;
    jsni_row *row = &run->row;
    const jsni_scalar weight = R(term->weight), *constant = row->constant;
    jsni_grad *grad = run->grad;
    if (JSNI_EXACT || run->dense)
        copy_chunks(run->kept, row->d, row->chunks);
    row->constant = jsni_term_constants(term);
    const jsni_real value = weight * run->rows[term->index](row, grad);
    row->constant = constant;
    run->dense = grad->dense;
    const jsni_real *kept = JSNI_EXACT || run->dense ? run->kept : run->d;
    const projection p =
        make_projection(row, grad, 0, run->target_sum, jsni_fill(weight));
    jsni_real dot;
    switch (projection_kind(grad, row->soft != 0)) {
    case PROJECT_DENSE:
        dot = project_clipped(PROJECT_DENSE, run, &p, kept);
        break;
    case PROJECT_TARGET:
        dot = project_clipped(PROJECT_TARGET, run, &p, kept);
        break;
    case PROJECT_DENSE_TARGET:
        dot = project_clipped(PROJECT_DENSE_TARGET, run, &p, kept);
        break;
    default:
        dot = project_clipped(PROJECT_PLOGP, run, &p, kept);
        break;
    }
    clip_scale(row, run->job->clip, &run->clip[0], dot, kept, run->total, row->d);
    clear_grad(run);
    grad->dense = 1;
    grad->dense_scale = jsni_fill(R(1));
    return value;
}

/* Value and derivative of the sample in place. */
static inline jsni_real evaluate_row(lane_run *run)
{
    if (run->job->terms == NULL)
        return run->fn(&run->row, run->grad);
    if (run->job->clip != NULL && run->job->term_count == 1 && run->row.views == 1)
        return evaluate_clipped(run);
    if (!jsni_is_method_row(run->job))
        return evaluate_sum(run);
    return jsni_method_row(run->job, &run->row, run->kept, run->rows, run->grad,
                           &run->dense);
}

#endif /* JSNI_LOSS_LANE_RUN_H */
