/* nn/network_preactresnet34.c - the pre-activation ResNet-34 of the CIFAR experiments:
 * three stages of five blocks with width, 2 width and 4 width channels (32, 64, 128),
 * not the usual four stages. After He et al., "Identity mappings in deep residual
 * networks", 2016. A block's projection reads the activated input; without one the raw
 * input is added. No ReLU follows the addition. */
#include <stdio.h>

#include "nn/network_impl.h"

enum { STAGES = 3, BLOCKS = 5 };

static const jsn_param_info params[] = {
    {"width", "channels of the first stage", 32, 1, 4096, JSN_PARAM_REAL},
};

static size_t block(jsni_builder *b, const char *path, size_t x, size_t in, size_t out,
                    size_t stride)
{
    size_t a = jsni_build_norm(b, jsni_name_join(path, "bn1").text, x);
    a = jsni_build_relu(b, jsni_name_join(path, "relu1").text, a);
    size_t skip = x;
    if (stride != 1 || in != out)
        skip = jsni_build_conv(b, jsni_name_join(path, "shortcut.0").text, a, out, 1,
                               stride, 0, false);
    size_t y = jsni_build_conv(b, jsni_name_join(path, "conv1").text, a, out, 3, stride,
                               1, false);
    y = jsni_build_norm(b, jsni_name_join(path, "bn2").text, y);
    y = jsni_build_relu(b, jsni_name_join(path, "relu2").text, y);
    y = jsni_build_conv(b, jsni_name_join(path, "conv2").text, y, out, 3, 1, 1, false);
    return jsni_build_add(b, jsni_name_join(path, "add").text, y, skip);
}

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    size_t channels = jsni_network_whole(b, "width", values[0].real);
    size_t x = jsni_build_input(b);
    x = jsni_build_conv(b, "conv1", x, channels, 3, 1, 1, false);
    size_t in = channels;
    for (size_t stage = 0; stage < STAGES; stage++, channels *= 2) {
        for (size_t i = 0; i < BLOCKS; i++) {
            char path[JSNI_NAME_SIZE];
            (void)snprintf(path, sizeof path, "layer%zu.%zu", stage + 1, i);
            x = block(b, path, x, in, channels, stage > 0 && i == 0 ? 2 : 1);
            in = channels;
        }
    }
    x = jsni_build_relu(b, "relu", jsni_build_norm(b, "bn", x));
    x = jsni_build_adaptive_pool(b, "avgpool", x, 1, 1);
    b->head = true;
    x = jsni_build_flatten(b, "flatten", x);
    (void)jsni_build_linear(b, "linear", x, b->classes, true);
}

const jsni_network_def jsni_network_preactresnet34 = {
    {"preactresnet34", "pre-activation ResNet-34 of the CIFAR experiments (1.9 M)",
     params, 1, 3, 32, 32},
    build};
