/* loss/lane_driver.c - evaluates samples at one level (instruction set); compiled once
 * for each.
 *
 * Two arrangements share the row functions. Side by side: the lanes are neighbouring
 * classes of one sample, sums run across the lanes. Apart, for few classes: each lane is
 * a sample of its own, and the rows are transposed on the way in and out. The choice
 * depends on the number of classes alone, and a sample's arithmetic on nothing but the
 * sample, so results do not depend on its place in the batch.
 *
 * A sample is read once from memory and its gradient written once; what is between fits
 * the first-level cache.
 */
#include <math.h>
#include <string.h>

#include "loss/lane_clip.h"
#include "loss/lane_io.h"
#include "loss/lane_memory.h"
#include "loss/lane_method.h"
#include "loss/lane_project.h"
#include "loss/lane_sum.h"
#include "loss/loss_list.h"
#include "loss/loss_number.h"
#include "loss/plugin_load.h"
#include "loss/row.h"

#define ROW_DECLARE(id) \
    jsni_real JSNI_LEVELED(jsni_row_##id)(const jsni_row *row, jsni_grad *grad);
JSNI_LOSS_LIST(ROW_DECLARE)
#undef ROW_DECLARE

#define ROW_ENTRY(id) JSNI_LEVELED(jsni_row_##id),
#ifdef JSNI_LEVEL_DOUBLE /* the level of plugins, whose rows come behind the table's */
static jsni_row_fn *rows[JSNI_LOSS_TOTAL + JSNI_LOSS_MAX_PLUGINS] = {
    JSNI_LOSS_LIST(ROW_ENTRY)};

void jsni_loss_set_row(size_t row, jsni_row_fn *fn)
{
    rows[row] = fn;
}
#else
static jsni_row_fn *const rows[] = {JSNI_LOSS_LIST(ROW_ENTRY)};
#endif
#undef ROW_ENTRY

/* Up to this many classes lanes are samples: measured, transposing costs less than sums
 * across lanes and partly empty groups up to about here. */
enum { APART_CLASSES = 128 };

/* Of a loss: up to here it is taken as it is, beyond its logits are looked at. */
static const double LARGE_VALUE = 1e4;

static bool is_apart(size_t classes)
{
    return JSNI_LANES > 1 && classes <= APART_CLASSES;
}

static size_t chunk_count(size_t classes)
{
    return is_apart(classes) ? classes : (classes + JSNI_LANES - 1) / JSNI_LANES;
}

/* [1] target, [views] e, [views] d, for sums [views] kept d and [views] gradient, [1]
 * memory; a group behind them, since a shifted read of the last one may run over. Every
 * loss has room for all, since another one may use its scratch. The order counts: with the
 * memory before e, rows of 1,000 classes took 6% longer, e and d lying otherwise beside the
 * logits. */
static size_t scratch_bytes(size_t classes, size_t views)
{
    return ((2 + 4 * views) * chunk_count(classes) + 1) * sizeof(jsni_real);
}

/* One run: the job and its pieces of scratch. */
typedef struct lane_run {
    const jsni_loss_job *job;
    jsni_row_fn *fn;
    jsni_real *t;     /* [chunks] */
    jsni_real *m;     /* [chunks] memory of a method */
    jsni_real *e;     /* [views][chunks] */
    jsni_real *d;     /* [views][chunks] */
    jsni_real *kept;  /* [views][chunks] d of a sum, which dense gradients overwrite */
    jsni_real *total; /* [views][chunks] gradient of a sum */
    lane_clip clip[JSN_LOSS_MAX_VIEWS]; /* of a loss of clipped logits */
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
        label = jsni_fma(run->t[c], d[c], label);
    }
    finish_softmax(row, v, jsni_total(row, sum));
    row->label_logp[v] = jsni_total(row, label) - row->log_sum[v];
}

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
    switch (projection_kind(&run->grad[v], run->row.soft != 0)) {
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

/* Value and derivative of the sample in place. */
static jsni_real evaluate_row(lane_run *run)
{
    if (run->job->terms == NULL)
        return run->fn(&run->row, run->grad);
    if (jsni_is_method_row(run->job))
        return jsni_method_row(run->job, &run->row, run->kept, run->total, rows,
                               run->grad);
    const jsni_real value = jsni_sum_row(run->job, &run->row, run->target_sum,
                                         run->kept, run->total, rows, run->grad);
    for (size_t v = 0; run->job->clip != NULL && v < run->row.views; v++)
        clip_gradient(&run->row, run->job->clip, &run->clip[v], lanes_left(run),
                      run->kept + v * run->row.chunks, run->d + v * run->row.chunks);
    return value;
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
        load_row_beside(job, job->memory, sample, run->m);
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
        store_memory_beside(job, sample, run->m);
    if (!row->soft)
        ((jsni_scalar *)run->t)[job->labels[sample]] = R(0);
    run->part->sum =
        take_value(run, sample, weight, value / (double)groups, run->part->sum);
}

static bool is_chosen(const jsni_loss_job *job, size_t sample)
{
    return job->chooser == NULL || (job->chooser[sample] != 0) == job->chosen;
}

/* Views that the loss does not read have no gradient. */
static void clear_unread(const jsni_loss_job *job, size_t sample)
{
    for (size_t v = job->views_read; v < job->views; v++)
        for (size_t k = 0; k < job->classes; k++)
            jsni_write_one(job, (v * job->samples + sample) * job->classes + k, R(0));
}

#if defined(JSNI_LEVEL_DOUBLE)
static void group_apart(lane_run *run, size_t sample, size_t lanes)
{
    (void)run;
    (void)sample;
    (void)lanes;
}
#else
/* `lanes` rows of a view, transposed; missing lanes become 0. */
static void load_apart(const float *from, size_t classes, size_t lanes, jsni_real *to)
{
    if (lanes == JSNI_LANES && classes >= 4) {
        for (size_t k = 0; k + 4 <= classes; k += 4)
            vec_columns_load(from + k, classes, to + k);
        if (classes % 4 != 0) /* the last four once more, rather than one by one */
            vec_columns_load(from + classes - 4, classes, to + classes - 4);
        return;
    }
    float *cell = (float *)to;
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < JSNI_LANES; i++)
            cell[k * JSNI_LANES + i] = i < lanes ? from[i * classes + k] : 0.0f;
}

