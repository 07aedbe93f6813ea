/* backend/onednn/dn_steps.c - for every step: who computes it, how its images are cut
 * into shards and units, and what scratch that takes. All of it follows from the shapes
 * and the plan's options without the number of threads. */
#include <stdio.h>
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "core/alloc.h"
#include "core/fail.h"

enum {
    SHARDS = 16,            /* wanted over all views */
    MOST_IMAGES = 16,       /* of a shard */
    FEWEST_SHARDS = 8,      /* where weight gradients are large */
    PART_BYTES = 64 << 20,  /* of the weight gradients of all shards of a step */
    UNIT_BYTES = 512 << 10, /* of the images that go through a step at a time */
    DEEP_BYTES = 8 << 20,   /* of a tensor of the images that a worker takes along */
    WINO_CHANNELS = 256,    /* more make the transformed weights too large */
    WINO_PIXELS = 16
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Without training: few large images stay in the cache, and no thread has to wait long at the
 * end of a batch. */
static size_t deep_images(const dn_plan *plan)
{
    size_t floats = 1;
    for (size_t t = 1; t < plan->tensor_count; t++)
        floats = larger(floats, plan->tensors[t].floats);
    return larger(1, DEEP_BYTES / (floats * sizeof(float)));
}

static size_t shard_images(const dn_plan *plan, size_t part_floats)
{
    const size_t batch = plan->host.options.batch;
    size_t images = divide_up(plan->host.options.views * batch, SHARDS);
    if (images > MOST_IMAGES)
        images = MOST_IMAGES;
    if (images > batch)
        images = batch;
    if (!plan->host.options.training)
        images = smaller(images, deep_images(plan));
    for (;;) {
        const size_t shards = plan->host.options.views * divide_up(batch, images);
        if (shards * part_floats * sizeof(float) <= PART_BYTES ||
            shards <= FEWEST_SHARDS || images * 2 > batch)
            return images;
        images *= 2;
    }
}

static size_t unit_images(const dn_plan *plan, const dn_step *step)
{
    size_t floats = plan->tensors[step->out].floats;
    if (step->in[0] != JSNI_NONE)
        floats = larger(floats, plan->tensors[plan->values[step->in[0]].tensor].floats);
    const size_t images = UNIT_BYTES / (floats * sizeof(float));
    return images == 0 ? 1 : images;
}

/* Whether the own Winograd kernels can compute a convolution, and whether they suit it. */
static bool can_wino(const dn_plan *plan, const dn_step *step, const jsni_window *w,
                     const dn_tensor *in, const dn_tensor *out)
{
    const size_t lanes = plan->kernels->lanes;
    return plan->kernels->fast && !plan->values[step->in[0]].six && w->kernel_h == 3 &&
           w->kernel_w == 3 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 1 &&
           w->pad_w == 1 && in->shape.channels % lanes == 0 &&
           out->shape.channels % lanes == 0;
}

static bool suits_wino(const dn_plan *plan, const dn_step *step, const jsni_window *w,
                       const dn_tensor *in, const dn_tensor *out)
{
    return can_wino(plan, step, w, in, out) && in->shape.channels <= WINO_CHANNELS &&
           out->shape.channels <= WINO_CHANNELS && in->pixels >= WINO_PIXELS;
}

/* Whether oneDNN has nothing but its plain loops for some direction. */
static bool is_slow(const jsni_dnnl_conv *conv)
{
    for (int way = 0; way < 3; way++)
        if (strncmp(conv->way[way].name, "ref", 3) == 0)
            return true;
    return false;
}

static void own_conv(dn_plan *plan, dn_step *step, const dn_tensor *in,
                     const dn_tensor *out)
{
    const size_t lanes = plan->kernels->lanes;
    const jsni_shape s = in->shape;
    step->own = true;
    step->wino =
        jsni_wino_geometry(lanes, s.channels, out->shape.channels, s.height, s.width);
    step->wino_back =
        jsni_wino_geometry(lanes, out->shape.channels, s.channels, s.height, s.width);
    step->part = 9 * in->blocks * out->blocks * lanes * lanes;
    step->shard = shard_images(plan, plan->host.options.training ? step->part : 0);
    step->unit = larger(1, step->wino.chunk / step->wino.tile_rows);
    const jsni_wino_need forward = plan->kernels->wino_need(&step->wino);
    const jsni_wino_need back = plan->kernels->wino_need(&step->wino_back);
    jsni_wino_need *need = &plan->need.wino;
    need->pad = larger(need->pad, larger(forward.pad, back.pad));
    need->input = larger(need->input, larger(forward.input, back.input));
    need->output = larger(need->output, larger(forward.output, back.output));
    if (plan->host.options.training)
        need->gradient = larger(need->gradient, forward.gradient);
    step->weights_forward = plan->weight_floats;
    plan->weight_floats += forward.weights;
    step->weights_back = plan->weight_floats;
    if (plan->values[step->in[0]].needs)
        plan->weight_floats += back.weights;
    snprintf(step->text, sizeof step->text, "own winograd f4x3 %s / same / same",
             plan->kernels->name);
}

static jsn_status plan_dnnl_conv(dn_plan *plan, dn_step *step, const dn_tensor *in,
                                 const dn_tensor *out)
{
    const jsni_node *node = &plan->host.base.graph->nodes[step->node];
    const bool training = plan->host.options.training;
    const bool data = plan->values[step->in[0]].needs;
    /* whole blocks: oneDNN has fast kernels for those alone */
    const size_t lanes = plan->kernels->lanes;
    const jsni_dnnl_shape shape = {.ins = in->plain ? in->shape.channels
                                                    : in->blocks * lanes,
                                   .outs = out->blocks * lanes,
                                   .in = in->shape,
                                   .out = out->shape,
                                   .window = node->op.as.conv.window,
                                   .lanes = lanes,
                                   .plain_input = in->plain,
                                   .bias = node->op.as.conv.bias};
    const size_t plain =
        shape.ins * shape.outs * shape.window.kernel_h * shape.window.kernel_w;
    step->shard = shard_images(plan, training ? plain : 0);
    step->unit = unit_images(plan, step);
    if (step->unit > step->shard)
        step->unit = step->shard;
    JSNI_TRY(jsni_dnnl_conv_create(&step->conv, &shape, step->unit, data, training,
                                   plan->threads, plan->engine));
    if (is_slow(&step->conv) && can_wino(plan, step, &shape.window, in, out)) {
        jsni_dnnl_conv_destroy(&step->conv);
        own_conv(plan, step, in, out);
        return JSN_OK;
    }
    const size_t align = 16;
    step->weights_forward = plan->weight_floats;
    plan->weight_floats +=
        divide_up(jsni_dnnl_conv_weights(&step->conv, JSNI_CONV_FORWARD) /
                      sizeof(float),
                  align) *
        align;
    step->weights_back = plan->weight_floats;
    plan->weight_floats +=
        divide_up(jsni_dnnl_conv_weights(&step->conv, JSNI_CONV_DATA) / sizeof(float),
                  align) *
        align;
    step->part = divide_up(jsni_dnnl_conv_weights(&step->conv, JSNI_CONV_WEIGHTS) /
                               sizeof(float),
                           align) *
                 align;
    dn_need *need = &plan->need;
    need->scratch = larger(need->scratch, jsni_dnnl_conv_scratch(&step->conv));
    need->y = larger(need->y, step->unit * in->floats);
    need->t = larger(need->t, step->unit * larger(in->floats, out->floats));
    need->dw = larger(need->dw, larger(step->part, plain));
    snprintf(step->text, sizeof step->text, "oneDNN %s / %s / %s",
             step->conv.way[JSNI_CONV_FORWARD].name,
             data ? step->conv.way[JSNI_CONV_DATA].name : "-",
             training ? step->conv.way[JSNI_CONV_WEIGHTS].name : "-");
    return JSN_OK;
}

static void set_pool(dn_plan *plan, dn_step *step, const dn_tensor *in,
                     const dn_tensor *out)
{
    const jsni_op *op = &plan->host.base.graph->nodes[step->node].op;
    step->pool = (jsni_pool_shape){.blocks = in->blocks,
                                   .in_h = in->shape.height,
                                   .in_w = in->shape.width,
                                   .out_h = out->shape.height,
                                   .out_w = out->shape.width};
    const jsni_window *w = jsni_op_window(op);
    if (w == NULL) /* an adaptive pool */
        return;
    step->pool.kernel_h = w->kernel_h;
    step->pool.kernel_w = w->kernel_w;
    step->pool.stride_h = w->stride_h;
    step->pool.stride_w = w->stride_w;
    step->pool.pad_h = w->pad_h;
    step->pool.pad_w = w->pad_w;
}

static jsn_status step_create(dn_plan *plan, dn_step *step)
{
    static const char *const names[] = {[DN_INPUT] = "copy",
                                        [DN_CONV] = "",
                                        [DN_DEPTHWISE] = "own depthwise",
                                        [DN_COMBINE] = "own pass",
                                        [DN_MAX_POOL] = "own max pool",
                                        [DN_AVG_POOL] = "own average pool",
                                        [DN_ADAPTIVE_POOL] = "own adaptive pool",
                                        [DN_LINEAR] = "oneDNN sgemm",
                                        [DN_FLATTEN] = "own copy",
                                        [DN_DROPOUT] = "own pass"};
    const dn_tensor *out = &plan->tensors[step->out];
    const dn_tensor *in = step->in[0] != JSNI_NONE
                              ? &plan->tensors[plan->values[step->in[0]].tensor]
                              : out;
    snprintf(step->text, sizeof step->text, "%s", names[step->kind]);
    step->shard = shard_images(plan, 0);
    step->unit = unit_images(plan, step);
    if (step->kind == DN_CONV &&
        suits_wino(plan, step,
                   &plan->host.base.graph->nodes[step->node].op.as.conv.window, in,
                   out))
        own_conv(plan, step, in, out);
    else if (step->kind == DN_CONV)
        JSNI_TRY(plan_dnnl_conv(plan, step, in, out));
    if (step->kind == DN_MAX_POOL || step->kind == DN_AVG_POOL ||
        step->kind == DN_ADAPTIVE_POOL || step->kind == DN_DEPTHWISE)
        set_pool(plan, step, in, out);
    if (step->kind == DN_DEPTHWISE)
        jsni_dn_depthwise_create(plan, step);
    if (step->unit > step->shard)
        step->unit = step->shard;
    dn_need *need = &plan->need;
    if (step->kind != DN_CONV)
        need->y = larger(need->y, step->unit * in->floats);
    if (plan->host.options.training)
        need->g = larger(need->g, step->unit * out->floats);
    return JSN_OK;
}

/* Pieces of preparing the weights: a block of channels each for the own kernels. */
static jsn_status prepares_create(dn_plan *plan)
{
    size_t count = 0;
    for (size_t s = 0; s < plan->step_count; s++) {
        const dn_step *step = &plan->steps[s];
        if (step->kind == DN_CONV)
            count += step->own ? step->wino.out_blocks + step->wino.in_blocks : 2;
        else if (step->kind == DN_DEPTHWISE)
            count++;
    }
    JSNI_TRY_ALLOC(plan->prepares = jsni_alloc(count, sizeof *plan->prepares));
    for (size_t s = 0; s < plan->step_count; s++) {
        const dn_step *step = &plan->steps[s];
        if (step->kind != DN_CONV && step->kind != DN_DEPTHWISE)
            continue;
        const bool data = step->kind == DN_CONV && plan->values[step->in[0]].needs;
        for (int back = 0; back <= (data ? 1 : 0); back++) {
            const size_t blocks = !step->own ? 1
                                  : back     ? step->wino.in_blocks
                                             : step->wino.out_blocks;
            for (size_t b = 0; b < blocks; b++)
                plan->prepares[plan->prepare_count++] =
                    (dn_prepare){.step = s, .back = back, .from = b, .to = b + 1};
        }
    }
    return JSN_OK;
}

jsn_status jsni_dn_steps_create(dn_plan *plan)
{
    const int before = jsni_dnnl_threads(1);
    jsn_status status = JSN_OK;
    for (size_t s = 0; s < plan->step_count && status == JSN_OK; s++)
        status = step_create(plan, &plan->steps[s]);
    jsni_dnnl_threads(before);
    if (status == JSN_OK)
        status = prepares_create(plan);
    return status;
}

void jsni_dn_steps_destroy(dn_plan *plan)
{
    for (size_t s = 0; plan->steps != NULL && s < plan->step_count; s++)
        jsni_dnnl_conv_destroy(&plan->steps[s].conv);
}
