/* nn/graph.c - the builder and the counts; see nn/graph.h. */
#include "nn/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

#define MOST_TENSOR_VALUES ((size_t)1 << 40)
enum { MOST_NODES = 100000 };

void jsni_graph_destroy(jsni_graph *graph)
{
    if (graph == NULL)
        return;
    for (size_t i = 0; i < graph->node_count; i++)
        jsni_free(graph->nodes[i].name);
    for (size_t i = 0; i < graph->param_count; i++)
        jsni_free(graph->params[i].name);
    for (size_t i = 0; i < graph->stat_count; i++)
        jsni_free(graph->stats[i].name);
    jsni_free(graph->nodes);
    jsni_free(graph->params);
    jsni_free(graph->stats);
    jsni_free(graph->network);
    jsni_free(graph);
}

/* Drops the tensors of nodes from `node` on; they are the last of the list. */
static void drop_tensors(jsni_tensor *list, size_t *count, size_t *floats, size_t node)
{
    while (*count > 0 && list[*count - 1].node >= node) {
        jsni_tensor *last = &list[--*count];
        jsni_free(last->name);
        *floats = last->offset;
    }
}

void jsni_graph_drop_head(jsni_graph *graph)
{
    size_t first = 0;
    while (first < graph->node_count && !graph->nodes[first].head)
        first++;
    drop_tensors(graph->params, &graph->param_count, &graph->param_floats, first);
    drop_tensors(graph->stats, &graph->stat_count, &graph->stat_floats, first);
    for (; graph->node_count > first; graph->node_count--) {
        jsni_node *last = &graph->nodes[graph->node_count - 1];
        for (size_t i = 0; i < last->inputs; i++)
            graph->nodes[last->input[i]].users--;
        jsni_free(last->name);
    }
}

void jsni_build_begin(jsni_builder *b, const char *network, jsni_shape input,
                      size_t classes)
{
    *b = (jsni_builder){.input = input, .classes = classes, .norm = {1e-5, 0.1}};
    b->graph = jsni_alloc_zero(1, sizeof *b->graph);
    if (b->graph == NULL) {
        b->status = JSN_ERR_MEMORY;
        return;
    }
    b->graph->classes = classes;
    b->graph->network = jsni_text_copy(network);
    if (b->graph->network == NULL)
        b->status = JSN_ERR_MEMORY;
}

jsn_status jsni_build_end(jsni_builder *b, jsni_graph **out)
{
    *out = NULL;
    if (b->status == JSN_OK && b->graph->node_count < 2)
        b->status = jsni_fail(JSN_ERR_RANGE, "a network needs at least one layer");
    if (b->status != JSN_OK)
        jsni_graph_destroy(b->graph);
    else
        *out = b->graph;
    b->graph = NULL;
    return b->status;
}

jsni_name jsni_name_join(const char *prefix, const char *last)
{
    jsni_name name;
    (void)snprintf(name.text, sizeof name.text, "%s%s%s", prefix,
                   prefix[0] == '\0' ? "" : ".", last);
    return name;
}

/* Grows an array that has `count` entries when count is a power of two. */
static void *grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return jsni_realloc(items, count == 0 ? 1 : 2 * count, size);
}

/* Appends a tensor to one of the two lists and gives it its place in the block. */
static jsn_status add_tensor(jsni_tensor **list, size_t *count, size_t *floats,
                             const jsni_tensor *model, const char *node_name,
                             const char *last)
{
    jsni_tensor *grown = grow(*list, *count, sizeof **list);
    JSNI_TRY_ALLOC(grown);
    *list = grown;
    jsni_tensor tensor = *model;
    tensor.count = 1;
    for (size_t i = 0; i < tensor.rank; i++) {
        if (tensor.dim[i] != 0 && tensor.count > MOST_TENSOR_VALUES / tensor.dim[i])
            return jsni_fail(JSN_ERR_RANGE, "%s.%s is too large", node_name, last);
        tensor.count *= tensor.dim[i];
    }
    const size_t room =
        (tensor.count + JSNI_TENSOR_ALIGN - 1) / JSNI_TENSOR_ALIGN * JSNI_TENSOR_ALIGN;
    if (room > MOST_TENSOR_VALUES - *floats)
        return jsni_fail(JSN_ERR_RANGE, "%s.%s: the network is too large", node_name,
                         last);
    tensor.offset = *floats;
    tensor.name = jsni_text_copy(jsni_name_join(node_name, last).text);
    JSNI_TRY_ALLOC(tensor.name);
    (*list)[(*count)++] = tensor;
    *floats += room;
    return JSN_OK;
}

