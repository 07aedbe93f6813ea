/* backend/onednn/reduce_kernels.c - the gradients of the shards, summed in an order that
 * depends on their number alone, and the table of this instruction set. */
#include "backend/onednn/kernel_impl.h"

enum { MOST_LEVELS = 32 };

/* Sum of parts[0..count) at one place, as a tree: pairs, pairs of pairs, ... The tree
 * keeps rounding errors at log(count), and its shape is that of a binary counter. */
VEC_INLINE vec tree_sum(const float *parts, size_t count, size_t stride)
{
    vec stack[MOST_LEVELS];
    size_t top = 0;
    for (size_t k = 0; k < count; k++) {
        vec sum = vec_load(parts + k * stride);
        for (size_t bit = k; bit & 1; bit >>= 1)
            sum = vec_add(stack[--top], sum);
        stack[top++] = sum;
    }
    while (top > 1) {
        top--;
        stack[top - 1] = vec_add(stack[top - 1], stack[top]);
    }
    return stack[0];
}

void KERNEL(reduce_weights)(const float *parts, size_t count, size_t stride,
                            size_t outs, size_t ins, size_t kernel, size_t from,
                            size_t to, float *gradient)
{
    const size_t in_blocks = (ins + VEC - 1) / VEC;
    _Alignas(64) float lanes[VEC];
    for (size_t b = from; b < to; b++) {
        const size_t most = outs - b * VEC < VEC ? outs - b * VEC : VEC;
        for (size_t i = 0; i < ins; i++)
            for (size_t k = 0; k < kernel; k++) {
                const size_t at =
                    (((b * in_blocks + i / VEC) * kernel + k) * VEC + i % VEC) * VEC;
                vec_store(lanes, tree_sum(parts + at, count, stride));
                float *g = gradient + (b * VEC * ins + i) * kernel + k;
                for (size_t l = 0; l < most; l++)
                    g[l * ins * kernel] = lanes[l];
            }
    }
}

#define KERNEL_TEXT2(set) #set
#define KERNEL_TEXT(set)  KERNEL_TEXT2(set)

const jsni_kernel_set KERNEL(kernel_set) = {
    .name = KERNEL_TEXT(JSNI_KERNEL_SET),
    .lanes = VEC,
    .fast = TILE_ROWS > 2, /* not the plain one */
    .wino_need = KERNEL(wino_need),
    .wino_weights = KERNEL(wino_weights),
    .wino_conv = KERNEL(wino_conv),
    .wino_gradient = KERNEL(wino_gradient),
    .wino_gradient_end = KERNEL(wino_gradient_end),
    .depthwise_need = KERNEL(depthwise_need),
    .depthwise_weights = KERNEL(depthwise_weights),
    .depthwise = KERNEL(depthwise),
    .depthwise_back = KERNEL(depthwise_back),
    .depthwise_gradient = KERNEL(depthwise_gradient),
    .combine = KERNEL(combine),
    .sums = KERNEL(sums),
    .back_sums = KERNEL(back_sums),
    .back = KERNEL(back),
    .mask = KERNEL(mask),
    .channel_sums = KERNEL(channel_sums),
    .add_bias = KERNEL(add_bias),
    .max_pool = KERNEL(max_pool),
    .max_pool_back = KERNEL(max_pool_back),
    .avg_pool = KERNEL(avg_pool),
    .avg_pool_back = KERNEL(avg_pool_back),
    .adaptive_pool = KERNEL(adaptive_pool),
    .adaptive_pool_back = KERNEL(adaptive_pool_back),
    .reduce_weights = KERNEL(reduce_weights),
};
