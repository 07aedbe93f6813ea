/* nn/network_efficientnet_lite1.c - EfficientNet-Lite1: 1 times the width and 1.1 times the depth of Lite0. */
#include "nn/efficientnet.h"
#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.2, 0, 0.99, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    jsni_efficientnet_lite(b, 1.0, 1.1, values[0].real);
}

const jsni_network_def jsni_network_efficientnet_lite1 = {
    {"efficientnet-lite1", "EfficientNet-Lite1 (5.4 M with 1000 classes)", params, 1, 3,
     240, 240},
    build};
