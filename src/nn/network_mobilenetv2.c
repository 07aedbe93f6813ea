/* nn/network_mobilenetv2.c - torchvision's MobileNetV2 (Sandler et al., 2018). */
#include <stdio.h>

#include "core/hd.h"
#include "nn/inverted_block.h"
#include "nn/network_impl.h"

static const struct {
    size_t factor, out, blocks, stride;
} stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

static const jsn_param_info params[] = {
    {"dropout", "rate of the classifier's dropout", 0.2, 0, 0.99, JSN_PARAM_REAL},
};

static size_t conv_norm_relu6(jsni_builder *b, const char *path, size_t x, size_t out,
                              size_t kernel, size_t stride)
{
    x = jsni_build_conv(b, jsni_name_join(path, "0").text, x, out, kernel, stride,
                        kernel / 2, false);
    x = jsni_build_norm(b, jsni_name_join(path, "1").text, x);
    return jsni_build_relu6(b, jsni_name_join(path, "2").text, x);
}

/* Names count the modules of PyTorch's Sequential; the first block does not widen. */
static void build(jsni_builder *b, const jsni_spec_value *values)
{
    static const jsni_inverted_names first = {NULL,       NULL,     "conv.0.0",
                                              "conv.0.1", "conv.1", "conv.2"};
    static const jsni_inverted_names later = {"conv.0.0", "conv.0.1", "conv.1.0",
                                              "conv.1.1", "conv.2",   "conv.3"};
    b->conv_rule = JSNI_INIT_RULE_KAIMING;
    b->linear_rule = JSNI_INIT_RULE_SMALL;
    size_t x = conv_norm_relu6(b, "features.0", jsni_build_input(b), 32, 3, 2);
    size_t number = 1;
    for (size_t s = 0; s < JSNI_COUNT_OF(stages); s++)
        for (size_t i = 0; i < stages[s].blocks; i++, number++) {
            char path[JSNI_NAME_SIZE];
            (void)snprintf(path, sizeof path, "features.%zu", number);
            const jsni_inverted block = {.out = stages[s].out,
                                         .kernel = 3,
                                         .stride = i == 0 ? stages[s].stride : 1,
                                         .pad = 1,
                                         .factor = stages[s].factor};
            x = jsni_inverted_block(b, path, number == 1 ? &first : &later, &block, x);
        }
    x = conv_norm_relu6(b, "features.18", x, 1280, 1, 1);
    x = jsni_build_adaptive_pool(b, "avgpool", x, 1, 1);
    b->head = true;
    x = jsni_build_flatten(b, "flatten", x);
    x = jsni_build_dropout(b, "classifier.0", x, values[0].real);
    (void)jsni_build_linear(b, "classifier.1", x, b->classes, true);
}

const jsni_network_def jsni_network_mobilenetv2 = {
    {"mobilenetv2", "MobileNetV2 as in torchvision (3.5 M with 1000 classes)", params,
     1, 3, 224, 224},
    build};
