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

#include "loss/lane_apart.h"
#include "loss/lane_beside.h"
#include "loss/loss_list.h"
#include "loss/loss_number.h"
#include "loss/plugin_load.h"

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

#ifdef JSNI_LEVEL_DOUBLE
static jsni_pair_fn *const pairs[JSNI_LOSS_TOTAL] = {NULL};
#else
#define PAIR_LIST(X)     X(bitempered) /* those with JSNI_LOSS_PAIR */
#define PAIR_DECLARE(id) jsni_pair_fn JSNI_LEVELED(jsni_pair_##id);
PAIR_LIST(PAIR_DECLARE)
#undef PAIR_DECLARE
#define PAIR_ENTRY(id) [JSNI_LOSS_AT_##id] = JSNI_LEVELED(jsni_pair_##id),
static jsni_pair_fn *const pairs[JSNI_LOSS_TOTAL] = {PAIR_LIST(PAIR_ENTRY)};
#undef PAIR_ENTRY
#undef PAIR_LIST
#endif

/* Up to this many classes lanes are samples: measured, transposing costs less than sums
 * across lanes and partly empty groups up to about here. */
enum { APART_CLASSES = 128 };

static bool is_apart(size_t classes)
{
    return JSNI_LANES > 1 && classes <= APART_CLASSES;
}

static size_t chunk_count(size_t classes)
{
    return is_apart(classes) ? classes : (classes + JSNI_LANES - 1) / JSNI_LANES;
}

/* Of a run: [1] target, [views] e, [views] d, for sums [views] kept d and [views] gradient, [1]
 * memory; a group behind them, since a shifted read of the last one may run over. Every
 * loss has room for all, since another one may use its scratch. The order counts: with the
 * memory before e, rows of 1,000 classes took 6% longer, e and d lying otherwise beside the
 * logits. */
static size_t run_chunks(size_t classes, size_t views)
{
    return (2 + 4 * views) * chunk_count(classes) + 1;
}

static size_t scratch_bytes(size_t classes, size_t views)
{
    const size_t runs = is_apart(classes) ? groups_together(classes, 1) : 1;
    return runs * run_chunks(classes, views) * sizeof(jsni_real);
}

/* Views that the loss does not read have no gradient. */
static void clear_unread(const jsni_loss_job *job, size_t sample)
{
    for (size_t v = job->views_read; v < job->views; v++)
        for (size_t k = 0; k < job->classes; k++)
            jsni_write_one(job, (v * job->samples + sample) * job->classes + k, R(0));
}

/* A run that has `scratch` for itself. */
static void begin_run(const jsni_loss_job *job, jsni_real *scratch,
                      jsni_loss_part *part, lane_run *run)
{
    const size_t chunks = chunk_count(job->classes);
    run->job = job;
    run->rows = rows;
    run->fn = rows[job->index];
    run->pair = job->bare ? pairs[job->index] : NULL;
    run->part = part;
    run->t = scratch;
    run->e = run->t + chunks;
    run->d = run->e + job->views * chunks;
    run->kept = run->d + job->views * chunks;
    run->total = run->kept + job->views * chunks;
    run->m = run->total + job->views * chunks;
    run->target_sum = jsni_fill(R(1));
    run->dense = 1;
    run->row.constant = jsni_constants(job);
    run->row.e = run->e;
    run->row.d = run->d;
    run->row.t = run->t;
    run->row.m = (jsni_scalar *)run->m;
    run->row.m_last = (jsni_scalar *)(run->m + chunks - 1);
    run->row.views = job->joint ? job->views_read : 1;
    run->row.chunks = chunks;
    run->row.target_first = 0;
    run->row.target_last = chunks;
    run->row.classes = R(job->classes);
    run->row.soft = job->targets != NULL;
    run->row.apart = is_apart(job->classes);
    run->row.target_plogp = jsni_fill(R(0));
}

static void run_apart(const jsni_loss_job *job, size_t first, size_t last,
                      jsni_real *scratch, jsni_loss_part *part)
{
    const size_t views = job->joint ? job->views_read : 1, lanes = JSNI_LANES;
    const size_t most = groups_together(job->classes, views);
    lane_run runs[GROUPS_TOGETHER];
    for (size_t i = 0; i < most; i++)
        begin_run(job, scratch + i * run_chunks(job->classes, job->views), part,
                  &runs[i]);
    for (size_t i = first; i < last; i += most * lanes) {
        const size_t left = (last - i + lanes - 1) / lanes;
        groups_apart(runs, left < most ? left : most, i, last);
    }
    const bool whole = job->targets != NULL || job->classes <= WHOLE_CLASSES;
    for (size_t i = 0; i < most && whole; i++) /* as it was before the run */
        memset(runs[i].t, 0, runs[i].row.chunks * sizeof *runs[i].t);
}

static void run_beside(const jsni_loss_job *job, size_t first, size_t last,
                       jsni_real *scratch, jsni_loss_part *part)
{
    lane_run run;
    begin_run(job, scratch, part, &run);
    for (size_t i = first; i < last; i++)
        if (is_chosen(job, i))
            sample_beside(&run, i);
    if (run.row.soft)
        memset(run.t, 0, run.row.chunks * sizeof *run.t);
}

static void run_samples(const jsni_loss_job *job, size_t first, size_t last,
                        void *scratch, jsni_loss_part *part)
{
    part->sum = 0.0;
    part->bad = SIZE_MAX;
    if (is_apart(job->classes))
        run_apart(job, first, last, scratch, part);
    else
        run_beside(job, first, last, scratch, part);
    if (job->grad != NULL && job->views_read < job->views)
        for (size_t i = first; i < last; i++)
            if (is_chosen(job, i))
                clear_unread(job, i);
    jsni_stream_end();
}

const jsni_loss_ops JSNI_LEVELED(jsni_loss_ops) = {scratch_bytes, run_samples};
