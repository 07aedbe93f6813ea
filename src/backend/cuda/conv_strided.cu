/* backend/cuda/conv_strided.cu - convolutions of stride 2, forward and the gradient of the
 * input (window 1x1 or 3x3, channels in multiples of 32, even images). In bf16 here, with
 * products by mma.sync, fp32 accumulation and sums in a fixed order or exact; what keeps
 * activations as float is handed on to conv_tf32.cu and conv_fp32.cu.
 *
 * A block makes 128 rows x 64 or 32 columns of the product that conv_walk.cuh describes.
 * Rows are pixels, columns channels. Each of eight warps has 32 rows of half the columns:
 *
 *              columns 0 ...  COLUMNS / 2 ...
 *             +----------+----------+      Of a warp's tile lane l has rows l / 4 + 8i and
 *     row  0  |  warp 0  |  warp 1  |      columns 2 * (l % 4) + 8j and the next, i < 4,
 *             +----------+----------+      j < COLUMNS / 16:
 *         32  |  warp 2  |  warp 3  |
 *             +----------+----------+                column 0 1   2 3   4 5   6 7   8 ...
 *         64  |  warp 4  |  warp 5  |          row 0  lane  0     1     2     3     0 ...
 *             +----------+----------+          row 1        4     5     6     7     4 ...
 *         96  |  warp 6  |  warp 7  |          ...
 *             +----------+----------+          row 7       28    29    30    31    28 ...
 *
 * A step multiplies 32 channels under a tap. Shared memory has a ring of three such stages,
 * which are copied two steps ahead, in chunks of 8 channels as swizzle() exchanges them:
 *
 *     pixels:   [128 rows][32 channels]
 *     weights:  forward [COLUMNS of co][32 of ci], backward [32 of co][COLUMNS of ci]
 *
 * In the end it has the results, float [128][COLUMNS + 4]; a thread writes 8 neighbours.
 */
#include "backend/cuda/conv_walk.cuh"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/exact_sums.cuh"

/* 8 warps, two side by side, each of which makes 32 rows of half the columns. */
constexpr int BLOCK = 256, ROWS = JSNI_STRIDED_ROWS, RING = 3;
constexpr int CHUNK = 8, CHUNKS = DEPTH / CHUNK; /* channels of 16 bytes; of a row */
constexpr int COPIED = BLOCK / CHUNKS,
              MINE = ROWS / COPIED; /* rows: at once; of a thread */

/* How a block's tiles come into shared memory. */
template <int COLUMNS, bool BACK> struct half_tiles {
    static constexpr int A = ROWS * DEPTH * 2;    /* bytes: pixels, [row][channel] */
    static constexpr int B = DEPTH * COLUMNS * 2; /* weights, [co][ci] */
    static constexpr int STAGE = A + B;
    static constexpr int PITCH = COLUMNS + 4; /* floats of a row of results */
    static constexpr int LOADED = RING * STAGE, RESULTS = ROWS * PITCH * 4;
    static constexpr int BYTES = LOADED > RESULTS ? LOADED : RESULTS;
    using walk_of = conv_walk<2, BACK, ROWS, COLUMNS>;

    walk_of walk;
    const bf16 *from, *w;
    int chunk, copier;
    int place[MINE];
    uint32_t inside[MINE];

    __device__ __forceinline__ explicit half_tiles(const jsni_any_conv &c)
        : walk(c), from((const bf16 *)(BACK ? c.y : c.x)), w((const bf16 *)c.w),
          chunk(threadIdx.x % CHUNKS), copier(threadIdx.x / CHUNKS)
    {
#pragma unroll
        for (int i = 0; i < MINE; i++)
            place[i] = walk.place(c, walk.row0 + copier + COPIED * i, &inside[i]);
    }

    /* Copies the next stage to where it lies in shared memory. */
    __device__ __forceinline__ void load(uint32_t stage)
    {
        const conv_step s = walk.next();
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const int row = copier + COPIED * i;
            const bool in = inside[i] >> s.bit & 1;
            copy16_if(stage + row * DEPTH * 2 + swizzle<DEPTH>(row, chunk),
                      from + (in ? place[i] + s.shift + chunk * CHUNK : 0), in);
        }
        if (threadIdx.x < COLUMNS * CHUNKS) {
            constexpr int PER = BACK ? COLUMNS / CHUNK : CHUNKS; /* of a row */
            const int r = threadIdx.x / PER, c = threadIdx.x % PER;
            const int co = (BACK ? s.c0 : walk.column0) + r;
            const int ci = (BACK ? walk.column0 : s.c0) + c * CHUNK;
            copy16(stage + A + r * PER * 16 +
                       (BACK ? swizzle<COLUMNS>(r, c) : swizzle<DEPTH>(r, c)),
                   w + walk.weight(co, s.tap, ci));
        }
    }
};

