/* train/step_arrays.c - see step_arrays.h. */
#include "train/step_arrays.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "train/mixup.h"

/* Inverse class frequencies, scaled so that the mean weight of a sample is 1. */
static jsn_status weigh_classes(jsni_step_arrays *a)
{
    JSNI_TRY_ALLOC(a->class_weights =
                       jsni_alloc_zero(a->classes, sizeof *a->class_weights));
    size_t present = 0;
    for (size_t i = 0; i < a->part->count; i++)
        present += a->class_weights[a->part->used[i]]++ == 0.0;
    for (size_t k = 0; k < a->classes; k++)
        if (a->class_weights[k] > 0.0)
            a->class_weights[k] =
                (double)a->part->count / ((double)present * a->class_weights[k]);
    return JSN_OK;
}

jsn_status jsni_step_arrays_create(jsni_step_arrays *a, const jsn_train_config *config,
                                   const jsni_problem *problem, bool two_losses)
{
    const size_t batch = (size_t)config->batch, classes = problem->classes;
    const bool mixup = jsni_mixup_on(config);
    a->part = &problem->train;
    a->classes = classes;
    a->views = (size_t)config->views;
    if (strcmp(config->class_weights, "balanced") == 0) {
        JSNI_TRY(weigh_classes(a));
        JSNI_TRY_ALLOC(a->weights = jsni_alloc(batch, sizeof *a->weights));
    }
    JSNI_TRY_ALLOC(a->labels = jsni_alloc(batch, sizeof *a->labels));
    JSNI_TRY_ALLOC(a->logits =
                       jsni_alloc(a->views * batch, classes * sizeof *a->logits));
    JSNI_TRY_ALLOC(a->probabilities = jsni_alloc(classes, sizeof *a->probabilities));
    if (a->part->soft != NULL || mixup)
        JSNI_TRY_ALLOC(a->targets = jsni_alloc(batch, classes * sizeof *a->targets));
    if (mixup)
        JSNI_TRY_ALLOC(a->target = jsni_alloc(classes, sizeof *a->target));
    if (two_losses)
        JSNI_TRY_ALLOC(a->second = jsni_alloc(batch, sizeof *a->second));
    return JSN_OK;
}

void jsni_step_arrays_release(jsni_step_arrays *a)
{
    jsni_free(a->second);
    jsni_free(a->target);
    jsni_free(a->targets);
    jsni_free(a->probabilities);
    jsni_free(a->logits);
    jsni_free(a->labels);
    jsni_free(a->weights);
    jsni_free(a->class_weights);
    *a = (jsni_step_arrays){0};
}

/* The soft targets of a batch, mixed as its images are. */
static void gather_targets(jsni_step_arrays *a, const jsni_batch *batch)
{
    for (size_t i = 0; i < batch->samples; i++) {
        const uint32_t at = batch->position[i];
        float *row = a->targets + i * a->classes;
        for (size_t k = 0; k < a->classes; k++)
            row[k] = a->part->soft != NULL ? a->part->soft[at * a->classes + k]
                                           : (float)(k == (size_t)a->part->used[at]);
    }
    if (batch->partner != NULL)
        jsni_mixup_rows(a->targets, a->classes, batch->samples, batch->share,
                        batch->partner, a->target);
}

jsn_model_batch jsni_step_gather(jsni_step_arrays *a, const jsni_batch *batch)
{
    const bool mixed = batch->partner != NULL;
    if (a->targets != NULL)
        gather_targets(a, batch);
    for (size_t i = 0; i < batch->samples; i++) {
        const uint32_t at = batch->position[i];
        a->labels[i] = a->part->used[at];
        if (a->weights != NULL)
            a->weights[i] = a->class_weights[a->part->used[at]];
        if (a->second != NULL)
            a->second[i] = jsni_part_mislabelled(a->part, at);
    }
    return (jsn_model_batch){.images = batch->images,
                             .views = a->views,
                             .samples = batch->samples,
                             .labels = a->targets == NULL ? a->labels : NULL,
                             .targets = a->targets,
                             .weights = mixed ? NULL : a->weights,
                             .class_weights = mixed ? a->class_weights : NULL,
                             .second = a->second};
}

void jsni_step_count(const jsni_step_arrays *a, const jsni_batch *batch, double mean,
                     jsni_counts *c)
{
    for (size_t i = 0; i < batch->samples; i++) {
        const uint32_t at = batch->position[i];
        const jsni_kind kind =
            jsni_part_mislabelled(a->part, at) ? JSNI_KIND_NOISY : JSNI_KIND_TRUE;
        c->seen[kind]++;
        for (size_t v = 0; v < a->views; v++) {
            const float *row = a->logits + (v * batch->samples + i) * a->classes;
            c->correct[v][kind] +=
                jsni_argmax(row, a->classes) == (size_t)a->part->given[at];
        }
    }
    c->loss_sum += mean * (double)batch->samples;
    c->samples += batch->samples;
    c->steps++;
}
