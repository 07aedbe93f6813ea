/* backend/cuda/cuda_make_forward.c - the forward half of a program, node by node. */
#include "backend/cuda/cuda_make.h"

#include <string.h>

static int new_value(jsni_make *b, size_t n)
{
    b->nodes[n].value = jsni_make_buffer_new(b, jsni_make_bytes(b, n));
    return b->nodes[n].value;
}

/* Asks cuDNN for what no own kernel does. A convolution that it does not take falls to
 * any_conv; a strided one has its weights' gradients from there. */
static void find_cudnn(jsni_make *b, size_t n)
{
    const jsni_any_conv a = jsni_make_any_conv(b, n);
    const bool all = b->nodes[n].how == JSNI_HOW_CUDNN;
    if (jsni_strided_weights_takes(&a))
        return;
    const bool data =
        b->training && (b->graph->nodes[n].input[0] != 0 || b->options.input_gradient);
    const jsni_cudnn_shape shape = {(size_t)a.images,
                                    (size_t)a.in_channels,
                                    (size_t)a.in_h,
                                    (size_t)a.in_w,
                                    (size_t)a.out_channels,
                                    (size_t)a.out_h,
                                    (size_t)a.out_w,
                                    (size_t)a.kernel_h,
                                    (size_t)a.kernel_w,
                                    (size_t)a.stride_h,
                                    (size_t)a.stride_w,
                                    (size_t)a.pad_h,
                                    (size_t)a.pad_w,
                                    b->options.precision,
                                    all,
                                    all && data,
                                    b->training};
    size_t workspace = 0;
    if (!all && !b->training)
        return;
    const jsn_status status = jsni_cudnn_conv_create(
        &b->nodes[n].cudnn, b->tasks ? b->base.cudnn : NULL, &shape, &workspace);
    if (status != JSN_OK && b->status == JSN_OK)
        b->status = status;
    if (workspace > b->base.workspace_bytes) {
        jsni_cudnn_conv_destroy(b->nodes[n].cudnn);
        b->nodes[n].cudnn = NULL;
    }
    if (all && b->tasks && !b->nodes[n].cudnn)
        b->nodes[n].how = JSNI_HOW_ANY;
}

static void forward_own(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t relu = node->input[0], norm = b->nodes[relu].host;
    const size_t add = b->nodes[n].partner, holder = add == JSNI_NONE ? n : add;
    const jsni_norm_args k = jsni_make_norm_args(b, norm);
    const int y = new_value(b, holder);
    const size_t other = add == JSNI_NONE ? JSNI_NONE
                         : b->graph->nodes[add].input[0] == n
                             ? b->graph->nodes[add].input[1]
                             : b->graph->nodes[add].input[0];
    jsni_task *t = jsni_make_task(b, JSNI_TASK_OWN_CONV, n);
    t->as.conv.channels = (int)node->shape.channels;
    t->as.conv.prologue = JSNI_CONV_NORM_RELU;
    t->as.conv.epilogue = add == JSNI_NONE ? JSNI_CONV_SUMS : JSNI_CONV_RESIDUAL;
    t->as.conv.wide = b->wide;
    jsni_conv_args *a = &t->as.conv.args;
    a->x = k.x;
    if (b->nodes[norm].unfinished) {
        a->through = k;
        a->through.exact =
            jsni_make_exact(b, b->nodes[jsni_make_norm_source(b, norm)].sums);
        b->nodes[norm].unfinished = false;
    } else {
        a->pa = k.k.a;
        a->pb = k.k.b;
    }
    a->w = b->base.packed ? b->base.packed + b->packed[n].forward : NULL;
    a->y = jsni_make_at(b, y);
    a->sums = jsni_make_exact(b, b->nodes[holder].sums);
    a->images = (int)b->images;
    a->view_images = (int)b->samples;
    a->turns = b->turns;
    if (other != JSNI_NONE)
        a->e = jsni_make_at(b, b->nodes[other].value);
}

