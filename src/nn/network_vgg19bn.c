/* nn/network_vgg19bn.c - VGG-19 with BatchNorm as in torchvision (Simonyan and
 * Zisserman, 2015): groups of 3x3 convolutions with bias, each group ended by a
 * maximum pool; an adaptive pool to 7x7, which spreads the 2x2 map of a 64x64 image;
 * two hidden linear layers with dropout. */
#include <stdio.h>

#include "nn/network_impl.h"

static const struct {
    size_t channels, layers;
} groups[] = {{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}};

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.5, 0, 0.99, JSN_PARAM_REAL},
};

/* Names count the modules of PyTorch's Sequential. */
static jsni_name numbered(const char *part, size_t *module)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%zu", (*module)++);
    return jsni_name_join(part, number);
}

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    b->conv_rule = JSNI_INIT_RULE_KAIMING;
    b->linear_rule = JSNI_INIT_RULE_SMALL;
    size_t x = jsni_build_input(b);
    size_t module = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (size_t i = 0; i < groups[g].layers; i++) {
            x = jsni_build_conv(b, numbered("features", &module).text, x,
                                groups[g].channels, 3, 1, 1, true);
            x = jsni_build_norm(b, numbered("features", &module).text, x);
            x = jsni_build_relu(b, numbered("features", &module).text, x);
        }
        x = jsni_build_max_pool(b, numbered("features", &module).text, x, 2, 2, 0);
    }
    x = jsni_build_adaptive_pool(b, "avgpool", x, 7, 7);
    x = jsni_build_flatten(b, "flatten", x);
    module = 0;
    for (size_t i = 0; i < 2; i++) {
        x = jsni_build_linear(b, numbered("classifier", &module).text, x, 4096, true);
        x = jsni_build_relu(b, numbered("classifier", &module).text, x);
        x = jsni_build_dropout(b, numbered("classifier", &module).text, x,
                               values[0].real);
    }
    b->head = true;
    (void)jsni_build_linear(b, numbered("classifier", &module).text, x, b->classes,
                            true);
}

const jsni_network_def jsni_network_vgg19bn = {
    {"vgg19bn", "VGG-19 with BatchNorm (ANIMAL-10N, 139.6 M)", params, 1, 3, 64, 64},
    build};
