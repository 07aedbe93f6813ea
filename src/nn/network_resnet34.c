/* nn/network_resnet34.c - torchvision's ResNet-34: two 3x3 convolutions a block; convolutions start
 * from Kaiming's normal distribution over the fan-out. */
#include "nn/network_impl.h"
#include "nn/resnet.h"

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    (void)values;
    static const jsni_resnet net = {{3, 4, 6, 3}, false, false, "downsample"};
    b->conv_rule = JSNI_INIT_RULE_KAIMING;
    const size_t x = jsni_resnet_body(b, &net);
    b->head = true;
    (void)jsni_build_linear(b, "fc", x, b->classes, true);
}

const jsni_network_def jsni_network_resnet34 = {
    {"resnet34", "ResNet-34 as in torchvision (21.8 M with 1000 classes)", NULL, 0, 3,
     224, 224},
    build};
