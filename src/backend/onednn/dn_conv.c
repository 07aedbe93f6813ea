/* backend/onednn/dn_conv.c - a convolution step: one shard forward and backward, by the
 * own Winograd kernels or by oneDNN; the sums of the shards' weight gradients; weights
 * as the convolutions read them. */
#include <string.h>

#include "backend/onednn/dn_plan.h"

static const float *bias_of(const dn_plan *plan, const dn_step *step)
{
    const jsni_graph *graph = plan->host.base.graph;
    const size_t bias = graph->nodes[step->node].bias;
    return bias == JSNI_NONE ? NULL : plan->host.params + graph->params[bias].offset;
}

static jsni_dnnl_run run_of(const dn_plan *plan, size_t worker)
{
    return (jsni_dnnl_run){worker, plan->workers[worker].stream,
                           plan->workers[worker].scratch};
}

/* Images from `at` that go through at once: a unit, or one where no unit is left. */
static size_t next_images(const dn_step *step, size_t left)
{
    if (step->own)
        return left < step->unit ? left : step->unit;
    return left < step->unit ? 1 : step->unit;
}

static void own_forward(dn_plan *plan, dn_step *step, const dn_range *r, size_t worker,
                        const jsni_sums *sums)
{
    const jsni_wino_call call = {
        .x = dn_images_at(plan, plan->values[step->in[0]].tensor, r),
        .load = jsni_dn_load(plan, step->in[0], r->view),
        .weights = plan->weights + step->weights_forward,
        .bias = bias_of(plan, step),
        .residual = step->in[1] == JSNI_NONE
                        ? NULL
                        : dn_images_at(plan, plan->values[step->in[1]].tensor, r),
        .out = dn_images_at(plan, step->out, r),
        .sums = sums,
        .first = true,
        .images = r->count,
    };
    plan->kernels->wino_conv(&step->wino, &call, &plan->workers[worker].wino);
}

static void library_forward(dn_plan *plan, dn_step *step, const dn_range *r,
                            size_t worker, const jsni_sums *sums)
{
    const dn_worker *w = &plan->workers[worker];
    const jsni_dnnl_run run = run_of(plan, worker);
    for (size_t i = 0, n = 0; i < r->count; i += n) {
        n = next_images(step, r->count - i);
        const dn_range part = dn_part_of(r, i, n);
        const float *x = jsni_dn_read(plan, step->in[0], &part, w->y);
        float *y = dn_images_at(plan, step->out, &part);
        float *to = step->in[1] == JSNI_NONE ? y : w->t;
        jsni_dn_fail(plan,
                     jsni_dnnl_conv_run(&step->conv, JSNI_CONV_FORWARD, n < step->unit,
                                        &run, x, plan->weights + step->weights_forward,
                                        bias_of(plan, step), to));
        const jsni_extent extent = jsni_dn_extent(plan, step->out, n);
        if (step->in[1] != JSNI_NONE)
            plan->kernels->combine(
                extent, to, NULL,
                dn_images_at(plan, plan->values[step->in[1]].tensor, &part), NULL,
                false, y);
        if (sums != NULL)
            plan->kernels->sums(extent, y, sums, i == 0);
    }
}

void jsni_dn_conv_forward(dn_plan *plan, dn_step *step, const dn_range *r,
                          size_t worker)
{
    const dn_tensor *out = &plan->tensors[step->out];
    const bool wanted = out->normed && plan->host.pass.training;
    jsni_sums sums = {NULL, NULL, NULL};
    if (wanted)
        sums = jsni_dn_sums_at(out->sums, out->blocks * plan->kernels->lanes, r->shard);
    if (step->own)
        own_forward(plan, step, r, worker, wanted ? &sums : NULL);
    else
        library_forward(plan, step, r, worker, wanted ? &sums : NULL);
}

void jsni_dn_conv_again(dn_plan *plan, dn_step *step, const dn_range *r, size_t worker)
{
    library_forward(plan, step, r, worker, NULL);
}

/* Gradient of the input for the images of `r`, added to what is there, and the sums that
 * its BatchNorm needs. */
