/* nn/network_efficientnet_lite4.c - EfficientNet-Lite4: 1.4 times the width and 1.8 times the depth of Lite0. */
#include "nn/efficientnet.h"
#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.3, 0, 0.99, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    jsni_efficientnet_lite(b, 1.4, 1.8, values[0].real);
}

const jsni_network_def jsni_network_efficientnet_lite4 = {
    {"efficientnet-lite4", "EfficientNet-Lite4 (13.0 M with 1000 classes)", params, 1,
     3, 300, 300},
    build};
