/* nn/network_resnet34_plc.c - the CIFAR ResNet-34 with which instance-dependent noise
 * is made: an ordinary post-activation one with a 3x3 stem, PyTorch's default
 * initialisation, and the name "linear" for its classifier. */
#include "nn/network_impl.h"
#include "nn/resnet.h"

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    (void)values;
    static const jsni_resnet net = {{3, 4, 6, 3}, false, true, "shortcut"};
    const size_t x = jsni_resnet_body(b, &net);
    b->head = true;
    (void)jsni_build_linear(b, "linear", x, b->classes, true);
}

const jsni_network_def jsni_network_resnet34_plc = {
    {"resnet34-plc", "CIFAR ResNet-34 that makes instance-dependent noise (21.3 M)",
     NULL, 0, 3, 32, 32},
    build};
