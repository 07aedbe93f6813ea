/* backend/onednn/backend_onednn.c - the entries of the oneDNN backend. Parameters,
 * gradients and statistics are kept in the canonical blocks; what the convolutions read
 * is made from them after every change. */
#include <stdio.h>
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "backend/onednn/dnnl_check.h"
#include "backend/onednn/dnnl_tensor.h"
#include "core/alloc.h"
#include "core/fail.h"

/* oneDNN 2 constructs objects where it got no memory, by dnnl_memory_create and others
 * (cli/cli_memory.cc has more). */
enum { ROOM = 8 << 20 };

static void backend_close(jsni_backend *base)
{
    dn_backend *backend = (dn_backend *)base;
    if (backend != NULL && backend->engine != NULL)
        jsni_dnnl.engine_destroy(backend->engine);
    jsni_free(backend);
}

static jsn_status backend_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    JSNI_TRY(jsni_host_check_device("onednn", device));
    dn_backend *backend = jsni_alloc_zero(1, sizeof *backend);
    JSNI_TRY_ALLOC(backend);
    backend->host.base.ops = &jsni_backend_onednn;
    backend->kernels = jsni_kernel_set_find(jsni_dnnl_instructions());
    const jsn_status status =
        jsni_dnnl_status(jsni_dnnl.engine_create(&backend->engine, dnnl_cpu, 0),
                         "opening the CPU engine");
    if (status != JSN_OK) {
        backend_close(&backend->host.base);
        return status;
    }
    char host[64], version[32];
    jsni_host_text(host, sizeof host);
    jsni_dnnl_version_text(version, sizeof version);
    snprintf(backend->host.text, sizeof backend->host.text, "%s, %s, %s kernels", host,
             version, backend->kernels->name);
    *out = &backend->host.base;
    return JSN_OK;
}

static jsn_status supports(const jsni_backend *backend, const jsni_graph *graph,
                           size_t node, const jsni_plan_options *options)
{
    (void)backend;
    (void)options;
    const jsni_node *n = &graph->nodes[node];
    const jsni_window *w = jsni_op_window(&n->op);
    if (n->op.kind == JSNI_OP_DEPTHWISE &&
        (w->kernel_h > JSNI_DEPTHWISE_TAPS / w->kernel_w))
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "%s: a depthwise window of %zux%zu has more than %d taps",
                         n->name, w->kernel_h, w->kernel_w, JSNI_DEPTHWISE_TAPS);
    return JSN_OK;
}

static void plan_destroy(jsni_plan *base)
{
    dn_plan *plan = (dn_plan *)base;
    if (plan == NULL)
        return;
    jsni_host_plan_release(&plan->host);
    jsni_dn_steps_destroy(plan);
    jsni_dn_source_release(plan);
    jsni_dn_memory_release(plan);
    jsni_free(plan);
}

/* The plan with all sizes, before its memory. */
static jsn_status plan_draw(const jsni_backend *base, const jsni_graph *graph,
                            const jsni_plan_options *options, dn_plan **out)
{
    const dn_backend *backend = (const dn_backend *)base;
    *out = NULL;
    JSNI_TRY(jsni_alloc_room(ROOM));
    dn_plan *plan = jsni_alloc_zero(1, sizeof *plan);
    JSNI_TRY_ALLOC(plan);
    plan->host.base =
        (jsni_plan){&jsni_backend_onednn, (jsni_backend *)(size_t)base, graph};
    plan->host.options = *options;
    plan->kernels = backend->kernels;
    plan->engine = backend->engine;
    plan->threads = options->threads != 0 ? options->threads : jsni_usable_cores();
    plan->pending = JSNI_NONE;
    plan->stale = true;
    jsn_status status = jsni_dn_fuse(plan);
    if (status == JSN_OK)
        status = jsni_dn_memory_check(plan);
    if (status == JSN_OK)
        status = jsni_dn_steps_create(plan);
    if (status == JSN_OK)
        status = jsni_dn_gradients(plan);
    if (status == JSN_OK)
        status = jsni_dn_again_plan(plan);
    if (status == JSN_OK)
        status = jsni_dn_memory_layout(plan);
    if (status != JSN_OK) {
        plan_destroy(&plan->host.base);
        return status;
    }
    *out = plan;
    return JSN_OK;
}

