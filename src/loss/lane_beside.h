/* loss/lane_beside.h - samples whose lanes are neighbouring classes: sums run across the
 * lanes; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_BESIDE_H
#define JSNI_LOSS_LANE_BESIDE_H

#include "loss/lane_memory.h"
#include "loss/lane_run.h"

/* The largest logit of the row at `offset`. */
static jsni_scalar highest_beside(const jsni_loss_job *job, size_t offset)
{
    const size_t full = job->classes / JSNI_LANES;
    const size_t left = job->classes % JSNI_LANES;
    jsni_real highest = jsni_fill(-R(HUGE_VAL));
    for (size_t c = 0; c < full; c++)
        highest = jsni_max(jsni_read(job, job->logits, offset, c), highest);
    if (left != 0)
        highest = jsni_max(
            jsni_read_part(job->logits, offset, full, left, -R(HUGE_VAL)), highest);
    return jsni_lane_max(highest);
}

/* e and d of view v of the row, from the logits at `offset`, of which `top` is the
 * largest; returns the sum of e by lanes. Asks for the next sample's row, a line at a
 * time between the exponentials, so that memory works while they are computed: rows end
 * inside pages, where the processor's own fetching ahead stops, and all at once would
 * fill the queue of fetches and wait. */
static jsni_real exp_beside(lane_run *run, size_t v, size_t offset, jsni_scalar top)
{
    const jsni_loss_job *job = run->job;
    jsni_real *e = run->e + v * run->row.chunks;
    jsni_real *d = run->d + v * run->row.chunks;
    const size_t full = job->classes / JSNI_LANES;
    const size_t left = job->classes % JSNI_LANES;
    const size_t next = offset + job->classes;
    const jsni_real lowest = jsni_fill(-R(JSNI_LARGE));
    jsni_real sum = jsni_fill(R(0));
    for (size_t c = 0; c < full; c++) {
        const jsni_real x =
            jsni_max(lowest, jsni_read(job, job->logits, offset, c) - top);
        if (c % JSNI_LINE_CHUNKS == 0)
            jsni_fetch(job->logits, next + c * JSNI_LANES);
        d[c] = x;
        e[c] = jsni_exp(x);
        sum = sum + e[c];
    }
    if (left != 0) {
        const jsni_real x = jsni_max(
            lowest, jsni_read_part(job->logits, offset, full, left, top) - top);
        d[full] = x;
        e[full] = jsni_keep(jsni_exp(x), left);
        sum = sum + e[full];
    }
    return sum;
}

/* d alone, as exp_beside() makes it. In the last group e tells lanes that hold a class. */
static void shift_beside(lane_run *run, size_t v, size_t offset, jsni_scalar top)
{
    const jsni_loss_job *job = run->job;
    jsni_real *d = run->d + v * run->row.chunks;
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    const size_t next = offset + job->classes;
    const jsni_real lowest = jsni_fill(-R(JSNI_LARGE));
    for (size_t c = 0; c < full; c++) {
        d[c] = jsni_max(lowest, jsni_read(job, job->logits, offset, c) - top);
        if (c % JSNI_LINE_CHUNKS == 0)
            jsni_fetch(job->logits, next + c * JSNI_LANES);
    }
    const size_t last = v * run->row.chunks + run->row.chunks - 1;
    run->e[last] = jsni_fill(R(1));
    if (left != 0) {
        run->e[last] = jsni_keep(run->e[last], left);
        d[full] = jsni_max(lowest,
                           jsni_read_part(job->logits, offset, full, left, top) - top);
    }
    skip_softmax(&run->row, v);
}

/* The logits of one row; lanes without a class repeat the first. */
static void load_beside(const jsni_loss_job *job, size_t offset, jsni_real *to)
{
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    for (size_t c = 0; c < full; c++)
        to[c] = jsni_read(job, job->logits, offset, c);
    if (left != 0)
        to[full] =
            jsni_read_part(job->logits, offset, full, left,
                           jsni_first(jsni_read_part(job->logits, offset, 0, 1, R(0))));
}

/* e, d and their sums of all views, `step` apart in memory. Each part is done for all
 * views before the next one: what a view waits for at the end of its part, a sum across
 * lanes and a logarithm, is computed while the next view has work to do. */
static void softmax_beside(lane_run *run, size_t offset, size_t step)
{
    if (run->job->clip != NULL) {
        for (size_t v = 0; v < run->row.views; v++) {
            load_beside(run->job, offset + v * step, run->d + v * run->row.chunks);
            softmax_clipped(run, v);
        }
        return;
    }
    const size_t views = run->row.views;
    jsni_scalar top[JSN_LOSS_MAX_VIEWS];
    jsni_real sum[JSN_LOSS_MAX_VIEWS];
    if (!JSNI_EXACT && run->job->bare) { /* has one view */
        shift_beside(run, 0, offset, highest_beside(run->job, offset));
        return;
    }
    if (views == 1) { /* without the way through memory */
        sum[0] = exp_beside(run, 0, offset, highest_beside(run->job, offset));
        finish_softmax(&run->row, 0, jsni_fill(jsni_lane_sum(sum[0])));
        return;
    }
    for (size_t v = 0; v < views; v++)
        top[v] = highest_beside(run->job, offset + v * step);
    for (size_t v = 0; v < views; v++)
        sum[v] = exp_beside(run, v, offset + v * step, top[v]);
    for (size_t v = 0; v < views; v++)
        finish_softmax(&run->row, v, jsni_fill(jsni_lane_sum(sum[v])));
}

