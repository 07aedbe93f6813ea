/* backend/model.c - a network with weights on a device; see jensen/model.h. */
#include "backend/model.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/sha256.h"
#include "core/words.h"
#include "loss/loss_impl.h"
#include "nn/network_impl.h"
#include "nn/graph_part.h"

void jsn_model_options_init(jsn_model_options *options)
{
    if (options == NULL)
        return;
    *options = (jsn_model_options){.channels = 3,
                                   .height = 32,
                                   .width = 32,
                                   .device = "auto",
                                   .batch = 128,
                                   .views = 1,
                                   .precision = JSN_PRECISION_FP32};
}

static jsn_status make_plan(jsn_model *model, const char *device, const char *optimiser)
{
    if (optimiser != NULL)
        JSNI_TRY(jsni_optim_parse(optimiser, &model->update,
                                  &model->options.optimiser_slots));
    JSNI_TRY(jsni_backend_open(&model->backend, device));
    JSNI_TRY(
        jsni_plan_create(model->backend, model->graph, &model->options, &model->plan));
    JSNI_TRY(model->backend->ops->plan_memory(model->backend, model->graph,
                                              &model->options, &model->memory));
    /* Padding between tensors must be zero when a block is written as a whole. */
    model->staging = jsni_alloc_zero(
        model->graph->param_floats + model->graph->stat_floats, sizeof *model->staging);
    return model->staging == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsni_model_create(jsn_model **out, jsni_graph *graph, const char *device,
                             const char *optimiser, const jsni_plan_options *options)
{
    *out = NULL;
    jsn_model *model = jsni_alloc_zero(1, sizeof *model);
    if (model == NULL) {
        jsni_graph_destroy(graph);
        return JSN_ERR_MEMORY;
    }
    model->graph = graph;
    model->options = *options;
    const jsn_status status = make_plan(model, device, optimiser);
    if (status != JSN_OK) {
        jsn_model_destroy(model);
        return status;
    }
    *out = model;
    return JSN_OK;
}

/* Checks the options and builds their graph; *plan is what they say about a plan. */
static jsn_status read_options(const jsn_model_options *options, jsni_graph **graph,
                               jsni_plan_options *plan)
{
    if (options == NULL || options->network == NULL || options->device == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: needs a network and a device");
    if (options->classes < 2 || options->channels == 0 || options->height == 0 ||
        options->width == 0)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "model: %zu %s, images of %zux%zux%zu: needs 2 classes and an image",
            options->classes, jsni_noun(options->classes, "class", "classes"),
            options->channels, options->height, options->width);
    if (options->batch == 0 || options->views == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: batch %zu and views %zu: needs 1",
                         options->batch, options->views);
    const jsni_shape input = {options->channels, options->height, options->width};
    *plan = (jsni_plan_options){.batch = options->batch,
                                .views = options->views,
                                .threads = options->threads,
                                .precision = options->precision,
                                .training = options->optimiser != NULL,
                                .members = options->members};
    return jsni_network_build(options->network, input, options->classes, graph);
}

/* The same on every device: some would go on with a variance of zero. */
static jsn_status check_samples(const jsni_graph *graph, size_t samples)
{
    const jsni_node *norm = samples == 1 ? jsni_graph_lone_norm(graph) : NULL;
    if (norm == NULL)
        return JSN_OK;
    return jsni_fail(
        JSN_ERR_ARGUMENT,
        "%s: BatchNorm cannot train on one value a channel; use a batch of "
        "2 or more",
        norm->name);
}

jsn_status jsn_model_create(jsn_model **out, const jsn_model_options *options)
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: out is NULL");
    *out = NULL;
    jsni_graph *graph = NULL;
    jsni_plan_options plan;
    JSNI_TRY(read_options(options, &graph, &plan));
    const jsn_status status = plan.training ? check_samples(graph, plan.batch) : JSN_OK;
    if (status != JSN_OK) {
        jsni_graph_destroy(graph);
        return status;
    }
    return jsni_model_create(out, graph, options->device, options->optimiser, &plan);
}

static jsn_model_info make_info(const jsni_graph *graph, const jsni_backend *backend,
                                const jsni_memory *m)
{
    const jsni_cost cost = jsni_graph_cost(graph);
    return (jsn_model_info){.backend = backend->ops->name,
                            .layers = graph->node_count,
                            .parameters = cost.parameters,
                            .multiplies = cost.multiplies,
                            .memory_parameters = m->parameters,
                            .memory_gradients = m->gradients,
                            .memory_optimiser = m->optimiser,
                            .memory_statistics = m->statistics,
                            .memory_activations = m->activations,
                            .memory_workspace = m->workspace,
                            .gpu = backend->ops->can.gpu};
}

