/* nn/efficientnet.h - the EfficientNet-Lites: EfficientNets (Tan and Le, 2019) without
 * squeeze-and-excitation, with ReLU6 and a stem and head that do not grow. Paddings are
 * TensorFlow's, names those of the Python package efficientnet_lite_pytorch. Without its
 * stochastic depth in training. The network_* files say which. */
#ifndef JSNI_NN_EFFICIENTNET_H
#define JSNI_NN_EFFICIENTNET_H

#include "nn/graph.h"

/* The whole network; `dropout` is the rate ahead of the classifier. */
void jsni_efficientnet_lite(jsni_builder *b, double width, double depth,
                            double dropout);

#endif /* JSNI_NN_EFFICIENTNET_H */
