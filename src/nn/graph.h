/* nn/graph.h - a network as data: nodes in the order they run, the parameters and
 * running statistics they own, and where each of those lies in its flat block.
 *
 * Nodes only read nodes with lower numbers, so running them in order is correct and
 * running them in reverse order is the backward pass. Parameters live in one block of
 * floats and running statistics in another, both in PyTorch's layouts; every tensor
 * starts at a multiple of JSNI_TENSOR_ALIGN floats and the gaps are zero. Backends may
 * keep what they like inside, but what goes in and out has this form.
 *
 * A network file builds one with the functions below. The first failure sticks in the
 * builder and every later call does nothing, so the text of a network has no checks:
 *
 *     size_t x = jsni_build_input(b);
 *     x = jsni_build_conv(b, "conv1", x, 32, 3, 1, 1, false);
 *     x = jsni_build_relu(b, "relu1", jsni_build_norm(b, "bn1", x));
 */
#ifndef JSNI_NN_GRAPH_H
#define JSNI_NN_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "core/pool.h"
#include "jensen/status.h"
#include "nn/op.h"

enum {
    JSNI_TENSOR_ALIGN = 16, /* floats: 64 bytes */
    JSNI_NODE_INPUTS = 2
};

#define JSNI_NONE ((size_t)-1) /* no node, no tensor */

typedef enum jsni_role {
    JSNI_ROLE_WEIGHT, /* conv [out][in][kh][kw], linear [out][in]; depthwise: in 1 */
    JSNI_ROLE_BIAS,   /* [out] */
    JSNI_ROLE_NORM_WEIGHT, /* [channels] */
    JSNI_ROLE_NORM_BIAS,
    JSNI_ROLE_RUNNING_MEAN,
    JSNI_ROLE_RUNNING_VAR
} jsni_role;

typedef enum jsni_init_kind {
    JSNI_INIT_CONSTANT, /* value */
    JSNI_INIT_UNIFORM,  /* on [-value, value) */
    JSNI_INIT_NORMAL    /* mean 0, deviation `value` */
} jsni_init_kind;

typedef struct jsni_init {
    jsni_init_kind kind;
    double value;
} jsni_init;

/* A parameter or a running statistic. */
typedef struct jsni_tensor {
    char *name; /* owned; as in PyTorch's state_dict: "layer1.0.conv1.weight" */
    jsni_role role;
    size_t rank;
    size_t dim[4];
    size_t count;  /* product of dim[0..rank) */
    size_t offset; /* in floats, in its block */
    size_t node;   /* that owns it */
    jsni_init init;
} jsni_tensor;

typedef struct jsni_node {
    char *name; /* owned; the module's path in PyTorch where it has one */
    jsni_op op;
    size_t inputs; /* 0 for the input, 2 for add, else 1 */
    size_t input[JSNI_NODE_INPUTS];
    jsni_shape shape; /* of the output, one sample */
    size_t users;     /* nodes that read the output */
    size_t weight;    /* number in graph->params, or JSNI_NONE */
    size_t bias;
    size_t mean; /* number in graph->stats; the variance follows it; or JSNI_NONE */
    bool head;   /* belongs to the classifier that other class counts replace */
} jsni_node;

typedef struct jsni_graph {
    char *network; /* owned: the spec it was built from */
    size_t classes;
    jsni_node *nodes; /* [node_count]; node 0 is the input, the last one the output */
    size_t node_count;
    jsni_tensor *params; /* [param_count], in the order of the nodes: weight, bias */
    size_t param_count;
    size_t param_floats; /* length of the block, gaps included */
    jsni_tensor *stats;  /* [stat_count]: mean, variance of each BatchNorm */
    size_t stat_count;
    size_t stat_floats;
} jsni_graph;

void jsni_graph_destroy(jsni_graph *graph); /* accepts NULL */

/* Leaves the body alone: drops the nodes from the first one of the head on, with their
 * parameters, which are the last ones of the block. */
void jsni_graph_drop_head(jsni_graph *graph);

static inline const jsni_node *jsni_graph_input(const jsni_graph *graph)
{
    return &graph->nodes[0];
}

static inline const jsni_node *jsni_graph_output(const jsni_graph *graph)
{
    return &graph->nodes[graph->node_count - 1];
}

/* The shape that node `number` reads (its first input's). */
static inline jsni_shape jsni_graph_input_shape(const jsni_graph *graph, size_t number)
{
    return graph->nodes[graph->nodes[number].input[0]].shape;
}

/* What one image costs. */
typedef struct jsni_cost {
    size_t parameters;    /* values, without the gaps of the block */
    size_t statistics;    /* values */
    uint64_t multiplies;  /* multiply-adds of convolutions and linear layers, forward */
    uint64_t activations; /* output values of all nodes */
} jsni_cost;

