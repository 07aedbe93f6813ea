/* backend/onednn/dn_limit.c - the limit beside a training step: what oneDNN's primitives
 * take for the same layers, each by itself on the whole batch and all threads, in the
 * layout and with the algorithm that are best for it (convolutions: the faster of direct
 * and Winograd). BatchNorm has the ReLU behind it fused in and runs view by view; an add
 * is counted twice, once for the gradients that meet where its branches part. Nothing
 * between the primitives is counted: no reorders, no loss, no update, no copies. */
#include <string.h>
#include <time.h>

#include "backend/onednn/dn_plan.h"
#include "backend/onednn/dnnl_check.h"
#include "core/alloc.h"

enum { ROUNDS = 3, MOST_ROUNDS = 30, MOST_MEMORIES = 32, WAYS = 3 };

static const double ENOUGH_SECONDS = 0.02;

/* The arguments that any of the primitives has. */
static const int arguments[] = {
    DNNL_ARG_SRC,          DNNL_ARG_SRC_1,     DNNL_ARG_WEIGHTS,
    DNNL_ARG_BIAS,         DNNL_ARG_DST,       DNNL_ARG_MEAN,
    DNNL_ARG_VARIANCE,     DNNL_ARG_SCALE,     DNNL_ARG_SHIFT,
    DNNL_ARG_WORKSPACE,    DNNL_ARG_DIFF_SRC,  DNNL_ARG_DIFF_DST,
    DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE,
    DNNL_ARG_DIFF_SHIFT};

enum { MOST_ARGUMENTS = sizeof arguments / sizeof *arguments };

/* The memories of one node. Backward finds the workspace that forward filled. */
typedef struct limit_memories {
    size_t count;
    struct limit_memory {
        int arg;
        jsni_md md;
        float *data; /* owned */
        dnnl_memory_t memory;
    } items[MOST_MEMORIES];
} limit_memories;

/* One kind of layer: nodes that are alike are timed once. */
typedef struct limit_node {
    const dn_plan *plan;
    const jsni_node *node;
    jsni_shape in, out;
    bool relu;  /* a NORM with a ReLU behind it */
    bool first; /* reads the images: no gradient is wanted */
    double seconds[WAYS];
} limit_node;

static double seconds_now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void memories_release(limit_memories *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].memory != NULL)
            jsni_dnnl.memory_destroy(m->items[i].memory);
        jsni_md_destroy(&m->items[i].md);
        jsni_free(m->items[i].data);
    }
    m->count = 0;
}

/* A memory for argument `arg` of a primitive; NULL when it has no such argument. */
static jsn_status memory_for(limit_memories *m, const_dnnl_primitive_desc_t desc,
                             int arg, dnnl_engine_t engine, dnnl_memory_t *out)
{
    jsni_md md;
    *out = NULL;
    JSNI_TRY(jsni_md_argument(&md, desc, arg));
    const size_t bytes = jsni_md_bytes(&md);
    for (size_t i = 0; i < m->count && bytes > 0; i++)
        if (m->items[i].arg == arg && jsni_md_equal(&m->items[i].md, &md))
            *out = m->items[i].memory;
    if (bytes == 0 || *out != NULL || m->count == MOST_MEMORIES) {
        jsni_md_destroy(&md);
        return JSN_OK;
    }
    struct limit_memory *item = &m->items[m->count++];
    *item = (struct limit_memory){.arg = arg, .md = md};
    item->data = jsni_alloc(bytes, 1);
    JSNI_TRY_ALLOC(item->data);
    memset(item->data, 0x3d, bytes); /* floats of 0.046 */
    JSNI_TRY(jsni_dnnl_memory(&item->memory, &item->md, engine));
    DNNL_TRY(memory_set_data_handle, item->memory, item->data);
    *out = item->memory;
    return JSN_OK;
}

/* The least of some runs, after one that is not counted: more of them where a run is so
 * short that a thread that wakes late would be all that is measured. */
static jsn_status time_runs(dnnl_primitive_t primitive, dnnl_stream_t stream, int count,
                            const dnnl_exec_arg_t *args, double *seconds)
{
    double all = 0.0;
    for (int i = 0; i <= ROUNDS || (i <= MOST_ROUNDS && all < ENOUGH_SECONDS); i++) {
        const double start = seconds_now();
        DNNL_TRY(primitive_execute, primitive, stream, count, args);
        DNNL_TRY(stream_wait, stream);
        const double took = seconds_now() - start;
        all += took;
        if (i == 1 || (i > 1 && took < *seconds))
            *seconds = took;
    }
    return JSN_OK;
}