static jsn_status plan_memory(const jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_memory *out)
{
    dn_plan *plan = NULL;
    JSNI_TRY(plan_draw(backend, graph, options, &plan));
    *out = jsni_dn_memory_need(plan);
    plan_destroy(&plan->host.base);
    return JSN_OK;
}

static jsn_status plan_start(dn_plan *plan)
{
    JSNI_TRY(jsni_dn_memory_allocate(plan));
    for (size_t k = 0; k < plan->threads; k++)
        DNNL_TRY(stream_create, &plan->workers[k].stream, plan->engine,
                 dnnl_stream_default_flags);
    return jsni_pool_create(&plan->host.pool, plan->threads);
}

static jsn_status plan_create(jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_plan **out)
{
    *out = NULL;
    dn_plan *plan = NULL;
    JSNI_TRY(plan_draw(backend, graph, options, &plan));
    const jsn_status status = plan_start(plan);
    if (status != JSN_OK) {
        plan_destroy(&plan->host.base);
        return status;
    }
    *out = &plan->host.base;
    return JSN_OK;
}

static jsn_status upload(jsni_plan *base, size_t member, jsni_block block,
                         const float *from)
{
    dn_plan *plan = (dn_plan *)base;
    JSNI_TRY(jsni_host_upload(base, member, block, from));
    plan->stale = plan->stale || block == JSNI_BLOCK_PARAMETERS;
    return JSN_OK;
}

/* ---- images in and out: [images][c][h][w], a task an image ---- */

typedef struct copy_job {
    const dn_plan *plan;
    size_t tensor;
    float *plain, *stored;
    bool in;
} copy_job;

static void copy_image(void *user, size_t image, size_t worker)
{
    (void)worker;
    const copy_job *job = user;
    const dn_tensor *t = &job->plan->tensors[job->tensor];
    const size_t lanes = job->plan->kernels->lanes, count = jsni_shape_count(t->shape);
    float *plain = job->plain + image * count,
          *stored = job->stored + image * t->floats;
    if (t->plain && job->in)
        memcpy(stored, plain, count * sizeof *plain);
    else if (t->plain)
        memcpy(plain, stored, count * sizeof *plain);
    else if (job->in)
        jsni_to_blocked(plain, 1, t->shape, lanes, stored);
    else
        jsni_from_blocked(stored, 1, t->shape, lanes, plain);
}

static void copy_in(const dn_plan *plan, size_t tensor, const float *from, float *to)
{
    copy_job job = {plan, tensor, (float *)(size_t)from, to, true};
    jsni_pool_run(plan->host.pool, plan->host.views * plan->host.samples, copy_image,
                  &job);
}

static void copy_out(const dn_plan *plan, size_t tensor, const float *from, float *to)
{
    copy_job job = {plan, tensor, to, (float *)(size_t)from, false};
    jsni_pool_run(plan->host.pool, plan->host.views * plan->host.samples, copy_image,
                  &job);
}

static jsn_status set_input(jsni_plan *base, size_t member, const float *images,
                            size_t views, size_t samples)
{
    (void)member;
    dn_plan *plan = (dn_plan *)base;
    JSNI_TRY(jsni_host_begin_input(&plan->host, views, samples));
    copy_in(plan, 0, images, dn_tensor_at(plan, 0));
    return JSN_OK;
}

/* What the workers could not say. */
static jsn_status check_failure(dn_plan *plan)
{
    return jsni_dnnl_status((dnnl_status_t)atomic_exchange(&plan->failure, 0),
                            "running a convolution or a product");
}

jsn_status jsni_dn_end_pass(dn_plan *plan)
{
    copy_out(plan, plan->output, dn_tensor_at(plan, plan->output), plan->host.logits);
    plan->host.ran = true;
    return check_failure(plan);
}

