/* backend/cuda/cuda_make_args.c - arguments of kernels from nodes of the graph. */
#include "backend/cuda/cuda_make.h"

#include <math.h>
#include <string.h>

size_t jsni_make_norm_source(const jsni_make *b, size_t norm)
{
    return b->graph->nodes[norm].input[0];
}

float *jsni_make_tensor(float *block, const jsni_tensor *list, size_t number)
{
    return block && number != JSNI_NONE ? block + list[number].offset : NULL;
}

jsni_norm_args jsni_make_norm_args(const jsni_make *b, size_t norm)
{
    const jsni_node *node = &b->graph->nodes[norm];
    const size_t source = jsni_make_norm_source(b, norm);
    const size_t stride = b->views * node->shape.channels;
    float *k = jsni_make_at(b, b->nodes[norm].coefs);
    jsni_norm_args a;
    memset(&a, 0, sizeof a);
    a.x = jsni_make_at(b, b->nodes[source].value);
    a.part = jsni_make_at(b, b->part);
    if (k) {
        float **slots[] = {&a.k.a,  &a.k.b,  &a.k.mean, &a.k.rstd,
                           &a.k.ga, &a.k.gb, &a.k.gd,   &a.k.ge};
        for (size_t i = 0; i < 8; i++)
            *slots[i] = k + i * stride;
    }
    const jsni_graph *g = b->graph;
    a.weight = jsni_make_tensor(b->base.params, g->params, node->weight);
    a.bias = jsni_make_tensor(b->base.params, g->params, node->bias);
    a.weight_grad = jsni_make_tensor(b->base.grads, g->params, node->weight);
    a.bias_grad = jsni_make_tensor(b->base.grads, g->params, node->bias);
    a.running_mean = jsni_make_tensor(b->base.stats, g->stats, node->mean);
    a.running_var = jsni_make_tensor(b->base.stats, g->stats, node->mean + 1);
    a.epsilon = node->op.as.norm.epsilon;
    a.momentum = node->op.as.norm.momentum;
    a.channels = (int)node->shape.channels;
    a.views = (int)b->views;
    a.pixels = (long long)(b->samples * node->shape.height * node->shape.width);
    a.half = b->nodes[norm].half;
    const size_t holder = b->nodes[norm].partner;
    const jsni_op_kind kind =
        holder == JSNI_NONE ? JSNI_OP_NORM : g->nodes[holder].op.kind;
    a.relu = kind == JSNI_OP_RELU || kind == JSNI_OP_RELU6;
    a.top = kind == JSNI_OP_RELU6 ? JSNI_RELU6_TOP : INFINITY;
    return a;
}

jsni_exact_word *jsni_make_exact(const jsni_make *b, size_t place)
{
    char *exact = jsni_make_at(b, b->exact);
    return exact && place != SIZE_MAX ? (jsni_exact_word *)(exact + place) : NULL;
}

static void window_args(const jsni_window *w, int *kernel_h, int *kernel_w,
                        int *stride_h, int *stride_w, int *pad_h, int *pad_w)
{
    *kernel_h = (int)w->kernel_h;
    *kernel_w = (int)w->kernel_w;
    *stride_h = (int)w->stride_h;
    *stride_w = (int)w->stride_w;
    *pad_h = (int)w->pad_h;
    *pad_w = (int)w->pad_w;
}

jsni_any_conv jsni_make_any_conv(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const jsni_shape in = jsni_graph_input_shape(b->graph, n), out = node->shape;
    static const jsni_window unit = {1, 1, 1, 1, 0, 0, 0, 0};
    const bool linear = node->op.kind == JSNI_OP_LINEAR;
    const jsni_window *window = linear ? &unit : jsni_op_window(&node->op);
    jsni_any_conv a;
    memset(&a, 0, sizeof a);
    a.images = (long long)b->images;
    /* A linear layer reads a flat vector, whatever its shape says. */
    a.in_channels = (int)(linear ? jsni_shape_count(in) : in.channels);
    a.in_h = linear ? 1 : (int)in.height;
    a.in_w = linear ? 1 : (int)in.width;
    a.out_channels = (int)out.channels;
    a.out_h = (int)out.height;
    a.out_w = (int)out.width;
    window_args(window, &a.kernel_h, &a.kernel_w, &a.stride_h, &a.stride_w, &a.pad_h,
                &a.pad_w);
    a.depthwise = node->op.kind == JSNI_OP_DEPTHWISE;
    a.half_x = b->nodes[node->input[0]].half;
    a.half_y = b->nodes[n].half;
    if (linear || a.depthwise) {
        a.w = jsni_make_tensor(b->base.params, b->graph->params, node->weight);
    } else {
        a.w = b->base.packed ? b->base.packed + b->packed[n].plain : NULL;
        a.half_w = b->options.precision == JSN_PRECISION_BF16;
    }
    a.bias = jsni_make_tensor(b->base.params, b->graph->params, node->bias);
    a.x = jsni_make_at(b, b->nodes[node->input[0]].value);
    a.y = jsni_make_at(b, b->nodes[n].value);
    a.tf32 = b->options.precision == JSN_PRECISION_TF32;
    a.plain = b->no_own || (!a.depthwise && jsni_window_is_lopsided(window));
    a.splits = jsni_any_conv_splits(&a);
    return a;
}

jsni_any_pool jsni_make_pool(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    jsni_any_pool p;
    memset(&p, 0, sizeof p);
    p.images = (long long)b->images;
    p.view_images = (long long)b->samples;
    p.channels = (int)in.channels;
    p.in_h = (int)in.height;
    p.in_w = (int)in.width;
    p.out_h = (int)node->shape.height;
    p.out_w = (int)node->shape.width;
    if (node->op.kind != JSNI_OP_ADAPTIVE_POOL)
        window_args(&node->op.as.pool, &p.kernel_h, &p.kernel_w, &p.stride_h,
                    &p.stride_w, &p.pad_h, &p.pad_w);
    p.half_x = b->nodes[node->input[0]].half;
    p.half_y = b->nodes[n].half;
    p.x = jsni_make_at(b, b->nodes[node->input[0]].value);
    p.y = jsni_make_at(b, b->nodes[n].value);
    p.at = jsni_make_at(b, b->nodes[n].at);
    return p;
}

void jsni_make_set_cudnn(const jsni_make *b, size_t n, jsni_cudnn_args *args)
{
    args->cudnn = b->base.cudnn;
    args->conv = b->nodes[n].cudnn;
    args->x = jsni_make_at(b, b->nodes[b->graph->nodes[n].input[0]].value);
    args->w = b->base.packed ? b->base.packed + b->packed[n].plain : NULL;
    args->y = jsni_make_at(b, b->nodes[n].value);
    args->workspace = b->base.workspace;
    args->workspace_bytes = b->base.workspace_bytes;
}

void jsni_make_dropout(const jsni_make *b, size_t n, jsni_any_dropout *d)
{
    const jsni_node *node = &b->graph->nodes[n];
    d->features = (long long)jsni_shape_count(node->shape);
    d->samples = (long long)b->samples;
    d->views = (long long)b->views;
    d->channels = (int)node->shape.channels;
    d->pixels = (int)(node->shape.height * node->shape.width);
    d->rate = node->op.as.dropout.rate;
    d->seed = b->base.dropout_seed;
    d->step = b->base.dropout_step;
    d->node = (uint32_t)n;
    d->half = b->nodes[n].half;
}