/* A thread's results: of a warp's tile, M_TILES x N_TILES products of MMA_M x MMA_N. */
constexpr int M_TILES = 2;
template <int COLUMNS> constexpr int N_TILES = COLUMNS / 2 / MMA_N;
template <int COLUMNS> using strided_sums = float[M_TILES][N_TILES<COLUMNS>][4];

/* Where a warp's results begin in the block's tile, HIGH x WIDE of them. */
template <int COLUMNS> struct warp_part {
    static constexpr int WIDE = COLUMNS / 2, HIGH = M_TILES * MMA_M;
    int row, column;

    __device__ __forceinline__ warp_part()
        : row((int)threadIdx.x / 64 * HIGH), column((int)threadIdx.x / 32 % 2 * WIDE)
    {
    }
};

/* The products of one stage. */
template <int COLUMNS, bool BACK>
static __device__ __forceinline__ void products(strided_sums<COLUMNS> &acc, uint32_t a,
                                                uint32_t b)
{
    const warp_part<COLUMNS> mine;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < DEPTH; k += MMA_K) {
        uint32_t u[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; i++) {
            const int row = mine.row + i * MMA_M + lane % 16;
            load_matrix(u[i], a + row * DEPTH * 2 +
                                  swizzle<DEPTH>(row, k / CHUNK + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < N_TILES<COLUMNS> / 2; j++) { /* two N tiles at once */
            const int column = mine.column + j * 2 * MMA_N;
            uint32_t v[4];
            if (BACK) { /* [co][ci]: the inner dimension is the row */
                const int row = k + lane % 16;
                load_matrix_t(v, b + row * COLUMNS * 2 +
                                     swizzle<COLUMNS>(row, column / CHUNK + lane / 16));
            } else {
                const int row = column + lane / 16 * 8 + lane % 8;
                load_matrix(v, b + row * DEPTH * 2 +
                                   swizzle<DEPTH>(row, k / CHUNK + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < M_TILES; i++) {
                multiply(acc[i][2 * j], u[i], v[0], v[1]);
                multiply(acc[i][2 * j + 1], u[i], v[2], v[3]);
            }
        }
    }
}

/* Writes 8 results, on top of what is there (`add`) or of a bias (or NULL). */
static __device__ __forceinline__ void put8(bf16 *to, const float *v, bool add,
                                            const float *bias)
{
    uint4 u = add ? *(const uint4 *)to : make_uint4(0, 0, 0, 0);
    uint32_t *w = (uint32_t *)&u;
#pragma unroll
    for (int i = 0; i < 4; i++)
        w[i] = pack(low(w[i]) + v[2 * i] + (bias ? bias[2 * i] : 0.0f),
                    high(w[i]) + v[2 * i + 1] + (bias ? bias[2 * i + 1] : 0.0f));
    *(uint4 *)to = u;
}

/* Through shared memory, since a thread has 2 neighbouring results and writes 8. */
template <int COLUMNS, bool BACK>
static __device__ __forceinline__ void
store(const jsni_any_conv &A, const half_tiles<COLUMNS, BACK> &t, float *out,
      const strided_sums<COLUMNS> &acc)
{
    constexpr int PITCH = half_tiles<COLUMNS, BACK>::PITCH;
    const warp_part<COLUMNS> mine;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * M_TILES; i++)
#pragma unroll
        for (int j = 0; j < N_TILES<COLUMNS>; j++)
            *(float2 *)(out + (mine.row + i * (MMA_M / 2) + result_row(lane)) * PITCH +
                        mine.column + j * MMA_N + result_column(lane)) =
                make_float2(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
    __syncthreads();
    for (int e = threadIdx.x; e < ROWS * COLUMNS / CHUNK; e += BLOCK) {
        const int row = t.walk.row0 + e / (COLUMNS / CHUNK),
                  c = e % (COLUMNS / CHUNK) * CHUNK;
        if (row >= t.walk.rows)
            break;
        const int column = t.walk.column0 + c;
        put8((bf16 *)(BACK ? A.dx : A.y) + t.walk.result(A, row) * t.walk.columns +
                 column,
             out + (row - t.walk.row0) * PITCH + c, BACK && A.add,
             !BACK && A.bias ? A.bias + column : NULL);
    }
}

/* The channel sums of the block's results as they were stored: every thread adds some rows
 * of a column, then the threads of a column are added. */
template <int COLUMNS>
static __device__ __forceinline__ void leave_sums(const jsni_any_conv &A, int row0,
                                                  int column0, float *out)
{
    constexpr int PITCH = half_tiles<COLUMNS, false>::PITCH, SHARE = BLOCK / COLUMNS;
    const int column = threadIdx.x % COLUMNS, share = threadIdx.x / COLUMNS;
    float s1 = 0.0f, s2 = 0.0f;
#pragma unroll 8
    for (int row = share * (ROWS / SHARE); row < (share + 1) * (ROWS / SHARE); row++) {
        const float v = low(pack(out[row * PITCH + column], 0.0f));
        s1 += v;
        s2 = fmaf(v, v, s2);
    }
    __syncthreads();
    out[threadIdx.x] = s1;
    out[BLOCK + threadIdx.x] = s2;
    __syncthreads();
    if (threadIdx.x >= 2 * COLUMNS)
        return;
    const int sum = threadIdx.x / COLUMNS;
    float s = 0.0f;
    for (int i = 0; i < SHARE; i++)
        s += out[sum * BLOCK + i * COLUMNS + column];
    add_exactly(
        exact_sum(A.sums, A.out_channels, row0 / A.view_pixels, sum, column0 + column),
        A.out_channels, s);
}

template <int COLUMNS, bool BACK>
static __global__ void __launch_bounds__(BLOCK) strided_conv(const jsni_any_conv A)
{
    using T = half_tiles<COLUMNS, BACK>;
    extern __shared__ __align__(128) char shared[];
    launch_next();
    const uint32_t ring = shared_address(shared);
    T t(A);
    launch_wait();
    if (t.walk.idle(A))
        return;
    strided_sums<COLUMNS> acc = {};
#pragma unroll
    for (int s = 0; s < RING - 1; s++) {
        if (s < t.walk.steps)
            t.load(ring + s * T::STAGE);
        copy_commit();
    }
    uint32_t next = ring + (RING - 1) * T::STAGE, now = ring;
    for (int step = 0; step < t.walk.steps; step++) {
        copy_wait<RING - 2>();
        __syncthreads();
        if (step + RING - 1 < t.walk.steps)
            t.load(next);
        copy_commit();
        products<COLUMNS, BACK>(acc, now, now + T::A);
        next = now;
        now = now == ring + (RING - 1) * T::STAGE ? ring : now + T::STAGE;
    }
    copy_wait<0>();
    __syncthreads();
    store<COLUMNS, BACK>(A, t, (float *)shared, acc);
    if (!BACK && A.sums)
        leave_sums<COLUMNS>(A, t.walk.row0, t.walk.column0, (float *)shared);
}

/* Of an image, before the stride: 32x32 pixels, 64 channels. cuDNN is faster beyond. */
constexpr int MOST_VALUES = 32 * 32 * 64;

bool jsni_conv_strided_takes(const jsni_any_conv *c)
{
    return !c->plain && c->half_x == c->half_y && c->half_x == c->half_w &&
           c->in_channels % 32 == 0 && c->out_channels % 32 == 0 && c->stride_h == 2 &&
           c->stride_w == 2 && c->kernel_h == c->kernel_w &&
           (c->kernel_h == 1 || c->kernel_h == 3) && c->pad_h == c->kernel_h / 2 &&
           c->pad_w == c->kernel_w / 2 && c->in_h == 2 * c->out_h &&
           c->in_w == 2 * c->out_w && counted_in_int(c) &&
           (!c->half_x || c->in_h * c->in_w * c->out_channels <= MOST_VALUES);
}

template <int COLUMNS, bool BACK>
static cudaError_t launch(const jsni_any_conv *c, cudaStream_t stream)
{
    using T = half_tiles<COLUMNS, BACK>;
    static_assert(T::BYTES <= SHARED_EVERYWHERE, "too much for some devices");
    return jsni_launch(strided_conv<COLUMNS, BACK>, T::walk_of::blocks(c), BLOCK,
                       T::BYTES, 1, stream, *c);
}

cudaError_t jsni_conv_strided_forward(const jsni_any_conv *c, cudaStream_t stream)
{
    if (!c->half_x)
        return c->tf32 ? jsni_conv_tf32_forward(c, stream)
                       : jsni_conv_fp32_forward(c, stream);
    return c->out_channels % 64 == 0 ? launch<64, false>(c, stream)
                                     : launch<32, false>(c, stream);
}

cudaError_t jsni_conv_strided_data(const jsni_any_conv *c, cudaStream_t stream)
{
    if (!c->half_x)
        return c->tf32 ? jsni_conv_tf32_data(c, stream)
                       : jsni_conv_fp32_data(c, stream);
    return c->in_channels % 64 == 0 ? launch<64, true>(c, stream)
                                    : launch<32, true>(c, stream);
}
