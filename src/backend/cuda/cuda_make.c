/* backend/cuda/cuda_make.c - the arena of a program, its list of tasks, what is fused
 * into what, and the order in which its halves are made. */
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
    for (size_t i = 0; i < 3; i++) {
        jsni_make_drop(b, b->late[slot][i]);
        b->late[slot][i] = JSNI_NO_BUFFER;
    }
}

void jsni_make_end_group(jsni_make *b, jsni_task *last, int x, int dy, int room)
{
    const size_t slot = b->groups % JSNI_MAKE_LAG;
    b->in_group = false;
    if (b->groups >= JSNI_MAKE_LAG) {
        let_go(b, slot);
        b->wait_next = b->groups - JSNI_MAKE_LAG + 1;
    }
    jsni_make_keep(b, x);
    jsni_make_keep(b, dy);
    b->late[slot][0] = x;
    b->late[slot][1] = dy;
    b->late[slot][2] = room;
    b->groups++;
    last->mark = b->groups;
}

size_t jsni_make_bytes(const jsni_make *b, size_t node)
{
    return b->room * jsni_shape_count(b->graph->nodes[node].shape) *
           (b->nodes[node].half ? 2 : 4);
}

size_t jsni_make_pixels(const jsni_make *b, size_t node)
{
    const jsni_shape shape = b->graph->nodes[node].shape;
    return b->samples * shape.height * shape.width;
}

/* ---- analysis ---- */

/* Whether the own bf16 convolutions can run; they count values (32768 an image) in ints. */
static bool own_kernels(const jsni_make *b)
{
    return !b->no_own && b->roomy && b->images < 65536;
}

static bool own_shape(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (node->op.kind != JSNI_OP_CONV || !b->nodes[n].half || !own_kernels(b))
        return false;
    const jsni_op_conv *c = &node->op.as.conv;
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    return !c->bias && !jsni_window_is_lopsided(&c->window) &&
           c->window.kernel_h == 3 && c->window.kernel_w == 3 &&
           c->window.stride_h == 1 && c->window.stride_w == 1 && c->window.pad_h == 1 &&
           c->window.pad_w == 1 && in.channels == c->out_channels &&
           jsni_conv3x3_fits((int)in.channels, (int)in.height, (int)in.width,
                             (int)b->samples);
}

static bool stem_shape(const jsni_make *b, size_t n)
{
    const jsni_node *node = &b->graph->nodes[n];
    if (node->op.kind != JSNI_OP_CONV || !b->nodes[n].half || !own_kernels(b) ||
        b->options.input_gradient || node->input[0] != 0)
        return false;
    const jsni_op_conv *c = &node->op.as.conv;
    const jsni_shape in = jsni_graph_input_shape(b->graph, n);
    return !c->bias && !jsni_window_is_lopsided(&c->window) &&
           c->window.kernel_h == 3 && c->window.kernel_w == 3 &&
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

static void fuse(jsni_make *b, size_t n, size_t into)
{
    b->nodes[n].how = JSNI_HOW_FUSED;
    b->nodes[n].host = into;
}

/* The end of a residual block, add(norm, other) and the ReLU behind it, runs in the
 * BatchNorm, the later one where both are: its pass over memory does for all three. */
static void analyse_residual(jsni_make *b, size_t n, size_t add)
{
    const jsni_node *sum = &b->graph->nodes[add];
    const size_t other = sum->input[0] == n ? sum->input[1] : sum->input[0];
    if (other >= n || b->nodes[other].half != b->nodes[n].half)
        return;
    const size_t relu = only_reader(b->graph, add);
    const bool open =
        relu == JSNI_NONE || b->graph->nodes[relu].op.kind != JSNI_OP_RELU;
    b->nodes[n].residual = other;
    b->nodes[n].partner = open ? add : relu;
    fuse(b, add, n);
    if (!open)
        fuse(b, relu, n);
}

static void analyse_norm(jsni_make *b, size_t n)
{
    const jsni_graph *g = b->graph;
    const size_t relu = only_reader(g, n);
    if (relu != JSNI_NONE && g->nodes[relu].op.kind == JSNI_OP_ADD)
        analyse_residual(b, n, relu);
    const jsni_op_kind kind = relu == JSNI_NONE ? JSNI_OP_NORM : g->nodes[relu].op.kind;
    if (kind != JSNI_OP_RELU && kind != JSNI_OP_RELU6)
        return;
    b->nodes[n].partner = relu;
    fuse(b, relu, n);
    const size_t reader = only_reader(g, relu);
    if (kind == JSNI_OP_RELU && b->nodes[n].half && reader != JSNI_NONE &&
        takes_lazy(b, reader))
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
        const jsni_any_conv a = jsni_make_any_conv(b, n);
        /* cuDNN pads all sides alike, and so do the kernels for few shapes. */
        const bool lopsided = jsni_window_is_lopsided(&node->op.as.conv.window);
        const bool any =
            lopsided || a.half_x != a.half_y || jsni_conv3x3_float_takes(&a);
        b->nodes[n].how = !lopsided && jsni_conv_strided_takes(&a) ? JSNI_HOW_STRIDED
                          : any                                    ? JSNI_HOW_ANY
                                                                   : JSNI_HOW_CUDNN;
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
        fuse(b, add, n);
    }
}

