/* backend/cuda/conv_tf32.cu - the convolutions of conv_fp32.cu with the products in
 * tf32 by mma.sync: operands rounded to 10 bits after the point, sums in fp32. A warp
 * makes 32 x 32 results, two rows of four tiles of 16 x 8.
 */
#include "backend/cuda/conv_float.cuh"

/* 8 steps along the inner dimension. a: row m, inner k at a[m * AM + k * AK]; b: inner k,
 * column n at b[n * BN + k * BK]. The strides keep the 32 values of a fragment in 32
 * banks: one of each pair is 1, the other 4 or 8 modulo 32. */
template <int AM, int AK, int BN, int BK>
static __device__ __forceinline__ void products8(float (&acc)[2][4][4], const float *a,
                                                 const float *b)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    uint32_t u[2][4], v[4][2];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) /* rows g, g + 8; inner t, t + 4 */
            u[i][e] =
                round_tf32(a[(i * 16 + e % 2 * 8 + g) * AM + (e / 2 * 4 + t) * AK]);
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
            v[j][e] = round_tf32(b[(j * 8 + g) * BN + (e * 4 + t) * BK]);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            multiply_tf32(acc[i][j], u[i], v[j]);
}

constexpr int SPARE_FLOATS = 8; /* behind each row of columns */

template <int STRIDE, int WN, bool BACK>
static __global__ void __launch_bounds__(256, 2) tf32_rows(const jsni_any_conv A)
{
    using T = row_tiles<STRIDE, WN, BACK, SPARE_FLOATS>;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    if (t.walk.idle(A))
        return;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int my_row = warp / WN * 32, my_column = warp % WN * 32;
    float acc[2][4][4] = {};
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
        for (int k = 0; k < DEPTH; k += 8)
            products8<PITCH, 1, BACK ? 1 : PITCH, BACK ? T::WIDE : 1>(
                acc, a + k, b + k * (BACK ? T::WIDE : 1));
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = t.walk.row0 + my_row + i * 8 + lane / 4;
        if (row >= t.walk.rows)
            continue;
        float *line =
            (float *)(BACK ? A.dx : A.y) + t.walk.result(A, row) * t.walk.columns;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int column = t.walk.column0 + my_column + j * 8 + lane % 4 * 2;
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

using weights_of = weight_tiles<40>;

static __global__ void __launch_bounds__(weights_of::THREADS, 2)
    tf32_weights(const jsni_any_conv A)
{
    using T = weights_of;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float acc[2][4][4] = {};
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
        for (int k = 0; k < T::PIXELS; k += 8)
            products8<1, 40, 1, 40>(acc, a + k * 40, b + k * 40);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            *(float2 *)(t.result(A, i * 8 + lane / 4) + j * 8 + lane % 4 * 2) =
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
