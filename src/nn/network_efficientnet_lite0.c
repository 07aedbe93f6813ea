/* nn/network_efficientnet_lite0.c - EfficientNet-Lite0: the smallest of the family. */
#include "nn/efficientnet.h"
#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.2, 0, 0.99, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    jsni_efficientnet_lite(b, 1.0, 1.0, values[0].real);
}

const jsni_network_def jsni_network_efficientnet_lite0 = {
    {"efficientnet-lite0", "EfficientNet-Lite0 (4.7 M with 1000 classes)", params, 1, 3,
     224, 224},
    build};
