/* backend/cuda/cuda_make.c - what is fused into what, the arena, and the forward half
 * of a program. */
#include "backend/cuda/cuda_make.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { ALIGNMENT = 1024 };

/* ---- buffers ---- */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_free(const jsni_make *b, size_t offset, size_t bytes)
{
    for (size_t i = 0; i < b->buffer_count; i++) {
        const jsni_make_buffer *other = &b->buffers[i];
        if (other->users > 0 && offset < other->offset + other->bytes &&
            other->offset < offset + bytes)
            return false;
    }
    return true;
}

/* The lowest place that no buffer in use overlaps: memory that was just read and freed
 * is written next, while it is still in the cache. */
int jsni_make_buffer_new(jsni_make *b, size_t bytes)
{
    bytes = aligned(bytes ? bytes : 1);
    if (b->buffer_count == b->buffer_capacity) {
        const size_t more = b->buffer_capacity ? 2 * b->buffer_capacity : 256;
        jsni_make_buffer *grown = jsni_realloc(b->buffers, more, sizeof *grown);
        if (!grown) {
            b->status = JSN_ERR_MEMORY;
            return JSNI_NO_BUFFER;
        }
        b->buffers = grown;
        b->buffer_capacity = more;
    }
    size_t best = is_free(b, 0, bytes) ? 0 : SIZE_MAX;
    for (size_t i = 0; i < b->buffer_count; i++) {
        const size_t end = b->buffers[i].offset + b->buffers[i].bytes;
        if (b->buffers[i].users > 0 && end < best && is_free(b, end, bytes))
            best = end;
    }
    const jsni_make_buffer made = {best, bytes, 1};
    b->buffers[b->buffer_count] = made;
    b->high = best + bytes > b->high ? best + bytes : b->high;
    return (int)b->buffer_count++;
}

void jsni_make_keep(jsni_make *b, int buffer)
{
    if (buffer != JSNI_NO_BUFFER)
        b->buffers[buffer].users++;
}

void jsni_make_drop(jsni_make *b, int buffer)
{
    if (buffer != JSNI_NO_BUFFER)
        b->buffers[buffer].users--;
}

void *jsni_make_at(const jsni_make *b, int buffer)
{
    return b->base.arena && buffer != JSNI_NO_BUFFER
               ? b->base.arena + b->buffers[buffer].offset
               : NULL;
}

/* A task to fill in; a scratch one when the build measures or has failed. */
jsni_task *jsni_make_task(jsni_make *b, jsni_task_kind kind, size_t node)
{
    static _Thread_local jsni_task scratch;
    jsni_task *task = &scratch;
    if (b->tasks) {
        if (b->task_count < b->task_capacity)
            task = &b->tasks[b->task_count];
        else if (b->status == JSN_OK)
            b->status = jsni_fail(JSN_ERR_RANGE, "a program has more than %zu tasks",
                                  b->task_capacity);
    }
    b->task_count++;
    memset(task, 0, sizeof *task);
    task->kind = kind;
    task->node = node;
    task->side = b->in_group;
    if (b->in_group) {
        task->fork = !b->group_begun;
        b->group_begun = true;
    } else {
        task->wait = b->wait_next;
        b->wait_next = 0;
    }
    return task;
}

void jsni_make_begin_group(jsni_make *b)
{
    b->in_group = true;
    b->group_begun = false;
}

static void let_go(jsni_make *b, size_t slot)
{
    for (size_t i = 0; i < 2; i++) {
        jsni_make_drop(b, b->late[slot][i]);
        b->late[slot][i] = JSNI_NO_BUFFER;
    }
}

void jsni_make_end_group(jsni_make *b, jsni_task *last, int one, int other)
{
    const size_t slot = b->groups % JSNI_MAKE_LAG;
    b->in_group = false;
    if (b->groups >= JSNI_MAKE_LAG) {
        let_go(b, slot);
        b->wait_next = b->groups - JSNI_MAKE_LAG + 1;
    }
    jsni_make_keep(b, one);
    b->late[slot][0] = one;
    b->late[slot][1] = other;
    b->groups++;
    last->mark = b->groups;
}

size_t jsni_make_bytes(const jsni_make *b, size_t node)
{
    return b->images * jsni_shape_count(b->graph->nodes[node].shape) *
           (b->nodes[node].half ? 2 : 4);
}

/* ---- analysis ---- */