static jsn_status add_param(jsni_graph *graph, size_t number, const char *last,
                            jsni_tensor model, size_t *index)
{
    model.node = number;
    *index = graph->param_count;
    return add_tensor(&graph->params, &graph->param_count, &graph->param_floats, &model,
                      graph->nodes[number].name, last);
}

static jsn_status add_stat(jsni_graph *graph, size_t number, const char *last,
                           jsni_role role, double initial)
{
    const jsni_tensor model = {.role = role,
                               .rank = 1,
                               .dim = {graph->nodes[number].shape.channels},
                               .node = number,
                               .init = {JSNI_INIT_CONSTANT, initial}};
    return add_tensor(&graph->stats, &graph->stat_count, &graph->stat_floats, &model,
                      graph->nodes[number].name, last);
}

static jsni_init weight_init(jsni_init_rule rule, double fan_in, double fan_out)
{
    switch (rule) {
    case JSNI_INIT_RULE_KAIMING:
        return (jsni_init){JSNI_INIT_NORMAL, sqrt(2.0 / fan_out)};
    case JSNI_INIT_RULE_SMALL:
        return (jsni_init){JSNI_INIT_NORMAL, 0.01};
    default:
        return (jsni_init){JSNI_INIT_UNIFORM, 1.0 / sqrt(fan_in)};
    }
}

static jsni_init bias_init(jsni_init_rule rule, double fan_in)
{
    return rule == JSNI_INIT_RULE_DEFAULT
               ? (jsni_init){JSNI_INIT_UNIFORM, 1.0 / sqrt(fan_in)}
               : (jsni_init){JSNI_INIT_CONSTANT, 0.0};
}

static jsn_status add_weight_and_bias(jsni_builder *b, size_t number,
                                      const jsni_tensor *weight, jsni_init_rule rule,
                                      double fan_in, double fan_out, bool bias)
{
    jsni_graph *graph = b->graph;
    jsni_tensor model = *weight;
    model.role = JSNI_ROLE_WEIGHT;
    model.init = weight_init(rule, fan_in, fan_out);
    JSNI_TRY(add_param(graph, number, "weight", model, &graph->nodes[number].weight));
    if (!bias)
        return JSN_OK;
    model = (jsni_tensor){.role = JSNI_ROLE_BIAS,
                          .rank = 1,
                          .dim = {weight->dim[0]},
                          .init = bias_init(rule, fan_in)};
    return add_param(graph, number, "bias", model, &graph->nodes[number].bias);
}

static jsn_status add_norm_tensors(jsni_graph *graph, size_t number)
{
    jsni_node *node = &graph->nodes[number];
    jsni_tensor model = {.role = JSNI_ROLE_NORM_WEIGHT,
                         .rank = 1,
                         .dim = {node->shape.channels},
                         .init = {JSNI_INIT_CONSTANT, 1.0}};
    JSNI_TRY(add_param(graph, number, "weight", model, &node->weight));
    model.role = JSNI_ROLE_NORM_BIAS;
    model.init.value = 0.0;
    JSNI_TRY(add_param(graph, number, "bias", model, &node->bias));
    node->mean = graph->stat_count;
    JSNI_TRY(add_stat(graph, number, "running_mean", JSNI_ROLE_RUNNING_MEAN, 0.0));
    return add_stat(graph, number, "running_var", JSNI_ROLE_RUNNING_VAR, 1.0);
}