static jsn_status time_desc(const limit_node *n, const_dnnl_primitive_desc_t desc,
                            limit_memories *memories, double *seconds)
{
    dnnl_exec_arg_t args[MOST_ARGUMENTS];
    int count = 0;
    for (int i = 0; i < MOST_ARGUMENTS; i++) {
        dnnl_memory_t memory = NULL;
        JSNI_TRY(memory_for(memories, desc, arguments[i], n->plan->engine, &memory));
        if (memory != NULL)
            args[count++] = (dnnl_exec_arg_t){arguments[i], memory};
    }
    dnnl_primitive_t primitive = NULL;
    DNNL_TRY(primitive_create, &primitive, desc);
    const jsn_status status =
        time_runs(primitive, n->plan->workers[0].stream, count, args, seconds);
    jsni_dnnl.primitive_destroy(primitive);
    return status;
}

/* ---- descriptors ---- */

typedef struct limit_mds {
    jsni_md source, weights, bias, result;
} limit_mds;

static jsn_status image_md(jsni_md *out, size_t images, jsni_shape s,
                           dnnl_format_tag_t tag)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)images, (dnnl_dim_t)s.channels,
                              (dnnl_dim_t)s.height, (dnnl_dim_t)s.width};
    return jsni_md_create(out, 4, dims, tag);
}

static jsn_status mds_create(limit_mds *d, const limit_node *n, size_t images)
{
    const jsni_op *op = &n->node->op;
    const dnnl_format_tag_t any = dnnl_format_tag_any,
                            blocked = n->plan->kernels->lanes == 16 ? dnnl_nChw16c
                                                                    : dnnl_nChw8c;
    *d = (limit_mds){0};
    if (op->kind == JSNI_OP_LINEAR) {
        const dnnl_dim_t in = (dnnl_dim_t)jsni_shape_count(n->in),
                         out = (dnnl_dim_t)n->out.channels;
        JSNI_TRY(
            jsni_md_create(&d->source, 2, (dnnl_dims_t){(dnnl_dim_t)images, in}, any));
        JSNI_TRY(jsni_md_create(&d->weights, 2, (dnnl_dims_t){out, in}, any));
        JSNI_TRY(jsni_md_create(&d->bias, 1, (dnnl_dims_t){out}, any));
        return jsni_md_create(&d->result, 2, (dnnl_dims_t){(dnnl_dim_t)images, out},
                              any);
    }
    const bool conv = op->kind == JSNI_OP_CONV;
    JSNI_TRY(image_md(&d->source, images, n->in, conv ? any : blocked));
    JSNI_TRY(image_md(&d->result, images, n->out, any));
    if (!conv)
        return JSN_OK;
    const jsni_window *w = &op->as.conv.window;
    const dnnl_dims_t weights = {(dnnl_dim_t)n->out.channels,
                                 (dnnl_dim_t)n->in.channels, (dnnl_dim_t)w->kernel_h,
                                 (dnnl_dim_t)w->kernel_w};
    JSNI_TRY(jsni_md_create(&d->weights, 4, weights, any));
    return jsni_md_create(&d->bias, 1, (dnnl_dims_t){(dnnl_dim_t)n->out.channels}, any);
}

static void mds_destroy(limit_mds *d)
{
    jsni_md_destroy(&d->source);
    jsni_md_destroy(&d->weights);
    jsni_md_destroy(&d->bias);
    jsni_md_destroy(&d->result);
}

/* What windows of `kernel` need beyond an image. */
static dnnl_dim_t high(size_t in, size_t out, size_t kernel, size_t stride, size_t pad)
{
    return (dnnl_dim_t)((out - 1) * stride + kernel) - (dnnl_dim_t)in - (dnnl_dim_t)pad;
}

static jsni_window window_of(const limit_node *n)
{
    const jsni_op *op = &n->node->op;
    if (op->kind == JSNI_OP_CONV)
        return op->as.conv.window;
    if (op->kind != JSNI_OP_ADAPTIVE_POOL)
        return op->as.pool;
    const size_t h = n->in.height / n->out.height, w = n->in.width / n->out.width;
    return (jsni_window){h, w, h, w, 0, 0, 0, 0};
}

