/* backend/host_plan.c - see host_plan.h. */
#include "backend/host_plan.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"

/* ---- devices ---- */

jsn_status jsni_host_check_device(const char *name, size_t device)
{
    if (device != 0)
        return jsni_fail(JSN_ERR_DEVICE, "%s:%zu: there is one device, %s", name,
                         device, name);
    return JSN_OK;
}

size_t jsni_host_device_count(void)
{
    return 1;
}

const char *jsni_host_device_text(const jsni_backend *backend)
{
    return ((const jsni_host_device *)backend)->text;
}

size_t jsni_host_available(const jsni_backend *backend)
{
    (void)backend;
    return jsni_host_memory_available();
}

/* ---- memory ---- */

jsn_status jsni_host_plan_allocate(jsni_host_plan *plan)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_plan_options *o = &plan->options;
    const size_t params = graph->param_floats;
    JSNI_TRY(jsni_host_labels_create(&plan->labels, o->batch, graph->classes));
    JSNI_TRY_ALLOC(plan->values = jsni_alloc_zero(o->batch, sizeof(double)));
    JSNI_TRY_ALLOC(plan->params = jsni_alloc_zero(params, sizeof(float)));
    JSNI_TRY_ALLOC(plan->stats = jsni_alloc_zero(graph->stat_floats, sizeof(float)));
    if (!o->training)
        return JSN_OK;
    JSNI_TRY_ALLOC(plan->grads = jsni_alloc_zero(params, sizeof(float)));
    JSNI_TRY_ALLOC(plan->state =
                       jsni_alloc_zero(o->optimiser_slots * params, sizeof(float)));
    return JSN_OK;
}

void jsni_host_plan_release(jsni_host_plan *plan)
{
    jsni_pool_destroy(plan->pool);
    jsni_host_labels_release(&plan->labels);
    jsni_free(plan->values);
    jsni_free(plan->params);
    jsni_free(plan->stats);
    jsni_free(plan->grads);
    jsni_free(plan->state);
}

/* The block and its length in floats. */
static float *block_of(const jsni_host_plan *plan, jsni_block block, size_t *floats)
{
    const jsni_graph *graph = plan->base.graph;
    *floats = graph->param_floats;
    switch (block) {
    case JSNI_BLOCK_PARAMETERS:
        return plan->params;
    case JSNI_BLOCK_GRADIENTS:
        return plan->grads;
    case JSNI_BLOCK_OPTIMISER:
        *floats *= plan->options.optimiser_slots;
        return plan->state;
    default:
        *floats = graph->stat_floats;
        return plan->stats;
    }
}

static jsn_status evaluation_alone(void)
{
    return jsni_fail(JSN_ERR_ARGUMENT, "the plan is for evaluation alone");
}

jsn_status jsni_host_upload(jsni_plan *plan, size_t member, jsni_block block,
                            const float *from)
{
    (void)member;
    size_t floats = 0;
    float *to = block_of((jsni_host_plan *)plan, block, &floats);
    if (to == NULL)
        return evaluation_alone();
    memcpy(to, from, floats * sizeof *to);
    return JSN_OK;
}

jsn_status jsni_host_download(jsni_plan *plan, size_t member, jsni_block block,
                              float *to)
{
    (void)member;
    size_t floats = 0;
    const float *from = block_of((jsni_host_plan *)plan, block, &floats);
    if (from == NULL)
        return evaluation_alone();
    memcpy(to, from, floats * sizeof *to);
    return JSN_OK;
}

/* ---- a batch and its pass ---- */

jsn_status jsni_host_begin_input(jsni_host_plan *plan, size_t views, size_t samples)
{
    const jsni_plan_options *o = &plan->options;
    if (views == 0 || samples == 0 || views > o->views || samples > o->batch)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "a batch of %zu %s in %zu %s; the plan takes 1 to %zu %s in 1 to %zu %s",
            samples, jsni_noun(samples, "sample", "samples"), views,
            jsni_noun(views, "view", "views"), o->batch,
            jsni_noun(o->batch, "sample", "samples"), o->views,
            jsni_noun(o->views, "view", "views"));
    plan->views = views;
    plan->samples = samples;
    plan->ran = false;
    return JSN_OK;
}

jsn_status jsni_host_set_labels(jsni_plan *base, size_t member,
                                const jsni_labels *labels)
{
    (void)member;
    jsni_host_plan *plan = (jsni_host_plan *)base;
    return jsni_host_labels_set(&plan->labels, labels, plan->samples);
}