jsn_status jsni_make_analyse(jsni_make *b)
{
    const jsni_graph *g = b->graph;
    b->images = b->views * b->samples;
    b->room = b->room > b->images ? b->room : b->images;
    b->nodes = jsni_alloc_zero(g->node_count, sizeof *b->nodes);
    JSNI_TRY_ALLOC(b->nodes);
    for (size_t n = 0; n < g->node_count; n++) {
        jsni_make_node *node = &b->nodes[n];
        node->partner = node->residual = node->host = node->lazy = JSNI_NONE;
        node->value = node->coefs = node->partial = node->at = JSNI_NO_BUFFER;
        node->grad = node->skip = JSNI_NO_BUFFER;
        node->sums = node->back_sums = SIZE_MAX;
        node->half = half_output(b, n);
    }
    for (size_t n = 0; n < g->node_count; n++) {
        if (g->nodes[n].op.kind == JSNI_OP_NORM)
            analyse_norm(b, n);
        else if (g->nodes[n].op.kind == JSNI_OP_CONV)
            analyse_conv(b, n);
        else if (g->nodes[n].op.kind == JSNI_OP_LINEAR ||
                 g->nodes[n].op.kind == JSNI_OP_DEPTHWISE)
            b->nodes[n].how = JSNI_HOW_ANY;
    }
    return JSN_OK;
}

jsn_status jsni_make_analyse_own(jsni_make *b)
{
    b->views = 1;
    b->samples = 8;
    return jsni_make_analyse(b);
}