static jsn_status add_tensors(jsni_builder *b, size_t number)
{
    const jsni_node *node = &b->graph->nodes[number];
    if (node->op.kind == JSNI_OP_NORM)
        return add_norm_tensors(b->graph, number);
    if (node->op.kind == JSNI_OP_CONV || node->op.kind == JSNI_OP_DEPTHWISE) {
        const bool depthwise = node->op.kind == JSNI_OP_DEPTHWISE;
        const jsni_window *w = jsni_op_window(&node->op);
        const size_t in =
            depthwise ? 1 : jsni_graph_input_shape(b->graph, number).channels;
        const size_t out = node->shape.channels;
        const jsni_tensor weight = {.rank = 4,
                                    .dim = {out, in, w->kernel_h, w->kernel_w}};
        const double area = (double)w->kernel_h * (double)w->kernel_w;
        return add_weight_and_bias(
            b, number, &weight, b->conv_rule, area * (double)in, area * (double)out,
            depthwise ? node->op.as.depthwise.bias : node->op.as.conv.bias);
    }
    if (node->op.kind == JSNI_OP_LINEAR) {
        const jsni_op_linear *linear = &node->op.as.linear;
        const size_t in = jsni_graph_input_shape(b->graph, number).channels;
        const jsni_tensor weight = {.rank = 2, .dim = {linear->out_features, in}};
        return add_weight_and_bias(b, number, &weight, b->linear_rule, (double)in,
                                   (double)linear->out_features, linear->bias);
    }
    return JSN_OK;
}

/* Appends the node; on failure the builder is left consistent for destroy. */
static jsn_status append_node(jsni_builder *b, const jsni_node *model, const char *name)
{
    jsni_graph *graph = b->graph;
    if (graph->node_count >= MOST_NODES)
        return jsni_fail(JSN_ERR_RANGE, "%s: more than %d layers", name, MOST_NODES);
    jsni_node *nodes = grow(graph->nodes, graph->node_count, sizeof *nodes);
    JSNI_TRY_ALLOC(nodes);
    graph->nodes = nodes;
    jsni_node node = *model;
    node.weight = node.bias = node.mean = JSNI_NONE;
    node.head = b->head;
    node.name = jsni_text_copy(name);
    JSNI_TRY_ALLOC(node.name);
    nodes[graph->node_count++] = node;
    for (size_t i = 0; i < node.inputs; i++)
        nodes[node.input[i]].users++;
    return add_tensors(b, graph->node_count - 1);
}

size_t jsni_build_op(jsni_builder *b, const char *name, const jsni_op *op, size_t one,
                     size_t other)
{
    if (b->status != JSN_OK)
        return JSNI_NONE;
    const jsni_node *nodes = b->graph->nodes;
    jsni_node node = {.op = *op, .inputs = op->kind == JSNI_OP_ADD ? 2 : 1};
    node.input[0] = one;
    node.input[1] = op->kind == JSNI_OP_ADD ? other : one;
    for (size_t i = 0; i < node.inputs; i++)
        if (node.input[i] >= b->graph->node_count) {
            b->status = jsni_fail(JSN_ERR_ARGUMENT,
                                  "%s: reads a layer that is not "
                                  "there",
                                  name);
            return JSNI_NONE;
        }
    b->status = jsni_op_shape(op, name, nodes[one].shape, nodes[node.input[1]].shape,
                              &node.shape);
    if (b->status == JSN_OK)
        b->status = append_node(b, &node, name);
    return b->status == JSN_OK ? b->graph->node_count - 1 : JSNI_NONE;
}

size_t jsni_build_input(jsni_builder *b)
{
    if (b->status != JSN_OK)
        return JSNI_NONE;
    const jsni_op identity = {.kind = JSNI_OP_INPUT};
    jsni_node node = {.op = identity};
    b->status = jsni_op_shape(&identity, "input", b->input, b->input, &node.shape);
    if (b->status == JSN_OK)
        b->status = append_node(b, &node, "input");
    return b->status == JSN_OK ? b->graph->node_count - 1 : JSNI_NONE;
}

static jsni_window square(size_t kernel, size_t stride, size_t pad)
{
    return (jsni_window){kernel, kernel, stride, stride, pad, pad, 0, 0};
}

/* The zeros that a side needs for ceil(size / stride) windows. */
static size_t same_zeros(size_t size, size_t kernel, size_t stride)
{
    const size_t covered = (size - 1) / stride * stride + kernel;
    return covered > size ? covered - size : 0;
}

/* The same for the window of a convolution that reads node `from`. */
static jsni_window conv_window(const jsni_builder *b, size_t from, size_t kernel,
                               size_t stride, size_t pad)
{
    if (pad != JSNI_PAD_SAME || b->status != JSN_OK || from >= b->graph->node_count)
        return square(kernel, stride, pad);
    const jsni_shape in = b->graph->nodes[from].shape;
    const size_t h = same_zeros(in.height, kernel, stride);
    const size_t w = same_zeros(in.width, kernel, stride);
    return (jsni_window){kernel, kernel, stride, stride, h / 2, w / 2, h % 2, w % 2};
}

