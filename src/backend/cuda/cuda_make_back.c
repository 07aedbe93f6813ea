/* backend/cuda/cuda_make_back.c - the backward half of a program: nodes in reverse
 * order, each adding to the gradients of its inputs. See cuda_make.h about lazy
 * gradients. */
#include "backend/cuda/cuda_make.h"

#include <math.h>

#include "core/fail.h"

static long long count_of(const jsni_make *b, size_t n)
{
    return (long long)(b->images * jsni_shape_count(b->graph->nodes[n].shape));
}

static void norm_back_finish(jsni_make *b, size_t norm, int groups, bool centred)
{
    jsni_task *t = jsni_make_task(b, JSNI_TASK_NORM_BACK_FINISH, norm);
    t->as.norm = jsni_make_norm_args(b, norm);
    t->as.norm.groups = groups;
    t->flag = centred;
}

/* The partial weight gradients of all layers are added in one launch at the end. Adding
 * each layer's at once, while they are in the cache, was slower (2.195 ms a step instead
 * of 2.170): small kernels between large ones cost more than the memory traffic. */
static void remember_final(jsni_make *b, size_t n, int partial, int channels, int parts)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (b->finals) {
        jsni_conv_final *f = &b->finals[b->final_count];
        f->part = jsni_make_at(b, partial);
        f->gradient = b->base.grads + b->graph->params[node->weight].offset;
        f->channels = channels;
        f->parts = parts;
        f->first_block = b->final_blocks;
    }
    b->final_count++;
    b->final_blocks += jsni_conv_final_blocks(channels);
}

static void own_weights(jsni_make *b, size_t n, size_t norm, int dy)
{
    const int channels = (int)b->graph->nodes[n].shape.channels;
    const int images = (int)b->images;
    const int turns = jsni_conv3x3_weight_turns(channels, images, (int)b->samples);
    const jsni_norm_args k = jsni_make_norm_args(b, norm);
    const int partial = jsni_make_buffer_new(
        b, jsni_conv3x3_weight_bytes(channels, (int)b->room, b->clusters));
    jsni_make_begin_group(b);
    jsni_task *t = jsni_make_task(b, JSNI_TASK_OWN_WEIGHTS, n);
    t->as.weights.channels = channels;
    t->as.weights.clusters = b->clusters;
    jsni_conv_weight_args *a = &t->as.weights.args;
    a->x = k.x;
    a->dy = jsni_make_at(b, dy);
    a->xa = k.k.a;
    a->xb = k.k.b;
    a->part = jsni_make_at(b, partial);
    a->images = images;
    a->view_images = (int)b->samples;
    a->turns = turns;
    jsni_make_end_group(b, t, b->nodes[jsni_make_norm_source(b, norm)].value, dy,
                        JSNI_NO_BUFFER);
    remember_final(b, n, partial, channels,
                   jsni_conv3x3_weight_parts(channels, images, turns, b->clusters));
}

/* A task that forms the gradient of `from`, when it is lazy, while it loads it. */
static void read_gradient(jsni_make *b, const jsni_make_node *from, jsni_task *t)
{
    jsni_conv_args *a = &t->as.conv.args;
    a->x = jsni_make_at(b, from->grad);
    t->as.conv.prologue = JSNI_CONV_PLAIN;
    if (from->lazy == JSNI_NONE)
        return;
    const jsni_norm_args through = jsni_make_norm_args(b, from->lazy);
    t->as.conv.prologue =
        from->skip == JSNI_NO_BUFFER ? JSNI_CONV_NORM_BACK : JSNI_CONV_SKIP_BACK;
    a->x2 = through.x;
    a->x3 = jsni_make_at(b, from->skip);
    if (b->nodes[from->lazy].unfinished) {
        a->through = through;
        a->through.exact = jsni_make_exact(b, b->nodes[from->lazy].back_sums);
        b->nodes[from->lazy].unfinished = false;
        return;
    }
    a->pa = through.k.ga;
    a->pb = through.k.gb;
    a->pd = through.k.gd;
}

