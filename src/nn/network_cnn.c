/* nn/network_cnn.c - a small convolutional network that trains in seconds on 32x32
 * images on two cores: a 3x3 convolution at full size, then three stride-2 ones with
 * doubling channels, global average pooling, one linear layer. Strides instead of pools
 * keep nearly all work on small maps. */
#include <stdio.h>

#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"width", "channels of the first layer", 16, 1, 4096, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    size_t channels = jsni_network_whole(b, "width", values[0].real);
    size_t x = jsni_build_input(b);
    for (size_t i = 0; i < 4; i++, channels *= 2) {
        char path[JSNI_NAME_SIZE];
        (void)snprintf(path, sizeof path, "layer%zu", i + 1);
        x = jsni_build_conv(b, jsni_name_join(path, "conv").text, x, channels, 3,
                            i == 0 ? 1 : 2, 1, false);
        x = jsni_build_norm(b, jsni_name_join(path, "bn").text, x);
        x = jsni_build_relu(b, jsni_name_join(path, "relu").text, x);
    }
    x = jsni_build_adaptive_pool(b, "avgpool", x, 1, 1);
    b->head = true;
    x = jsni_build_flatten(b, "flatten", x);
    (void)jsni_build_linear(b, "linear", x, b->classes, true);
}

const jsni_network_def jsni_network_cnn = {
    {"cnn", "four convolutions, for small images and quick runs", params, 1, 3, 32, 32},
    build};
