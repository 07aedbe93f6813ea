/* backend/cuda/conv3x3_weights.cu - backward-weights of the 3x3 convolutions: an
 * implicit product over pixels, 9 x 32 x 16 accumulators in 144 registers of each warp,
 * the input normalised while it is loaded. Partial sums leave by block or by cluster of
 * two (fixed rank order); jsni_conv_final_sums() adds them, also in a fixed order.
 */
#include "backend/cuda/conv_kernels.h"

#include <cooperative_groups.h>

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

namespace cg = cooperative_groups;

constexpr int BLOCK = 256;

template <int C> struct BG {
    static constexpr int H = 1024 / C, CW = C < 64 ? C : 64, PX = CW * 2,
                         XPITCH = (H + 2) * PX, DPITCH = H * PX;
    static constexpr int NIS = C == 64 ? 1 : 2; /* images of a stage (4 rows each) */
    static constexpr int XB = NIS * 4 * XPITCH, DB = NIS * 4 * DPITCH,
                         CH = DB / 16 / BLOCK;
    static constexpr int UNIT = H / 4, NST = 8,
                         RING =
                             4; /* stages of an image, of a block, in shared memory */
    static constexpr int TILES = (C / CW) * (C / CW),
                         IMGS = C == 128 ? 8 : 2; /* images of a block */
    static constexpr int E =
        C == 32 ? 36 * 64 : 36 * 256; /* float4 results of a block */
};
template <int C>
constexpr int BW_BODY = (BG<C>::XB + BG<C>::DB) * BG<C>::RING > 147456
                            ? (BG<C>::XB + BG<C>::DB) * BG<C>::RING
                            : 147456;
