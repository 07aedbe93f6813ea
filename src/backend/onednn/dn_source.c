/* backend/onednn/dn_source.c - an evaluation that asks for its images.
 *
 * The first steps need no barrier, so the thread that takes images through them also asks for
 * them just before: reading images and computing on others go on side by side without a
 * queue. A call takes several batches, so that threads seldom wait for each other at its end;
 * the steps behind those run batch by batch, since the bits of a product of matrices depend
 * on how many rows it has. */
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "backend/onednn/dnnl_tensor.h"
#include "core/alloc.h"
#include "core/fail.h"

enum { BATCHES = 16, ROW_BYTES = 64 << 20 };

/* What the later steps read. */
static bool has_rows(const dn_plan *plan, size_t tensor)
{
    const dn_tensor *t = &plan->tensors[tensor];
    return tensor > 0 && !t->own && t->step < plan->deep;
}

static size_t row_floats(const dn_plan *plan)
{
    size_t floats = 0;
    for (size_t t = 1; t < plan->tensor_count; t++)
        floats += has_rows(plan, t) ? plan->tensors[t].floats : 0;
    return floats;
}

void jsni_dn_source_plan(dn_plan *plan)
{
    const size_t batch = plan->host.options.batch;
    const size_t bytes = batch * row_floats(plan) * sizeof(float);
    if (plan->deep == 0 || bytes == 0 || !plan->tensors[0].plain)
        return;
    const size_t fit = ROW_BYTES / bytes;
    plan->source_images = batch * (fit < 1 ? 1 : fit < BATCHES ? fit : BATCHES);
}

size_t jsni_dn_source_floats(const dn_plan *plan)
{
    return plan->source_images * row_floats(plan);
}

jsn_status jsni_dn_source_allocate(dn_plan *plan)
{
    if (plan->source_images == 0)
        return JSN_OK;
    JSNI_TRY_ALLOC(plan->absent = jsni_alloc_zero(plan->source_images, sizeof(bool)));
    for (size_t t = 1; t < plan->tensor_count; t++)
        if (has_rows(plan, t))
            JSNI_TRY_ALLOC(
                plan->tensors[t].rows = jsni_alloc_zero(
                    plan->source_images, plan->tensors[t].floats * sizeof(float)));
    return JSN_OK;
}

void jsni_dn_source_release(dn_plan *plan)
{
    jsni_free(plan->absent);
    for (size_t t = 0; plan->tensors != NULL && t < plan->tensor_count; t++)
        jsni_free(plan->tensors[t].rows);
}

size_t jsni_dn_source_workers(const jsni_plan *base)
{
    const dn_plan *plan = (const dn_plan *)base;
    return plan->source_images > 0 ? plan->threads : 0;
}

size_t jsni_dn_source_images(const jsni_plan *base)
{
    return ((const dn_plan *)base)->source_images;
}

void jsni_dn_source_ask(dn_plan *plan, const dn_range *r)
{
    const size_t floats = plan->tensors[0].floats;
    for (size_t i = 0; i < r->count; i++) {
        const dn_range one = dn_part_of(r, i, 1);
        float *to = dn_images_at(plan, 0, &one);
        const size_t image = one.first;
        plan->absent[image] =
            !plan->source->fn(plan->source->user, image, r->worker, to);
        if (plan->absent[image])
            memset(to, 0, floats * sizeof *to);
    }
}

/* Rows [first, first + count) that are there, together in the memory that the later steps
 * read; returns how many. */
static size_t take_rows(const dn_plan *plan, size_t first, size_t count)
{
    size_t there = 0;
    for (size_t i = first; i < first + count; i++) {
        if (plan->absent[i])
            continue;
        for (size_t k = 1; k < plan->tensor_count; k++) {
            const dn_tensor *t = &plan->tensors[k];
            if (t->rows != NULL)
                memcpy(dn_tensor_at(plan, k) + there * t->floats,
                       t->rows + i * t->floats, t->floats * sizeof(float));
        }
        there++;
    }
    return there;
}

/* The later steps for each batch; the rows of `to` are those of the images that are there. */
static jsn_status run_batches(dn_plan *plan, size_t samples, size_t *there, float *to)
{
    const size_t batch = plan->host.options.batch;
    const size_t outputs =
        jsni_shape_count(jsni_graph_output(plan->host.base.graph)->shape);
    for (size_t first = 0; first < samples; first += batch) {
        const size_t left = samples - first;
        plan->host.samples = take_rows(plan, first, left < batch ? left : batch);
        if (plan->host.samples == 0)
            continue;
        jsni_dn_forward_rest(plan);
        JSNI_TRY(jsni_dn_end_pass(plan));
        memcpy(to + *there * outputs, plan->host.logits,
               plan->host.samples * outputs * sizeof *to);
        *there += plan->host.samples;
    }
    return JSN_OK;
}

jsn_status jsni_dn_evaluate_from(jsni_plan *base, const jsni_source *source,
                                 size_t samples, size_t *there, float *to)
{
    dn_plan *plan = (dn_plan *)base;
    const jsni_pass pass = {.training = false};
    const size_t batch = plan->host.options.batch;
    *there = 0;
    if (samples > plan->source_images)
        return jsni_fail(JSN_ERR_ARGUMENT, "%zu images at once; the plan takes %zu",
                         samples, plan->source_images);
    JSNI_TRY(jsni_host_begin_input(&plan->host, 1, samples < batch ? samples : batch));
    JSNI_TRY(jsni_host_begin_pass(&plan->host, &pass));
    const int before = jsni_dnnl_threads(1);
    jsni_dn_forward_begin(plan);
    plan->source = source;
    plan->host.samples = samples;
    jsni_dn_forward_deep(plan);
    plan->source = NULL;
    const jsn_status status = run_batches(plan, samples, there, to);
    jsni_dnnl_threads(before);
    plan->host.samples = 0; /* the images are gone */
    plan->host.ran = false;
    return status;
}
