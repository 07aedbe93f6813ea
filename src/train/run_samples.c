/* train/run_samples.c - see run_samples.h. */
#include "train/run_samples.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "train/metrics.h"

jsn_status jsni_run_samples_check(const jsn_train_config *c)
{
    if (c->method == NULL)
        return JSN_OK;
    if (c->loss_noisy != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--method %s and --loss-noisy cannot be combined", c->method);
    if (strcmp(c->sampling, "balanced") == 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--method %s: --sampling balanced may put a sample into a "
                         "batch twice, and its memory takes one step at a time; "
                         "consider --class-weights balanced",
                         c->method);
    return JSN_OK;
}

/* Of one sample, by its number in the split: the same whatever part of it is trained on. */
static void draw_row(uint64_t seed, uint32_t sample, double spread, size_t classes,
                     float *row)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_METHOD, 0, sample, 0);
    for (size_t k = 0; k < classes; k++)
        row[k] = (float)(spread * jsni_rng_normal(&rng));
}

jsn_status jsni_run_samples_create(jsni_run_samples *s, const jsn_train_config *config,
                                   const jsni_part *part, size_t classes, double spread,
                                   uint64_t seed)
{
    const size_t row = classes * sizeof(float);
    s->count = part->count;
    s->classes = classes;
    if (config->record_posteriors)
        JSNI_TRY_ALLOC(s->posteriors = jsni_alloc_zero(part->count, row));
    if (config->method == NULL)
        return JSN_OK;
    JSNI_TRY_ALLOC(s->memory = jsni_alloc_zero(part->count, row));
    JSNI_TRY_ALLOC(s->memory_batch = jsni_alloc((size_t)config->batch, row));
    for (size_t i = 0; spread > 0.0 && i < part->count; i++)
        draw_row(seed, part->index[i], spread, classes, s->memory + i * classes);
    return JSN_OK;
}

void jsni_run_samples_release(jsni_run_samples *s)
{
    jsni_free(s->memory_batch);
    jsni_free(s->memory);
    jsni_free(s->posteriors);
    *s = (jsni_run_samples){0};
}

float *jsni_run_samples_take(jsni_run_samples *s, const jsni_batch *batch)
{
    for (size_t i = 0; s->memory != NULL && i < batch->samples; i++)
        memcpy(s->memory_batch + i * s->classes,
               s->memory + batch->position[i] * s->classes, s->classes * sizeof(float));
    return s->memory_batch;
}

void jsni_run_samples_keep(jsni_run_samples *s, const jsni_batch *batch)
{
    for (size_t i = 0; s->memory != NULL && i < batch->samples; i++)
        memcpy(s->memory + batch->position[i] * s->classes,
               s->memory_batch + i * s->classes, s->classes * sizeof(float));
}

/* Posteriors sum to 1; a row of zeros was never recorded. */
static bool recorded(const float *row, size_t classes)
{
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++)
        sum += (double)row[k];
    return sum > 0.0;
}

void jsni_run_samples_record(jsni_run_samples *s, const uint32_t *position,
                             size_t count, const float *logits, bool missing_only,
                             double *scratch)
{
    for (size_t i = 0; s->posteriors != NULL && i < count; i++) {
        float *to = s->posteriors + position[i] * s->classes;
        if (missing_only && recorded(to, s->classes))
            continue;
        jsni_softmax(logits + i * s->classes, s->classes, scratch);
        for (size_t k = 0; k < s->classes; k++)
            to[k] = (float)scratch[k];
    }
}