/* An own convolution and the add it may contain; reads the gradient lazily. */
static void back_own(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t norm = b->nodes[node->input[0]].host;
    const size_t add = b->nodes[n].partner, holder = add == JSNI_NONE ? n : add;
    const int channels = (int)node->shape.channels;
    const jsni_norm_args k = jsni_make_norm_args(b, norm);
    jsni_make_node *from = &b->nodes[holder];
    if (from->lazy != JSNI_NONE && !from->masked)
        (void)jsni_grad_stored(b, holder);
    const int g = jsni_make_buffer_new(b, jsni_make_bytes(b, n));
    const bool lazy = from->lazy != JSNI_NONE;
    const int dy = lazy ? jsni_make_buffer_new(b, jsni_make_bytes(b, n)) : from->grad;
    jsni_task *t = jsni_make_task(b, JSNI_TASK_OWN_CONV, n);
    t->as.conv.channels = channels;
    t->as.conv.wide = b->wide;
    t->as.conv.epilogue = JSNI_CONV_MASK;
    jsni_conv_args *a = &t->as.conv.args;
    read_gradient(b, from, t);
    if (lazy)
        a->xo = jsni_make_at(b, dy);
    a->w = b->base.packed ? b->base.packed + b->packed[n].back : NULL;
    a->y = jsni_make_at(b, g);
    a->e = k.x;
    a->ea = k.k.a;
    a->eb = k.k.b;
    a->sums = jsni_make_exact(b, b->nodes[norm].back_sums);
    a->images = (int)b->images;
    a->view_images = (int)b->samples;
    a->turns = b->turns;
    if (lazy)
        jsni_grad_now_stored(b, holder, dy);
    b->nodes[norm].unfinished = true;
    own_weights(b, n, norm, dy);
    if (add != JSNI_NONE) {
        const jsni_node *sum = &b->graph->nodes[add];
        const size_t other = sum->input[0] == n ? sum->input[1] : sum->input[0];
        if (jsni_grad_wanted(b, other))
            jsni_grad_add(b, other, dy);
    }
    jsni_grad_forget(b, holder);
    jsni_grad_add_lazy(b, norm, g, true);
}

static void back_stem(jsni_make *b, size_t n)
{
    const int images = (int)b->images;
    const jsni_make_node *from = &b->nodes[n];
    if (from->lazy != JSNI_NONE && !from->masked)
        (void)jsni_grad_stored(b, n);
    if (from->lazy != JSNI_NONE)
        jsni_make_finish_back(b, from->lazy);
    const int partial = jsni_make_buffer_new(b, b->room / 2 * 1024 * 4);
    jsni_task *t = jsni_make_task(b, JSNI_TASK_STEM_WEIGHTS, n);
    read_gradient(b, from, t);
    jsni_conv_args *a = &t->as.conv.args;
    a->e = jsni_make_at(b, b->input);
    a->part = jsni_make_at(b, partial);
    a->images = images;
    a->view_images = (int)b->samples;
    remember_final(b, n, partial, 3, images / 2);
    jsni_grad_forget(b, n);
}

static jsni_task *weight_sum(jsni_make *b, size_t n, int from, int splits, bool half)
{
    const jsni_any_conv a = jsni_make_any_conv(b, n);
    jsni_task *t = jsni_make_task(b, JSNI_TASK_WEIGHT_SUM, n);
    jsni_task_map *m = &t->as.map;
    m->a = jsni_make_at(b, from);
    m->y = b->base.grads
               ? b->base.grads + b->graph->params[b->graph->nodes[n].weight].offset
               : NULL;
    m->splits = splits;
    m->half = half;
    m->channels = a.out_channels;
    m->pixels = jsni_any_conv_sees(&a);
    m->taps = a.kernel_h * a.kernel_w;
    return t;
}

