/* nn/resnet.h - the four-stage residual networks (He et al., "Deep residual learning
 * for image recognition", 2016) in torchvision's form and with its names; the network_*
 * files say which. */
#ifndef JSNI_NN_RESNET_H
#define JSNI_NN_RESNET_H

#include "nn/graph.h"

typedef struct jsni_resnet {
    size_t blocks[4];
    bool bottleneck;      /* 1x1, 3x3, 1x1 with four times the width; else two 3x3 */
    bool small_stem;      /* 3x3 stride 1 and no pooling; else 7x7 stride 2, pooling */
    const char *shortcut; /* name of the projection: "downsample" */
} jsni_resnet;

/* Input to global average pooling, flattened; returns the features' node. */
size_t jsni_resnet_body(jsni_builder *b, const jsni_resnet *net);

#endif /* JSNI_NN_RESNET_H */