static void forward_conv(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (b->nodes[n].how == JSNI_HOW_OWN) {
        forward_own(b, n);
        return;
    }
    (void)new_value(b, n);
    if (b->nodes[n].how == JSNI_HOW_STEM) {
        jsni_task *t = jsni_make_task(b, JSNI_TASK_STEM, n);
        t->as.stem.x = jsni_make_at(b, b->nodes[node->input[0]].value);
        t->as.stem.w = b->base.packed ? b->base.packed + b->packed[n].plain : NULL;
        t->as.stem.y = jsni_make_at(b, b->nodes[n].value);
        t->as.stem.sums = jsni_make_exact(b, b->nodes[n].sums);
        t->as.stem.images = (int)b->images;
        t->as.stem.view_images = (int)b->samples;
        return;
    }
    if (b->nodes[n].how == JSNI_HOW_CUDNN || b->nodes[n].how == JSNI_HOW_STRIDED)
        find_cudnn(b, n);
    if (b->nodes[n].how != JSNI_HOW_CUDNN) {
        const bool strided = b->nodes[n].how == JSNI_HOW_STRIDED;
        jsni_task *t = jsni_make_task(
            b, strided ? JSNI_TASK_STRIDED_FORWARD : JSNI_TASK_ANY_FORWARD, n);
        t->as.any = jsni_make_any_conv(b, n);
        t->as.any.sums = jsni_make_exact(b, b->nodes[n].sums);
        t->as.any.view_pixels = (int)jsni_make_pixels(b, n);
        return;
    }
    jsni_make_set_cudnn(b, n, &jsni_make_task(b, JSNI_TASK_CUDNN_FORWARD, n)->as.cudnn);
    if (node->bias != JSNI_NONE) {
        jsni_task_map *m = &jsni_make_task(b, JSNI_TASK_BIAS_ADD, n)->as.map;
        m->y = jsni_make_at(b, b->nodes[n].value);
        m->b = jsni_make_tensor(b->base.params, b->graph->params, node->bias);
        m->count = (long long)(b->images * node->shape.height * node->shape.width);
        m->channels = (int)node->shape.channels;
        m->half = b->nodes[n].half;
    }
}

/* Whether the only reader of a lazy BatchNorm makes its coefficients. */
static bool finished_by_reader(const jsni_make *b, size_t norm)
{
    const size_t relu = b->nodes[norm].partner;
    for (size_t i = relu + 1;
         b->nodes[norm].how == JSNI_HOW_LAZY && i < b->graph->node_count; i++)
        if (b->graph->nodes[i].input[0] == relu)
            return b->nodes[i].how == JSNI_HOW_OWN;
    return false;
}

static void forward_norm(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t source = node->input[0];
    b->nodes[n].coefs =
        jsni_make_buffer_new(b, 8 * b->views * node->shape.channels * sizeof(float));
    jsni_norm_args a = jsni_make_norm_args(b, n);
    if (!b->training) {
        jsni_make_task(b, JSNI_TASK_NORM_EVAL, n)->as.norm = a;
    } else if (b->nodes[source].sums != SIZE_MAX && finished_by_reader(b, n)) {
        b->nodes[n].unfinished = true;
    } else {
        a.exact = jsni_make_exact(b, b->nodes[source].sums);
        if (b->nodes[source].sums != SIZE_MAX) {
            a.part = NULL;
        } else {
            a.groups = jsni_norm_groups(a.channels, a.views, a.pixels, a.half);
            a.shifted = true;
            jsni_make_task(b, JSNI_TASK_NORM_SUMS, n)->as.norm = a;
        }
        jsni_make_task(b, JSNI_TASK_NORM_FINISH, n)->as.norm = a;
    }
    if (b->nodes[n].how == JSNI_HOW_LAZY)
        return;
    const size_t holder = b->nodes[n].partner != JSNI_NONE ? b->nodes[n].partner : n;
    a.y = jsni_make_at(b, new_value(b, holder));
    if (b->nodes[n].residual != JSNI_NONE)
        a.skip = jsni_make_at(b, b->nodes[b->nodes[n].residual].value);
    jsni_make_task(b, JSNI_TASK_NORM_APPLY, n)->as.norm = a;
}

