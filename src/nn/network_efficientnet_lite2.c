/* nn/network_efficientnet_lite2.c - EfficientNet-Lite2: 1.1 times the width and 1.2 times the depth of Lite0. */
#include "nn/efficientnet.h"
#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.3, 0, 0.99, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    jsni_efficientnet_lite(b, 1.1, 1.2, values[0].real);
}

const jsni_network_def jsni_network_efficientnet_lite2 = {
    {"efficientnet-lite2", "EfficientNet-Lite2 (6.1 M with 1000 classes)", params, 1, 3,
     260, 260},
    build};
