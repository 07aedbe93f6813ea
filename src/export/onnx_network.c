/* export/onnx_network.c - nodes of a network as nodes of ONNX, under the names that
 * PyTorch gives them. A BatchNorm behind a convolution goes into its weights and bias. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "export/onnx.h"

typedef struct writer {
    jsni_onnx *onnx;
    const jsni_graph *graph;
    const float *params, *stats;
    const char *prefix;
    jsni_name *value; /* [nodes]: what holds the output of a node */
    bool *flat;       /* [nodes]: it is [N][features], not [N][C][H][W] */
    size_t *norm;     /* [nodes]: of a convolution, the BatchNorm that goes into it */
} writer;

static jsni_name named(const writer *w, const char *name, const char *end)
{
    jsni_name out;
    jsni_text text = jsni_text_in(out.text, sizeof out.text);
    jsni_text_add(&text, w->prefix);
    jsni_text_add(&text, name);
    jsni_text_add(&text, end);
    return out;
}

/* A parameter or a statistic as a constant; returns its name. */
static jsni_name put_constant(writer *w, const jsni_tensor *t, const float *block)
{
    const jsni_name name = named(w, t->name, "");
    jsni_onnx_floats(w->onnx, name.text, block + t->offset, t->rank, t->dim);
    return name;
}

/* Begins a node whose further inputs are its weight and its bias, where it has one. */
static void begin_weighted(writer *w, size_t n, const char *op, const char *from)
{
    const jsni_node *node = &w->graph->nodes[n];
    const jsni_name weight =
        put_constant(w, &w->graph->params[node->weight], w->params);
    jsni_name bias = {""};
    if (node->bias != JSNI_NONE)
        bias = put_constant(w, &w->graph->params[node->bias], w->params);
    const char *const inputs[] = {from, weight.text, bias.text};
    jsni_onnx_begin(w->onnx, op, w->value[n].text, inputs,
                    node->bias != JSNI_NONE ? 3 : 2);
}

static void put_window(jsni_onnx *o, const jsni_window *w)
{
    const int64_t kernel[] = {(int64_t)w->kernel_h, (int64_t)w->kernel_w};
    const int64_t stride[] = {(int64_t)w->stride_h, (int64_t)w->stride_w};
    const int64_t pads[] = {(int64_t)w->pad_h, (int64_t)w->pad_w,
                            (int64_t)(w->pad_h + w->extra_h),
                            (int64_t)(w->pad_w + w->extra_w)};
    jsni_onnx_ints(o, "kernel_shape", kernel, 2);
    jsni_onnx_ints(o, "strides", stride, 2);
    jsni_onnx_ints(o, "pads", pads, 4);
}

/* Begins a convolution together with the BatchNorm behind it: with s = weight / sqrt(variance
 * + epsilon) of a channel, its weights are s times as large, and what it adds is
 * bias + (own bias - mean) s. */
static jsn_status begin_folded(writer *w, size_t n, const char *from)
{
    const jsni_node *node = &w->graph->nodes[n], *norm = &w->graph->nodes[w->norm[n]];
    const jsni_tensor *params = w->graph->params, *stats = w->graph->stats;
    const jsni_tensor *weight = &params[node->weight];
    const size_t channels = weight->dim[0], window = weight->count / channels;
    const float *kernel = w->params + weight->offset;
    const float *own =
        node->bias == JSNI_NONE ? NULL : w->params + params[node->bias].offset;
    const float *gain = w->params + params[norm->weight].offset;
    const float *shift = w->params + params[norm->bias].offset;
    const float *mean = w->stats + stats[norm->mean].offset;
    const float *variance = w->stats + stats[norm->mean + 1].offset;
    float *scaled = jsni_alloc(weight->count + channels, sizeof *scaled);
    JSNI_TRY_ALLOC(scaled);
    float *bias = scaled + weight->count;
    for (size_t c = 0; c < channels; c++) {
        const double scale =
            (double)gain[c] / sqrt((double)variance[c] + norm->op.as.norm.epsilon);
        const double middle = (own == NULL ? 0.0 : (double)own[c]) - (double)mean[c];
        bias[c] = (float)((double)shift[c] + middle * scale);
        for (size_t i = c * window; i < (c + 1) * window; i++)
            scaled[i] = (float)((double)kernel[i] * scale);
    }
    const jsni_name weights = named(w, weight->name, "");
    const jsni_name added = named(w, node->name, ".bias");
    jsni_onnx_floats(w->onnx, weights.text, scaled, weight->rank, weight->dim);
    jsni_onnx_floats(w->onnx, added.text, bias, 1, &channels);
    const char *const inputs[] = {from, weights.text, added.text};
    jsni_onnx_begin(w->onnx, "Conv", w->value[n].text, inputs, 3);
    jsni_free(scaled);
    return JSN_OK;
}

