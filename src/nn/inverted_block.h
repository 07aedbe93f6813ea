/* nn/inverted_block.h - the inverted residual block of MobileNetV2 (Sandler et al., 2018)
 * and of the EfficientNets: a 1x1 convolution that widens, a depthwise one, a 1x1
 * convolution that narrows, the input added where it fits. No ReLU behind the last. */
#ifndef JSNI_NN_INVERTED_BLOCK_H
#define JSNI_NN_INVERTED_BLOCK_H

#include "nn/graph.h"

/* The last parts of the names in a block, each NULL where it has no such layer. */
typedef struct jsni_inverted_names {
    const char *widen, *widen_norm;
    const char *depthwise, *depthwise_norm;
    const char *narrow, *narrow_norm;
} jsni_inverted_names;

typedef struct jsni_inverted {
    size_t out, kernel, stride, pad; /* pad may be JSNI_PAD_SAME */
    size_t factor;                   /* by which it widens; 1: not at all */
} jsni_inverted;

/* Adds one to node x under the name `path`; returns its output. */
size_t jsni_inverted_block(jsni_builder *b, const char *path,
                           const jsni_inverted_names *names, const jsni_inverted *block,
                           size_t x);

#endif /* JSNI_NN_INVERTED_BLOCK_H */