static bool own_shape(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (node->op.kind != JSNI_OP_CONV || !b->nodes[n].half || b->no_own)
        return false;
    const jsni_op_conv *c = &node->op.as.conv;
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    return !c->bias && c->window.kernel_h == 3 && c->window.kernel_w == 3 &&
           c->window.stride_h == 1 && c->window.stride_w == 1 && c->window.pad_h == 1 &&
           c->window.pad_w == 1 && in.channels == c->out_channels &&
           jsni_conv3x3_fits((int)in.channels, (int)in.height, (int)in.width,
                             (int)b->samples);
}

static bool stem_shape(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (node->op.kind != JSNI_OP_CONV || !b->nodes[n].half || b->no_own ||
        b->options.input_gradient || node->input[0] != 0)
        return false;
    const jsni_op_conv *c = &node->op.as.conv;
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    return !c->bias && c->window.kernel_h == 3 && c->window.kernel_w == 3 &&
           c->window.stride_h == 1 && c->window.stride_w == 1 && c->window.pad_h == 1 &&
           c->window.pad_w == 1 && in.channels == 3 && in.height == 32 &&
           in.width == 32 && c->out_channels == 32 && b->samples % 8 == 0;
}

/* Whether a node's only reader can take relu(norm(x)) while loading. */
static bool takes_lazy(const jsni_make *b, size_t reader)
{
    const jsni_node *node = &b->graph->nodes[reader];
    if (own_shape(b, reader))
        return true;
    return node->op.kind == JSNI_OP_ADAPTIVE_POOL && node->op.as.adaptive.out_h == 1 &&
           node->op.as.adaptive.out_w == 1 && !b->no_own &&
           jsni_graph_input_shape(b->graph, reader).channels % 8 == 0;
}

static size_t only_reader(const jsni_graph *graph, size_t n)
{
    if (graph->nodes[n].users != 1)
        return JSNI_NONE;
    for (size_t i = n + 1; i < graph->node_count; i++)
        for (size_t k = 0; k < graph->nodes[i].inputs; k++)
            if (graph->nodes[i].input[k] == n)
                return i;
    return JSNI_NONE;
}

static bool half_output(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (b->options.precision != JSN_PRECISION_BF16)
        return false;
    switch (node->op.kind) {
    case JSNI_OP_INPUT:
    case JSNI_OP_CONV:
        return true;
    case JSNI_OP_LINEAR:
    case JSNI_OP_FLATTEN:
        return false;
    case JSNI_OP_ADAPTIVE_POOL:
        if (node->op.as.adaptive.out_h == 1 && node->op.as.adaptive.out_w == 1)
            return false;
        return b->nodes[node->input[0]].half;
    default:
        return b->nodes[node->input[0]].half;
    }
}

static void analyse_norm(jsni_make *b, size_t n)
{
    const jsni_graph *g = b->graph;
    const size_t relu = only_reader(g, n);
    if (relu == JSNI_NONE || g->nodes[relu].op.kind != JSNI_OP_RELU)
        return;
    b->nodes[n].partner = relu;
    b->nodes[relu].how = JSNI_HOW_FUSED;
    b->nodes[relu].host = n;
    const size_t reader = only_reader(g, relu);
    if (b->nodes[n].half && reader != JSNI_NONE && takes_lazy(b, reader))
        b->nodes[n].how = JSNI_HOW_LAZY;
}

static void analyse_conv(jsni_make *b, size_t n)
{
    const jsni_graph *g = b->graph;
    const jsni_node *node = &g->nodes[n];
    if (stem_shape(b, n)) {
        b->nodes[n].how = JSNI_HOW_STEM;
        return;
    }
    const size_t in = node->input[0];
    const size_t norm = b->nodes[in].how == JSNI_HOW_FUSED ? b->nodes[in].host : in;
    if (!own_shape(b, n) || b->nodes[norm].how != JSNI_HOW_LAZY) {
        const bool same = b->nodes[in].half == b->nodes[n].half;
        b->nodes[n].how = same ? JSNI_HOW_CUDNN : JSNI_HOW_ANY;
        return;
    }
    b->nodes[n].how = JSNI_HOW_OWN;
    const size_t add = only_reader(g, n);
    if (add == JSNI_NONE || g->nodes[add].op.kind != JSNI_OP_ADD)
        return;
    const size_t other =
        g->nodes[add].input[0] == n ? g->nodes[add].input[1] : g->nodes[add].input[0];
    if (other < n && other != n && b->nodes[other].half) {
        b->nodes[n].partner = add;
        b->nodes[add].how = JSNI_HOW_FUSED;
        b->nodes[add].host = n;
    }
}