static void conv_weights(jsni_make *b, size_t n, int dy)
{
    jsni_any_conv a = jsni_make_any_conv(b, n);
    const size_t weights = (size_t)a.out_channels * (size_t)jsni_any_conv_sees(&a) *
                           (size_t)a.kernel_h * (size_t)a.kernel_w;
    /* The same size on any path, so that measuring and making agree, and that a smaller
     * batch fits. */
    jsni_any_conv full = a;
    full.images = (long long)b->room;
    const int splits = jsni_any_conv_splits(&full);
    full.plain = false;
    const int own = jsni_any_conv_splits(&full);
    const int to =
        jsni_make_buffer_new(b, weights * (size_t)(splits > own ? splits : own) * 4);
    const int x = b->nodes[b->graph->nodes[n].input[0]].value;
    jsni_make_begin_group(b);
    if (b->nodes[n].cudnn) {
        jsni_cudnn_args *c = &jsni_make_task(b, JSNI_TASK_CUDNN_WEIGHTS, n)->as.cudnn;
        jsni_make_set_cudnn(b, n, c);
        c->y = jsni_make_at(b, dy);
        c->w = jsni_make_at(b, to);
        c->workspace = b->base.side_workspace;
        jsni_make_end_group(b, weight_sum(b, n, to, 1, a.half_w), x, dy, to);
        return;
    }
    a.y = jsni_make_at(b, dy);
    a.part = jsni_make_at(b, to);
    jsni_make_task(b, JSNI_TASK_ANY_WEIGHTS, n)->as.any = a;
    jsni_make_end_group(b, weight_sum(b, n, to, a.splits, false), x, dy, to);
}

/* Adds to a gradient that is stored and has no other reader, else into a new buffer. */
static void conv_data(jsni_make *b, size_t n, int dy)
{
    const size_t in = b->graph->nodes[n].input[0];
    if (jsni_grad_exists(b, in))
        (void)jsni_grad_stored(b, in);
    const bool add =
        jsni_grad_exists(b, in) && b->buffers[b->nodes[in].grad].users == 1;
    const int to =
        add ? b->nodes[in].grad : jsni_make_buffer_new(b, jsni_make_bytes(b, in));
    jsni_any_conv a = jsni_make_any_conv(b, n);
    a.y = jsni_make_at(b, dy);
    a.dx = jsni_make_at(b, to);
    a.add = add;
    if (b->nodes[n].how == JSNI_HOW_STRIDED) {
        jsni_make_task(b, JSNI_TASK_STRIDED_DATA, n)->as.any = a;
    } else if (b->nodes[n].cudnn) {
        jsni_cudnn_args *c = &jsni_make_task(b, JSNI_TASK_CUDNN_DATA, n)->as.cudnn;
        jsni_make_set_cudnn(b, n, c);
        c->y = a.y;
        c->x = a.dx;
        c->add = add;
    } else {
        jsni_make_task(b, JSNI_TASK_ANY_DATA, n)->as.any = a;
    }
    if (add)
        return;
    jsni_grad_add(b, in, to);
    jsni_make_drop(b, to);
}

static void bias_sum(jsni_make *b, size_t n, int dy)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t pixels = node->shape.height * node->shape.width;
    const int channels = (int)node->shape.channels;
    const int room =
        jsni_make_buffer_new(b, jsni_any_bias_room((long long)(b->room * pixels),
                                                   channels, b->nodes[n].half));
    jsni_task_map *m = &jsni_make_task(b, JSNI_TASK_BIAS_SUM, n)->as.map;
    m->a = jsni_make_at(b, dy);
    m->y = b->base.grads ? b->base.grads + b->graph->params[node->bias].offset : NULL;
    m->room = jsni_make_at(b, room);
    m->count = (long long)(b->images * pixels);
    m->channels = channels;
    m->half = b->nodes[n].half;
    jsni_make_drop(b, room);
}

static void back_product(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const int dy = jsni_grad_stored(b, n);
    conv_weights(b, n, dy);
    if (node->bias != JSNI_NONE)
        bias_sum(b, n, dy);
    if (jsni_grad_wanted(b, node->input[0]))
        conv_data(b, n, dy);
    jsni_grad_forget(b, n);
}

