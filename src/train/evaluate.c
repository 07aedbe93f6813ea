/* train/evaluate.c - see evaluate.h. */
#include "train/evaluate.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/progress.h"
#include "train/test_views.h"

/* Room for the largest batch so far. */
typedef struct pass_room {
    float *logits, *view; /* owned */
    size_t samples;
} pass_room;

static jsn_status make_room(pass_room *room, const jsni_logits_pass *pass,
                            size_t samples)
{
    if (samples <= room->samples)
        return JSN_OK;
    jsni_free(room->logits);
    jsni_free(room->view);
    *room = (pass_room){.samples = samples};
    JSNI_TRY_ALLOC(room->logits = jsni_alloc(samples * pass->classes, sizeof(float)));
    if (pass->views > 1)
        JSNI_TRY_ALLOC(room->view = jsni_alloc(samples * 3 * pass->size,
                                               pass->size * sizeof(float)));
    return JSN_OK;
}

static jsn_status evaluate_batch(const jsni_logits_pass *pass, const jsni_batch *batch,
                                 pass_room *room)
{
    const size_t views = pass->views > 1 ? pass->views : 1;
    JSNI_TRY(make_room(room, pass, batch->samples));
    for (size_t v = 0; v < views; v++) {
        const float *images = batch->images;
        if (v > 0) {
            jsni_test_view(batch->images, batch->samples, pass->size, v, room->view);
            images = room->view;
        }
        JSNI_TRY(jsn_model_evaluate(pass->model, images, batch->samples, room->logits));
        JSNI_TRY(pass->fn(pass->user, batch->position, batch->samples, room->logits));
    }
    return JSN_OK;
}

jsn_status jsni_evaluate_logits(const jsni_logits_pass *pass)
{
    const size_t batches = jsni_loader_batches(pass->loader);
    const jsn_logger *logger = pass->logger;
    pass_room room = {0};
    jsn_status status = jsni_loader_begin(pass->loader, pass->epoch, 0);
    while (status == JSN_OK) {
        const jsni_batch *batch = NULL;
        status = jsni_loader_next(pass->loader, &batch);
        if (status != JSN_OK || batch == NULL)
            break;
        if (batch->samples == 0)
            continue;
        status = evaluate_batch(pass, batch, &room);
        if (status == JSN_OK)
            jsni_progress(logger, pass->what, batch->number + 1, batches);
        if (status == JSN_OK && pass->stop != NULL && jsni_stop_asked(pass->stop))
            status = jsni_fail(JSN_ERR_STOPPED, "stopped while evaluating");
    }
    jsni_free(room.logits);
    jsni_free(room.view);
    return status;
}

jsn_status jsni_probabilities(const jsni_part *part, uint32_t position,
                              const float *logits, size_t classes, double *out)
{
    jsni_softmax(logits, classes, out);
    /* One logit that is NaN, or infinite and the largest, makes all of them NaN. */
    if (isfinite(out[0]))
        return JSN_OK;
    return jsni_fail(JSN_ERR_NUMERIC,
                     "the network's output for sample %u is not finite",
                     (unsigned)part->index[position]);
}

jsn_status jsni_predictions_create(jsni_predictions *out, size_t count)
{
    out->best = jsni_alloc(count, sizeof *out->best);
    out->confidence = jsni_alloc_zero(count, sizeof *out->confidence);
    out->label_probability = jsni_alloc_zero(count, sizeof *out->label_probability);
    if (out->best == NULL || out->confidence == NULL ||
        out->label_probability == NULL) {
        jsni_predictions_release(out);
        return JSN_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        out->best[i] = -1;
    return JSN_OK;
}

void jsni_predictions_release(jsni_predictions *predictions)
{
    jsni_free(predictions->best);
    jsni_free(predictions->confidence);
    jsni_free(predictions->label_probability);
    *predictions = (jsni_predictions){0};
}

jsn_status jsni_collect(void *user, const uint32_t *position, size_t samples,
                        const float *logits)
{
    jsni_collector *c = user;
    for (size_t i = 0; i < samples; i++) {
        const float *row = logits + i * c->classes;
        const size_t best = jsni_argmax(row, c->classes);
        JSNI_TRY(jsni_probabilities(c->part, position[i], row, c->classes,
                                    c->probabilities));
        if (c->evaluation != NULL)
            jsni_evaluation_add(c->evaluation, c->probabilities,
                                c->part->given[position[i]],
                                c->part->used[position[i]]);
        if (c->predictions != NULL) {
            c->predictions->best[position[i]] = (int32_t)best;
            c->predictions->confidence[position[i]] = (float)c->probabilities[best];
            c->predictions->label_probability[position[i]] =
                (float)c->probabilities[c->part->used[position[i]]];
        }
    }
    return JSN_OK;
}

jsni_consistency jsni_consistency_of(const jsni_part *part, const jsni_predictions *a,
                                     const jsni_predictions *b)
{
    jsni_consistency c = {{0}, {0}};
    for (size_t i = 0; i < part->count; i++) {
        if (a->best[i] < 0 || b->best[i] < 0)
            continue;
        const jsni_kind kind =
            jsni_part_mislabelled(part, i) ? JSNI_KIND_NOISY : JSNI_KIND_TRUE;
        c.seen[kind]++;
        c.equal[kind] += a->best[i] == b->best[i];
    }
    return c;
}

double jsni_consistency_share(const jsni_consistency *c, jsni_kind kind)
{
    uint64_t seen = c->seen[0] + c->seen[1], equal = c->equal[0] + c->equal[1];
    if (kind != JSNI_KINDS) {
        seen = c->seen[kind];
        equal = c->equal[kind];
    }
    return seen == 0 ? NAN : (double)equal / (double)seen;
}