/* The partial channel sums of every BatchNorm go through one buffer. */
static size_t part_bytes(const jsni_make *b)
{
    size_t most = 1;
    for (size_t n = 0; n < b->graph->node_count; n++) {
        const jsni_node *node = &b->graph->nodes[n];
        if (node->op.kind != JSNI_OP_NORM && node->op.kind != JSNI_OP_CONV)
            continue;
        /* Rows a view: of an image each, or of sums by themselves. */
        const size_t samples = (b->room + b->views - 1) / b->views;
        const size_t groups = samples > 256 ? samples : 256;
        const size_t bytes =
            b->views * groups * 2 * node->shape.channels * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static size_t more_exact(jsni_make *b, size_t channels)
{
    const size_t place = b->exact_bytes;
    b->exact_bytes +=
        b->views * 2 * JSNI_EXACT_WORDS * channels * sizeof(jsni_exact_word);
    return place;
}

/* Whether a convolution leaves the channel sums of its output: an own one does. A strided
 * one does where a BatchNorm reads it that the own ones apply, whose sums are of the same
 * kind (not shifted), and where no block has pixels of two views. */
static bool leaves_sums(const jsni_make *b, size_t n)
{
    if (b->nodes[n].how == JSNI_HOW_OWN || b->nodes[n].how == JSNI_HOW_STEM)
        return true;
    if (b->nodes[n].how != JSNI_HOW_STRIDED || !b->nodes[n].half ||
        b->graph->nodes[n].bias != JSNI_NONE ||
        jsni_make_pixels(b, n) % JSNI_STRIDED_ROWS != 0)
        return false;
    for (size_t i = n + 1; i < b->graph->node_count; i++)
        if (b->nodes[i].how == JSNI_HOW_LAZY && b->graph->nodes[i].input[0] == n)
            return true;
    return false;
}

/* Exact sums while training: of what convolutions make, and of the gradient of the
 * BatchNorm that an own one contains. All are cleared at once. */
static void find_exact(jsni_make *b)
{
    b->exact = JSNI_NO_BUFFER;
    b->exact_bytes = 0;
    for (size_t n = 0; b->training && n < b->graph->node_count; n++) {
        const jsni_node *node = &b->graph->nodes[n];
        const bool own = b->nodes[n].how == JSNI_HOW_OWN;
        const size_t holder =
            own && b->nodes[n].partner != JSNI_NONE ? b->nodes[n].partner : n;
        if (leaves_sums(b, n))
            b->nodes[holder].sums = more_exact(b, node->shape.channels);
        if (own)
            b->nodes[b->nodes[node->input[0]].host].back_sums =
                more_exact(b, node->shape.channels);
    }
    if (b->exact_bytes == 0)
        return;
    b->exact = jsni_make_buffer_new(b, b->exact_bytes);
    jsni_task_map *m = &jsni_make_task(b, JSNI_TASK_CLEAR, 0)->as.map;
    m->y = jsni_make_at(b, b->exact);
    m->count = (long long)(b->exact_bytes / sizeof(float));
}

jsn_status jsni_make_run(jsni_make *b)
{
    b->status = JSN_OK;
    b->buffer_count = b->task_count = b->final_count = 0;
    b->high = 0;
    b->groups = b->wait_next = 0;
    b->final_blocks = 0;
    b->in_group = b->group_begun = false;
    for (size_t i = 0; i < JSNI_MAKE_LAG; i++)
        b->late[i][0] = b->late[i][1] = b->late[i][2] = JSNI_NO_BUFFER;
    jsn_status status = jsni_make_analyse(b);
    if (status != JSN_OK)
        return status;
    const jsni_graph *g = b->graph;
    b->input = jsni_make_buffer_new(b, jsni_make_bytes(b, 0));
    b->part = jsni_make_buffer_new(b, part_bytes(b));
    b->output_grad = jsni_make_buffer_new(
        b, b->training ? jsni_make_bytes(b, g->node_count - 1) : 1);
    b->input_grad = JSNI_NO_BUFFER;
    find_exact(b);
    for (size_t n = 0; n < g->node_count && b->status == JSN_OK; n++)
        jsni_make_forward(b, n);
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

jsn_status jsni_make_measure_fewer(const jsni_make *full, size_t *arena, size_t *tasks)
{
    for (size_t views = 1; views <= full->views; views++)
        for (size_t samples = 1;
             samples <= full->samples && samples <= JSNI_STRIDED_ROWS; samples *= 2) {
            jsni_make make = *full;
            make.views = views;
            make.samples = samples;
            make.room = full->views * full->samples;
            JSNI_TRY(jsni_make_run(&make));
            *arena = make.high > *arena ? make.high : *arena;
            *tasks = make.task_count > *tasks ? make.task_count : *tasks;
            jsni_make_release(&make);
        }
    return JSN_OK;
}

void jsni_make_release(jsni_make *b)
{
    jsni_free(b->nodes);
    jsni_free(b->buffers);
    b->nodes = NULL;
    b->buffers = NULL;
    b->buffer_capacity = 0;
}
