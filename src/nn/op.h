/* nn/op.h - the operations a network is made of, and their parameters.
 *
 * Everything has the meaning it has in PyTorch: convolution is cross-correlation with
 * zero padding; a depthwise one has a window of its own for every channel and mixes none;
 * ReLU6 is min(max(x, 0), 6), whose gradient is 0 at both ends; average pooling counts the padding; a maximum's gradient goes to the
 * first maximum in row-major order of the window and padding never wins; cell i of an
 * adaptive pool averages the rows floor(i*H/out) .. ceil((i+1)*H/out)-1, also when
 * out > H; dropout scales what it keeps by 1/(1-rate) in training and is the identity
 * in evaluation; BatchNorm normalises with the biased variance of one view and keeps
 * the unbiased one in its running statistics.
 */
#ifndef JSNI_NN_OP_H
#define JSNI_NN_OP_H

#include <stdbool.h>
#include <stddef.h>

/* Kind and the word that `show networks` and `bench step` print. */
#define JSNI_OP_KINDS(ROW)                         \
    ROW(JSNI_OP_INPUT, "input")                    \
    ROW(JSNI_OP_CONV, "conv")                      \
    ROW(JSNI_OP_DEPTHWISE, "depthwise")            \
    ROW(JSNI_OP_NORM, "batchnorm")                 \
    ROW(JSNI_OP_RELU, "relu")                      \
    ROW(JSNI_OP_RELU6, "relu6")                    \
    ROW(JSNI_OP_ADD, "add")                        \
    ROW(JSNI_OP_MAX_POOL, "maxpool")               \
    ROW(JSNI_OP_AVG_POOL, "avgpool")               \
    ROW(JSNI_OP_ADAPTIVE_POOL, "adaptive-avgpool") \
    ROW(JSNI_OP_LINEAR, "linear")                  \
    ROW(JSNI_OP_DROPOUT, "dropout")                \
    ROW(JSNI_OP_FLATTEN, "flatten")

#define JSNI_OP_ENUMERATOR(kind, text) kind,
typedef enum jsni_op_kind {
    JSNI_OP_KINDS(JSNI_OP_ENUMERATOR) JSNI_OP_KIND_COUNT
} jsni_op_kind;
#undef JSNI_OP_ENUMERATOR

/* Also the window of a pool (out_channels and bias unused there). */
typedef struct jsni_window {
    size_t kernel_h, kernel_w;
    size_t stride_h, stride_w;
    size_t pad_h, pad_w;     /* zeros on each side */
    size_t extra_h, extra_w; /* and more of them below and on the right (TensorFlow) */
} jsni_window;

static inline bool jsni_window_is_lopsided(const jsni_window *w)
{
    return w->extra_h != 0 || w->extra_w != 0;
}

typedef struct jsni_op_conv {
    jsni_window window;
    size_t out_channels;
    bool bias;
} jsni_op_conv;

/* As many outputs as inputs; the weights are [channels][1][kh][kw]. */
typedef struct jsni_op_depthwise {
    jsni_window window;
    bool bias;
} jsni_op_depthwise;

typedef struct jsni_op_norm {
    double epsilon;  /* added to the variance */
    double momentum; /* running = (1-momentum)*running + momentum*batch */
} jsni_op_norm;

typedef struct jsni_op_adaptive {
    size_t out_h, out_w;
} jsni_op_adaptive;

typedef struct jsni_op_linear {
    size_t out_features;
    bool bias;
} jsni_op_linear;

typedef struct jsni_op_dropout {
    double rate; /* chance of being set to zero, in [0, 1) */
} jsni_op_dropout;

#define JSNI_RELU6_TOP 6.0f

typedef struct jsni_op {
    jsni_op_kind kind;
    union {
        jsni_op_conv conv;
        jsni_op_depthwise depthwise;
        jsni_window pool; /* maximum and average */
        jsni_op_norm norm;
        jsni_op_adaptive adaptive;
        jsni_op_linear linear;
        jsni_op_dropout dropout;
    } as;
} jsni_op;

/* One sample; a flat vector of n features is n x 1 x 1. */
typedef struct jsni_shape {
    size_t channels, height, width;
} jsni_shape;

/* Elements of one sample; shapes in a graph never overflow. */
static inline size_t jsni_shape_count(jsni_shape shape)
{
    return shape.channels * shape.height * shape.width;
}

/* The window of a convolution or a pool, NULL of any other op. */
const jsni_window *jsni_op_window(const jsni_op *op);

/* "conv", "batchnorm", ... */
const char *jsni_op_kind_text(jsni_op_kind kind);

#endif /* JSNI_NN_OP_H */