static jsn_status put_conv(writer *w, size_t n, const char *from, size_t groups)
{
    if (w->norm[n] != JSNI_NONE)
        JSNI_TRY(begin_folded(w, n, from));
    else
        begin_weighted(w, n, "Conv", from);
    put_window(w->onnx, jsni_op_window(&w->graph->nodes[n].op));
    jsni_onnx_int(w->onnx, "group", (int64_t)groups);
    jsni_onnx_end(w->onnx);
    return JSN_OK;
}

static void put_pool(writer *w, size_t n, const char *op, const char *from)
{
    jsni_onnx_begin(w->onnx, op, w->value[n].text, &from, 1);
    put_window(w->onnx, jsni_op_window(&w->graph->nodes[n].op));
    if (w->graph->nodes[n].op.kind == JSNI_OP_AVG_POOL)
        jsni_onnx_int(w->onnx, "count_include_pad", 1);
    jsni_onnx_end(w->onnx);
}

static void put_norm(writer *w, size_t n, const char *from)
{
    const jsni_node *node = &w->graph->nodes[n];
    const jsni_tensor *params = w->graph->params, *stats = w->graph->stats;
    const jsni_name scale = put_constant(w, &params[node->weight], w->params);
    const jsni_name bias = put_constant(w, &params[node->bias], w->params);
    const jsni_name mean = put_constant(w, &stats[node->mean], w->stats);
    const jsni_name variance = put_constant(w, &stats[node->mean + 1], w->stats);
    const char *const inputs[] = {from, scale.text, bias.text, mean.text,
                                  variance.text};
    jsni_onnx_begin(w->onnx, "BatchNormalization", w->value[n].text, inputs, 5);
    jsni_onnx_real(w->onnx, "epsilon", (float)node->op.as.norm.epsilon);
    jsni_onnx_end(w->onnx);
}

/* min(max(x, 0), 6) */
static void put_relu6(writer *w, size_t n, const char *from)
{
    static const float low = 0.0f, high = JSNI_RELU6_TOP;
    const jsni_name least = named(w, w->graph->nodes[n].name, ".min");
    const jsni_name most = named(w, w->graph->nodes[n].name, ".max");
    jsni_onnx_floats(w->onnx, least.text, &low, 0, NULL);
    jsni_onnx_floats(w->onnx, most.text, &high, 0, NULL);
    const char *const inputs[] = {from, least.text, most.text};
    jsni_onnx_begin(w->onnx, "Clip", w->value[n].text, inputs, 3);
    jsni_onnx_end(w->onnx);
}

static void put_flat(writer *w, const char *name, const char *from)
{
    jsni_onnx_begin(w->onnx, "Flatten", name, &from, 1);
    jsni_onnx_int(w->onnx, "axis", 1);
    jsni_onnx_end(w->onnx);
}

static void put_linear(writer *w, size_t n, const char *from)
{
    const jsni_name flat = named(w, w->graph->nodes[n].name, ".flatten");
    if (!w->flat[w->graph->nodes[n].input[0]]) {
        put_flat(w, flat.text, from);
        from = flat.text;
    }
    begin_weighted(w, n, "Gemm", from);
    jsni_onnx_int(w->onnx, "transB", 1);
    jsni_onnx_end(w->onnx);
}

/* The matrix [out][in] that averages the cells of an adaptive pool along one side, or its
 * transpose. */
static jsn_status put_average(writer *w, const char *name, size_t in, size_t out,
                              bool transposed)
{
    float *matrix = jsni_alloc_zero(in * out, sizeof *matrix);
    JSNI_TRY_ALLOC(matrix);
    for (size_t i = 0; i < out; i++) {
        const size_t first = i * in / out, end = ((i + 1) * in + out - 1) / out;
        for (size_t k = first; k < end; k++)
            matrix[transposed ? k * out + i : i * in + k] =
                (float)(1.0 / (double)(end - first));
    }
    const size_t dim[] = {transposed ? in : out, transposed ? out : in};
    jsni_onnx_floats(w->onnx, name, matrix, 2, dim);
    jsni_free(matrix);
    return JSN_OK;
}