static void data_unit(dn_plan *plan, dn_step *step, const dn_range *r, const float *g,
                      size_t worker)
{
    if (step->back[0].to == JSNI_NONE) {
        jsni_dn_back_input(plan, step, 0, r);
        return;
    }
    const size_t first = r->first, n = r->count;
    const size_t tensor = plan->values[step->in[0]].tensor;
    const size_t floats = plan->tensors[tensor].floats;
    const dn_worker *w = &plan->workers[worker];
    float *to = dn_buffer_at(plan, step->back[0].to) + first * floats;
    const float *add = step->back[0].addend == JSNI_NONE
                           ? NULL
                           : dn_buffer_at(plan, step->back[0].addend) + first * floats;
    if (step->own) {
        jsni_wino_call call = {.x = g,
                               .weights = plan->weights + step->weights_back,
                               .residual = add,
                               .out = to,
                               .images = n};
        const dn_value *v = &plan->values[step->in[0]];
        jsni_sums sums;
        if (jsni_dn_completes(plan, step, 0)) {
            const dn_norm *norm = &plan->norms[v->norm];
            sums = jsni_dn_sums_at(norm->sums, norm->full, r->shard);
            call.sums = &sums;
            call.back_x = dn_tensor_at(plan, tensor) + first * floats;
            call.back_load = jsni_dn_load(plan, step->in[0], r->view);
        }
        plan->kernels->wino_conv(&step->wino_back, &call, &w->wino);
        return;
    }
    const jsni_dnnl_run run = run_of(plan, worker);
    float *result = add == NULL ? to : w->t;
    jsni_dn_fail(plan, jsni_dnnl_conv_run(&step->conv, JSNI_CONV_DATA, n < step->unit,
                                          &run, result,
                                          plan->weights + step->weights_back, NULL, g));
    if (add != NULL && plan->tensors[tensor].plain)
        for (size_t i = 0; i < n * floats; i++)
            to[i] = result[i] + add[i];
    else if (add != NULL)
        plan->kernels->combine(jsni_dn_extent(plan, tensor, n), result, NULL, add, NULL,
                               false, to);
    jsni_dn_back_input(plan, step, 0, r);
}

/* Gradient of the weights for `n` images, added to the shard's part. */
static void weights_unit(dn_plan *plan, dn_step *step, const dn_range *r, size_t done,
                         size_t n, const float *g, size_t worker)
{
    const dn_worker *w = &plan->workers[worker];
    const dn_tensor *in = &plan->tensors[plan->values[step->in[0]].tensor];
    const size_t first = r->first + done;
    if (step->own) {
        const jsni_load load = jsni_dn_load(plan, step->in[0], r->view);
        plan->kernels->wino_gradient(
            &step->wino, dn_buffer_at(plan, in->buffer) + first * in->floats, &load, g,
            n, done == 0, &w->wino);
        return;
    }
    const jsni_dnnl_run run = run_of(plan, worker);
    float *part = dn_buffer_at(plan, step->parts) + r->shard * step->part;
    float *to = done == 0 ? part : w->dw;
    const dn_range images = dn_part_of(r, done, n);
    const float *y = jsni_dn_read(plan, step->in[0], &images, w->y);
    jsni_dn_fail(plan, jsni_dnnl_conv_run(&step->conv, JSNI_CONV_WEIGHTS,
                                          n < step->unit, &run, y, to, NULL, g));
    for (size_t i = 0; done > 0 && i < step->part; i++)
        part[i] += to[i];
}

void jsni_dn_conv_backward(dn_plan *plan, dn_step *step, const dn_range *r,
                           size_t worker)
{
    const dn_worker *w = &plan->workers[worker];
    const dn_tensor *out = &plan->tensors[step->out];
    const size_t channels = out->blocks * plan->kernels->lanes;
    double *bias =
        step->bias_sums == NULL ? NULL : step->bias_sums + r->shard * channels;
    if (bias != NULL)
        memset(bias, 0, channels * sizeof *bias);
    for (size_t i = 0, n = 0; i < r->count; i += n) {
        n = next_images(step, r->count - i);
        const dn_range part = dn_part_of(r, i, n);
        double start = jsni_dn_time_begin(plan);
        const float *g = jsni_dn_out_gradient(plan, step, &part, w->g);
        jsni_dn_time_end(plan, step, DN_GRADIENT, worker, start);
        start = jsni_dn_time_begin(plan);
        data_unit(plan, step, &part, g, worker);
        jsni_dn_time_end(plan, step, DN_DATA, worker, start);
        start = jsni_dn_time_begin(plan);
        jsni_dn_pass_on(plan, step, 1, &part, g);
        jsni_dn_back_input(plan, step, 1, &part);
        if (bias != NULL)
            plan->kernels->channel_sums(jsni_dn_extent(plan, step->out, n), g, bias);
        jsni_dn_time_end(plan, step, DN_GRADIENT, worker, start);
        start = jsni_dn_time_begin(plan);
        weights_unit(plan, step, r, i, n, g, worker);
        jsni_dn_time_end(plan, step, DN_WEIGHTS, worker, start);
    }
    const double start = jsni_dn_time_begin(plan);
    if (step->own)
        plan->kernels->wino_gradient_end(&step->wino, &w->wino,
                                         dn_buffer_at(plan, step->parts) +
                                             r->shard * step->part);
    jsni_dn_time_end(plan, step, DN_WEIGHTS, worker, start);
}

/* ---- sums of the shards ---- */

size_t jsni_dn_reduce_tasks(const dn_plan *plan, size_t number)
{
    if (number == JSNI_NONE)
        return 0;
    const dn_step *step = &plan->steps[number];
    if (step->kind == DN_DEPTHWISE)
        return 1;
    return step->own || step->conv.blocked_gradient ? plan->tensors[step->out].blocks
                                                    : 1;
}

static void reduce_bias(dn_plan *plan, const dn_step *step, size_t shards)
{
    const jsni_graph *graph = plan->host.base.graph;
    const dn_tensor *out = &plan->tensors[step->out];
    const size_t channels = out->blocks * plan->kernels->lanes;
    float *to = plan->host.grads + graph->params[graph->nodes[step->node].bias].offset;
    for (size_t c = 0; c < out->shape.channels; c++) {
        double sum = 0.0;
        for (size_t s = 0; s < shards; s++)
            sum += step->bias_sums[s * channels + c];
        to[c] = (float)sum;
    }
}