/* Rows of a table, transposed, at the labels of `lanes` samples. */
static void load_table_apart(const jsni_loss_job *job, size_t sample, size_t lanes,
                             jsni_real *to)
{
    float *cell = (float *)to;
    for (size_t i = 0; i < lanes; i++) {
        const float *from =
            (const float *)job->table + (size_t)job->labels[sample + i] * job->classes;
        for (size_t k = 0; k < job->classes; k++)
            cell[k * JSNI_LANES + i] = from[k];
    }
}

/* `d` holds the gradient, transposed; rows of samples that are not chosen stay. */
static void store_apart(const jsni_loss_job *job, size_t sample, size_t lanes,
                        const jsni_real *d, float *to)
{
    const size_t classes = job->classes;
    if (lanes == JSNI_LANES && classes >= 4 && job->chooser == NULL) {
        for (size_t k = 0; k + 4 <= classes; k += 4)
            vec_columns_store(to + k, classes, d + k);
        if (classes % 4 != 0)
            vec_columns_store(to + classes - 4, classes, d + classes - 4);
        return;
    }
    const float *cell = (const float *)d;
    for (size_t i = 0; i < lanes; i++)
        for (size_t k = 0; k < classes && is_chosen(job, sample + i); k++)
            to[i * classes + k] = cell[k * JSNI_LANES + i];
}

