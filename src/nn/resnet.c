/* nn/resnet.c - see nn/resnet.h. Stride sits on the 3x3 of a bottleneck ("v1.5"). */
#include "nn/resnet.h"

#include <stdio.h>

static size_t conv_norm(jsni_builder *b, const char *path, const char *conv,
                        const char *norm, size_t x, size_t out, size_t kernel,
                        size_t stride)
{
    x = jsni_build_conv(b, jsni_name_join(path, conv).text, x, out, kernel, stride,
                        kernel / 2, false);
    return jsni_build_norm(b, jsni_name_join(path, norm).text, x);
}

static size_t relu(jsni_builder *b, const char *path, const char *name, size_t x)
{
    return jsni_build_relu(b, jsni_name_join(path, name).text, x);
}

static size_t block(jsni_builder *b, const jsni_resnet *net, const char *path, size_t x,
                    size_t in, size_t width, size_t stride)
{
    const size_t out = net->bottleneck ? 4 * width : width;
    size_t y = x;
    if (net->bottleneck) {
        y = relu(b, path, "relu1", conv_norm(b, path, "conv1", "bn1", y, width, 1, 1));
        y = relu(b, path, "relu2",
                 conv_norm(b, path, "conv2", "bn2", y, width, 3, stride));
        y = conv_norm(b, path, "conv3", "bn3", y, out, 1, 1);
    } else {
        y = relu(b, path, "relu1",
                 conv_norm(b, path, "conv1", "bn1", y, width, 3, stride));
        y = conv_norm(b, path, "conv2", "bn2", y, out, 3, 1);
    }
    if (stride != 1 || in != out) {
        const jsni_name shortcut = jsni_name_join(path, net->shortcut);
        x = conv_norm(b, shortcut.text, "0", "1", x, out, 1, stride);
    }
    return relu(b, path, "relu",
                jsni_build_add(b, jsni_name_join(path, "add").text, y, x));
}

size_t jsni_resnet_body(jsni_builder *b, const jsni_resnet *net)
{
    size_t x = jsni_build_input(b);
    x = conv_norm(b, "", "conv1", "bn1", x, 64, net->small_stem ? 3 : 7,
                  net->small_stem ? 1 : 2);
    x = jsni_build_relu(b, "relu", x);
    if (!net->small_stem)
        x = jsni_build_max_pool(b, "maxpool", x, 3, 2, 1);
    size_t in = 64, width = 64;
    for (size_t stage = 0; stage < 4; stage++, width *= 2) {
        for (size_t i = 0; i < net->blocks[stage]; i++) {
            char path[JSNI_NAME_SIZE];
            (void)snprintf(path, sizeof path, "layer%zu.%zu", stage + 1, i);
            x = block(b, net, path, x, in, width, stage > 0 && i == 0 ? 2 : 1);
            in = net->bottleneck ? 4 * width : width;
        }
    }
    x = jsni_build_adaptive_pool(b, "avgpool", x, 1, 1);
    return jsni_build_flatten(b, "flatten", x);
}
