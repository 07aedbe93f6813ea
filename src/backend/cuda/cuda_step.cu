/* backend/cuda/cuda_step.cu - packed weights, sums and counts; see step_kernels.h. */
#include "backend/cuda/step_kernels.h"

#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/conv_parts.cuh"
#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256;

/* Where the pair of weights (co, ci), (co, ci+1) of tap 0 lies in register order, in
 * words; a tap further is MMA_TAP words. See conv3x3_mma.cu: the warp of a group of output
 * channels keeps word q*4+r of lane l. Of a product's N tiles each has every second, fourth
 * ... pair of output channels, so that a lane's results are neighbours. */
constexpr int MMA_TAP = 16 * 32; /* registers of a lane, lanes */

static __device__ __forceinline__ int mma_place(int C, int co, int ci)
{
    const int tiles = 128 / C, wide = tiles * MMA_N, group = co / wide, in = co % wide;
    const int column = in / (2 * tiles) * 2 + (in & 1), tile = (in >> 1) % tiles;
    const int lane = column * 4 + ((ci & 7) >> 1);
    const int word = (ci >> 4) * tiles * 2 + tile * 2 + ((ci >> 3) & 1);
    return group * PART_TAPS * MMA_TAP + (word >> 2) * 128 + lane * 4 + (word & 3);
}

/* What a block of pack_image() packs: weights of the fp32 layout, all taps, as they lie. Rows are
 * padded so that a warp's reads fall in 32 banks. */
constexpr int TAPS = 9, TILE_OUT = 32, TILE_IN = 16;
constexpr int TILE_FLOATS = TILE_OUT * TILE_IN * TAPS;
constexpr int TILE_WORDS = TILE_FLOATS + TILE_OUT;

/* conv3x3_image.cu: [half][tap][8 ci][64 co][8]. Of 32 output channels a thread of the
 * product has 8 neighbours. A block packs 16 input channels of 32 output channels: it reads
 * them line by line into `tile`, then each thread makes a pair of input channels. */
template <bool BACK>
static __device__ void pack_image(const jsni_pack &p, int first, float *tile)
{
    constexpr int ROW =
        (BACK ? TILE_OUT : TILE_IN) * TAPS; /* floats that lie together */
    const int C = p.in_channels, slabs = C / 8, i = first + (int)threadIdx.x;
    const int co0 = first / 128 / slabs * TILE_OUT, ci0 = first / 128 % slabs * 8;
    const float *from = p.from + ((BACK ? ci0 : co0) * C + (BACK ? co0 : ci0)) * TAPS;
#pragma unroll
    for (int k = 0; k < TILE_FLOATS / BLOCK; k++) {
        const int e = k * BLOCK + (int)threadIdx.x;
        tile[e / ROW * (ROW + 1) + e % ROW] = from[e / ROW * C * TAPS + e % ROW];
    }
    __syncthreads();
    const int n = i / 4 % 32, slab = i / 128 % slabs, pair = i % 4 * 2;
    const int co = n / 2 % 4 * 8 + n / 8 * 2 + n % 2, ci = slab * 8 - ci0 + pair;
    const float *w0 =
        tile + (BACK ? ci * (ROW + 1) + co * TAPS : co * (ROW + 1) + ci * TAPS);
    const float *w1 = w0 + (BACK ? ROW + 1 : TAPS);
    const int half = co0 / 64, at = co0 / 32 % 2 * 32 + n;
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++) {
        const int taken = BACK ? TAPS - 1 - tap : tap;
        ((uint32_t *)
             p.to)[(((half * TAPS + tap) * slabs + slab) * 64 + at) * 4 + i % 4] =
            pack(w0[taken], w1[taken]);
    }
}

/* A thread packs all taps of one pair of input channels: it reads them side by side.
 * back: input and output channels swapped, taps mirrored. */
static __device__ void pack_pair(const jsni_pack &p, long long i)
{
    const bool back = p.kind == JSNI_PACK_MMA_BACK || p.kind == JSNI_PACK_WIDE_BACK;
    const int C = p.in_channels, pairs = C / 2, taps = p.taps;
    const int ci = 2 * (int)(back ? i / p.out_channels : i % pairs);
    const int co = (int)(back ? i % p.out_channels : i / pairs);
    const float *w0 =
        p.from + ((long long)(back ? ci : co) * C + (back ? co : ci)) * taps;
    const float *w1 = w0 + (back ? C * taps : taps);
    uint32_t *to = (uint32_t *)p.to;
    for (int tap = 0; tap < taps; tap++) {
        const int from = back ? taps - 1 - tap : tap;
        const uint32_t word = pack(w0[from], w1[from]);
        if (p.kind == JSNI_PACK_HALF) {
            to[(((long long)co * taps + tap) * C + ci) / 2] = word;
        } else if (p.kind == JSNI_PACK_MMA || p.kind == JSNI_PACK_MMA_BACK) {
            to[mma_place(C, co, ci) + tap * 512] = word;
        } else { /* [(kw*2+ks)*2+kc][160][8], rows of kh = 2,1,0,2,1 */
            const int kh = tap / 3, kk = tap % 3 * 4 + (ci >> 3);
            const int n = ((co & 7) >> 1) * 8 + (co >> 3) * 2 + (co & 1);
            for (int m = 2 - kh; m < 5; m += 3)
                to[((kk * 160 + m * 32 + n) * 8 + (ci & 7)) / 2] = word;
        }
    }
}