jsn_status jsni_make_analyse(jsni_make *b)
{
    const jsni_graph *g = b->graph;
    b->images = b->views * b->samples;
    b->nodes = jsni_alloc_zero(g->node_count, sizeof *b->nodes);
    JSNI_TRY_ALLOC(b->nodes);
    for (size_t n = 0; n < g->node_count; n++) {
        jsni_make_node *node = &b->nodes[n];
        node->partner = node->host = node->lazy = JSNI_NONE;
        node->value = node->coefs = node->partial = JSNI_NO_BUFFER;
        node->grad = node->skip = JSNI_NO_BUFFER;
        node->half = half_output(b, n);
    }
    for (size_t n = 0; n < g->node_count; n++) {
        if (g->nodes[n].op.kind == JSNI_OP_NORM)
            analyse_norm(b, n);
        else if (g->nodes[n].op.kind == JSNI_OP_CONV)
            analyse_conv(b, n);
        else if (g->nodes[n].op.kind == JSNI_OP_LINEAR)
            b->nodes[n].how = JSNI_HOW_ANY;
    }
    return JSN_OK;
}

/* ---- arguments ---- */

size_t jsni_make_norm_source(const jsni_make *b, size_t norm)
{
    return b->graph->nodes[norm].input[0];
}

static float *tensor_at(float *block, const jsni_tensor *list, size_t number)
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
    a.weight = tensor_at(b->base.params, g->params, node->weight);
    a.bias = tensor_at(b->base.params, g->params, node->bias);
    a.weight_grad = tensor_at(b->base.grads, g->params, node->weight);
    a.bias_grad = tensor_at(b->base.grads, g->params, node->bias);
    a.running_mean = tensor_at(b->base.stats, g->stats, node->mean);
    a.running_var = tensor_at(b->base.stats, g->stats, node->mean + 1);
    a.epsilon = node->op.as.norm.epsilon;
    a.momentum = node->op.as.norm.momentum;
    a.channels = (int)node->shape.channels;
    a.views = (int)b->views;
    a.pixels = (long long)(b->samples * node->shape.height * node->shape.width);
    a.half = b->nodes[norm].half;
    a.relu = b->nodes[norm].partner != JSNI_NONE;
    return a;
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
    static const jsni_window unit = {1, 1, 1, 1, 0, 0};
    const bool linear = node->op.kind == JSNI_OP_LINEAR;
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
    window_args(linear ? &unit : &node->op.as.conv.window, &a.kernel_h, &a.kernel_w,
                &a.stride_h, &a.stride_w, &a.pad_h, &a.pad_w);
    a.half_x = b->nodes[node->input[0]].half;
    a.half_y = b->nodes[n].half;
    if (linear) {
        a.w = tensor_at(b->base.params, b->graph->params, node->weight);
    } else {
        a.w = b->base.packed ? b->base.packed + b->packed[n].plain : NULL;
        a.half_w = b->options.precision == JSN_PRECISION_BF16;
    }
    a.bias = tensor_at(b->base.params, b->graph->params, node->bias);
    a.x = jsni_make_at(b, b->nodes[node->input[0]].value);
    a.y = jsni_make_at(b, b->nodes[n].value);
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

/* ---- forward ---- */

static int new_value(jsni_make *b, size_t n)
{
    b->nodes[n].value = jsni_make_buffer_new(b, jsni_make_bytes(b, n));
    return b->nodes[n].value;
}

/* A convolution that cuDNN does not take (or that needs no cuDNN) falls to any_conv. */
static void find_cudnn(jsni_make *b, size_t n)
{
    const jsni_any_conv a = jsni_make_any_conv(b, n);
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
                                    b->training,
                                    data};
    size_t workspace = 0;
    const jsn_status status = jsni_cudnn_conv_create(
        &b->nodes[n].cudnn, b->tasks ? b->base.cudnn : NULL, &shape, &workspace);
    if (status != JSN_OK && b->status == JSN_OK)
        b->status = status;
    if (workspace > b->base.workspace_bytes) {
        jsni_cudnn_conv_destroy(b->nodes[n].cudnn);
        b->nodes[n].cudnn = NULL;
    }
    if (b->tasks && !b->nodes[n].cudnn)
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
    t->as.conv.wide = b->wide && node->shape.channels == 32;
    jsni_conv_args *a = &t->as.conv.args;
    a->x = k.x;
    a->pa = k.k.a;
    a->pb = k.k.b;
    a->w = b->base.packed ? b->base.packed + b->packed[n].forward : NULL;
    a->y = jsni_make_at(b, y);
    a->part = k.part;
    a->images = (int)b->images;
    a->view_images = (int)b->samples;
    if (other != JSNI_NONE)
        a->e = jsni_make_at(b, b->nodes[other].value);
    b->part_owner = holder;
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
        t->as.stem.part = jsni_make_at(b, b->part);
        t->as.stem.images = (int)b->images;
        b->part_owner = n;
        return;
    }
    if (b->nodes[n].how == JSNI_HOW_CUDNN)
        find_cudnn(b, n);
    if (b->nodes[n].how == JSNI_HOW_CUDNN) {
        jsni_make_set_cudnn(b, n,
                            &jsni_make_task(b, JSNI_TASK_CUDNN_FORWARD, n)->as.cudnn);
        if (node->bias != JSNI_NONE) {
            jsni_task_map *m = &jsni_make_task(b, JSNI_TASK_BIAS_ADD, n)->as.map;
            m->y = jsni_make_at(b, b->nodes[n].value);
            m->b = tensor_at(b->base.params, b->graph->params, node->bias);
            m->count = (long long)(b->images * node->shape.height * node->shape.width);
            m->channels = (int)node->shape.channels;
            m->half = b->nodes[n].half;
        }
        return;
    }
    jsni_make_task(b, JSNI_TASK_ANY_FORWARD, n)->as.any = jsni_make_any_conv(b, n);
}