/* Writes a gradient row of `classes` entries, more than a group, at `offset`. */
static inline void project_beside(int kind, const lane_run *run, const projection *p,
                                  size_t v, size_t offset)
{
    const jsni_loss_job *job = run->job;
    const size_t classes = job->classes;
    const jsni_scalar *e = (const jsni_scalar *)(run->e + v * run->row.chunks);
    const jsni_scalar *d = (const jsni_scalar *)(run->d + v * run->row.chunks);
    const jsni_scalar *t = (const jsni_scalar *)run->t;
    size_t k = 0;
    if (job->stream) {
        k = jsni_stream_head(job, offset);
        if (k != 0)
            jsni_write_part(job, job->grad, offset, project(kind, p, e, d, t), k);
        for (; k + JSNI_LANES <= classes; k += JSNI_LANES)
            jsni_write_around(job, offset + k, project(kind, p, e + k, d + k, t + k));
    }
    for (; k + JSNI_LANES <= classes; k += JSNI_LANES)
        jsni_write(job, job->grad, offset + k, project(kind, p, e + k, d + k, t + k));
    if (k < classes)
        jsni_write_part(job, job->grad, offset + k,
                        project(kind, p, e + k, d + k, t + k), classes - k);
}

static void write_beside(const lane_run *run, size_t v, jsni_scalar scale,
                         size_t offset)
{
    const projection p =
        make_projection(&run->row, &run->grad[v], v, run->target_sum, jsni_fill(scale));
    switch (run->job->bare ? PROJECT_DONE
                           : projection_kind(&run->grad[v], run->row.soft != 0)) {
    case PROJECT_DONE:
        project_beside(PROJECT_DONE, run, &p, v, offset);
        break;
    case PROJECT_DENSE:
        project_beside(PROJECT_DENSE, run, &p, v, offset);
        break;
    case PROJECT_TARGET:
        project_beside(PROJECT_TARGET, run, &p, v, offset);
        break;
    case PROJECT_DENSE_TARGET:
        project_beside(PROJECT_DENSE_TARGET, run, &p, v, offset);
        break;
    default:
        project_beside(PROJECT_PLOGP, run, &p, v, offset);
        break;
    }
}

static void load_target_beside(lane_run *run, size_t sample)
{
    const jsni_loss_job *job = run->job;
    if (!run->row.soft) {
        ((jsni_scalar *)run->t)[job->labels[sample]] = R(1);
        run->row.target_first = (size_t)job->labels[sample] / JSNI_LANES;
        run->row.target_last = run->row.target_first + 1;
        return;
    }
    const size_t full = job->classes / JSNI_LANES;
    const size_t left = job->classes % JSNI_LANES;
    const size_t offset = sample * job->classes;
    for (size_t c = 0; c < full; c++)
        run->t[c] = jsni_read(job, job->targets, offset, c);
    if (left != 0)
        run->t[full] = jsni_read_part(job->targets, offset, full, left, R(0));
    measure_target(run);
}

static void sample_beside(lane_run *run, size_t sample)
{
    const jsni_loss_job *job = run->job;
    jsni_row *row = &run->row;
    const size_t step = job->samples * job->classes; /* from view to view */
    const size_t first = sample * job->classes;
    const size_t groups = job->joint ? 1 : job->views_read;
    const double weight = jsni_loss_weight(job, sample);
    const jsni_scalar scale = R(weight * job->inverse_weight / (double)groups);
    double value = 0.0;
    load_target_beside(run, sample);
    if (job->memory != NULL)
        begin_memory(job, sample, run->m, row);
    else if (job->table != NULL)
        load_row_beside(job, job->table, (size_t)job->labels[sample], run->m);
    row->share = jsni_fill(scale);
    for (size_t g = 0; g < groups; g++) {
        clear_grad(run);
        softmax_beside(run, first + g * step, step);
        for (size_t v = 0; v < row->views && !row->soft; v++)
            row->label_logp[v] =
                ((const jsni_scalar *)(run->d + v * row->chunks))[job->labels[sample]] -
                row->log_sum[v];
        for (size_t v = 0; v < row->views && job->grad != NULL; v++)
            jsni_fetch_ends(job, first + (g + v) * step);
        const double part = (double)jsni_first(evaluate_row(run));
        if (is_in_place(job))
            check_value(run, sample, first + g * step, row->views, part);
        value += part;
        for (size_t v = 0; v < row->views && job->grad != NULL; v++)
            write_beside(run, v, scale, first + (g + v) * step);
    }
    if (job->memory != NULL)
        end_memory(job, sample, run->m);
    if (!row->soft)
        ((jsni_scalar *)run->t)[job->labels[sample]] = R(0);
    run->part->sum =
        take_value(run, sample, weight, value / (double)groups, run->part->sum);
}

#endif /* JSNI_LOSS_LANE_BESIDE_H */