static jsn_status forward(jsni_plan *base, const jsni_pass *pass)
{
    dn_plan *plan = (dn_plan *)base;
    JSNI_TRY(jsni_host_begin_pass(&plan->host, pass));
    const int before = jsni_dnnl_threads(1);
    jsni_dn_forward_run(plan);
    jsni_dnnl_threads(before);
    return jsni_dn_end_pass(plan);
}

static jsn_status backward(jsni_plan *base)
{
    dn_plan *plan = (dn_plan *)base;
    JSNI_TRY(jsni_host_check_ran(&plan->host, "backward"));
    copy_in(plan, plan->output, plan->host.logit_gradient,
            dn_buffer_at(plan, plan->output_gradient));
    const int before = jsni_dnnl_threads(1);
    jsni_dn_backward_run(plan);
    jsni_dnnl_threads(before);
    plan->host.ran = false; /* the memory of the values is used up */
    return check_failure(plan);
}

static jsn_status update(jsni_plan *base, const jsni_update *step)
{
    JSNI_TRY(jsni_host_update(base, step));
    ((dn_plan *)base)->stale = true;
    return JSN_OK;
}

static const char *describe_node(const jsni_plan *base, size_t node)
{
    const dn_plan *plan = (const dn_plan *)base;
    const dn_step *step = &plan->steps[plan->node_step[node]];
    if (step->node == node)
        return step->text;
    return plan->host.base.graph->nodes[node].op.kind == JSNI_OP_ADD ||
                   plan->node_value[node] == plan->tensors[step->out].value
               ? "in the writing of its input"
               : "in the reading of its input";
}

static jsn_status read_input_gradient(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    const dn_plan *plan = (const dn_plan *)base;
    if (plan->input_gradient == JSNI_NONE)
        return jsni_host_no_gradient(base, 0);
    copy_out(plan, 0, dn_buffer_at(plan, plan->input_gradient), to);
    return JSN_OK;
}

static jsn_status read_node(jsni_plan *base, size_t member, size_t node, float *to)
{
    (void)member;
    dn_plan *plan = (dn_plan *)base;
    const size_t value = plan->node_value[node];
    if (value == JSNI_NONE || plan->tensors[plan->values[value].tensor].own ||
        plan->buffers[plan->tensors[plan->values[value].tensor].buffer].to <
            plan->step_count)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "'%s' is never in memory as such",
                         base->graph->nodes[node].name);
    const size_t tensor = plan->values[value].tensor;
    const size_t count = jsni_shape_count(plan->tensors[tensor].shape);
    for (size_t i = 0; i < plan->host.views * plan->host.samples; i++) {
        /* the worker's buffer takes at least one image of whatever a step reads */
        const dn_range image = {.view = i / plan->host.samples, .first = i, .count = 1};
        const float *x = jsni_dn_read(plan, value, &image, plan->workers[0].y);
        if (plan->tensors[tensor].plain)
            memcpy(to + i * count, x, count * sizeof *to);
        else
            jsni_from_blocked(x, 1, plan->tensors[tensor].shape, plan->kernels->lanes,
                              to + i * count);
    }
    return JSN_OK;
}

const jsni_backend_ops jsni_backend_onednn = {
    .name = "onednn",
    .summary = "own fused kernels and oneDNN, the same bits for any number of threads",
    JSNI_HOST_ENTRIES,
    .open = backend_open,
    .close = backend_close,
    .supports = supports,
    .plan_memory = plan_memory,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .upload = upload,
    .set_input = set_input,
    .forward = forward,
    .backward = backward,
    .update = update,
    .describe_node = describe_node,
    .read_input_gradient = read_input_gradient,
    .read_node = read_node,
    .time_tasks = jsni_dn_time_tasks,
    .time_limit = jsni_dn_time_limit,
    .source_workers = jsni_dn_source_workers,
    .source_images = jsni_dn_source_images,
    .evaluate_from = jsni_dn_evaluate_from,
};