jsn_status jsn_model_estimate(const jsn_model_options *options, jsn_model_info *out)
{
    JSNI_NEED(out);
    jsni_graph *graph = NULL;
    jsni_backend *backend = NULL;
    jsni_plan_options plan;
    jsni_memory memory;
    JSNI_TRY(read_options(options, &graph, &plan));
    jsni_update update;
    jsn_status status = JSN_OK;
    if (options->optimiser != NULL)
        status = jsni_optim_parse(options->optimiser, &update, &plan.optimiser_slots);
    if (status == JSN_OK)
        status = jsni_backend_open(&backend, options->device);
    if (status == JSN_OK)
        status = backend->ops->plan_memory(backend, graph, &plan, &memory);
    if (status == JSN_OK)
        *out = make_info(graph, backend, &memory);
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
    return status;
}

void jsn_model_destroy(jsn_model *model)
{
    if (model == NULL)
        return;
    jsni_plan_destroy(model->plan);
    jsni_backend_close(model->backend);
    jsni_graph_destroy(model->graph);
    jsni_free(model->staging);
    jsni_free(model->factor);
    jsni_free(model);
}

jsn_status jsni_model_tune(jsn_model *model, double decay, bool keep_statistics)
{
    const jsni_graph *graph = model->graph;
    if (model->backend->ops->can.gpu)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "fine-tuning layer by layer works only on the CPU so far");
    size_t *depth = jsni_alloc(graph->node_count, sizeof *depth);
    JSNI_TRY_ALLOC(depth);
    jsni_free(model->factor);
    model->factor = jsni_alloc(graph->param_count, sizeof *model->factor);
    jsni_graph_depths(graph, depth);
    for (size_t i = 0; model->factor != NULL && i < graph->param_count; i++) {
        model->factor[i] = 1.0;
        for (size_t k = 0; k < depth[graph->params[i].node]; k++)
            model->factor[i] *= decay;
    }
    jsni_free(depth);
    model->keep_statistics = keep_statistics;
    return model->factor == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

size_t jsni_model_block_floats(const jsn_model *model, jsni_block block)
{
    switch (block) {
    case JSNI_BLOCK_OPTIMISER:
        return model->options.optimiser_slots * model->graph->param_floats;
    case JSNI_BLOCK_STATISTICS:
        return model->graph->stat_floats;
    default:
        return model->graph->param_floats;
    }
}

jsn_status jsni_model_read(jsn_model *model, size_t member, jsni_block block, float *to)
{
    return model->plan->ops->download(model->plan, member, block, to);
}

jsn_status jsni_model_write(jsn_model *model, size_t member, jsni_block block,
                            const float *from)
{
    return model->plan->ops->upload(model->plan, member, block, from);
}

void jsni_model_select(jsn_model *model, size_t member)
{
    model->member = member;
}

jsn_status jsn_model_init(jsn_model *model, uint64_t seed)
{
    JSNI_NEED(model);
    float *params = model->staging;
    float *stats = params + model->graph->param_floats;
    jsni_pool *pool = NULL;
    JSNI_TRY(jsni_pool_create(&pool, model->options.threads));
    jsni_graph_init_by(model->graph, seed, pool, params, stats);
    jsni_pool_destroy(pool);
    JSNI_TRY(jsni_model_write(model, model->member, JSNI_BLOCK_PARAMETERS, params));
    JSNI_TRY(jsni_model_write(model, model->member, JSNI_BLOCK_STATISTICS, stats));
    const size_t floats = jsni_model_block_floats(model, JSNI_BLOCK_OPTIMISER);
    if (floats == 0)
        return JSN_OK;
    float *zeros = jsni_alloc_zero(floats, sizeof *zeros);
    JSNI_TRY_ALLOC(zeros);
    const jsn_status status =
        jsni_model_write(model, model->member, JSNI_BLOCK_OPTIMISER, zeros);
    jsni_free(zeros);
    return status;
}

static void add_tensors(jsni_sha256 *sha, const jsni_tensor *tensors, size_t count,
                        const float *block)
{
    for (size_t i = 0; i < count; i++)
        jsni_sha256_add(sha, block + tensors[i].offset,
                        tensors[i].count * sizeof *block);
}

jsn_status jsni_model_sha256(jsn_model *model, char hex[65])
{
    JSNI_NEED(model);
    JSNI_NEED(hex);
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_PARAMETERS, params));
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_STATISTICS, stats));
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    add_tensors(&sha, graph->params, graph->param_count, params);
    add_tensors(&sha, graph->stats, graph->stat_count, stats);
    jsni_sha256_hex(&sha, hex);
    return JSN_OK;
}

jsn_status jsn_model_evaluate(jsn_model *model, const float *images, size_t samples,
                              float *logits)
{
    JSNI_NEED(model);
    JSNI_NEED(images);
    JSNI_NEED(logits);
    const jsni_backend_ops *ops = model->plan->ops;
    const size_t image = jsni_shape_count(jsni_graph_input(model->graph)->shape);
    const size_t outputs = jsni_shape_count(jsni_graph_output(model->graph)->shape);
    const jsni_pass pass = {.training = false};
    for (size_t done = 0; done < samples;) {
        const size_t rest = samples - done;
        const size_t count = rest < model->options.batch ? rest : model->options.batch;
        JSNI_TRY(ops->set_input(model->plan, 0, images + done * image, 1, count));
        JSNI_TRY(ops->forward(model->plan, &pass));
        JSNI_TRY(ops->read_output(model->plan, 0, logits + done * outputs));
        done += count;
    }
    return JSN_OK;
}

