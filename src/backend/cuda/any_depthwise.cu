/* backend/cuda/any_depthwise.cu - depthwise convolution and its gradients for every shape.
 * Neighbouring threads take neighbouring channels, which lie side by side in memory; each
 * result is made by one thread from all it depends on, so nothing is added by atomics.
 *
 *   forward, backward-data   a thread a result: [image][row][column][channel], in that order
 *   backward-weights         a block one tap of 32 channels, over the pixels of a split:
 *
 *                                channel 0   1  ...  31
 *     pixels 0, 8, 16 ...        thread  0   1  ...  31     the eight sums of a channel are
 *     pixels 1, 9, 17 ...               32  33  ...  63     added in order, through
 *     ...                                                   [8][32] in shared memory
 *     pixels 7, 15, 23 ...             224 225  ... 255
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int LANES = 32; /* channels of a block */
constexpr int ROWS = 8;   /* runs over the pixels beside each other */
constexpr int BLOCK = LANES * ROWS;
constexpr int MOST_SPLITS = 64,
              MOST_BLOCKS = 32 * 132;    /* that fill the largest chips */
constexpr long long SPLIT_PIXELS = 2048; /* of a split, at least */

static long long blocks_of(long long count)
{
    const long long needed = (count + BLOCK - 1) / BLOCK;
    return needed < MOST_BLOCKS ? needed : MOST_BLOCKS;
}

static __global__ void __launch_bounds__(BLOCK) forward(const jsni_any_conv A)
{
    launch_next();
    launch_wait();
    const int C = A.in_channels;
    const long long count = A.images * A.out_h * A.out_w * C;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (long long)gridDim.x * BLOCK) {
        const int c = (int)(i % C), ow = (int)(i / C % A.out_w);
        const int oh = (int)(i / C / A.out_w % A.out_h);
        const long long image = i / C / A.out_w / A.out_h;
        const float *w = (const float *)A.w + (long long)c * A.kernel_h * A.kernel_w;
        float sum = A.bias ? A.bias[c] : 0.0f;
        for (int kh = 0; kh < A.kernel_h; kh++) {
            const int h = oh * A.stride_h - A.pad_h + kh;
            if (h < 0 || h >= A.in_h)
                continue;
            for (int kw = 0; kw < A.kernel_w; kw++) {
                const int x = ow * A.stride_w - A.pad_w + kw;
                if (x >= 0 && x < A.in_w)
                    sum = fmaf(fetch(A.x, ((image * A.in_h + h) * A.in_w + x) * C + c,
                                     A.half_x),
                               w[kh * A.kernel_w + kw], sum);
            }
        }
        put(A.y, i, sum, A.half_y);
    }
}

static __global__ void __launch_bounds__(BLOCK) data(const jsni_any_conv A)
{
    launch_next();
    launch_wait();
    const int C = A.in_channels;
    const long long count = A.images * A.in_h * A.in_w * C;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (long long)gridDim.x * BLOCK) {
        const int c = (int)(i % C), iw = (int)(i / C % A.in_w);
        const int ih = (int)(i / C / A.in_w % A.in_h);
        const long long image = i / C / A.in_w / A.in_h;
        const float *w = (const float *)A.w + (long long)c * A.kernel_h * A.kernel_w;
        float sum = 0.0f;
        for (int kh = 0; kh < A.kernel_h; kh++) {
            const int h = ih + A.pad_h - kh;
            if (h < 0 || h % A.stride_h != 0 || h / A.stride_h >= A.out_h)
                continue;
            for (int kw = 0; kw < A.kernel_w; kw++) {
                const int x = iw + A.pad_w - kw;
                if (x < 0 || x % A.stride_w != 0 || x / A.stride_w >= A.out_w)
                    continue;
                const long long at =
                    ((image * A.out_h + h / A.stride_h) * A.out_w + x / A.stride_w) *
                        C +
                    c;
                sum = fmaf(fetch(A.y, at, A.half_y), w[kh * A.kernel_w + kw], sum);
            }
        }
        put(A.dx, i, A.add ? fetch(A.dx, i, A.half_x) + sum : sum, A.half_x);
    }
}

/* A block: one tap of 32 channels over the output pixels of one split. */
static __global__ void __launch_bounds__(BLOCK) weights(const jsni_any_conv A)
{
    __shared__ float s[ROWS][LANES];
    launch_next();
    launch_wait();
    const int C = A.in_channels, taps = A.kernel_h * A.kernel_w;
    const int lane = threadIdx.x % LANES, row = threadIdx.x / LANES;
    const int groups = (C + LANES - 1) / LANES;
    const int c = (int)(blockIdx.x % groups) * LANES + lane;
    const int tap = (int)(blockIdx.x / groups) % taps;
    const int split = (int)(blockIdx.x / groups / taps);
    const int kh = tap / A.kernel_w, kw = tap % A.kernel_w;
    const long long pixels = A.images * A.out_h * A.out_w;
    const long long first = pixels * split / A.splits;
    const long long last = pixels * (split + 1) / A.splits;
    float sum = 0.0f;
    if (c < C)
        for (long long p = first + row; p < last; p += ROWS) {
            const int w = (int)(p % A.out_w) * A.stride_w - A.pad_w + kw;
            const int h = (int)(p / A.out_w % A.out_h) * A.stride_h - A.pad_h + kh;
            if (h < 0 || h >= A.in_h || w < 0 || w >= A.in_w)
                continue;
            const long long image = p / A.out_w / A.out_h;
            sum = fmaf(
                fetch(A.y, p * C + c, A.half_y),
                fetch(A.x, ((image * A.in_h + h) * A.in_w + w) * C + c, A.half_x), sum);
        }
    s[row][lane] = sum;
    __syncthreads();
    if (row || c >= C)
        return;
    for (int r = 1; r < ROWS; r++)
        sum += s[r][lane];
    A.part[((long long)split * C + c) * taps + tap] = sum;
}

int jsni_depthwise_splits(const jsni_any_conv *conv)
{
    if (jsni_depthwise_wide_takes(conv))
        return jsni_depthwise_wide_splits(conv);
    const long long splits = conv->images * conv->out_h * conv->out_w / SPLIT_PIXELS;
    return splits < 1 ? 1 : splits > MOST_SPLITS ? MOST_SPLITS : (int)splits;
}

cudaError_t jsni_depthwise_forward(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (jsni_depthwise_wide_takes(conv))
        return jsni_depthwise_wide_forward(conv, stream);
    const long long count =
        conv->images * conv->out_h * conv->out_w * conv->in_channels;
    return jsni_launch(forward, blocks_of(count), BLOCK, 0, 1, stream, *conv);
}

cudaError_t jsni_depthwise_data(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (jsni_depthwise_wide_takes(conv))
        return jsni_depthwise_wide_data(conv, stream);
    const long long count = conv->images * conv->in_h * conv->in_w * conv->in_channels;
    return jsni_launch(data, blocks_of(count), BLOCK, 0, 1, stream, *conv);
}

cudaError_t jsni_depthwise_weights(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (jsni_depthwise_wide_takes(conv))
        return jsni_depthwise_wide_weights(conv, stream);
    const long long groups = (conv->in_channels + LANES - 1) / LANES;
    return jsni_launch(weights, groups * conv->kernel_h * conv->kernel_w * conv->splits,
                       BLOCK, 0, 1, stream, *conv);
}
