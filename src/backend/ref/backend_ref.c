/* backend/ref/backend_ref.c - the reference backend: plain loops in C, the definition
 * of every operation and the fallback on machines without a faster one. Blocks are kept
 * in the canonical layout. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "backend/host_memory.h"
#include "backend/ref/ref_memory.h"
#include "core/alloc.h"
#include "core/fail.h"

typedef struct ref_backend {
    jsni_backend base;
    char text[64];
} ref_backend;

typedef struct ref_plan {
    jsni_plan base;
    jsni_plan_options options;
    jsni_pool *pool;
    ref_layout layout;
    float *params, *grads, *state, *stats;
    float *activations;
    char *kept;
    size_t views, samples; /* of the present input; 0 before the first */
    jsni_pass pass;        /* the latest forward */
    bool ran;
    jsni_host_labels labels;
    double mean;
    double *values; /* [batch] */
} ref_plan;

static size_t device_count(void)
{
    return 1;
}

static jsn_status backend_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    if (device != 0)
        return jsni_fail(JSN_ERR_DEVICE, "ref:%zu: there is one device, ref", device);
    ref_backend *backend = jsni_alloc_zero(1, sizeof *backend);
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

static const char *device_text(const jsni_backend *backend)
{
    return ((const ref_backend *)backend)->text;
}

static size_t memory_available(const jsni_backend *backend)
{
    (void)backend;
    return jsni_host_memory_available();
}

static jsn_status supports(const jsni_backend *backend, const jsni_graph *graph,
                           size_t number, const jsni_plan_options *options)
{
    (void)backend;
    if (options->precision != JSN_PRECISION_FP32)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "the ref backend computes in fp32 alone");
    if (options->members > 1)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "the ref backend runs one member at a time, not %zu",
                         options->members);
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
    const jsn_status status = ref_layout_create(&layout, graph, options);
    if (status == JSN_OK) {
        const size_t params = graph->param_floats * sizeof(float);
        *out = (jsni_memory){.parameters = params,
                             .gradients = options->training ? params : 0,
                             .optimiser = options->optimiser_slots * params,
                             .statistics = graph->stat_floats * sizeof(float),
                             .activations = layout.floats * sizeof(float),
                             .workspace = layout.kept_bytes};
    }
    ref_layout_release(&layout);
    return status;
}

static void plan_destroy(jsni_plan *base)
{
    ref_plan *plan = (ref_plan *)base;
    if (plan == NULL)
        return;
    jsni_pool_destroy(plan->pool);
    ref_layout_release(&plan->layout);
    jsni_host_labels_release(&plan->labels);
    jsni_free(plan->params);
    jsni_free(plan->grads);
    jsni_free(plan->state);
    jsni_free(plan->stats);
    jsni_free(plan->activations);
    jsni_free(plan->kept);
    jsni_free(plan->values);
    jsni_free(plan);
}