static __host__ __device__ bool in_pairs(int kind, int in_channels)
{
    return kind != JSNI_PACK_FLOAT && in_channels % 2 == 0;
}

/* Threads that an entry takes. */
static __host__ __device__ long long pack_items(int kind, int co, int ci, int taps)
{
    return in_pairs(kind, ci) ? (long long)co * ci / 2 : (long long)co * ci * taps;
}

constexpr size_t WIDE_BYTES = 2 * 15360;

size_t jsni_pack_bytes(const jsni_pack *pack)
{
    if ((pack->kind == JSNI_PACK_WIDE || pack->kind == JSNI_PACK_WIDE_BACK) &&
        pack->in_channels == 32)
        return WIDE_BYTES;
    return (size_t)pack->out_channels * (size_t)pack->in_channels * (size_t)pack->taps *
           (pack->kind == JSNI_PACK_FLOAT ? 4 : 2);
}

int jsni_pack_blocks(const jsni_pack *pack)
{
    const long long items =
        pack_items(pack->kind, pack->out_channels, pack->in_channels, pack->taps);
    return (int)((items + BLOCK - 1) / BLOCK);
}

static __device__ void pack_block(const jsni_pack &p, int block, float *tile)
{
    const int C = p.in_channels;
    const long long i = (long long)block * BLOCK + threadIdx.x;
    if (C > 32 && p.kind == JSNI_PACK_WIDE) {
        pack_image<false>(p, block * BLOCK, tile);
        return;
    }
    if (C > 32 && p.kind == JSNI_PACK_WIDE_BACK) {
        pack_image<true>(p, block * BLOCK, tile);
        return;
    }
    if (i >= pack_items(p.kind, p.out_channels, C, p.taps))
        return;
    if (in_pairs(p.kind, C)) {
        pack_pair(p, i);
        return;
    }
    const long long c = i % C, tap = i / C % p.taps, co = i / C / p.taps;
    const float v = p.from[(co * C + c) * p.taps + tap];
    if (p.kind == JSNI_PACK_HALF)
        ((bf16 *)p.to)[i] = narrow<bf16>(v);
    else
        ((float *)p.to)[i] = v;
}

/* ---- counts ---- */

static __device__ __forceinline__ bool count_sample(const jsni_count_args &A, int view,
                                                    int i, int &fits, int &right)
{
    const float *z = A.logits + ((long long)view * A.samples + i) * A.classes;
    int best = 0;
    for (int k = 1; k < A.classes; k++)
        if (z[k] > z[best])
            best = k;
    fits = best == A.labels[i];
    right = A.truth && A.truth[i] >= 0 && best == A.truth[i];
    return A.truth && A.truth[i] == A.labels[i];
}

/* A block counts a whole step. */
static __device__ void count_step(const jsni_count_args &A, int *s)
{
    if (threadIdx.x < 13)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (int view = 0; view < A.views && view < 4; view++)
        for (int i = threadIdx.x; i < A.samples; i += BLOCK) {
            int fits, right;
            const bool is_true = count_sample(A, view, i, fits, right);
            if (is_true && view == 0)
                atomicAdd(&s[0], 1);
            if (fits)
                atomicAdd(&s[1 + view], 1);
            if (fits && is_true)
                atomicAdd(&s[5 + view], 1);
            if (right)
                atomicAdd(&s[9 + view], 1);
        }
    __syncthreads();
    if (threadIdx.x)
        return;
    jsni_step_counts *c = A.counts;
    const double loss = *A.loss;
    if (isfinite(loss))
        c->loss_sum = __dadd_rn(c->loss_sum, __dmul_rn(loss, (double)A.samples));
    else
        c->not_finite++;
    c->samples += (unsigned long long)A.samples;
    c->true_samples += (unsigned long long)s[0];
    for (int v = 0; v < 4; v++) {
        c->fits[v] += (unsigned long long)s[1 + v];
        c->fits_true[v] += (unsigned long long)s[5 + v];
        c->correct[v] += (unsigned long long)s[9 + v];
    }
    ++*A.step;
    ++*A.total;
}

static __global__ void __launch_bounds__(BLOCK)
    end_step(const jsni_pack *packs, int count, const jsni_count_args counted)
{
    __shared__ float tile[TILE_WORDS];
    launch_next();
    const bool counts = counted.counts != NULL;
    if (counts && blockIdx.x == 0) {
        launch_wait();
        count_step(counted, (int *)tile);
        return;
    }
    const int block = (int)blockIdx.x - counts;
    int first = 0, last = count - 1;
    while (first < last) {
        const int middle = (first + last + 1) / 2;
        if (packs[middle].first_block <= block)
            first = middle;
        else
            last = middle - 1;
    }
    const jsni_pack p = packs[first];
    launch_wait();
    pack_block(p, block - p.first_block, tile);
}