jsni_cost jsni_graph_cost(const jsni_graph *graph);

/* The first BatchNorm over images of one pixel, or NULL. With one sample it has one value
 * a channel, whose variance is none: such networks train on two samples or more. */
const jsni_node *jsni_graph_lone_norm(const jsni_graph *graph);

/* Multiply-adds of one node for one image. */
uint64_t jsni_node_multiplies(const jsni_graph *graph, size_t number);

/* Fills a parameter block and a statistics block with the initial values: tensor i is
 * drawn from the stream (seed, JSNI_RNG_INIT, 0, i, 0), one draw an entry in row-major
 * order, so a tensor's values do not depend on any other. */
void jsni_graph_init(const jsni_graph *graph, uint64_t seed, float *params,
                     float *stats);
/* The same by the threads of a pool. */
void jsni_graph_init_by(const jsni_graph *graph, uint64_t seed, jsni_pool *pool,
                        float *params, float *stats);
void jsni_graph_init_tensor(const jsni_graph *graph, uint64_t seed, size_t number,
                            float *params);

/* The rules by which weights and biases of later nodes are initialised. */
typedef enum jsni_init_rule {
    JSNI_INIT_RULE_DEFAULT, /* weight and bias uniform, bound 1/sqrt(fan-in) */
    JSNI_INIT_RULE_KAIMING, /* weight normal, sqrt(2/fan-out); bias 0 */
    JSNI_INIT_RULE_SMALL    /* weight normal, 0.01; bias 0 */
} jsni_init_rule;

typedef struct jsni_builder {
    jsni_graph *graph;
    jsn_status status; /* the first failure */
    jsni_init_rule conv_rule;
    jsni_init_rule linear_rule;
    jsni_op_norm norm; /* of every BatchNorm; PyTorch's default */
    jsni_shape input;
    size_t classes;
    bool head; /* nodes added from now on belong to the head */
} jsni_builder;

/* Starts a graph for images of shape `input`. */
void jsni_build_begin(jsni_builder *b, const char *network, jsni_shape input,
                      size_t classes);

/* In place of the padding of a convolution: TensorFlow's "same", so many zeros that a
 * stride s leaves ceil(size / s) outputs, the odd one below and on the right. */
#define JSNI_PAD_SAME ((size_t)-1)

/* Each adds a node and returns its number, JSNI_NONE after a failure. */
size_t jsni_build_input(jsni_builder *b);
size_t jsni_build_conv(jsni_builder *b, const char *name, size_t from,
                       size_t out_channels, size_t kernel, size_t stride, size_t pad,
                       bool bias);
size_t jsni_build_depthwise(jsni_builder *b, const char *name, size_t from,
                            size_t kernel, size_t stride, size_t pad, bool bias);
size_t jsni_build_norm(jsni_builder *b, const char *name, size_t from);
size_t jsni_build_relu(jsni_builder *b, const char *name, size_t from);
size_t jsni_build_relu6(jsni_builder *b, const char *name, size_t from);
size_t jsni_build_add(jsni_builder *b, const char *name, size_t one, size_t other);
size_t jsni_build_max_pool(jsni_builder *b, const char *name, size_t from,
                           size_t kernel, size_t stride, size_t pad);
size_t jsni_build_avg_pool(jsni_builder *b, const char *name, size_t from,
                           size_t kernel, size_t stride, size_t pad);
size_t jsni_build_adaptive_pool(jsni_builder *b, const char *name, size_t from,
                                size_t out_h, size_t out_w);
size_t jsni_build_linear(jsni_builder *b, const char *name, size_t from,
                         size_t out_features, bool bias);
size_t jsni_build_dropout(jsni_builder *b, const char *name, size_t from, double rate);
size_t jsni_build_flatten(jsni_builder *b, const char *name, size_t from);

/* The general form of all of the above: any op with one or two inputs. */
size_t jsni_build_op(jsni_builder *b, const char *name, const jsni_op *op, size_t one,
                     size_t other);

/* A name from parts, "layer%zu.%zu.conv1"; the text lives until the next call. */
enum { JSNI_NAME_SIZE = 128 };
typedef struct jsni_name {
    char text[JSNI_NAME_SIZE];
} jsni_name;
jsni_name jsni_name_join(const char *prefix, const char *last);

/* Ends: *out is the graph, or NULL with the first failure.
 *   JSN_ERR_RANGE  a window larger than its padded input, a shape that overflows
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_build_end(jsni_builder *b, jsni_graph **out);

/* The output shape of `op` for inputs of the shapes given; `name` is for the sentence.
 * JSN_ERR_RANGE as above. */
JSN_MUST_CHECK jsn_status jsni_op_shape(const jsni_op *op, const char *name,
                                        jsni_shape one, jsni_shape other,
                                        jsni_shape *out);

#endif /* JSNI_NN_GRAPH_H */