static jsn_status put_adaptive(writer *w, size_t n, const char *from)
{
    const jsni_node *node = &w->graph->nodes[n];
    const jsni_shape in = jsni_graph_input_shape(w->graph, n);
    if (node->shape.height == 1 && node->shape.width == 1) {
        jsni_onnx_op(w->onnx, "GlobalAveragePool", w->value[n].text, from, NULL);
        return JSN_OK;
    }
    const jsni_name rows = named(w, node->name, ".rows");
    const jsni_name columns = named(w, node->name, ".columns");
    const jsni_name between = named(w, node->name, ".across");
    JSNI_TRY(put_average(w, rows.text, in.height, node->shape.height, false));
    JSNI_TRY(put_average(w, columns.text, in.width, node->shape.width, true));
    jsni_onnx_op(w->onnx, "MatMul", between.text, from, columns.text);
    jsni_onnx_op(w->onnx, "MatMul", w->value[n].text, rows.text, between.text);
    return JSN_OK;
}

static jsn_status put_node(writer *w, size_t n)
{
    const jsni_node *node = &w->graph->nodes[n];
    const size_t one = node->input[0];
    const char *from = w->value[one].text;
    w->value[n] = named(w, node->name, "");
    w->flat[n] = w->flat[one];
    switch (node->op.kind) {
    case JSNI_OP_CONV:
        return put_conv(w, n, from, 1);
    case JSNI_OP_DEPTHWISE:
        return put_conv(w, n, from, node->shape.channels);
    case JSNI_OP_NORM:
        if (w->norm[one] == n)
            w->value[n] = w->value[one];
        else
            put_norm(w, n, from);
        return JSN_OK;
    case JSNI_OP_RELU:
        jsni_onnx_op(w->onnx, "Relu", w->value[n].text, from, NULL);
        return JSN_OK;
    case JSNI_OP_RELU6:
        put_relu6(w, n, from);
        return JSN_OK;
    case JSNI_OP_ADD:
        jsni_onnx_op(w->onnx, "Add", w->value[n].text, from,
                     w->value[node->input[1]].text);
        return JSN_OK;
    case JSNI_OP_MAX_POOL:
        put_pool(w, n, "MaxPool", from);
        return JSN_OK;
    case JSNI_OP_AVG_POOL:
        put_pool(w, n, "AveragePool", from);
        return JSN_OK;
    case JSNI_OP_ADAPTIVE_POOL:
        return put_adaptive(w, n, from);
    case JSNI_OP_LINEAR:
        put_linear(w, n, from);
        w->flat[n] = true;
        return JSN_OK;
    case JSNI_OP_FLATTEN:
        put_flat(w, w->value[n].text, from);
        w->flat[n] = true;
        return JSN_OK;
    case JSNI_OP_DROPOUT: /* nothing, in evaluation */
        w->value[n] = w->value[one];
        return JSN_OK;
    default:
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: ONNX has no %s here", node->name,
                         jsni_op_kind_text(node->op.kind));
    }
}

/* Which BatchNorm goes into which convolution: one whose output nobody else reads. */
static void find_norms(writer *w)
{
    const jsni_node *nodes = w->graph->nodes;
    for (size_t n = 0; n < w->graph->node_count; n++)
        w->norm[n] = JSNI_NONE;
    for (size_t n = 1; n < w->graph->node_count; n++) {
        const jsni_node *from = &nodes[nodes[n].input[0]];
        if (nodes[n].op.kind == JSNI_OP_NORM && from->users == 1 &&
            (from->op.kind == JSNI_OP_CONV || from->op.kind == JSNI_OP_DEPTHWISE))
            w->norm[nodes[n].input[0]] = n;
    }
}

jsn_status jsni_onnx_network(jsni_onnx *o, const jsni_graph *graph, const float *params,
                             const float *stats, const char *prefix, jsni_name *logits)
{
    writer w = {o, graph, params, stats, prefix, NULL, NULL, NULL};
    jsn_status status = JSN_OK;
    w.value = jsni_alloc_zero(graph->node_count, sizeof *w.value);
    w.flat = jsni_alloc_zero(graph->node_count, sizeof *w.flat);
    w.norm = jsni_alloc(graph->node_count, sizeof *w.norm);
    if (w.value == NULL || w.flat == NULL || w.norm == NULL) {
        status = JSN_ERR_MEMORY;
    } else {
        (void)snprintf(w.value[0].text, sizeof w.value[0].text, "%s", JSNI_ONNX_BATCH);
        find_norms(&w);
    }
    for (size_t n = 1; status == JSN_OK && n < graph->node_count; n++)
        status = put_node(&w, n);
    if (status == JSN_OK)
        *logits = w.value[graph->node_count - 1];
    jsni_free(w.value);
    jsni_free(w.flat);
    jsni_free(w.norm);
    return status;
}
