/* backend/cuda/conv_tf32.cu - the convolutions of conv_fp32.cu with the products in
 * tf32 by mma.sync: operands rounded to 10 bits after the point, sums in fp32. The blocks
 * are those of conv_tiles.cuh. A warp makes 32 x 32 results, two rows of four tiles:
 *
 *                column 0   8   16   24
 *              +------+------+------+------+     of each tile lane l has rows l / 4 and
 *     row  0   | 16x8 |      |      |      |     l / 4 + 8, columns 2 * (l % 4) and the next:
 *              +------+------+------+------+
 *         16   |      |      |      |      |                column 0 1   2 3   4 5   6 7
 *              +------+------+------+------+     rows 0, 8    lane  0     1     2     3
 *                                                rows 1, 9          4     5     6     7
 */
#include "backend/cuda/conv_float.cuh"

/* A thread's sums: of a warp's results M_TILES x N_TILES products over TF32_K. */
constexpr int M_TILES = 2, N_TILES = 4, TF32_K = 8;
using tf32_sums = float[M_TILES][N_TILES][4];

/* TF32_K steps along the inner dimension. a: row m, inner k at a[m * AM + k * AK]; b: inner
 * k, column n at b[n * BN + k * BK]. The strides keep the 32 values of a fragment in 32
 * banks: one of each pair is 1, the other 4 or 8 modulo 32. */
template <int AM, int AK, int BN, int BK>
static __device__ __forceinline__ void products(tf32_sums &acc, const float *a,
                                                const float *b)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    uint32_t u[M_TILES][4], v[N_TILES][2];
#pragma unroll
    for (int i = 0; i < M_TILES; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) /* rows g, g + 8; inner t, t + 4 */
            u[i][e] = round_tf32(a[(i * MMA_M + e % 2 * (MMA_M / 2) + g) * AM +
                                   (e / 2 * (TF32_K / 2) + t) * AK]);
#pragma unroll
    for (int j = 0; j < N_TILES; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
            v[j][e] = round_tf32(b[(j * MMA_N + g) * BN + (e * (TF32_K / 2) + t) * BK]);
#pragma unroll
    for (int i = 0; i < M_TILES; i++)
#pragma unroll
        for (int j = 0; j < N_TILES; j++)
            multiply_tf32(acc[i][j], u[i], v[j]);
}

constexpr int SPARE_FLOATS = 8; /* behind each row of columns */

template <int STRIDE, int WN, bool BACK>
static __global__ void __launch_bounds__(ROW_THREADS, 2)
    tf32_rows(const jsni_any_conv A)
{
    using T = row_tiles<STRIDE, WN, BACK, SPARE_FLOATS>;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    if (t.walk.idle(A))
        return;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int my_row = warp / WN * WARP_TILE, my_column = warp % WN * WARP_TILE;
    tf32_sums acc = {};
    if (t.walk.steps > 0)
        t.load(shared, 0);
    copy_commit();
    for (int step = 0; step < t.walk.steps; step++) {
        copy_wait<0>();
        __syncthreads();
        if (step + 1 < t.walk.steps)
            t.load(shared, step + 1);
        copy_commit();
        const float *a = shared + step % 2 * T::STAGE + my_row * PITCH;
        const float *b =
            shared + step % 2 * T::STAGE + T::A + my_column * (BACK ? 1 : PITCH);
#pragma unroll
        for (int k = 0; k < DEPTH; k += TF32_K)
            products<PITCH, 1, BACK ? 1 : PITCH, BACK ? T::WIDE : 1>(
                acc, a + k, b + k * (BACK ? T::WIDE : 1));
    }
#pragma unroll
    for (int i = 0; i < 2 * M_TILES; i++) {
        const int row = t.walk.row0 + my_row + i * (MMA_M / 2) + result_row(lane);
        if (row >= t.walk.rows)
            continue;
        float *line =
            (float *)(BACK ? A.dx : A.y) + t.walk.result(A, row) * t.walk.columns;
#pragma unroll
        for (int j = 0; j < N_TILES; j++) {
            const int column =
                t.walk.column0 + my_column + j * MMA_N + result_column(lane);
            float2 sum =
                make_float2(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
            float2 *to = (float2 *)(line + column);
            if (BACK && A.add)
                sum = make_float2(sum.x + to->x, sum.y + to->y);
            if (!BACK && A.bias)
                sum = make_float2(sum.x + A.bias[column], sum.y + A.bias[column + 1]);
            *to = sum;
        }
    }
}

constexpr int PIXEL_FLOATS = 40; /* of a slot: 32 and 8 to spare */
using weights_of = weight_tiles<PIXEL_FLOATS>;

static __global__ void __launch_bounds__(weights_of::THREADS, 2)
    tf32_weights(const jsni_any_conv A)
{
    using T = weights_of;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    tf32_sums acc = {};
#pragma unroll
    for (int s = 0; s < T::RING - 1; s++) {
        if (s < t.steps)
            t.load(shared, s);
        copy_commit();
    }
    for (int step = 0; step < t.steps; step++) {
        copy_wait<T::RING - 2>();
        __syncthreads();
        if (step + T::RING - 1 < t.steps)
            t.load(shared, step + T::RING - 1);
        copy_commit();
        const float *a = shared + step % T::RING * T::STAGE;
        const float *b = a + (1 + warp) * T::SLOT;
#pragma unroll
        for (int k = 0; k < T::PIXELS; k += TF32_K)
            products<1, PIXEL_FLOATS, 1, PIXEL_FLOATS>(acc, a + k * PIXEL_FLOATS,
                                                       b + k * PIXEL_FLOATS);
    }
#pragma unroll
    for (int i = 0; i < 2 * M_TILES; i++)
#pragma unroll
        for (int j = 0; j < N_TILES; j++)
            *(float2 *)(t.result(A, i * (MMA_M / 2) + result_row(lane)) + j * MMA_N +
                        result_column(lane)) =
                make_float2(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
}

struct tf32_kernels {
    static constexpr int SPARE = SPARE_FLOATS;
    using weights_of = ::weights_of;

    template <int STRIDE, int WN, bool BACK> static float_kernel rows(void)
    {
        return tf32_rows<STRIDE, WN, BACK>;
    }
    static float_kernel weights(void)
    {
        return tf32_weights;
    }
};

cudaError_t jsni_conv_tf32_forward(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_any_rows<tf32_kernels, false>(c, stream);
}

cudaError_t jsni_conv_tf32_data(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_any_rows<tf32_kernels, true>(c, stream);
}

cudaError_t jsni_conv_tf32_weights(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_weights<tf32_kernels>(c, stream);
}