size_t jsni_model_source_workers(const jsn_model *model)
{
    const jsni_backend_ops *ops = model->plan->ops;
    return ops->source_workers == NULL ? 0 : ops->source_workers(model->plan);
}

size_t jsni_model_source_images(const jsn_model *model)
{
    return jsni_model_source_workers(model) == 0
               ? 0
               : model->plan->ops->source_images(model->plan);
}

jsn_status jsni_model_evaluate_from(jsn_model *model, const jsni_source *source,
                                    size_t samples, size_t *there, float *logits)
{
    JSNI_NEED(model);
    JSNI_NEED(source);
    JSNI_NEED(there);
    JSNI_NEED(logits);
    if (jsni_model_source_workers(model) == 0)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "the network takes its images at once");
    return model->plan->ops->evaluate_from(model->plan, source, samples, there, logits);
}

/* A step that repeats the last batch says nothing about its views. */
static jsn_status check_loss(const jsn_model *model, const jsn_model_batch *batch,
                             const jsn_loss *loss)
{
    const size_t classes = model->graph->classes;
    if (loss->classes == classes &&
        (batch->images == NULL || loss->views == batch->views))
        return JSN_OK;
    return jsni_fail(
        JSN_ERR_ARGUMENT,
        "train step: a loss for %zu %s and %zu %s, the network has %zu and "
        "the batch %zu",
        loss->classes, jsni_noun(loss->classes, "class", "classes"), loss->views,
        jsni_noun(loss->views, "view", "views"), classes, batch->views);
}

jsn_status jsn_model_train_step(jsn_model *model, const jsn_model_batch *batch,
                                const jsn_model_step *step, double *mean,
                                double *values)
{
    if (model == NULL || batch == NULL || step == NULL || step->loss == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "train step: NULL argument");
    if (!model->options.training || model->options.optimiser_slots == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "the model was made for evaluation alone");
    if (step->step == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "train step: steps count from 1");
    if (!model->keep_statistics)
        JSNI_TRY(check_samples(model->graph, batch->samples));
    JSNI_TRY(check_loss(model, batch, step->loss));
    if (step->second != NULL)
        JSNI_TRY(check_loss(model, batch, step->second));
    jsni_plan *plan = model->plan;
    const jsni_backend_ops *ops = plan->ops;
    const jsni_labels labels = {batch->labels,        batch->targets, batch->weights,
                                batch->class_weights, batch->second,  batch->memory};
    const jsni_losses losses = {step->loss, step->second};
    const jsni_pass pass = {!model->keep_statistics, step->seed,
                            (uint32_t)(step->step - 1)};
    jsni_update update = model->update;
    update.rate = step->rate;
    update.decay = step->weight_decay;
    update.l1 = step->l1;
    update.decay_all = step->decay_all != 0;
    update.step = step->step;
    update.factor = model->factor;

    if (batch->images != NULL) {
        JSNI_TRY(ops->set_input(plan, 0, batch->images, batch->views, batch->samples));
        JSNI_TRY(ops->set_labels(plan, 0, &labels));
    }
    JSNI_TRY(ops->forward(plan, &pass));
    JSNI_TRY(ops->loss(plan, &losses));
    JSNI_TRY(ops->backward(plan));
    JSNI_TRY(ops->update(plan, &update));
    double unused = 0.0;
    if (mean == NULL && values == NULL)
        return JSN_OK;
    return ops->read_loss(plan, 0, mean == NULL ? &unused : mean, values);
}

jsn_status jsni_model_synchronize(jsn_model *model)
{
    JSNI_NEED(model);
    return model->plan->ops->synchronize(model->plan);
}

jsn_status jsni_model_logits(jsn_model *model, float *logits)
{
    JSNI_NEED(logits);
    JSNI_NEED(model);
    return model->plan->ops->read_output(model->plan, 0, logits);
}

jsn_model_info jsn_model_describe(const jsn_model *model)
{
    if (model == NULL)
        return (jsn_model_info){0};
    jsn_model_info info = make_info(model->graph, model->backend, &model->memory);
    info.device = model->backend->ops->device_text(model->backend);
    return info;
}

const char *jsni_model_layer(const jsn_model *model, size_t index)
{
    if (model == NULL)
        return NULL;
    return index < model->graph->node_count ? model->graph->nodes[index].name : NULL;
}

const char *jsni_model_implementation(const jsn_model *model, size_t index)
{
    if (model == NULL)
        return NULL;
    return index < model->graph->node_count
               ? model->plan->ops->describe_node(model->plan, index)
               : NULL;
}