static void softmax_apart(lane_run *run, size_t v)
{
    jsni_row *row = &run->row;
    jsni_real *e = run->e + v * row->chunks;
    jsni_real *d = run->d + v * row->chunks;
    const jsni_real lowest = jsni_fill(-JSNI_LARGE);
    jsni_real top = jsni_fill(-HUGE_VALF);
    for (size_t k = 0; k < row->chunks; k++)
        top = jsni_max(d[k], top);
    jsni_real sum = jsni_fill(0.0f);
    jsni_real label = jsni_fill(0.0f);
    for (size_t k = 0; k < row->chunks; k++) {
        const jsni_real x = jsni_max(lowest, d[k] - top);
        d[k] = x;
        e[k] = jsni_exp(x);
        sum = sum + e[k];
        label = jsni_fma(run->t[k], x, label);
    }
    finish_softmax(row, v, sum);
    row->label_logp[v] = label - row->log_sum[v]; /* of use unless the target is soft */
}

static inline void project_apart(int kind, const lane_run *run, const projection *p,
                                 size_t v)
{
    const size_t chunks = run->row.chunks;
    const float *e = (const float *)(run->e + v * chunks);
    float *d = (float *)(run->d + v * chunks);
    const float *t = (const float *)run->t;
    for (size_t k = 0; k < chunks * JSNI_LANES; k += JSNI_LANES)
        vec_store_any(d + k, project(kind, p, e + k, d + k, t + k));
}

static void write_apart(const lane_run *run, size_t v, jsni_real scale, size_t sample,
                        size_t lanes, size_t offset)
{
    const projection p =
        make_projection(&run->row, &run->grad[v], v, run->target_sum, scale);
    switch (projection_kind(&run->grad[v], run->row.soft != 0)) {
    case PROJECT_DENSE:
        project_apart(PROJECT_DENSE, run, &p, v);
        break;
    case PROJECT_TARGET:
        project_apart(PROJECT_TARGET, run, &p, v);
        break;
    case PROJECT_DENSE_TARGET:
        project_apart(PROJECT_DENSE_TARGET, run, &p, v);
        break;
    default:
        project_apart(PROJECT_PLOGP, run, &p, v);
        break;
    }
    store_apart(run->job, sample, lanes, run->d + v * run->row.chunks,
                (float *)run->job->grad + offset);
}

/* Sets the labels of a group in the transposed target to `value`. */
static void mark_labels(const lane_run *run, size_t sample, size_t lanes, float value)
{
    float *cell = (float *)run->t;
    for (size_t i = 0; i < lanes; i++)
        cell[(size_t)run->job->labels[sample + i] * JSNI_LANES + i] = value;
}

static void load_target_apart(lane_run *run, size_t sample, size_t lanes)
{
    const jsni_loss_job *job = run->job;
    if (!run->row.soft) {
        mark_labels(run, sample, lanes, 1.0f);
        return;
    }
    load_apart((const float *)job->targets + sample * job->classes, job->classes, lanes,
               run->t);
    measure_target(run);
}

/* The weights of a group, and what the gradients of its samples are multiplied by. */
static jsni_real load_weights(const jsni_loss_job *job, size_t sample, size_t lanes,
                              size_t groups, double *weights)
{
    const double part = job->inverse_weight / (double)groups;
    if (job->class_weights == NULL && job->sample_weights == NULL) {
        for (size_t i = 0; i < JSNI_LANES; i++)
            weights[i] = 1.0;
        return jsni_fill((float)part);
    }
    float scales[JSNI_LANES] = {0};
    for (size_t i = 0; i < lanes; i++) {
        weights[i] = jsni_loss_weight(job, sample + i);
        scales[i] = (float)(weights[i] * part);
    }
    return jsni_load(scales);
}

static void check_values(const lane_run *run, size_t sample, size_t lanes, size_t first,
                         jsni_real value)
{
    float values[JSNI_LANES];
    vec_store_any(values, value);
    for (size_t i = 0; i < lanes; i++)
        if (is_chosen(run->job, sample + i))
            check_value(run, sample + i, first + i * run->job->classes, run->row.views,
                        (double)values[i]);
}