static int groups_of(const jsni_make *b, size_t owner)
{
    const size_t host =
        b->nodes[owner].how == JSNI_HOW_FUSED ? b->nodes[owner].host : owner;
    if (b->nodes[host].how == JSNI_HOW_STEM)
        return (int)b->samples / 2;
    const int channels = (int)b->graph->nodes[host].shape.channels;
    return (int)b->samples / jsni_conv3x3_group(channels, b->wide && channels == 32);
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
    } else {
        if (b->part_owner == source) {
            a.groups = groups_of(b, source);
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
    jsni_make_task(b, JSNI_TASK_NORM_APPLY, n)->as.norm = a;
}

static void forward_pool(jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    const size_t in = node->input[0];
    const bool lazy = b->nodes[in].how == JSNI_HOW_FUSED &&
                      b->nodes[b->nodes[in].host].how == JSNI_HOW_LAZY;
    (void)new_value(b, n);
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
    const jsni_task_kind kind = node->op.kind == JSNI_OP_RELU  ? JSNI_TASK_RELU
                                : node->op.kind == JSNI_OP_ADD ? JSNI_TASK_ADD
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

static void forward_node(jsni_make *b, size_t n)
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

/* The partial channel sums of every BatchNorm go through one buffer. */
static size_t part_bytes(const jsni_make *b)
{
    size_t most = 1;
    for (size_t n = 0; n < b->graph->node_count; n++) {
        const jsni_node *node = &b->graph->nodes[n];
        if (node->op.kind != JSNI_OP_NORM && node->op.kind != JSNI_OP_CONV)
            continue;
        const size_t groups = b->images > 256 * b->views ? b->images : 256 * b->views;
        const size_t bytes = groups * 2 * node->shape.channels * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return most;
}

jsn_status jsni_make_run(jsni_make *b)
{
    b->status = JSN_OK;
    b->buffer_count = b->task_count = b->final_count = 0;
    b->high = 0;
    b->part_owner = JSNI_NONE;
    b->groups = b->wait_next = 0;
    b->final_blocks = 0;
    b->in_group = b->group_begun = false;
    for (size_t i = 0; i < JSNI_MAKE_LAG; i++)
        b->late[i][0] = b->late[i][1] = JSNI_NO_BUFFER;
    jsn_status status = jsni_make_analyse(b);
    if (status != JSN_OK)
        return status;
    const jsni_graph *g = b->graph;
    b->input = jsni_make_buffer_new(b, jsni_make_bytes(b, 0));
    b->part = jsni_make_buffer_new(b, part_bytes(b));
    b->output_grad = jsni_make_buffer_new(
        b, b->training ? jsni_make_bytes(b, g->node_count - 1) : 1);
    b->input_grad = JSNI_NO_BUFFER;
    for (size_t n = 0; n < g->node_count && b->status == JSN_OK; n++)
        forward_node(b, n);
    b->forward_tasks = b->task_count;
    if (b->training && b->status == JSN_OK)
        jsni_make_backward(b);
    status = b->status;
    if (status != JSN_OK) {
        for (size_t n = 0; n < g->node_count; n++)
            jsni_cudnn_conv_destroy(b->nodes[n].cudnn);
        jsni_make_release(b);
    }
    return status;
}

void jsni_make_release(jsni_make *b)
{
    jsni_free(b->nodes);
    jsni_free(b->buffers);
    b->nodes = NULL;
    b->buffers = NULL;
    b->buffer_capacity = 0;
}
