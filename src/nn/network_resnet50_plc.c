/* nn/network_resnet50_plc.c - ResNet-50 with a head of two linear layers and nothing
 * between them, 2048-512-K; the body takes torchvision's weights. */
#include "nn/network_impl.h"
#include "nn/resnet.h"

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    (void)values;
    static const jsni_resnet net = {{3, 4, 6, 3}, true, false, "downsample"};
    b->conv_rule = JSNI_INIT_RULE_KAIMING;
    size_t x = jsni_resnet_body(b, &net);
    b->head = true;
    x = jsni_build_linear(b, "fc.0", x, 512, true);
    (void)jsni_build_linear(b, "fc.1", x, b->classes, true);
}

const jsni_network_def jsni_network_resnet50_plc = {
    {"resnet50-plc", "ResNet-50 with the head 2048-512-K (Food-101N)", NULL, 0, 3, 224,
     224},
    build};