static void forward_pool(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t in = node->input[0];
    const bool lazy = b->nodes[in].how == JSNI_HOW_FUSED &&
                      b->nodes[b->nodes[in].host].how == JSNI_HOW_LAZY;
    (void)new_value(b, n);
    if (node->op.kind == JSNI_OP_MAX_POOL && b->training)
        b->nodes[n].at =
            jsni_make_buffer_new(b, b->room * jsni_shape_count(node->shape));
    jsni_any_pool p = jsni_make_pool(b, n);
    if (lazy) {
        const jsni_norm_args k = jsni_make_norm_args(b, b->nodes[in].host);
        p.x = k.x;
        p.a = k.k.a;
        p.b = k.k.b;
        jsni_make_task(b, JSNI_TASK_HEAD_POOL, n)->as.pool = p;
        return;
    }
    const jsni_task_kind kind = node->op.kind == JSNI_OP_MAX_POOL ? JSNI_TASK_MAX_POOL
                                : node->op.kind == JSNI_OP_AVG_POOL
                                    ? JSNI_TASK_AVG_POOL
                                    : JSNI_TASK_ADAPTIVE;
    jsni_make_task(b, kind, n)->as.pool = p;
}

/* Flatten of 1x1 pixels in the type it has is the same memory. */
static bool same_memory(const jsni_make *b, size_t n)
{
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    return in.height * in.width == 1 &&
           b->nodes[b->graph->nodes[n].input[0]].half == b->nodes[n].half;
}

static void forward_map(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t in = node->input[0];
    const bool alias = (node->op.kind == JSNI_OP_FLATTEN && same_memory(b, n)) ||
                       (node->op.kind == JSNI_OP_DROPOUT && !b->training);
    if (alias) {
        b->nodes[n].value = b->nodes[in].value;
        jsni_make_keep(b, b->nodes[n].value);
        return;
    }
    (void)new_value(b, n);
    if (node->op.kind == JSNI_OP_DROPOUT) {
        jsni_any_dropout *d = &jsni_make_task(b, JSNI_TASK_DROPOUT, n)->as.dropout;
        jsni_make_dropout(b, n, d);
        d->x = jsni_make_at(b, b->nodes[in].value);
        d->y = jsni_make_at(b, b->nodes[n].value);
        return;
    }
    const jsni_task_kind kind = node->op.kind == JSNI_OP_RELU    ? JSNI_TASK_RELU
                                : node->op.kind == JSNI_OP_RELU6 ? JSNI_TASK_RELU6
                                : node->op.kind == JSNI_OP_ADD   ? JSNI_TASK_ADD
                                                                 : JSNI_TASK_TO_PLANES;
    jsni_task_map *m = &jsni_make_task(b, kind, n)->as.map;
    const jsni_shape shape = jsni_graph_input_shape(b->graph, n);
    m->a = jsni_make_at(b, b->nodes[in].value);
    m->b = node->inputs > 1 ? jsni_make_at(b, b->nodes[node->input[1]].value) : NULL;
    m->y = jsni_make_at(b, b->nodes[n].value);
    m->half = b->nodes[in].half;
    m->count = (long long)(b->images * jsni_shape_count(shape));
    if (kind == JSNI_TASK_TO_PLANES) {
        m->count = (long long)b->images;
        m->channels = (int)shape.channels;
        m->pixels = (int)(shape.height * shape.width);
    }
}

void jsni_make_forward(jsni_make *b, size_t n)
{
    if (b->nodes[n].how == JSNI_HOW_FUSED)
        return;
    switch (b->graph->nodes[n].op.kind) {
    case JSNI_OP_INPUT:
        b->nodes[n].value = b->input;
        break;
    case JSNI_OP_CONV:
        forward_conv(b, n);
        break;
    case JSNI_OP_DEPTHWISE:
    case JSNI_OP_LINEAR:
        (void)new_value(b, n);
        jsni_make_task(b, JSNI_TASK_ANY_FORWARD, n)->as.any = jsni_make_any_conv(b, n);
        break;
    case JSNI_OP_NORM:
        forward_norm(b, n);
        break;
    case JSNI_OP_MAX_POOL:
    case JSNI_OP_AVG_POOL:
    case JSNI_OP_ADAPTIVE_POOL:
        forward_pool(b, n);
        break;
    default:
        forward_map(b, n);
        break;
    }
}
