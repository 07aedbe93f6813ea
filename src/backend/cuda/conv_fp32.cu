/* backend/cuda/conv_fp32.cu - convolutions in strict fp32, channels in multiples of 32:
 * 3x3 of stride 1, and 1x1 and 3x3 of stride 2 but for the weights' gradients. Products of
 * tiles in shared memory; conv_tiles.cuh has their picture and the warps'. Sums have a fixed
 * order.
 *
 * A warp makes 32 x 32 results, a lane 8 x 4 of them. Which lane has what:
 *
 *     forward        column 0 ... 7   8 ... 15   16 ...     lane 8 * ty + tx has rows
 *            row 0     lane 0 ... 7   0 ...  7    0 ...     ty + 4i, columns tx + 8j
 *                1          8 ... 15  8 ... 15    8 ...
 *                2         16 ... 23                        (i < 8, j < 4)
 *                3         24 ... 31
 *                4          0 ... 7
 *
 *     backward-data  column 0-3  4-7 ... 28-31              rows ty + 4i, columns 4 * tx + j
 *            row 0     lane 0    1   ...  7
 *                1          8    9   ... 15
 *
 *     backward-weights, [co] x [ci]                         rows 8 * ty + i, columns
 *                    column 0-3  4-7 ... 28-31              4 * tx + j
 *            rows 0-7  lane 0    1   ...  7
 *                8-15       8    9   ... 15
 */
#include "backend/cuda/conv_float.cuh"

/* A lane's rows and columns. */
constexpr int MY_ROWS = 8, MY_COLUMNS = 4;
constexpr int LANES_ACROSS = 32 / MY_COLUMNS, LANES_DOWN = 32 / MY_ROWS;

static __device__ __forceinline__ void multiply_add(float (&acc)[MY_ROWS][MY_COLUMNS],
                                                    const float (&a)[MY_ROWS],
                                                    const float (&b)[MY_COLUMNS])
{
#pragma unroll
    for (int i = 0; i < MY_ROWS; i++)
#pragma unroll
        for (int j = 0; j < MY_COLUMNS; j++)
            acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
}

/* The products of one stage; `a` and `b` begin with a warp's tile. */
template <bool BACK, int WIDE>
static __device__ __forceinline__ void products(float (&acc)[MY_ROWS][MY_COLUMNS],
                                                const float *a, const float *b)
{
    const int tx = threadIdx.x % LANES_ACROSS, ty = threadIdx.x % 32 / LANES_ACROSS;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 4) {
        float4 u[MY_ROWS], v[MY_COLUMNS];
#pragma unroll
        for (int i = 0; i < MY_ROWS; i++)
            u[i] = *(const float4 *)(a + (ty + LANES_DOWN * i) * PITCH + k);
#pragma unroll
        for (int j = 0; j < MY_COLUMNS; j++)
            v[j] = *(const float4 *)(BACK ? b + (k + j) * WIDE + tx * MY_COLUMNS
                                          : b + (tx + LANES_ACROSS * j) * PITCH + k);
#pragma unroll
        for (int s = 0; s < 4; s++) {
            float x[MY_ROWS], y[MY_COLUMNS];
#pragma unroll
            for (int i = 0; i < MY_ROWS; i++)
                x[i] = ((const float *)&u[i])[s];
#pragma unroll
            for (int j = 0; j < MY_COLUMNS; j++)
                y[j] = BACK ? ((const float *)&v[s])[j] : ((const float *)&v[j])[s];
            multiply_add(acc, x, y);
        }
    }
}

/* 4 neighbouring results of the gradient. */
static __device__ __forceinline__ void put4(float *to, const float (&v)[MY_COLUMNS],
                                            bool add)
{
    const float4 old = add ? *(const float4 *)to : make_float4(0, 0, 0, 0);
    *(float4 *)to = make_float4(v[0] + old.x, v[1] + old.y, v[2] + old.z, v[3] + old.w);
}

constexpr int SPARE_FLOATS = 4; /* behind each row of columns */