template <int C> constexpr int BW_SMEM = 1024 + 2 * 64 * 4 + BW_BODY<C>;
template <int C, int CL>
__global__ void __launch_bounds__(BLOCK, 1) conv3x3_bwdw(const jsni_conv_weight_args A)
{
    using G = BG<C>;
    constexpr int H = G::H, CW = G::CW, SB = G::XB + G::DB;
    const bf16 *const x_in = (const bf16 *)A.x, *const dy_in = (const bf16 *)A.dy;
    extern __shared__ char smem_raw[];
    char *sm = (char *)(((uintptr_t)smem_raw + 1023) & ~(uintptr_t)1023);
    const uint32_t ring = shared_address(sm);
    float *coef = (float *)(sm + BW_BODY<C>);
    const int tid = threadIdx.x, w = tid >> 5, l = tid & 31;
    const int groups = A.images / G::IMGS, tile = blockIdx.x / groups,
              grp = blockIdx.x % groups, img0 = grp * G::IMGS,
              view = img0 / A.view_images;
    const int coff = C == 128 ? (tile >> 1) * 64 : 0,
              ioff = C == 128 ? (tile & 1) * 64 : 0;
    const int ch = tid % (CW / 8);
    auto where = [&](int st, int i, int &im, int &k, int &src) {
        const int p = (i * BLOCK + tid) / (CW / 8), px = p % H, rr = p / H;
        im = rr >> 2;
        k = rr & 3;
        const int gi = img0 + (C == 32   ? im
                               : C == 64 ? st >> 2
                                         : (st >> 1) * 2 + im),
                  row = (st % G::UNIT) * 4 + k;
        src = ((gi * H + row) * H + px) * C;
        return px;
    };
    auto load = [&](int st) {
        const uint32_t b = ring + (st % G::RING) * SB;
#pragma unroll
        for (int i = 0; i < G::CH; i++) {
            int im, k, src;
            const int px = where(st, i, im, k, src);
            copy16(b + (im * 4 + k) * G::XPITCH + (px + 1) * G::PX +
                       swizzle<CW>(px + 1, ch),
                   x_in + src + ioff + ch * 8);
            copy16(b + G::XB + (im * 4 + k) * G::DPITCH + px * G::PX +
                       swizzle<CW>(px, ch),
                   dy_in + src + coff + ch * 8);
        }
    };
    auto transform =
        [&](int st,
            int i) { /* each thread transforms the chunks it copied itself */
                     if (st >= G::NST)
                         return;
                     const uint32_t b = ring + (st % G::RING) * SB;
                     int im, k, src;
                     const int px = where(st, i, im, k, src);
                     const uint32_t p = b + (im * 4 + k) * G::XPITCH +
                                        (px + 1) * G::PX + swizzle<CW>(px + 1, ch);
                     store_shared16(p, norm_relu8(load_shared16(p), coef + ch * 8,
                                                  coef + 64 + ch * 8));
        };
    launch_next();
    launch_wait();
#pragma unroll
    for (int p = 0; p < G::RING - 1; p++) {
        load(p);
        copy_commit();
    }
    for (int i = tid; i < CW; i += BLOCK) {
        coef[i] = A.xa[view * C + ioff + i];
        coef[64 + i] = A.xb[view * C + ioff + i];
    }
    for (int i = tid; i < G::RING * G::NIS * 4 * 2 * (CW / 8);
         i += BLOCK) { /* zero the padding columns of every slot */
        const int c = i % (CW / 8), s = i / (CW / 8) & 1,
                  r = i / (CW / 8) / 2 % (G::NIS * 4),
                  q = i / (CW / 8) / 2 / (G::NIS * 4);
        store_shared16(ring + q * SB + r * G::XPITCH + s * (H + 1) * G::PX + c * 16,
                       make_uint4(0, 0, 0, 0));
    }
    /* the warp's tile: 32 output x 16 input channels, all taps */
    const int cob = C == 32 ? 0 : (w & 1) * 32,
              cib = C == 32 ? (w & 1) * 16 : (w >> 1) * 16;
    const int img = C == 32 ? w >> 2 : 0, strip = C == 32 ? (w >> 1) & 1 : 0;
    uint32_t xo[3], dof;
#pragma unroll
    for (int kw = 0; kw < 3; kw++) {
        const int h8 = (l >> 3) & 1,
                  px = strip * 16 + (l & 7) + (C == 128 ? 0 : h8 * 8) + kw;
        xo[kw] = (C == 128 ? h8 : img) * 4 * G::XPITCH + px * G::PX +
                 swizzle<CW>(px, cib / 8 + (l >> 4));
    }
    {
        const int h8 = l >> 4, px = strip * 16 + (l & 7) + (C == 128 ? 0 : h8 * 8);
        dof = G::XB + (C == 128 ? h8 : img) * 4 * G::DPITCH + px * G::PX +
              swizzle<CW>(px, cob / 8 + ((l >> 3) & 1));
    }
    float acc[3][3][2][2][4] = {};     /* [kh][kw][16 output][8 input channels] */
    uint32_t xf[2][3][4], df[2][2][4]; /* fragments of this row and of the row above */
    __syncthreads();
    copy_wait<G::RING - 2>();
#pragma unroll
    for (int i = 0; i < G::CH; i++)
        transform(0, i);
#pragma unroll 1
    for (int st = 0; st < G::NST;
         st++) { /* multiply stage st, transform stage st+1, load stage st+3 */
        __syncthreads();
        if (st + G::RING - 1 < G::NST)
            load(st + G::RING - 1);
        copy_commit();
        copy_wait<G::RING - 2>();
        const uint32_t b = ring + (st % G::RING) * SB;
        if (st % G::UNIT == 0) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                xf[1][0][i] = xf[1][1][i] = xf[1][2][i] = df[1][0][i] = df[1][1][i] = 0;
            }
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int cu = k & 1, pr = cu ^ 1;
#pragma unroll
            for (int m = 0; m < 2; m++)
                load_matrix_t(df[cu][m], (b + (dof ^ (m << 5))) + k * G::DPITCH);
#pragma unroll
            for (int kw = 0; kw < 3; kw++)
                load_matrix_t(xf[cu][kw], b + xo[kw] + k * G::XPITCH);
#pragma unroll
            for (int kh = 0; kh < 3; kh++)
#pragma unroll
                for (int kw = 0; kw < 3; kw++)
#pragma unroll
                    for (int m = 0; m < 2; m++)
#pragma unroll
                        for (int n = 0; n < 2; n++) {
                            const int xi = kh == 0 ? pr : cu, di = kh == 2 ? pr : cu;
                            multiply(acc[kh][kw][m][n], df[di][m], xf[xi][kw][n * 2],
                                     xf[xi][kw][n * 2 + 1]);
                        }
#pragma unroll
            for (int i = k * G::CH / 4; i < (k + 1) * G::CH / 4; i++)
                transform(st + 1, i);
        }
    }
    copy_wait<0>();
    __syncthreads();
    float4 *red = (float4 *)sm; /* [36][256] */
