/* nn/efficientnet.c - see nn/efficientnet.h. */
#include "nn/efficientnet.h"

#include <math.h>
#include <stdio.h>

#include "core/hd.h"
#include "nn/inverted_block.h"

enum { STEM = 32, HEAD = 1280, DIVISOR = 8 };

/* Lite0's stages; the others' are wider and deeper. */
static const struct {
    size_t blocks, kernel, stride, factor, out;
} stages[] = {{1, 3, 1, 1, 16},  {2, 3, 2, 6, 24},  {2, 5, 2, 6, 40}, {3, 3, 2, 6, 80},
              {3, 5, 1, 6, 112}, {4, 5, 2, 6, 192}, {1, 3, 1, 6, 320}};

/* To the nearest multiple of 8 that is not below 90%. */
static size_t scaled_channels(size_t channels, double width)
{
    const double wanted = width * (double)channels;
    size_t rounded = (size_t)(wanted + DIVISOR / 2.0) / DIVISOR * DIVISOR;
    if (rounded < DIVISOR)
        rounded = DIVISOR;
    return (double)rounded < 0.9 * wanted ? rounded + DIVISOR : rounded;
}

static size_t conv_norm_relu6(jsni_builder *b, const char *conv, const char *norm,
                              const char *relu, size_t x, size_t out, size_t kernel,
                              size_t stride)
{
    x = jsni_build_conv(b, conv, x, out, kernel, stride, JSNI_PAD_SAME, false);
    return jsni_build_relu6(b, relu, jsni_build_norm(b, norm, x));
}

void jsni_efficientnet_lite(jsni_builder *b, double width, double depth, double dropout)
{
    static const jsni_inverted_names names = {
        "_expand_conv", "_bn0", "_depthwise_conv", "_bn1", "_project_conv", "_bn2"};
    const size_t count = JSNI_COUNT_OF(stages);
    b->norm = (jsni_op_norm){1e-3, 0.01};
    size_t x = conv_norm_relu6(b, "_conv_stem", "_bn0", "relu0", jsni_build_input(b),
                               STEM, 3, 2);
    for (size_t s = 0, number = 0; s < count; s++) {
        const bool fixed = s == 0 || s + 1 == count;
        const size_t blocks =
            fixed ? stages[s].blocks : (size_t)ceil(depth * (double)stages[s].blocks);
        for (size_t i = 0; i < blocks; i++, number++) {
            char path[JSNI_NAME_SIZE];
            (void)snprintf(path, sizeof path, "_blocks.%zu", number);
            const jsni_inverted block = {.out = scaled_channels(stages[s].out, width),
                                         .kernel = stages[s].kernel,
                                         .stride = i == 0 ? stages[s].stride : 1,
                                         .pad = JSNI_PAD_SAME,
                                         .factor = stages[s].factor};
            x = jsni_inverted_block(b, path, &names, &block, x);
        }
    }
    x = conv_norm_relu6(b, "_conv_head", "_bn1", "relu1", x, HEAD, 1, 1);
    x = jsni_build_adaptive_pool(b, "_avg_pooling", x, 1, 1);
    b->head = true;
    x = jsni_build_flatten(b, "flatten", x);
    x = jsni_build_dropout(b, "_dropout", x, dropout);
    (void)jsni_build_linear(b, "_fc", x, b->classes, true);
}
