/* export/pytorch_network.c - a network as a class of PyTorch: what has weights is a layer
 * of its own name, everything else is a function in forward(). */
#include <stdbool.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "export/pytorch_module.h"

typedef struct writer {
    jsni_text *text;
    const jsni_graph *graph;
    size_t *slot; /* [nodes]: the variable that holds the output of a node */
    size_t *left; /* [nodes]: how many nodes are still to read it */
    bool *used;   /* [nodes]: the variable holds something that is still to be read */
    bool *flat;   /* [nodes]: it is [N][features], not [N][C][H][W] */
} writer;

static const char *truth(bool value)
{
    return value ? "True" : "False";
}

static void put_conv(const writer *w, size_t n, size_t groups)
{
    const jsni_node *node = &w->graph->nodes[n];
    const jsni_window *o = jsni_op_window(&node->op);
    const bool same = !jsni_window_is_lopsided(o); /* else forward() pads */
    jsni_text_format(w->text,
                     "nn.Conv2d(%zu, %zu, (%zu, %zu), (%zu, %zu), (%zu, %zu), "
                     "groups=%zu, bias=%s)",
                     jsni_graph_input_shape(w->graph, n).channels, node->shape.channels,
                     o->kernel_h, o->kernel_w, o->stride_h, o->stride_w,
                     same ? o->pad_h : 0, same ? o->pad_w : 0, groups,
                     truth(node->bias != JSNI_NONE));
}

/* The layer of a node that has weights, for __init__(). */
static void put_layer(const writer *w, size_t n)
{
    const jsni_node *node = &w->graph->nodes[n];
    const size_t channels = node->shape.channels;
    if (node->weight == JSNI_NONE)
        return;
    jsni_text_format(w->text, "        put(self, \"%s\", ", node->name);
    if (node->op.kind == JSNI_OP_CONV)
        put_conv(w, n, 1);
    else if (node->op.kind == JSNI_OP_DEPTHWISE)
        put_conv(w, n, channels);
    else if (node->op.kind == JSNI_OP_NORM)
        jsni_text_format(w->text, "nn.BatchNorm%s(%zu, eps=%.17g, momentum=%.17g)",
                         w->flat[n] ? "1d" : "2d", channels, node->op.as.norm.epsilon,
                         node->op.as.norm.momentum);
    else
        jsni_text_format(w->text, "nn.Linear(%zu, %zu, bias=%s)",
                         jsni_shape_count(jsni_graph_input_shape(w->graph, n)),
                         channels, truth(node->bias != JSNI_NONE));
    jsni_text_add(w->text, ")\n");
}

/* self.layer1[0].conv1 of "layer1.0.conv1" */
static void put_path(const writer *w, const char *name)
{
    jsni_text_add(w->text, "self");
    while (*name != '\0') {
        size_t length = 0;
        while (name[length] != '\0' && name[length] != '.')
            length++;
        const bool number = *name >= '0' && *name <= '9';
        jsni_text_add(w->text, number ? "[" : ".");
        jsni_text_add_n(w->text, name, length);
        jsni_text_add(w->text, number ? "]" : "");
        name += length + (name[length] == '.');
    }
}

/* What a node reads, padded where its window has more zeros on one side. */
static void put_padded(const writer *w, size_t n, const char *zero)
{
    const jsni_node *node = &w->graph->nodes[n];
    const jsni_window *o = jsni_op_window(&node->op);
    const size_t from = w->slot[node->input[0]];
    if (o == NULL || !jsni_window_is_lopsided(o))
        jsni_text_format(w->text, "x%zu", from);
    else
        jsni_text_format(w->text, "F.pad(x%zu, (%zu, %zu, %zu, %zu), value=%s)", from,
                         o->pad_w, o->pad_w + o->extra_w, o->pad_h,
                         o->pad_h + o->extra_h, zero);
}

static void put_pool(const writer *w, size_t n, const char *function, const char *zero)
{
    const jsni_window *o = jsni_op_window(&w->graph->nodes[n].op);
    const bool same = !jsni_window_is_lopsided(o);
    jsni_text_format(w->text, "F.%s(", function);
    put_padded(w, n, zero);
    jsni_text_format(w->text, ", (%zu, %zu), (%zu, %zu), (%zu, %zu))", o->kernel_h,
                     o->kernel_w, o->stride_h, o->stride_w, same ? o->pad_h : 0,
                     same ? o->pad_w : 0);
}

static void put_call(const writer *w, size_t n)
{
    const jsni_node *node = &w->graph->nodes[n];
    const bool flatten = node->op.kind == JSNI_OP_LINEAR && !w->flat[node->input[0]];
    put_path(w, node->name);
    jsni_text_add(w->text, "(");
    put_padded(w, n, "0.0");
    jsni_text_add(w->text, flatten ? ".flatten(1))" : ")");
}

