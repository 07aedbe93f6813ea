/* train/run_memory.c - see run_memory.h. */
#include "train/run_memory.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "loss/loss_mode.h"
#include "train/run.h"

jsn_status jsni_run_memory_check(const jsn_train_config *c)
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

jsn_status jsni_run_memory_create(jsni_run *run)
{
    const jsni_part *part = &run->problem->train;
    const size_t classes = run->problem->classes;
    if (run->config->method == NULL)
        return JSN_OK;
    const double spread = jsni_loss_memory_spread(run->loss);
    JSNI_TRY_ALLOC(run->memory = jsni_alloc_zero(part->count, classes * sizeof(float)));
    JSNI_TRY_ALLOC(run->memory_batch =
                       jsni_alloc((size_t)run->config->batch, classes * sizeof(float)));
    for (size_t i = 0; spread > 0.0 && i < part->count; i++)
        draw_row(run->seed, part->index[i], spread, classes, run->memory + i * classes);
    return JSN_OK;
}

float *jsni_run_memory_take(jsni_run *run, const jsni_batch *batch)
{
    const size_t classes = run->problem->classes;
    for (size_t i = 0; run->memory != NULL && i < batch->samples; i++)
        memcpy(run->memory_batch + i * classes,
               run->memory + batch->position[i] * classes, classes * sizeof(float));
    return run->memory_batch;
}

void jsni_run_memory_keep(jsni_run *run, const jsni_batch *batch)
{
    const size_t classes = run->problem->classes;
    for (size_t i = 0; run->memory != NULL && i < batch->samples; i++)
        memcpy(run->memory + batch->position[i] * classes,
               run->memory_batch + i * classes, classes * sizeof(float));
}