cudaError_t jsni_end_step(const jsni_pack *packs, int count, int blocks,
                          const jsni_count_args *counted, cudaStream_t stream)
{
    jsni_count_args none = {};
    if (blocks + (counted != NULL) == 0)
        return cudaSuccess;
    return jsni_launch(end_step, blocks + (counted != NULL), BLOCK, 0, 1, stream, packs,
                       count, counted ? *counted : none);
}

/* ---- the sums behind backward-weights; conv_parts.cuh says how they lie ---- */

constexpr int RUNS = 8, RUN = BLOCK / RUNS; /* runs over the parts; sums of a block */

/* Four neighbouring results of the stem: [product][result][lane]. */
static __device__ __forceinline__ void store_stem(float *gradient, int i, float4 v)
{
    const float f[4] = {v.x, v.y, v.z, v.w};
    for (int j = 0; j < 4; j++) {
        const int r = (i * 4 + j) >> 5, lane = (i * 4 + j) & 31;
        const int m = r / (STEM_N * 4), n = r / 4 % STEM_N;
        const int co = m * MMA_M + result_row(lane) + (r & 2) * (MMA_M / 4);
        const int slot = n * MMA_N + result_column(lane) + (r & 1);
        const int in_row = slot % STEM_ROW_SLOTS, kh = slot / STEM_ROW_SLOTS;
        const int kw = in_row / STEM_COLOURS, c = in_row % STEM_COLOURS;
        if (slot < STEM_USED_SLOTS && in_row < STEM_ROW_TAPS)
            gradient[(co * STEM_COLOURS + c) * PART_TAPS + kh * 3 + kw] = f[j];
    }
}

/* Result e of a tile of the 3x3 kernels: [product][warp][lane]. */
static __device__ __forceinline__ void store_products(float *gradient, int C, int tile,
                                                      int e, float4 v)
{
    const int product = C == 32 ? e >> 6 : e >> 8, in = C == 32 ? e & 63 : e & 255;
    const int warp = in >> 5, lane = in & 31;
    const int tap = product >> 2, m = (product >> 1) & 1, n = product & 1;
    const int co = warp_co(C, warp) + m * MMA_M + result_row(lane) + tile_co(C, tile);
    const int ci =
        warp_ci(C, warp) + n * MMA_N + result_column(lane) + tile_ci(C, tile);
    const int below = co + MMA_M / 2;
    gradient[(co * C + ci) * PART_TAPS + tap] = v.x;
    gradient[(co * C + ci + 1) * PART_TAPS + tap] = v.y;
    gradient[(below * C + ci) * PART_TAPS + tap] = v.z;
    gradient[(below * C + ci + 1) * PART_TAPS + tap] = v.w;
}

static __device__ __forceinline__ void add4(float4 &s, const float4 v)
{
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
}

/* Eight interleaved runs over the partial sums, then their sum. */
static __global__ void __launch_bounds__(BLOCK)
    final_sums(const jsni_conv_final *layers, int count)
{
    __shared__ float4 s[RUNS][RUN];
    launch_next();
    int first = 0, last = count - 1;
    while (first < last) {
        const int middle = (first + last + 1) / 2;
        if (layers[middle].first_block <= (int)blockIdx.x)
            first = middle;
        else
            last = middle - 1;
    }
    const jsni_conv_final layer = layers[first];
    const int x = threadIdx.x % RUN, run = threadIdx.x / RUN, C = layer.channels;
    const int i = ((int)blockIdx.x - layer.first_block) * RUN + x, parts = layer.parts;
    float4 v = make_float4(0, 0, 0, 0);
    launch_wait();
    if (C == STEM_COLOURS) {
        const float4 *part = (const float4 *)layer.part;
#pragma unroll 8
        for (int p = run; p < parts; p += RUNS)
            add4(v, part[p * (STEM_RESULTS / 4) + i]);
        s[run][x] = v;
        __syncthreads();
        if (run)
            return;
        for (int k = 1; k < RUNS; k++)
            add4(v, s[k][x]);
        store_stem(layer.gradient, i, v);
        return;
    }
    const int results = part_results(C), tile = i / results, e = i % results;
    const float4 *part =
        (const float4 *)layer.part + (long long)tile * parts * results + e;
#pragma unroll 8
    for (int p = run; p < parts; p += RUNS)
        add4(v, part[(long long)p * results]);
    s[run][x] = v;
    __syncthreads();
    if (run)
        return;
#pragma unroll
    for (int k = 1; k < RUNS; k++)
        add4(v, s[k][x]);
    store_products(layer.gradient, C, tile, e, v);
}

int jsni_conv_final_blocks(int channels)
{
    return channels == STEM_COLOURS
               ? STEM_RESULTS / 4 / RUN
               : part_tiles(channels) * part_results(channels) / RUN;
}

cudaError_t jsni_conv_final_sums(const jsni_conv_final *layers, int count, int blocks,
                                 cudaStream_t stream)
{
    return jsni_launch(final_sums, blocks, BLOCK, 0, 1, stream, layers, count);
}
