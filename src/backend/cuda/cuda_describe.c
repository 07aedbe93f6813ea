/* backend/cuda/cuda_describe.c - how each node is run, in words. */
#include <stdio.h>

#include "backend/cuda/cuda_plan.h"

static bool tf32_tiles(const jsni_make *make, size_t n)
{
    const jsni_any_conv conv = jsni_make_any_conv(make, n);
    return conv.tf32 && jsni_conv3x3_float_takes(&conv);
}

static const char *how_text(const jsni_cuda_plan *plan, const jsni_make *make, size_t n)
{
    const jsni_node *node = &plan->base.graph->nodes[n];
    switch (make->nodes[n].how) {
    case JSNI_HOW_OWN:
        return plan->wide && node->shape.channels == 32
                   ? "own wgmma 3x3 / same / own mma.sync, BatchNorm and ReLU on load"
                   : "own mma.sync 3x3 / same / same, BatchNorm and ReLU on load";
    case JSNI_HOW_STEM:
        return "own mma.sync stem / - / own mma.sync stem";
    case JSNI_HOW_LAZY:
        return "sums in the producer, applied in the reader";
    case JSNI_HOW_ANY:
        return tf32_tiles(make, n) ? "own tf32 tiles / same / same, split sums"
                                   : "own fp32 tiles / same / same, split sums";
    default:
        return node->op.kind == JSNI_OP_NORM ? "own, two passes / two passes" : "own";
    }
}

void jsni_cuda_describe(jsni_cuda_plan *plan, const jsni_make *make)
{
    for (size_t n = 0; n < plan->base.graph->node_count; n++) {
        const jsni_make_node *node = &make->nodes[n];
        char *to = plan->texts[n];
        int algorithm[3];
        if (node->how == JSNI_HOW_FUSED) {
            (void)snprintf(to, JSNI_CUDA_TEXT, "in %s",
                           plan->base.graph->nodes[node->host].name);
        } else if (node->how == JSNI_HOW_CUDNN && node->cudnn) {
            const jsni_any_conv conv = jsni_make_any_conv(make, n);
            jsni_cudnn_conv_algorithms(node->cudnn, algorithm);
            if (jsni_conv_strided_takes(&conv))
                (void)snprintf(to, JSNI_CUDA_TEXT,
                               "own mma.sync / same / cuDNN %zu algorithm %d "
                               "(deterministic)",
                               jsni_cudnn_version(), algorithm[2]);
            else
                (void)snprintf(to, JSNI_CUDA_TEXT,
                               "cuDNN %zu algorithm %d / %d / %d (deterministic)",
                               jsni_cudnn_version(), algorithm[0], algorithm[1],
                               algorithm[2]);
        } else {
            (void)snprintf(to, JSNI_CUDA_TEXT, "%s", how_text(plan, make, n));
        }
    }
}

const char *jsni_cuda_describe_node(const jsni_plan *base, size_t node)
{
    return ((const jsni_cuda_plan *)base)->texts[node];
}
