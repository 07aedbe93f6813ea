/* nn/inverted_block.c - see nn/inverted_block.h. */
#include "nn/inverted_block.h"

static size_t norm_relu6(jsni_builder *b, const char *path, const char *norm,
                         const char *relu, size_t x)
{
    x = jsni_build_norm(b, jsni_name_join(path, norm).text, x);
    return jsni_build_relu6(b, jsni_name_join(path, relu).text, x);
}

size_t jsni_inverted_block(jsni_builder *b, const char *path,
                           const jsni_inverted_names *names, const jsni_inverted *block,
                           size_t x)
{
    if (b->status != JSN_OK)
        return JSNI_NONE;
    const size_t in = b->graph->nodes[x].shape.channels;
    size_t y = x;
    if (block->factor != 1) {
        y = jsni_build_conv(b, jsni_name_join(path, names->widen).text, y,
                            in * block->factor, 1, 1, 0, false);
        y = norm_relu6(b, path, names->widen_norm, "relu1", y);
    }
    y = jsni_build_depthwise(b, jsni_name_join(path, names->depthwise).text, y,
                             block->kernel, block->stride, block->pad, false);
    y = norm_relu6(b, path, names->depthwise_norm, "relu2", y);
    y = jsni_build_conv(b, jsni_name_join(path, names->narrow).text, y, block->out, 1,
                        1, 0, false);
    y = jsni_build_norm(b, jsni_name_join(path, names->narrow_norm).text, y);
    if (block->stride != 1 || in != block->out)
        return y;
    return jsni_build_add(b, jsni_name_join(path, "add").text, y, x);
}
