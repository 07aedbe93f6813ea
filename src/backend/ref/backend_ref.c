/* backend/ref/backend_ref.c - the reference backend: plain loops in C, the definition
 * of every operation and the fallback on machines without a faster one. Blocks are kept
 * in the canonical layout. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "backend/host_plan.h"
#include "backend/ref/ref_memory.h"
#include "core/alloc.h"
#include "core/fail.h"

typedef struct ref_plan {
    jsni_host_plan host; /* its logits lie in the activations */
    ref_layout layout;
    float *activations;
    char *kept;
} ref_plan;

static jsn_status backend_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    JSNI_TRY(jsni_host_check_device("ref", device));
    jsni_host_device *backend = jsni_alloc_zero(1, sizeof *backend);
    JSNI_TRY_ALLOC(backend);
    backend->base.ops = &jsni_backend_ref;
    jsni_host_text(backend->text, sizeof backend->text);
    *out = &backend->base;
    return JSN_OK;
}

static void backend_close(jsni_backend *backend)
{
    jsni_free(backend);
}

static jsn_status supports(const jsni_backend *backend, const jsni_graph *graph,
                           size_t number, const jsni_plan_options *options)
{
    (void)backend;
    (void)options;
    const jsni_node *node = &graph->nodes[number];
    const jsni_shape in =
        number == 0 ? node->shape : jsni_graph_input_shape(graph, number);
    if (node->op.kind == JSNI_OP_MAX_POOL && in.height * in.width > UINT32_MAX)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: %zux%zu is too large for a pool",
                         node->name, in.height, in.width);
    return JSN_OK;
}

static jsn_status plan_memory(const jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_memory *out)
{
    (void)backend;
    ref_layout layout;
    const jsn_status status = jsni_ref_layout_create(&layout, graph, options);
    if (status == JSN_OK) {
        const size_t params = graph->param_floats * sizeof(float);
        *out = (jsni_memory){.parameters = params,
                             .gradients = options->training ? params : 0,
                             .optimiser = options->optimiser_slots * params,
                             .statistics = graph->stat_floats * sizeof(float),
                             .activations = layout.floats * sizeof(float),
                             .workspace = layout.kept_bytes};
    }
    jsni_ref_layout_release(&layout);
    return status;
}

static void plan_destroy(jsni_plan *base)
{
    ref_plan *plan = (ref_plan *)base;
    if (plan == NULL)
        return;
    jsni_host_plan_release(&plan->host);
    jsni_ref_layout_release(&plan->layout);
    jsni_free(plan->activations);
    jsni_free(plan->kept);
    jsni_free(plan);
}

static float *value_of(const ref_plan *plan, size_t number)
{
    return plan->activations + plan->layout.value[number];
}

static float *gradient_of(const ref_plan *plan, size_t number)
{
    const size_t offset = plan->layout.gradient[number];
    return offset == JSNI_NONE ? NULL : plan->activations + offset;
}

static jsn_status allocate(ref_plan *plan)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_plan_options *o = &plan->host.options;
    JSNI_TRY(jsni_pool_create(&plan->host.pool, o->threads));
    JSNI_TRY(jsni_ref_layout_create(&plan->layout, graph, o));
    JSNI_TRY(jsni_host_plan_allocate(&plan->host));
    JSNI_TRY_ALLOC(plan->activations =
                       jsni_alloc_zero(plan->layout.floats, sizeof(float)));
    plan->host.logits = value_of(plan, graph->node_count - 1);
    plan->host.logit_gradient = gradient_of(plan, graph->node_count - 1);
    if (o->training)
        JSNI_TRY_ALLOC(plan->kept = jsni_alloc_zero(plan->layout.kept_bytes, 1));
    return JSN_OK;
}

static jsn_status plan_create(jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_plan **out)
{
    *out = NULL;
    ref_plan *plan = jsni_alloc_zero(1, sizeof *plan);
    JSNI_TRY_ALLOC(plan);
    plan->host.base = (jsni_plan){&jsni_backend_ref, backend, graph};
    plan->host.options = *options;
    const jsn_status status = allocate(plan);
    if (status != JSN_OK) {
        plan_destroy(&plan->host.base);
        return status;
    }
    *out = &plan->host.base;
    return JSN_OK;
}

static size_t node_floats(const ref_plan *plan, size_t number)
{
    return plan->host.views * plan->host.samples *
           jsni_shape_count(plan->host.base.graph->nodes[number].shape);
}

static jsn_status set_input(jsni_plan *base, size_t member, const float *images,
                            size_t views, size_t samples)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    JSNI_TRY(jsni_host_begin_input(&plan->host, views, samples));
    memcpy(value_of(plan, 0), images, node_floats(plan, 0) * sizeof(float));
    return JSN_OK;
}