static jsn_status conv_desc(dnnl_primitive_desc_t *out, const limit_node *n,
                            const limit_mds *d, jsni_conv_way way, bool any,
                            const_dnnl_primitive_desc_t hint)
{
    const jsni_window w = window_of(n);
    const jsni_conv_args args = {
        .way = way,
        .source = &d->source,
        .weights = &d->weights,
        .bias = n->node->op.as.conv.bias ? &d->bias : NULL,
        .result = &d->result,
        .strides = {(dnnl_dim_t)w.stride_h, (dnnl_dim_t)w.stride_w},
        .pad_low = {(dnnl_dim_t)w.pad_h, (dnnl_dim_t)w.pad_w},
        .pad_high = {high(n->in.height, n->out.height, w.kernel_h, w.stride_h, w.pad_h),
                     high(n->in.width, n->out.width, w.kernel_w, w.stride_w, w.pad_w)},
        .hint = hint,
        .any_algorithm = any,
    };
    return jsni_dnnl_conv_desc(out, &args, NULL, n->plan->engine);
}

static jsn_status other_desc(dnnl_primitive_desc_t *out, const limit_node *n,
                             const limit_mds *d, jsni_conv_way way,
                             const_dnnl_primitive_desc_t hint)
{
    static const jsni_prim_kind kinds[JSNI_OP_KIND_COUNT] = {
        [JSNI_OP_NORM] = JSNI_PRIM_NORM,
        [JSNI_OP_RELU] = JSNI_PRIM_RELU,
        [JSNI_OP_ADD] = JSNI_PRIM_ADD,
        [JSNI_OP_MAX_POOL] = JSNI_PRIM_MAX_POOL,
        [JSNI_OP_AVG_POOL] = JSNI_PRIM_AVG_POOL,
        [JSNI_OP_ADAPTIVE_POOL] = JSNI_PRIM_AVG_POOL,
        [JSNI_OP_LINEAR] = JSNI_PRIM_LINEAR};
    const jsni_op *op = &n->node->op;
    jsni_prim_args args = {
        .kind = kinds[op->kind],
        .way = way,
        .source = &d->source,
        .weights = &d->weights,
        .bias = op->kind == JSNI_OP_LINEAR && op->as.linear.bias ? &d->bias : NULL,
        .result = &d->result,
        .relu = n->relu,
        .hint = hint};
    if (args.kind == JSNI_PRIM_MAX_POOL || args.kind == JSNI_PRIM_AVG_POOL) {
        const jsni_window w = window_of(n);
        args.kernel[0] = (dnnl_dim_t)w.kernel_h;
        args.kernel[1] = (dnnl_dim_t)w.kernel_w;
        args.strides[0] = (dnnl_dim_t)w.stride_h;
        args.strides[1] = (dnnl_dim_t)w.stride_w;
        args.pad_low[0] = (dnnl_dim_t)w.pad_h;
        args.pad_low[1] = (dnnl_dim_t)w.pad_w;
        args.pad_high[0] =
            high(n->in.height, n->out.height, w.kernel_h, w.stride_h, w.pad_h);
        args.pad_high[1] =
            high(n->in.width, n->out.width, w.kernel_w, w.stride_w, w.pad_w);
    }
    return jsni_dnnl_prim_desc(out, &args, n->plan->engine);
}

/* ---- nodes ---- */

static bool wants(const limit_node *n, jsni_conv_way way)
{
    const jsni_op_kind kind = n->node->op.kind;
    if (way == JSNI_CONV_WEIGHTS)
        return kind == JSNI_OP_CONV || kind == JSNI_OP_LINEAR;
    /* backward of BatchNorm makes the gradients of its weights, too */
    return way == JSNI_CONV_FORWARD || !n->first || kind == JSNI_OP_NORM;
}

/* All directions with one algorithm; keeps what is faster than n->seconds. */
static jsn_status time_ways(limit_node *n, const limit_mds *d, bool any,
                            limit_memories *memories)
{
    const bool conv = n->node->op.kind == JSNI_OP_CONV;
    dnnl_primitive_desc_t forward = NULL;
    jsn_status status = JSN_OK;
    for (int way = 0; way < WAYS && status == JSN_OK; way++) {
        dnnl_primitive_desc_t desc = NULL;
        double seconds = 0.0;
        if (!wants(n, (jsni_conv_way)way))
            continue;
        status = conv ? conv_desc(&desc, n, d, (jsni_conv_way)way, any, forward)
                      : other_desc(&desc, n, d, (jsni_conv_way)way, forward);
        if (status == JSN_OK)
            status = time_desc(n, desc, memories, &seconds);
        if (status == JSN_OK && (n->seconds[way] <= 0.0 || seconds < n->seconds[way]))
            n->seconds[way] = seconds;
        if (way == JSNI_CONV_FORWARD)
            forward = desc;
        else if (desc != NULL)
            jsni_dnnl.primitive_desc_destroy(desc);
    }
    if (forward != NULL)
        jsni_dnnl.primitive_desc_destroy(forward);
    return status;
}