template <int STRIDE, int WN, bool BACK>
static __global__ void __launch_bounds__(ROW_THREADS, 2)
    fp32_rows(const jsni_any_conv A)
{
    using T = row_tiles<STRIDE, WN, BACK, SPARE_FLOATS>;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    if (t.walk.idle(A))
        return;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tx = lane % LANES_ACROSS, ty = lane / LANES_ACROSS;
    const int my_row = warp / WN * WARP_TILE, my_column = warp % WN * WARP_TILE;
    float acc[MY_ROWS][MY_COLUMNS] = {};
    if (t.walk.steps > 0)
        t.load(shared, 0);
    copy_commit();
    for (int step = 0; step < t.walk.steps; step++) {
        copy_wait<0>();
        __syncthreads();
        if (step + 1 < t.walk.steps)
            t.load(shared, step + 1);
        copy_commit();
        const float *a = shared + step % 2 * T::STAGE;
        products<BACK, T::WIDE>(acc, a + my_row * PITCH,
                                a + T::A + my_column * (BACK ? 1 : PITCH));
    }
#pragma unroll
    for (int i = 0; i < MY_ROWS; i++) {
        const int row = t.walk.row0 + my_row + ty + LANES_DOWN * i;
        if (row >= t.walk.rows)
            continue;
        const int column0 = t.walk.column0 + my_column;
        float *line =
            (float *)(BACK ? A.dx : A.y) + t.walk.result(A, row) * t.walk.columns;
        if (BACK)
            put4(line + column0 + tx * MY_COLUMNS, acc[i], A.add);
        else
#pragma unroll
            for (int j = 0; j < MY_COLUMNS; j++) {
                const int column = column0 + tx + LANES_ACROSS * j;
                line[column] = acc[i][j] + (A.bias ? A.bias[column] : 0.0f);
            }
    }
}

constexpr int PIXEL_FLOATS = 32; /* of a slot */
using weights_of = weight_tiles<PIXEL_FLOATS>;

static __global__ void __launch_bounds__(weights_of::THREADS, 2)
    fp32_weights(const jsni_any_conv A)
{
    using T = weights_of;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    T t(A);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tx = lane % LANES_ACROSS, ty = lane / LANES_ACROSS;
    float acc[MY_ROWS][MY_COLUMNS] = {};
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
        const float *a = shared + step % T::RING * T::STAGE + ty * MY_ROWS;
        const float *b =
            shared + step % T::RING * T::STAGE + (1 + warp) * T::SLOT + tx * MY_COLUMNS;
#pragma unroll
        for (int k = 0; k < T::PIXELS; k++) {
            const float4 u = *(const float4 *)(a + k * PIXEL_FLOATS);
            const float4 q = *(const float4 *)(a + k * PIXEL_FLOATS + 4);
            const float4 v = *(const float4 *)(b + k * PIXEL_FLOATS);
            const float left[MY_ROWS] = {u.x, u.y, u.z, u.w, q.x, q.y, q.z, q.w};
            const float right[MY_COLUMNS] = {v.x, v.y, v.z, v.w};
            multiply_add(acc, left, right);
        }
    }
#pragma unroll
    for (int i = 0; i < MY_ROWS; i++)
        *(float4 *)(t.result(A, ty * MY_ROWS + i) + tx * MY_COLUMNS) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

/* ---- which shapes, and the calls ---- */

bool jsni_conv3x3_float_takes(const jsni_any_conv *c)
{
    return !c->plain && !c->half_x && !c->half_y && !c->half_w &&
           c->in_channels % 32 == 0 && c->out_channels % 32 == 0 && c->kernel_h == 3 &&
           c->kernel_w == 3 && c->stride_h == 1 && c->stride_w == 1 &&
           counted_in_int(c);
}

constexpr int DEVICE = 132; /* multiprocessors of the largest chips */

/* Two blocks for each of them. */
int jsni_conv3x3_float_splits(const jsni_any_conv *c)
{
    const long long tiles =
        (long long)(c->in_channels / WARP_TILE) * (c->out_channels / WARP_TILE);
    const long long most = c->images * c->out_h * c->out_w / (4 * weights_of::PIXELS);
    long long splits = (2 * DEVICE + tiles - 1) / tiles;
    splits = splits < most ? splits : most;
    return splits < 1 ? 1 : (int)splits;
}

struct fp32_kernels {
    static constexpr int SPARE = SPARE_FLOATS;
    using weights_of = ::weights_of;

    template <int STRIDE, int WN, bool BACK> static float_kernel rows(void)
    {
        return fp32_rows<STRIDE, WN, BACK>;
    }
    static float_kernel weights(void)
    {
        return fp32_weights;
    }
};

cudaError_t jsni_conv_fp32_forward(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_any_rows<fp32_kernels, false>(c, stream);
}

cudaError_t jsni_conv_fp32_data(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_any_rows<fp32_kernels, true>(c, stream);
}

cudaError_t jsni_conv_fp32_weights(const jsni_any_conv *c, cudaStream_t stream)
{
    return launch_weights<fp32_kernels>(c, stream);
}