#pragma unroll
    for (int q = 0; q < 36; q++) {
        const float *a = acc[q / 12][q / 4 % 3][q / 2 % 2][q % 2];
        red[q * 256 + tid] = make_float4(a[0], a[1], a[2], a[3]);
    }
    auto add = [](float4 &s, const float4 v) {
        s.x += v.x;
        s.y += v.y;
        s.z += v.z;
        s.w += v.w;
    };
    float4 *out = A.part + ((size_t)tile * (groups / CL) + grp / CL) * G::E;
    if (C == 32) { /* four warps share a tile */
        __syncthreads();
        for (int e = tid; e < G::E; e += BLOCK) {
            float4 *p = red + (e >> 6) * 256 + (e & 63), s = *p;
            add(s, p[64]);
            add(s, p[128]);
            add(s, p[192]);
            if (CL == 1)
                out[e] = s;
            else
                *p = s;
        }
    }
#if __CUDA_ARCH__ >= 900
    if (CL > 1) {
        cg::cluster_group cl = cg::this_cluster();
        cl.sync();
        const int r = cl.block_rank();
        const float4 *src[CL];
#pragma unroll
        for (int i = 0; i < CL; i++)
            src[i] = cl.map_shared_rank(red, i);
#pragma unroll 2
        for (int e = r * (G::E / CL) + tid; e < (r + 1) * (G::E / CL); e += BLOCK) {
            const int p = C == 32 ? (e >> 6) * 256 + (e & 63) : e;
            float4 v[CL];
#pragma unroll
            for (int i = 0; i < CL; i++)
                v[i] = src[i][p];
#pragma unroll
            for (int i = 1; i < CL; i++)
                add(v[0], v[i]);
            out[e] = v[0];
        }
        cl.sync();
    } else
#endif
        if (C != 32) {
        __syncthreads();
        for (int e = tid; e < G::E; e += BLOCK)
            out[e] = red[e];
    }
}
template <int C, int CL>
static cudaError_t start(const jsni_conv_weight_args *args, cudaStream_t stream)
{
    using G = BG<C>;
    static_assert(BW_SMEM<C> <= JSNI_CONV_SHARED, "see roomy");
    return jsni_launch(conv3x3_bwdw<C, CL>, args->images / G::IMGS * G::TILES, BLOCK,
                       BW_SMEM<C>, CL, stream, *args);
}

/* Blocks by images of a tile, and of how many one leaves a partial sum: two of the same
 * tile, where their number is even and the device has clusters. */
static int groups_of(int channels, int images)
{
    return images / (channels == 128 ? BG<128>::IMGS : BG<32>::IMGS);
}

static int cluster_of(int channels, int images, bool clusters)
{
    return clusters && channels > 32 && groups_of(channels, images) % 2 == 0 ? 2 : 1;
}

cudaError_t jsni_conv3x3_weights(const jsni_conv_weight_args *args, int channels,
                                 bool clusters, cudaStream_t stream)
{
    const bool pairs = cluster_of(channels, args->images, clusters) == 2;
    switch (channels) {
    case 32:
        return start<32, 1>(args, stream);
    case 64:
        return pairs ? start<64, 2>(args, stream) : start<64, 1>(args, stream);
    case 128:
        return pairs ? start<128, 2>(args, stream) : start<128, 1>(args, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

int jsni_conv3x3_weight_parts(int channels, int images, bool clusters)
{
    return groups_of(channels, images) / cluster_of(channels, images, clusters);
}

size_t jsni_conv3x3_weight_bytes(int channels, int images, bool clusters)
{
    const int tiles = channels == 128 ? BG<128>::TILES : 1;
    const int results = channels == 32 ? BG<32>::E : BG<64>::E;
    return (size_t)tiles * results * sizeof(float4) *
           (size_t)jsni_conv3x3_weight_parts(channels, images, clusters);
}