jsn_status jsni_host_begin_pass(jsni_host_plan *plan, const jsni_pass *pass)
{
    if (plan->samples == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "forward: no input was set");
    if (pass->training && !plan->options.training)
        return evaluation_alone();
    plan->pass = *pass;
    return JSN_OK;
}

jsn_status jsni_host_check_ran(const jsni_host_plan *plan, const char *what)
{
    if (!plan->ran || !plan->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: no training pass came before", what);
    return JSN_OK;
}

/* ---- the loss ---- */

jsn_status jsni_host_loss(jsni_plan *base, const jsni_losses *losses)
{
    jsni_host_plan *plan = (jsni_host_plan *)base;
    JSNI_TRY(jsni_host_check_ran(plan, "loss"));
    return jsni_loss_run(losses, &plan->labels.view, plan->logits, plan->samples,
                         &plan->mean, plan->values, plan->logit_gradient);
}

jsn_status jsni_host_read_loss(jsni_plan *base, size_t member, double *mean,
                               double *values)
{
    (void)member;
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    *mean = plan->mean;
    if (values != NULL)
        memcpy(values, plan->values, plan->samples * sizeof *values);
    return JSN_OK;
}

/* Of the present input. */
static size_t output_bytes(const jsni_host_plan *plan)
{
    return plan->views * plan->samples *
           jsni_shape_count(jsni_graph_output(plan->base.graph)->shape) * sizeof(float);
}

jsn_status jsni_host_copy_output(jsni_plan *base)
{
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    JSNI_TRY(jsni_host_check_ran(plan, "copy"));
    return jsni_host_write_output_gradient(base, 0, plan->logits);
}

jsn_status jsni_host_read_output(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    memcpy(to, plan->logits, output_bytes(plan));
    return JSN_OK;
}

jsn_status jsni_host_no_gradient(const jsni_plan *plan, size_t number)
{
    return jsni_fail(JSN_ERR_ARGUMENT, "the plan keeps no gradient of '%s'",
                     plan->graph->nodes[number].name);
}

jsn_status jsni_host_write_output_gradient(jsni_plan *base, size_t member,
                                           const float *from)
{
    (void)member;
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    if (plan->logit_gradient == NULL)
        return jsni_host_no_gradient(base, base->graph->node_count - 1);
    memcpy(plan->logit_gradient, from, output_bytes(plan));
    return JSN_OK;
}

jsn_status jsni_host_read_output_gradient(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    if (plan->logit_gradient == NULL)
        return jsni_host_no_gradient(base, base->graph->node_count - 1);
    memcpy(to, plan->logit_gradient, output_bytes(plan));
    return JSN_OK;
}

/* Every entry returns when its work is done. */
jsn_status jsni_host_synchronize(jsni_plan *plan)
{
    (void)plan;
    return JSN_OK;
}

/* ---- update: element-wise, so any cut gives the same bits ---- */

enum { UPDATE_FLOATS = 1 << 16 };

typedef struct update_job {
    const jsni_host_plan *plan;
    const jsni_update *update;
} update_job;

static void update_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const update_job *job = user;
    const jsni_host_plan *plan = job->plan;
    const jsni_graph *graph = plan->base.graph;
    const size_t begin = index * UPDATE_FLOATS, end = begin + UPDATE_FLOATS;
    for (size_t p = 0; p < graph->param_count; p++) {
        const jsni_tensor *t = &graph->params[p];
        const size_t from = t->offset > begin ? t->offset : begin;
        const size_t to = t->offset + t->count < end ? t->offset + t->count : end;
        jsni_update update = *job->update;
        if (update.factor != NULL)
            update.rate *= update.factor[p];
        if (from < to)
            jsni_optim_apply(&update, t->role, to - from, plan->params + from,
                             plan->grads + from, plan->state + from,
                             graph->param_floats);
    }
}

jsn_status jsni_host_update(jsni_plan *base, const jsni_update *step)
{
    const jsni_host_plan *plan = (const jsni_host_plan *)base;
    if (!plan->options.training || plan->options.optimiser_slots == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "update: the plan has no optimiser");
    update_job job = {plan, step};
    const size_t floats = base->graph->param_floats;
    jsni_pool_run(plan->pool, (floats + UPDATE_FLOATS - 1) / UPDATE_FLOATS,
                  update_piece, &job);
    return JSN_OK;
}