/* BatchNorm (with its ReLU, or with the end of a residual block) whose output is stored. */
static void back_norm(jsni_make *b, size_t n)
{
    const size_t holder = b->nodes[n].partner != JSNI_NONE ? b->nodes[n].partner : n;
    const size_t residual = b->nodes[n].residual;
    const int dy = jsni_grad_stored(b, holder);
    jsni_norm_args a = jsni_make_norm_args(b, n);
    a.groups = jsni_norm_groups(a.channels, a.views, a.pixels, a.half);
    a.dy = jsni_make_at(b, dy);
    if (a.relu && residual != JSNI_NONE)
        a.out = jsni_make_at(b, b->nodes[holder].value);
    /* g is kept where an own convolution (none has a ReLU6 beside it) or the other side of
     * an add may read it; elsewhere the mask is computed a second time, which is cheaper
     * than a pass of writes. */
    const bool beside_own = a.half && !b->no_own && isinf(a.top);
    const bool mask = a.relu && (residual != JSNI_NONE || beside_own);
    int g = dy;
    if (mask && b->buffers[dy].users == 1)
        jsni_make_keep(b, dy);
    else if (mask)
        g = jsni_make_buffer_new(b, jsni_make_bytes(b, holder));
    else
        jsni_make_keep(b, dy);
    a.masked = mask ? jsni_make_at(b, g) : NULL;
    jsni_make_task(b, JSNI_TASK_NORM_BACK_SUMS, n)->as.norm = a;
    norm_back_finish(b, n, a.groups, true);
    jsni_grad_forget(b, holder);
    if (residual != JSNI_NONE && jsni_grad_wanted(b, residual))
        jsni_grad_add(b, residual, g);
    jsni_grad_add_lazy(b, n, g, mask || !a.relu);
}

static void back_pool(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t in = node->input[0];
    const int dy = jsni_grad_stored(b, n);
    jsni_any_pool p = jsni_make_pool(b, n);
    const int dx = jsni_make_buffer_new(b, jsni_make_bytes(b, in));
    p.dy = jsni_make_at(b, dy);
    p.dx = jsni_make_at(b, dx);
    const bool lazy = b->nodes[in].how == JSNI_HOW_FUSED &&
                      b->nodes[b->nodes[in].host].how == JSNI_HOW_LAZY;
    if (lazy) {
        const size_t norm = b->nodes[in].host;
        const jsni_norm_args k = jsni_make_norm_args(b, norm);
        p.x = k.x;
        p.a = k.k.a;
        p.b = k.k.b;
        p.part = k.part;
        jsni_make_task(b, JSNI_TASK_HEAD_POOL_BACK, n)->as.pool = p;
        norm_back_finish(b, norm, (int)b->samples, false);
        jsni_grad_forget(b, n);
        jsni_grad_add_lazy(b, norm, dx, true);
        return;
    }
    const jsni_task_kind kind =
        node->op.kind == JSNI_OP_MAX_POOL   ? JSNI_TASK_MAX_POOL_BACK
        : node->op.kind == JSNI_OP_AVG_POOL ? JSNI_TASK_AVG_POOL_BACK
                                            : JSNI_TASK_ADAPTIVE_BACK;
    jsni_make_task(b, kind, n)->as.pool = p;
    jsni_grad_forget(b, n);
    if (jsni_grad_wanted(b, in))
        jsni_grad_add(b, in, dx);
    jsni_make_drop(b, dx);
}