/* Copies weights [outs][ins][kernel] between the real channels and whole blocks. */
typedef struct weight_size {
    size_t outs, ins, kernel;
} weight_size;

static void copy_weights(weight_size from_size, const float *from, weight_size to_size,
                         float *to)
{
    const size_t outs = from_size.outs < to_size.outs ? from_size.outs : to_size.outs;
    const size_t ins = from_size.ins < to_size.ins ? from_size.ins : to_size.ins;
    const size_t kernel = from_size.kernel;
    for (size_t o = 0; o < outs; o++)
        memcpy(to + o * to_size.ins * kernel, from + o * from_size.ins * kernel,
               ins * kernel * sizeof *to);
}

static weight_size real_size(const dn_plan *plan, const dn_step *step)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_tensor *t = &graph->params[graph->nodes[step->node].weight];
    return (weight_size){t->dim[0], t->dim[1], t->dim[2] * t->dim[3]};
}

static weight_size whole_size(const dn_step *step)
{
    const jsni_dnnl_shape *s = &step->conv.shape;
    return (weight_size){s->outs, s->ins, s->window.kernel_h * s->window.kernel_w};
}

static bool same_size(weight_size a, weight_size b)
{
    return a.outs == b.outs && a.ins == b.ins;
}

/* Any layout: one after another into the first part, then to the canonical one. */
static void reduce_any(dn_plan *plan, const dn_step *step, size_t shards, size_t worker,
                       float *to)
{
    const weight_size real = real_size(plan, step), whole = whole_size(step);
    const bool same = same_size(real, whole);
    float *plain = same ? to : plan->workers[worker].dw;
    float *parts = dn_buffer_at(plan, step->parts);
    for (size_t s = 1; s < shards; s++)
        for (size_t i = 0; i < step->part; i++)
            parts[i] += parts[s * step->part + i];
    jsni_dn_fail(plan,
                 jsni_dnnl_conv_reorder(&step->conv, JSNI_CONV_WEIGHTS,
                                        plan->workers[worker].stream, parts, plain));
    if (!same)
        copy_weights(whole, plain, real, to);
}

void jsni_dn_reduce(dn_plan *plan, size_t number, size_t task, size_t worker)
{
    const jsni_graph *graph = plan->host.base.graph;
    const dn_step *step = &plan->steps[number];
    const jsni_node *node = &graph->nodes[step->node];
    const jsni_window *w = jsni_op_window(&node->op);
    const size_t shards = dn_shards(plan, step);
    const dn_tensor *in = &plan->tensors[plan->values[step->in[0]].tensor];
    const dn_tensor *out = &plan->tensors[step->out];
    float *to = plan->host.grads + graph->params[node->weight].offset;
    if (step->kind == DN_DEPTHWISE)
        jsni_dn_depthwise_reduce(plan, step);
    else if (step->own || step->conv.blocked_gradient)
        plan->kernels->reduce_weights(
            dn_buffer_at(plan, step->parts), shards, step->part, out->shape.channels,
            in->shape.channels, w->kernel_h * w->kernel_w, task, task + 1, to);
    else
        reduce_any(plan, step, shards, worker, to);
    if (task == 0 && step->bias_sums != NULL)
        reduce_bias(plan, step, shards);
}

/* ---- weights ---- */

static void prepare_piece(void *user, size_t index, size_t worker)
{
    dn_plan *plan = user;
    const jsni_graph *graph = plan->host.base.graph;
    const dn_prepare *piece = &plan->prepares[index];
    const dn_step *step = &plan->steps[piece->step];
    const jsni_tensor *weight = &graph->params[graph->nodes[step->node].weight];
    const float *from = plan->host.params + weight->offset;
    float *to =
        plan->weights + (piece->back ? step->weights_back : step->weights_forward);
    if (step->kind == DN_DEPTHWISE) {
        jsni_dn_depthwise_prepare(plan, step);
        return;
    }
    if (step->own) {
        plan->kernels->wino_weights(from, weight->dim[0], weight->dim[1], piece->back,
                                    piece->from, piece->to, to);
        return;
    }
    jsni_dnnl_threads(1);
    const weight_size real = real_size(plan, step), whole = whole_size(step);
    float *plain = plan->workers[worker].dw;
    if (!same_size(real, whole)) {
        memset(plain, 0, whole.outs * whole.ins * whole.kernel * sizeof *plain);
        copy_weights(real, from, whole, plain);
        from = plain;
    }
    jsni_dn_fail(
        plan, jsni_dnnl_conv_reorder(&step->conv,
                                     piece->back ? JSNI_CONV_DATA : JSNI_CONV_FORWARD,
                                     plan->workers[worker].stream, from, to));
}

void jsni_dn_prepare_weights(dn_plan *plan)
{
    jsni_pool_run(plan->host.pool, plan->prepare_count, prepare_piece, plan);
}