size_t jsni_build_conv(jsni_builder *b, const char *name, size_t from,
                       size_t out_channels, size_t kernel, size_t stride, size_t pad,
                       bool bias)
{
    const jsni_op op = {
        .kind = JSNI_OP_CONV,
        .as.conv = {conv_window(b, from, kernel, stride, pad), out_channels, bias}};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_depthwise(jsni_builder *b, const char *name, size_t from,
                            size_t kernel, size_t stride, size_t pad, bool bias)
{
    const jsni_op op = {
        .kind = JSNI_OP_DEPTHWISE,
        .as.depthwise = {conv_window(b, from, kernel, stride, pad), bias}};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_norm(jsni_builder *b, const char *name, size_t from)
{
    const jsni_op op = {.kind = JSNI_OP_NORM, .as.norm = b->norm};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_relu(jsni_builder *b, const char *name, size_t from)
{
    const jsni_op op = {.kind = JSNI_OP_RELU};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_relu6(jsni_builder *b, const char *name, size_t from)
{
    const jsni_op op = {.kind = JSNI_OP_RELU6};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_add(jsni_builder *b, const char *name, size_t one, size_t other)
{
    const jsni_op op = {.kind = JSNI_OP_ADD};
    return jsni_build_op(b, name, &op, one, other);
}

size_t jsni_build_max_pool(jsni_builder *b, const char *name, size_t from,
                           size_t kernel, size_t stride, size_t pad)
{
    const jsni_op op = {.kind = JSNI_OP_MAX_POOL,
                        .as.pool = square(kernel, stride, pad)};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_avg_pool(jsni_builder *b, const char *name, size_t from,
                           size_t kernel, size_t stride, size_t pad)
{
    const jsni_op op = {.kind = JSNI_OP_AVG_POOL,
                        .as.pool = square(kernel, stride, pad)};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_adaptive_pool(jsni_builder *b, const char *name, size_t from,
                                size_t out_h, size_t out_w)
{
    const jsni_op op = {.kind = JSNI_OP_ADAPTIVE_POOL, .as.adaptive = {out_h, out_w}};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_linear(jsni_builder *b, const char *name, size_t from,
                         size_t out_features, bool bias)
{
    const jsni_op op = {.kind = JSNI_OP_LINEAR, .as.linear = {out_features, bias}};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_dropout(jsni_builder *b, const char *name, size_t from, double rate)
{
    const jsni_op op = {.kind = JSNI_OP_DROPOUT, .as.dropout = {rate}};
    return jsni_build_op(b, name, &op, from, from);
}

size_t jsni_build_flatten(jsni_builder *b, const char *name, size_t from)
{
    const jsni_op op = {.kind = JSNI_OP_FLATTEN};
    return jsni_build_op(b, name, &op, from, from);
}

uint64_t jsni_node_multiplies(const jsni_graph *graph, size_t number)
{
    const jsni_node *node = &graph->nodes[number];
    if (node->op.kind != JSNI_OP_CONV && node->op.kind != JSNI_OP_DEPTHWISE &&
        node->op.kind != JSNI_OP_LINEAR)
        return 0;
    /* Every weight is used once a position. */
    return (uint64_t)graph->params[node->weight].count * node->shape.height *
           node->shape.width;
}

const jsni_node *jsni_graph_lone_norm(const jsni_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const jsni_node *node = &graph->nodes[i];
        if (node->op.kind == JSNI_OP_NORM &&
            node->shape.height * node->shape.width == 1)
            return node;
    }
    return NULL;
}

jsni_cost jsni_graph_cost(const jsni_graph *graph)
{
    jsni_cost cost = {0};
    for (size_t i = 0; i < graph->param_count; i++)
        cost.parameters += graph->params[i].count;
    for (size_t i = 0; i < graph->stat_count; i++)
        cost.statistics += graph->stats[i].count;
    for (size_t i = 0; i < graph->node_count; i++) {
        cost.multiplies += jsni_node_multiplies(graph, i);
        cost.activations += jsni_shape_count(graph->nodes[i].shape);
    }
    return cost;
}