static void back_map(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t in = node->input[0];
    const int dy = jsni_grad_stored(b, n);
    if (b->nodes[n].value == b->nodes[in].value) { /* the same memory forward */
        if (jsni_grad_wanted(b, in))
            jsni_grad_add(b, in, dy);
        jsni_grad_forget(b, n);
        return;
    }
    const int dx = jsni_make_buffer_new(b, jsni_make_bytes(b, in));
    if (node->op.kind == JSNI_OP_DROPOUT) {
        jsni_any_dropout *d = &jsni_make_task(b, JSNI_TASK_DROPOUT, n)->as.dropout;
        jsni_make_dropout(b, n, d);
        d->x = jsni_make_at(b, dy);
        d->y = jsni_make_at(b, dx);
    } else {
        const bool relu =
            node->op.kind == JSNI_OP_RELU || node->op.kind == JSNI_OP_RELU6;
        const jsni_task_kind kind = node->op.kind == JSNI_OP_RELU ? JSNI_TASK_RELU_BACK
                                    : node->op.kind == JSNI_OP_RELU6
                                        ? JSNI_TASK_RELU6_BACK
                                        : JSNI_TASK_FROM_PLANES;
        const jsni_shape shape = jsni_graph_input_shape(b->graph, n);
        jsni_task_map *m = &jsni_make_task(b, kind, n)->as.map;
        m->a = jsni_make_at(b, relu ? b->nodes[n].value : dy);
        m->b = jsni_make_at(b, dy);
        m->y = jsni_make_at(b, dx);
        m->half = b->nodes[in].half;
        m->count = relu ? count_of(b, n) : (long long)b->images;
        m->channels = (int)shape.channels;
        m->pixels = (int)(shape.height * shape.width);
    }
    jsni_grad_forget(b, n);
    if (jsni_grad_wanted(b, in))
        jsni_grad_add(b, in, dx);
    jsni_make_drop(b, dx);
}

static void back_add(jsni_make *b, size_t n)
{
    const int dy = jsni_grad_stored(b, n);
    for (size_t k = 0; k < 2; k++)
        if (jsni_grad_wanted(b, b->graph->nodes[n].input[k]))
            jsni_grad_add(b, b->graph->nodes[n].input[k], dy);
    jsni_grad_forget(b, n);
}

static void back_node(jsni_make *b, size_t n)
{
    if (b->nodes[n].how == JSNI_HOW_FUSED || b->nodes[n].how == JSNI_HOW_LAZY)
        return; /* done with the node it runs in, or by its reader */
    switch (b->graph->nodes[n].op.kind) {
    case JSNI_OP_INPUT:
        break;
    case JSNI_OP_CONV:
        if (b->nodes[n].how == JSNI_HOW_OWN)
            back_own(b, n);
        else if (b->nodes[n].how == JSNI_HOW_STEM)
            back_stem(b, n);
        else
            back_product(b, n);
        break;
    case JSNI_OP_DEPTHWISE:
    case JSNI_OP_LINEAR:
        back_product(b, n);
        break;
    case JSNI_OP_NORM:
        back_norm(b, n);
        break;
    case JSNI_OP_MAX_POOL:
    case JSNI_OP_AVG_POOL:
    case JSNI_OP_ADAPTIVE_POOL:
        back_pool(b, n);
        break;
    case JSNI_OP_ADD:
        back_add(b, n);
        break;
    default:
        back_map(b, n);
        break;
    }
}

/* Gives back what forward left in memory for node n and for what runs inside it. The
 * input and the output are others' to read. */
static void release(jsni_make *b, size_t n)
{
    const size_t inside = b->nodes[n].partner;
    if (n == 0 || n == b->graph->node_count - 1 || b->nodes[n].how == JSNI_HOW_FUSED)
        return;
    jsni_make_drop(b, b->nodes[n].value);
    jsni_make_drop(b, b->nodes[n].at);
    if (inside != JSNI_NONE)
        jsni_make_drop(b, b->nodes[inside].value);
}

void jsni_make_backward(jsni_make *b)
{
    const size_t last = b->graph->node_count - 1;
    jsni_make_keep(b, b->output_grad);
    b->nodes[last].grad = b->output_grad;
    for (size_t n = last + 1; n-- > 0 && b->status == JSN_OK;) {
        back_node(b, n);
        release(b, n);
    }
    if (b->options.input_gradient && jsni_grad_exists(b, 0))
        b->input_grad = jsni_grad_stored(b, 0);
    b->wait_next = b->groups;
    if (b->final_count > 0) {
        jsni_task *t = jsni_make_task(b, JSNI_TASK_FINAL_SUMS, last);
        t->as.sums.layers = b->base.finals;
        t->as.sums.count = (int)b->final_count;
        t->as.sums.blocks = b->final_blocks;
    }
}
