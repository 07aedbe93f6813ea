/* loss/evaluate_loss.c - checks a batch, cuts it into pieces, runs them at a level and
 * puts the mean together. The pieces depend on the sizes alone and their sums are added
 * in order, so the result has the same bits for any number of threads. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/words.h"
#include "jensen/loss.h"
#include "loss/loss_impl.h"
#include "loss/loss_mode.h"

enum {
    PIECE_ENTRIES = 1 << 15,  /* a piece is worth handing to another thread */
    SHARED_ENTRIES = 1 << 15, /* below it waking a thread costs more than it saves */
    ROWS_ALIGNED = 16         /* pieces are whole groups of lanes at every level */
};

/* Logits and gradient beyond this are written past the caches; measured to pay from
 * about twice the size of a usual last-level cache on. */
static const double STREAM_BYTES = 64.0 * 1024 * 1024;

void jsn_loss_batch_init(jsn_loss_batch *batch)
{
    if (batch == NULL)
        return;
    memset(batch, 0, sizeof *batch);
}

static double entry(const void *array, jsn_loss_type type, size_t at)
{
    return type == JSN_LOSS_F64 ? ((const double *)array)[at]
                                : (double)((const float *)array)[at];
}

double jsni_loss_weight_of(const jsni_loss_job *job, size_t i)
{
    double weight = job->sample_weights == NULL ? 1.0 : job->sample_weights[i];
    if (job->class_weights == NULL)
        return weight;
    if (job->targets == NULL)
        return weight * job->class_weights[job->labels[i]];
    double mean = 0.0;
    for (size_t k = 0; k < job->classes; k++)
        mean += job->class_weights[k] * entry(job->targets,
                                              job->f64 ? JSN_LOSS_F64 : JSN_LOSS_F32,
                                              i * job->classes + k);
    return weight * mean;
}

static jsn_status check_labels(const jsn_loss_batch *batch, size_t classes)
{
    /* The highest bit of all together is set by a negative label, and by one that is more than
     * the last: two operations a label, without a wait for the one before. */
    const uint32_t last = classes > INT32_MAX ? INT32_MAX : (uint32_t)classes - 1;
    uint32_t all = 0;
    for (size_t i = 0; i < batch->samples; i++) {
        const uint32_t label = (uint32_t)batch->labels[i];
        all |= label | (last - label);
    }
    if (all <= INT32_MAX)
        return JSN_OK;
    size_t i = 0;
    while ((uint32_t)batch->labels[i] < classes)
        i++;
    return jsni_fail(JSN_ERR_RANGE, "loss: label %ld of sample %zu is not in 0..%zu",
                     (long)batch->labels[i], i, classes - 1);
}

static jsn_status check_targets(const jsn_loss_batch *batch, size_t classes)
{
    for (size_t i = 0; i < batch->samples; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < classes; k++) {
            const double t = entry(batch->targets, batch->type, i * classes + k);
            if (!(t >= 0.0))
                return jsni_fail(JSN_ERR_RANGE,
                                 "loss: target %g of class %zu of sample %zu", t, k, i);
            sum += t;
        }
        if (!(fabs(sum - 1.0) <= 1e-3))
            return jsni_fail(JSN_ERR_RANGE,
                             "loss: the targets of sample %zu sum to %g, not 1", i,
                             sum);
    }
    return JSN_OK;
}

static jsn_status check_weights(const double *weights, size_t count, const char *what)
{
    for (size_t i = 0; weights != NULL && i < count; i++)
        if (!(weights[i] >= 0.0 && weights[i] < HUGE_VAL))
            return jsni_fail(JSN_ERR_RANGE, "loss: weight %g of %s %zu", weights[i],
                             what, i);
    return JSN_OK;
}

static jsn_status check_other(const jsn_loss *loss, const jsn_loss *other)
{
    if (other == loss)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: the other loss is the same handle; make two");
    if (other->classes != loss->classes || other->views != loss->views)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: the other loss is for %zu %s and %zu %s, this one for "
                         "%zu and %zu",
                         other->classes, jsni_noun(other->classes, "class", "classes"),
                         other->views, jsni_noun(other->views, "view", "views"),
                         loss->classes, loss->views);
    if (loss->method || other->method)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: a method cannot be mixed with another loss");
    if (loss->root || other->root)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: %s has no per-sample values and cannot be mixed",
                         (loss->root ? loss : other)->info.name);
    return JSN_OK;
}

jsn_status jsni_loss_check_use(const jsn_loss *loss, const jsn_loss *other, bool soft)
{
    if (other != NULL)
        JSNI_TRY(check_other(loss, other));
    const jsn_loss *const both[] = {loss, other};
    for (size_t i = 0; i < 2; i++) {
        if (both[i] != NULL && soft && !both[i]->info.soft)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "loss: %s takes labels, not soft targets",
                             both[i]->info.name);
        if (both[i] != NULL && both[i]->matrix != NULL && both[i]->table == NULL)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "loss: %s needs the matrix of %.200s "
                             "(jsn_loss_set_matrix())",
                             both[i]->info.name, both[i]->matrix);
    }
    return JSN_OK;
}