/* The values of a group; without a look at each where none is large or wanted. */
static void take_values(const lane_run *run, size_t sample, size_t lanes,
                        const double *weights, jsni_real value)
{
    const jsni_loss_job *job = run->job;
    float values[JSNI_LANES];
    double sum = run->part->sum;
    vec_store_any(values, value);
    if (job->chooser == NULL && job->per_sample == NULL &&
        jsni_lane_sum(jsni_abs(value)) < (float)LARGE_VALUE)
        for (size_t i = 0; i < lanes; i++)
            sum += weights[i] * (double)values[i];
    else
        for (size_t i = 0; i < lanes; i++)
            if (is_chosen(job, sample + i))
                sum = take_value(run, sample + i, weights[i], (double)values[i], sum);
    run->part->sum = sum;
}

static void group_apart(lane_run *run, size_t sample, size_t lanes)
{
    const jsni_loss_job *job = run->job;
    jsni_row *row = &run->row;
    const float *logits = job->logits;
    const size_t step = job->samples * job->classes;
    const size_t first = sample * job->classes;
    const size_t groups = job->joint ? 1 : job->views_read;
    double weights[JSNI_LANES];
    const jsni_real scale = load_weights(job, sample, lanes, groups, weights);
    jsni_real value = jsni_fill(0.0f);
    load_target_apart(run, sample, lanes);
    if (job->memory != NULL)
        load_apart((const float *)job->memory + first, job->classes, lanes, run->m);
    else if (job->table != NULL)
        load_table_apart(job, sample, lanes, run->m);
    row->share = scale;
    for (size_t g = 0; g < groups; g++) {
        clear_grad(run);
        for (size_t v = 0; v < row->views; v++) {
            load_apart(logits + first + (g + v) * step, job->classes, lanes,
                       run->d + v * row->chunks);
            if (job->clip != NULL)
                softmax_clipped(run, v);
            else
                softmax_apart(run, v);
        }
        const jsni_real part = evaluate_row(run);
        if (is_in_place(job))
            check_values(run, sample, lanes, first + g * step, part);
        value = value + part;
        for (size_t v = 0; v < row->views && job->grad != NULL; v++)
            write_apart(run, v, scale, sample, lanes, first + (g + v) * step);
    }
    if (job->memory != NULL)
        store_apart(job, sample, lanes, run->m, (float *)job->memory + first);
    if (!row->soft)
        mark_labels(run, sample, lanes, 0.0f);
    take_values(run, sample, lanes, weights, value * (1.0f / (float)groups));
}
#endif

static void run_samples(const jsni_loss_job *job, size_t first, size_t last,
                        void *scratch, jsni_loss_part *part)
{
    const size_t chunks = chunk_count(job->classes);
    const bool apart = is_apart(job->classes);
    lane_run run;
    run.job = job;
    run.fn = rows[job->index];
    run.part = part;
    run.t = scratch;
    run.e = run.t + chunks;
    run.d = run.e + job->views * chunks;
    run.kept = run.d + job->views * chunks;
    run.total = run.kept + job->views * chunks;
    run.m = run.total + job->views * chunks;
    run.target_sum = jsni_fill(R(1));
    run.row.constant = jsni_constants(job);
    run.row.e = run.e;
    run.row.d = run.d;
    run.row.t = run.t;
    run.row.m = run.m;
    run.row.views = job->joint ? job->views_read : 1;
    run.row.chunks = chunks;
    run.row.target_first = 0;
    run.row.target_last = chunks;
    run.row.classes = R(job->classes);
    run.row.soft = job->targets != NULL;
    run.row.apart = apart;
    run.row.target_plogp = jsni_fill(R(0));

    part->sum = 0.0;
    part->bad = SIZE_MAX;
    const size_t lanes = JSNI_LANES;
    if (apart)
        for (size_t i = first; i < last; i += lanes)
            group_apart(&run, i, last - i < lanes ? last - i : lanes);
    else
        for (size_t i = first; i < last; i++)
            if (is_chosen(job, i))
                sample_beside(&run, i);
    if (job->grad != NULL && job->views_read < job->views)
        for (size_t i = first; i < last; i++)
            if (is_chosen(job, i))
                clear_unread(job, i);
    if (run.row.soft)
        memset(run.t, 0, chunks * sizeof *run.t);
    jsni_stream_end();
}

const jsni_loss_ops JSNI_LEVELED(jsni_loss_ops) = {scratch_bytes, run_samples};