/* The value of a node, for forward(). */
static jsn_status put_value(const writer *w, size_t n)
{
    const jsni_node *node = &w->graph->nodes[n];
    const size_t from = w->slot[node->input[0]];
    switch (node->op.kind) {
    case JSNI_OP_CONV:
    case JSNI_OP_DEPTHWISE:
    case JSNI_OP_NORM:
    case JSNI_OP_LINEAR:
        put_call(w, n);
        return JSN_OK;
    case JSNI_OP_RELU:
        jsni_text_format(w->text, "F.relu(x%zu)", from);
        return JSN_OK;
    case JSNI_OP_RELU6:
        jsni_text_format(w->text, "F.relu6(x%zu)", from);
        return JSN_OK;
    case JSNI_OP_ADD:
        jsni_text_format(w->text, "x%zu + x%zu", from, w->slot[node->input[1]]);
        return JSN_OK;
    case JSNI_OP_MAX_POOL:
        put_pool(w, n, "max_pool2d", "-math.inf");
        return JSN_OK;
    case JSNI_OP_AVG_POOL:
        put_pool(w, n, "avg_pool2d", "0.0");
        return JSN_OK;
    case JSNI_OP_ADAPTIVE_POOL:
        jsni_text_format(w->text, "F.adaptive_avg_pool2d(x%zu, (%zu, %zu))", from,
                         node->shape.height, node->shape.width);
        return JSN_OK;
    case JSNI_OP_FLATTEN:
        jsni_text_format(w->text, "x%zu.flatten(1)", from);
        return JSN_OK;
    case JSNI_OP_DROPOUT:
        jsni_text_format(w->text, "F.dropout(x%zu, %.17g, self.training)", from,
                         node->op.as.dropout.rate);
        return JSN_OK;
    default:
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: PyTorch has no %s here", node->name,
                         jsni_op_kind_text(node->op.kind));
    }
}

/* The variable of a node is the first that nobody will read again: what is no longer
 * needed does not stay in memory. */
static void take_slot(writer *w, size_t n)
{
    const jsni_node *node = &w->graph->nodes[n];
    size_t slot = 0;
    for (size_t i = 0; i < node->inputs; i++)
        if (--w->left[node->input[i]] == 0)
            w->used[w->slot[node->input[i]]] = false;
    while (w->used[slot])
        slot++;
    w->slot[n] = slot;
    w->used[slot] = true;
}

static jsn_status put_line(writer *w, size_t n)
{
    /* The value is written before its own variable is known. */
    jsni_text value = {0};
    const writer inner = {&value, w->graph, w->slot, w->left, w->used, w->flat};
    jsn_status status = put_value(&inner, n);
    if (status == JSN_OK)
        status = value.status;
    if (status == JSN_OK) {
        take_slot(w, n);
        jsni_text_format(w->text, "        x%zu = %s\n", w->slot[n], value.data);
    }
    jsni_text_release(&value);
    return status;
}

static jsn_status put_class(writer *w)
{
    const size_t nodes = w->graph->node_count;
    for (size_t n = 0; n < nodes; n++) {
        const jsni_node *node = &w->graph->nodes[n];
        w->left[n] = node->users;
        w->flat[n] = node->op.kind == JSNI_OP_LINEAR ||
                     node->op.kind == JSNI_OP_FLATTEN ||
                     (n > 0 && w->flat[node->input[0]]);
    }
    jsni_text_add(w->text, "class Network(nn.Module):\n"
                           "    def __init__(self):\n"
                           "        super().__init__()\n");
    for (size_t n = 1; n < nodes; n++)
        put_layer(w, n);
    jsni_text_add(w->text, "\n    def forward(self, x0):\n");
    w->used[0] = true;
    for (size_t n = 1; n < nodes; n++)
        JSNI_TRY(put_line(w, n));
    jsni_text_format(w->text, "        return x%zu\n", w->slot[nodes - 1]);
    return w->text->status;
}

jsn_status jsni_pytorch_network(jsni_text *text, const jsni_graph *graph)
{
    const size_t nodes = graph->node_count;
    writer w = {.text = text,
                .graph = graph,
                .slot = jsni_alloc_zero(nodes, sizeof *w.slot),
                .left = jsni_alloc_zero(nodes, sizeof *w.left),
                .used = jsni_alloc_zero(nodes, sizeof *w.used),
                .flat = jsni_alloc_zero(nodes, sizeof *w.flat)};
    const bool room =
        w.slot != NULL && w.left != NULL && w.used != NULL && w.flat != NULL;
    const jsn_status status = room ? put_class(&w) : JSN_ERR_MEMORY;
    jsni_free(w.slot);
    jsni_free(w.left);
    jsni_free(w.used);
    jsni_free(w.flat);
    return status;
}