static jsn_status check_batch(const jsn_loss *loss, const jsn_loss_batch *batch,
                              const jsn_loss_result *result)
{
    if (loss == NULL || batch == NULL || result == NULL || batch->logits == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: an argument or the logits are NULL");
    if (batch->samples == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: the batch is empty");
    if ((batch->labels == NULL) == (batch->targets == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: needs labels or targets, one of them");
    if (batch->type != JSN_LOSS_F32 && batch->type != JSN_LOSS_F64)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: type %d", (int)batch->type);
    if (loss->root && result->per_sample != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %s has no per-sample values",
                         loss->info.name);
    if ((batch->other == NULL) != (batch->use_other == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: other and use_other go together");
    JSNI_TRY(jsni_loss_check_use(loss, batch->other, batch->targets != NULL));
    if (batch->labels != NULL)
        JSNI_TRY(check_labels(batch, loss->classes));
    else
        JSNI_TRY(check_targets(batch, loss->classes));
    if ((batch->memory != NULL) != loss->method)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %s %s", loss->info.name,
                         loss->method ? "needs the memory of its samples"
                                      : "remembers nothing of its samples");
    if (!(batch->divisor >= 0.0 && batch->divisor < HUGE_VAL))
        return jsni_fail(JSN_ERR_RANGE, "loss: a divisor of %g", batch->divisor);
    JSNI_TRY(check_weights(batch->class_weights, loss->classes, "class"));
    return check_weights(batch->sample_weights, batch->samples, "sample");
}

static jsni_loss_level choose_level(const jsn_loss *loss, const jsn_loss_batch *batch)
{
    if (batch->type == JSN_LOSS_F64 || loss->in_double)
        return JSNI_LOSS_DOUBLE;
    return loss->forced == JSNI_LOSS_AUTO ? jsni_loss_best_level() : loss->forced;
}

static jsni_loss_job make_job(const jsn_loss *loss, const jsn_loss_batch *batch,
                              const jsn_loss_result *result)
{
    jsni_loss_job job = {
        .index = loss->terms[0].index,
        .joint = loss->joint,
        .f64 = batch->type == JSN_LOSS_F64,
        .samples = batch->samples,
        .classes = loss->classes,
        .views = loss->views,
        .views_read = loss->first_only ? 1 : loss->views,
        .logits = batch->logits,
        .targets = batch->targets,
        .labels = batch->labels,
        .grad = result->grad,
        .per_sample = result->per_sample,
        .memory = batch->memory,
        .table =
            batch->type == JSN_LOSS_F64 ? (void *)loss->table : (void *)loss->table_f,
        .class_weights = batch->class_weights,
        .sample_weights = batch->sample_weights,
        .constant = loss->terms[0].setup.constant,
        .constant_f = loss->terms[0].constant_f,
    };
    const bool clipped = loss->clip.tau > 0.0;
    if (loss->term_count > 1 || loss->terms[0].weight != 1.0 || clipped) {
        job.terms = loss->terms;
        job.term_count = loss->term_count;
        job.clip = clipped ? &loss->clip : NULL;
    }
    job.bare = job.terms == NULL && loss->terms[0].setup.bare;
    const double bytes = 2.0 * sizeof(float) * (double)loss->views *
                         (double)batch->samples * (double)loss->classes;
    job.stream = result->grad != batch->logits && bytes > STREAM_BYTES;
    return job;
}

/* What the pieces of a run share. */
typedef struct piece_work {
    const jsni_loss_job *job;
    jsni_loss_run_fn *run;
    jsn_loss *owner; /* of scratch and parts */
    size_t rows;     /* samples a piece */
} piece_work;

static void run_piece(void *user, size_t index, size_t worker)
{
    const piece_work *work = user;
    const size_t first = index * work->rows;
    const size_t end = first + work->rows;
    work->run(work->job, first, end < work->job->samples ? end : work->job->samples,
              work->owner->scratch + worker * work->owner->scratch_bytes,
              &work->owner->parts[index]);
}

static size_t piece_rows(size_t samples, size_t entries)
{
    const size_t wanted = PIECE_ENTRIES / entries;
    const size_t least = (samples + JSNI_LOSS_PIECES - 1) / JSNI_LOSS_PIECES;
    const size_t rows = wanted > least ? wanted : least;
    return (rows + ROWS_ALIGNED - 1) / ROWS_ALIGNED * ROWS_ALIGNED;
}

/* Runs `loss` over the samples of the job with the scratch and threads of `owner`. */
static jsn_status run_job(jsn_loss *loss, jsn_loss *owner, const jsni_loss_job *job,
                          jsni_loss_level level, double *sum)
{
    const size_t entries = job->classes * job->views;
    piece_work work = {job, jsni_loss_level_ops(level)->run, owner,
                       piece_rows(job->samples, entries)};
    const size_t pieces = (job->samples + work.rows - 1) / work.rows;
    /* Every level has its own idea of where the zeroed area is. */
    if (owner->scratch_level != level)
        memset(owner->scratch, 0, owner->workers * owner->scratch_bytes);
    owner->scratch_level = level;
    if (owner->pool != NULL && pieces > 1 && job->samples * entries >= SHARED_ENTRIES)
        jsni_pool_run(owner->pool, pieces, run_piece, &work);
    else
        for (size_t i = 0; i < pieces; i++)
            run_piece(&work, i, 0);
    loss->used = level;
    for (size_t i = 0; i < pieces; i++) {
        if (owner->parts[i].bad != SIZE_MAX)
            return jsni_fail(JSN_ERR_NUMERIC,
                             "loss: %s of sample %zu is not finite: a logit that is "
                             "not a number, or infinite",
                             loss->info.name, owner->parts[i].bad);
        *sum += owner->parts[i].sum;
    }
    return JSN_OK;
}

/* The gradient times a factor that is known only after all samples, in pieces. */
typedef struct scale_work {
    const jsni_loss_job *job;
    double factor;
    size_t count;
} scale_work;

static void scale_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const scale_work *work = user;
    const size_t first = index * PIECE_ENTRIES;
    const size_t left = work->count - first;
    const size_t count = left < PIECE_ENTRIES ? left : PIECE_ENTRIES;
    if (work->job->f64) {
        double *grad = (double *)work->job->grad + first;
        for (size_t i = 0; i < count; i++)
            grad[i] *= work->factor;
    } else {
        float *grad = (float *)work->job->grad + first;
        const float factor = (float)work->factor;
        for (size_t i = 0; i < count; i++)
            grad[i] *= factor;
    }
}

static void scale_gradient(jsn_loss *loss, const jsni_loss_job *job, double factor)
{
    scale_work work = {job, factor, job->views * job->samples * job->classes};
    const size_t pieces = (work.count + PIECE_ENTRIES - 1) / PIECE_ENTRIES;
    if (loss->pool != NULL)
        jsni_pool_run(loss->pool, pieces, scale_piece, &work);
    else
        for (size_t i = 0; i < pieces; i++)
            scale_piece(&work, i, 0);
}

/* 1 / what the mean divides by. */
static jsn_status find_inverse(const jsn_loss_batch *batch, const jsni_loss_job *job,
                               double *inverse)
{
    double weights = batch->divisor > 0.0 ? batch->divisor : (double)batch->samples;
    if (batch->divisor == 0.0 &&
        (batch->class_weights != NULL || batch->sample_weights != NULL)) {
        weights = 0.0;
        for (size_t i = 0; i < batch->samples; i++)
            weights += jsni_loss_weight(job, i);
    }
    if (!(weights > 0.0 && weights < HUGE_VAL && 1.0 / weights < HUGE_VAL))
        return jsni_fail(JSN_ERR_RANGE, "loss: the weights sum to %g", weights);
    *inverse = 1.0 / weights;
    return JSN_OK;
}

jsn_status jsn_loss_eval(jsn_loss *loss, const jsn_loss_batch *batch,
                         jsn_loss_result *result)
{
    JSNI_TRY(check_batch(loss, batch, result));
    jsni_loss_job job = make_job(loss, batch, result);
    JSNI_TRY(find_inverse(batch, &job, &job.inverse_weight));
    job.chooser = batch->use_other;
    job.chosen = false;

    double sum = 0.0;
    JSNI_TRY(run_job(loss, loss, &job, choose_level(loss, batch), &sum));
    if (batch->other != NULL) {
        jsni_loss_job rest = make_job(batch->other, batch, result);
        rest.inverse_weight = job.inverse_weight;
        rest.chooser = batch->use_other;
        rest.chosen = true;
        JSNI_TRY(run_job(batch->other, loss, &rest, choose_level(batch->other, batch),
                         &sum));
    }
    double mean = sum * job.inverse_weight;
    if (!isfinite(mean))
        return jsni_fail(JSN_ERR_NUMERIC,
                         "loss: the sum of %s over the samples is not finite: losses "
                         "or weights are too large",
                         loss->info.name);
    if (loss->root) {
        const double root = mean > 0.0 ? sqrt(mean) : 0.0;
        mean = loss->terms[0].setup.outer * root;
        if (job.grad != NULL)
            scale_gradient(loss, &job,
                           root > 0.0 ? loss->terms[0].setup.outer / (2.0 * root)
                                      : 0.0);
    }
    result->mean = mean;
    return JSN_OK;
}