static jsn_status allocate(ref_plan *plan)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_plan_options *o = &plan->options;
    JSNI_TRY(jsni_pool_create(&plan->pool, o->threads));
    JSNI_TRY(ref_layout_create(&plan->layout, graph, o));
    JSNI_TRY(jsni_host_labels_create(&plan->labels, o->batch, graph->classes));
    JSNI_TRY_ALLOC(plan->params = jsni_alloc_zero(graph->param_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->stats = jsni_alloc_zero(graph->stat_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->activations =
                       jsni_alloc_zero(plan->layout.floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->values = jsni_alloc_zero(o->batch, sizeof(double)));
    if (!o->training)
        return JSN_OK;
    JSNI_TRY_ALLOC(plan->grads = jsni_alloc_zero(graph->param_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->state = jsni_alloc_zero(
                       o->optimiser_slots * graph->param_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->kept = jsni_alloc_zero(plan->layout.kept_bytes, 1));
    return JSN_OK;
}

static jsn_status plan_create(jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_plan **out)
{
    *out = NULL;
    ref_plan *plan = jsni_alloc_zero(1, sizeof *plan);
    JSNI_TRY_ALLOC(plan);
    plan->base = (jsni_plan){&jsni_backend_ref, backend, graph};
    plan->options = *options;
    const jsn_status status = allocate(plan);
    if (status != JSN_OK) {
        plan_destroy(&plan->base);
        return status;
    }
    *out = &plan->base;
    return JSN_OK;
}

/* The block and its length in floats. */
static float *block_of(const ref_plan *plan, jsni_block block, size_t *floats)
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

static jsn_status upload(jsni_plan *plan, size_t member, jsni_block block,
                         const float *from)
{
    (void)member;
    size_t floats = 0;
    float *to = block_of((ref_plan *)plan, block, &floats);
    if (to == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "the plan is for evaluation alone");
    memcpy(to, from, floats * sizeof(float));
    return JSN_OK;
}

static jsn_status download(jsni_plan *plan, size_t member, jsni_block block, float *to)
{
    (void)member;
    size_t floats = 0;
    const float *from = block_of((ref_plan *)plan, block, &floats);
    if (from == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "the plan is for evaluation alone");
    memcpy(to, from, floats * sizeof(float));
    return JSN_OK;
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

static size_t node_floats(const ref_plan *plan, size_t number)
{
    return plan->views * plan->samples *
           jsni_shape_count(plan->base.graph->nodes[number].shape);
}

static jsn_status set_input(jsni_plan *base, size_t member, const float *images,
                            size_t views, size_t samples)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    JSNI_TRY(jsni_host_check_batch(&plan->options, views, samples));
    plan->views = views;
    plan->samples = samples;
    plan->ran = false;
    memcpy(value_of(plan, 0), images, node_floats(plan, 0) * sizeof(float));
    return JSN_OK;
}

static jsn_status set_labels(jsni_plan *base, size_t member, const jsni_labels *labels)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    return jsni_host_labels_set(&plan->labels, labels, plan->samples);
}

static ref_call make_call(ref_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_node *node = &graph->nodes[number];
    ref_call call = {.node = node,
                     .number = number,
                     .pool = plan->pool,
                     .pass = &plan->pass,
                     .views = plan->views,
                     .samples = plan->samples,
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
        call.weight = plan->params + graph->params[node->weight].offset;
        if (plan->grads != NULL)
            call.dweight = plan->grads + graph->params[node->weight].offset;
    }
    if (node->bias != JSNI_NONE) {
        call.bias = plan->params + graph->params[node->bias].offset;
        if (plan->grads != NULL)
            call.dbias = plan->grads + graph->params[node->bias].offset;
    }
    if (node->mean != JSNI_NONE) {
        call.running_mean = plan->stats + graph->stats[node->mean].offset;
        call.running_var = plan->stats + graph->stats[node->mean + 1].offset;
    }
    if (plan->kept != NULL)
        call.kept = plan->kept + plan->layout.kept[number];
    return call;
}

static jsn_status forward(jsni_plan *base, const jsni_pass *pass)
{
    ref_plan *plan = (ref_plan *)base;
    const jsni_graph *graph = base->graph;
    JSNI_TRY(jsni_host_check_pass(graph, &plan->options, pass, plan->samples));
    plan->pass = *pass;
    for (size_t i = 1; i < graph->node_count; i++) {
        const ref_call call = make_call(plan, i);
        ref_kernel_of(call.node->op.kind)->forward(&call);
    }
    plan->ran = true;
    return JSN_OK;
}

static jsn_status loss(jsni_plan *base, const jsni_losses *losses)
{
    ref_plan *plan = (ref_plan *)base;
    const size_t output = base->graph->node_count - 1;
    if (!plan->ran || !plan->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: no training pass came before");
    return jsni_loss_run(losses, &plan->labels.view, value_of(plan, output),
                         plan->samples, &plan->mean, plan->values,
                         gradient_of(plan, output));
}

/* A gradient is cleared when its first writer, the last reader of the value, is about
 * to run; before that the memory may belong to another node. */
static void clear_gradients_of_inputs(ref_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->base.graph;
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
    if (!plan->ran || !plan->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "backward: no training pass came before");
    for (size_t i = base->graph->node_count - 1; i >= 1; i--) {
        clear_gradients_of_inputs(plan, i);
        const ref_call call = make_call(plan, i);
        ref_kernel_of(call.node->op.kind)->backward(&call);
    }
    plan->ran = false; /* the memory of the values is used up */
    return JSN_OK;
}

typedef struct update_job {
    ref_plan *plan;
    const jsni_update *update;
} update_job;

static void update_piece(void *user, size_t number, size_t worker)
{
    (void)worker;
    const update_job *job = user;
    ref_plan *plan = job->plan;
    const jsni_tensor *tensor = &plan->base.graph->params[number];
    jsni_optim_apply(job->update, tensor->role, tensor->count,
                     plan->params + tensor->offset, plan->grads + tensor->offset,
                     plan->state + tensor->offset, plan->base.graph->param_floats);
}

static jsn_status update(jsni_plan *base, const jsni_update *step)
{
    ref_plan *plan = (ref_plan *)base;
    if (!plan->options.training || plan->options.optimiser_slots == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "update: the plan has no optimiser");
    update_job job = {plan, step};
    jsni_pool_run(plan->pool, base->graph->param_count, update_piece, &job);
    return JSN_OK;
}

static jsn_status read_loss(jsni_plan *base, size_t member, double *mean,
                            double *values)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    *mean = plan->mean;
    if (values != NULL)
        memcpy(values, plan->values, plan->samples * sizeof *values);
    return JSN_OK;
}

static jsn_status read_node(jsni_plan *base, size_t member, size_t number, float *to)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    memcpy(to, value_of(plan, number), node_floats(plan, number) * sizeof(float));
    return JSN_OK;
}

static jsn_status read_output(jsni_plan *base, size_t member, float *to)
{
    return read_node(base, member, base->graph->node_count - 1, to);
}

static jsn_status synchronize(jsni_plan *plan)
{
    (void)plan;
    return JSN_OK;
}

static const char *describe_node(const jsni_plan *plan, size_t number)
{
    const ref_kernel *kernel = ref_kernel_of(plan->graph->nodes[number].op.kind);
    return kernel == NULL ? "copy" : kernel->text;
}

/* Where the gradient of a node is; JSN_ERR_ARGUMENT when the plan has none. */
static jsn_status find_gradient(ref_plan *plan, size_t number, float **gradient)
{
    *gradient = gradient_of(plan, number);
    if (*gradient == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "the plan keeps no gradient of '%s'",
                         plan->base.graph->nodes[number].name);
    return JSN_OK;
}

static jsn_status write_output_gradient(jsni_plan *base, size_t member,
                                        const float *from)
{
    (void)member;
    ref_plan *plan = (ref_plan *)base;
    const size_t output = base->graph->node_count - 1;
    float *gradient = NULL;
    JSNI_TRY(find_gradient(plan, output, &gradient));
    memcpy(gradient, from, node_floats(plan, output) * sizeof(float));
    return JSN_OK;
}

static jsn_status read_gradient(ref_plan *plan, size_t number, float *to)
{
    float *gradient = NULL;
    JSNI_TRY(find_gradient(plan, number, &gradient));
    memcpy(to, gradient, node_floats(plan, number) * sizeof(float));
    return JSN_OK;
}

static jsn_status read_output_gradient(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    return read_gradient((ref_plan *)base, base->graph->node_count - 1, to);
}

static jsn_status read_input_gradient(jsni_plan *base, size_t member, float *to)
{
    (void)member;
    return read_gradient((ref_plan *)base, 0, to);
}

const jsni_backend_ops jsni_backend_ref = {
    .name = "ref",
    .summary = "plain C, the definition of every operation",
    .device_count = device_count,
    .open = backend_open,
    .close = backend_close,
    .device_text = device_text,
    .memory_available = memory_available,
    .supports = supports,
    .plan_memory = plan_memory,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .upload = upload,
    .download = download,
    .set_input = set_input,
    .set_labels = set_labels,
    .forward = forward,
    .loss = loss,
    .backward = backward,
    .update = update,
    .read_loss = read_loss,
    .read_output = read_output,
    .synchronize = synchronize,
    .describe_node = describe_node,
    .write_output_gradient = write_output_gradient,
    .read_output_gradient = read_output_gradient,
    .read_input_gradient = read_input_gradient,
    .read_node = read_node,
};