static ref_call make_call(ref_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_node *node = &graph->nodes[number];
    ref_call call = {.node = node,
                     .number = number,
                     .pool = plan->host.pool,
                     .pass = &plan->host.pass,
                     .views = plan->host.views,
                     .samples = plan->host.samples,
                     .in = jsni_graph_input_shape(graph, number),
                     .out = node->shape,
                     .x = value_of(plan, node->input[0]),
                     .y = value_of(plan, number),
                     .dx = gradient_of(plan, node->input[0]),
                     .dy = gradient_of(plan, number)};
    if (node->inputs == 2) {
        call.other = value_of(plan, node->input[1]);
        call.dother = gradient_of(plan, node->input[1]);
    }
    if (node->weight != JSNI_NONE) {
        call.weight = plan->host.params + graph->params[node->weight].offset;
        if (plan->host.grads != NULL)
            call.dweight = plan->host.grads + graph->params[node->weight].offset;
    }
    if (node->bias != JSNI_NONE) {
        call.bias = plan->host.params + graph->params[node->bias].offset;
        if (plan->host.grads != NULL)
            call.dbias = plan->host.grads + graph->params[node->bias].offset;
    }
    if (node->mean != JSNI_NONE) {
        call.running_mean = plan->host.stats + graph->stats[node->mean].offset;
        call.running_var = plan->host.stats + graph->stats[node->mean + 1].offset;
    }
    if (plan->kept != NULL)
        call.kept = plan->kept + plan->layout.kept[number];
    return call;
}

static jsn_status forward(jsni_plan *base, const jsni_pass *pass)
{
    ref_plan *plan = (ref_plan *)base;
    const jsni_graph *graph = base->graph;
    JSNI_TRY(jsni_host_begin_pass(&plan->host, pass));
    for (size_t i = 1; i < graph->node_count; i++) {
        const ref_call call = make_call(plan, i);
        jsni_ref_kernel_of(call.node->op.kind)->forward(&call);
    }
    plan->host.ran = true;
    return JSN_OK;
}

/* A gradient is cleared when its first writer, the last reader of the value, is about
 * to run; before that the memory may belong to another node. */
static void clear_gradients_of_inputs(ref_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_node *node = &graph->nodes[number];
    for (size_t k = 0; k < node->inputs; k++) {
        const size_t input = node->input[k];
        bool later = k == 1 && node->input[0] == input;
        for (size_t i = number + 1; i < graph->node_count && !later; i++)
            for (size_t j = 0; j < graph->nodes[i].inputs; j++)
                later = later || graph->nodes[i].input[j] == input;
        float *gradient = gradient_of(plan, input);
        if (!later && gradient != NULL)
            memset(gradient, 0, node_floats(plan, input) * sizeof(float));
    }
}

static jsn_status backward(jsni_plan *base)
{
    ref_plan *plan = (ref_plan *)base;
    JSNI_TRY(jsni_host_check_ran(&plan->host, "backward"));
    for (size_t i = base->graph->node_count - 1; i >= 1; i--) {
        clear_gradients_of_inputs(plan, i);
        const ref_call call = make_call(plan, i);
        jsni_ref_kernel_of(call.node->op.kind)->backward(&call);
    }
    plan->host.ran = false; /* the memory of the values is used up */
    return JSN_OK;
}

static jsn_status read_node(jsni_plan *base, size_t member, size_t number, float *to)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    memcpy(to, value_of(plan, number), node_floats(plan, number) * sizeof(float));
    return JSN_OK;
}

static const char *describe_node(const jsni_plan *plan, size_t number)
{
    const ref_kernel *kernel = jsni_ref_kernel_of(plan->graph->nodes[number].op.kind);
    return kernel == NULL ? "copy" : kernel->text;
}

static jsn_status read_input_gradient(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    const float *gradient = gradient_of(plan, 0);
    if (gradient == NULL)
        return jsni_host_no_gradient(base, 0);
    memcpy(to, gradient, node_floats(plan, 0) * sizeof(float));
    return JSN_OK;
}

const jsni_backend_ops jsni_backend_ref = {
    .name = "ref",
    .summary = "plain C, the definition of every operation",
    JSNI_HOST_ENTRIES,
    .open = backend_open,
    .close = backend_close,
    .supports = supports,
    .plan_memory = plan_memory,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .upload = jsni_host_upload,
    .set_input = set_input,
    .forward = forward,
    .backward = backward,
    .update = jsni_host_update,
    .describe_node = describe_node,
    .read_input_gradient = read_input_gradient,
    .read_node = read_node,
};