static jsn_status time_node(limit_node *n)
{
    const dn_plan *plan = n->plan;
    const jsni_op_kind kind = n->node->op.kind;
    const size_t views = plan->host.options.views, batch = plan->host.options.batch;
    limit_memories memories = {0};
    limit_mds d;
    jsn_status status = mds_create(&d, n, kind == JSNI_OP_NORM ? batch : views * batch);
    if (status == JSN_OK)
        status = time_ways(n, &d, false, &memories);
    if (status == JSN_OK && kind == JSNI_OP_CONV)
        status = time_ways(n, &d, true, &memories);
    memories_release(&memories);
    mds_destroy(&d);
    for (int way = 0; way < WAYS && kind == JSNI_OP_NORM; way++)
        n->seconds[way] *= (double)views;
    return status;
}

/* Whether oneDNN has a primitive for the node that is not part of another one's. */
static bool counted(const dn_plan *plan, const jsni_node *node)
{
    const jsni_node *nodes = plan->host.base.graph->nodes;
    switch (node->op.kind) {
    case JSNI_OP_CONV:
    case JSNI_OP_NORM:
    case JSNI_OP_ADD:
    case JSNI_OP_MAX_POOL:
    case JSNI_OP_AVG_POOL:
    case JSNI_OP_LINEAR:
        return true;
    case JSNI_OP_RELU:
        return nodes[node->input[0]].op.kind != JSNI_OP_NORM;
    case JSNI_OP_ADAPTIVE_POOL:
        return nodes[node->input[0]].shape.height % node->shape.height == 0 &&
               nodes[node->input[0]].shape.width % node->shape.width == 0;
    default:
        return false;
    }
}

static limit_node describe(const dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    limit_node n = {.plan = plan,
                    .node = &graph->nodes[number],
                    .in = jsni_graph_input_shape(graph, number),
                    .out = graph->nodes[number].shape,
                    .first = graph->nodes[number].input[0] == 0};
    for (size_t i = number + 1; i < graph->node_count; i++)
        n.relu = n.relu || (n.node->op.kind == JSNI_OP_NORM &&
                            graph->nodes[i].op.kind == JSNI_OP_RELU &&
                            graph->nodes[i].input[0] == number);
    return n;
}

static bool same_shape(jsni_shape a, jsni_shape b)
{
    return a.channels == b.channels && a.height == b.height && a.width == b.width;
}

static bool alike(const limit_node *a, const limit_node *b)
{
    const jsni_window v = window_of(a), w = window_of(b);
    return a->node->op.kind == b->node->op.kind && same_shape(a->in, b->in) &&
           same_shape(a->out, b->out) && a->relu == b->relu && a->first == b->first &&
           ((a->node->op.kind != JSNI_OP_CONV && a->node->op.kind != JSNI_OP_MAX_POOL &&
             a->node->op.kind != JSNI_OP_AVG_POOL) ||
            (v.kernel_h == w.kernel_h && v.kernel_w == w.kernel_w &&
             v.stride_h == w.stride_h && v.pad_h == w.pad_h));
}

static jsn_status time_nodes(const dn_plan *plan, limit_node *all,
                             jsni_task_time *times, size_t room, size_t *count)
{
    static const char *const names[WAYS] = {"forward", "backward data",
                                            "backward weights"};
    const jsni_graph *graph = plan->host.base.graph;
    *count = 0;
    for (size_t i = 1; i < graph->node_count; i++) {
        if (!counted(plan, &graph->nodes[i]))
            continue;
        all[i] = describe(plan, i);
        size_t k = 1;
        while (k < i && (all[k].node == NULL || !alike(&all[k], &all[i])))
            k++;
        if (k < i)
            memcpy(all[i].seconds, all[k].seconds, sizeof all[i].seconds);
        else
            JSNI_TRY(time_node(&all[i]));
        for (int way = 0; way < WAYS; way++) {
            if (all[i].seconds[way] <= 0.0)
                continue;
            if (*count < room)
                times[*count] =
                    (jsni_task_time){i, names[way], all[i].seconds[way], 0, 0};
            (*count)++;
        }
    }
    return JSN_OK;
}

jsn_status jsni_dn_time_limit(jsni_plan *base, jsni_task_time *times, size_t room,
                              size_t *count)
{
    const dn_plan *plan = (const dn_plan *)base;
    limit_node *all = jsni_alloc_zero(base->graph->node_count, sizeof *all);
    JSNI_TRY_ALLOC(all);
    const int before = jsni_dnnl_threads((int)plan->threads);
    const jsn_status status = time_nodes(plan, all, times, room, count);
    jsni_dnnl_threads(before);
    jsni_free(all);
    return status;
}
