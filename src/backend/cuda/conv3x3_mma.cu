/* backend/cuda/conv3x3_mma.cu - 3x3 convolutions with stride 1, forward and
 * backward-data (the weights come packed in register order, so one kernel does both).
 *
 * Each warp keeps the weights of 1024/C output channels for all 9 taps in 144 registers
 * and marches down the rows: an input fragment is read from shared memory once per
 * column shift and feeds three output rows. Loading, the transform of what was loaded,
 * products and stores of neighbouring stages overlap.
 */
#include "backend/cuda/conv_kernels.h"

#include <type_traits>

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

/* A block: 4 warps and one image (two blocks fit a multiprocessor), or for C=128 8 warps, 4 images, 64 output channels. */
template <int C> struct Geo {
    static constexpr int H = 1024 / C, NI = C == 128 ? 4 : 1,
                         THR = C == 128 ? 256 : 128, GRID = C == 128 ? 128 : 256;
    static constexpr int PX = C * 2,
                         PITCH = (H + 2) * PX; /* bytes of a pixel, of a padded row */
    static constexpr int STAGES = 8,
                         SR = C == 128 ? 1
                                       : 2; /* load stages, marched rows of a stage */
    static constexpr int ROWS = C == 32   ? 4
                                : C == 64 ? 2
                                          : 4; /* rows in a stage: half*2+k, k, image */
    static constexpr int CH =
        ROWS * H * C / 8 / THR; /* 16-byte chunks per thread and stage */
    static constexpr int SLOT = ROWS * PITCH,
                         XR = 5; /* bytes of a stage, stages in the ring */
    static constexpr int KS = C / 16, NT = 128 / C, NB = NT * 8, MT = C == 128 ? 2 : 1;
    static constexpr int ESLOT =
        SR * MT * 2 * NT * 4 * THR; /* bytes of the epilogue operand of a stage */
};
template <int C, int PRO, int EPI>
constexpr int CONV_SMEM = 1024 + Geo<C>::XR *Geo<C>::SLOT + 5 * C * 4 + 8 * 64 * 4 +
                          (PRO > 1 ? (PRO - 1) * 3 * Geo<C>::CH * Geo<C>::THR * 16
                                   : 0) +
                          (EPI > 1 ? 3 * Geo<C>::ESLOT : 0);

/* PRO: 0 none, 1 relu(a*x+b), 2 a*x+b*x2+d.  EPI: 0 none, 1 sums, 2 residual+sums, 3 ReLU mask + BatchNorm backward sums */
template <int C, int PRO, int EPI>
__global__ void __launch_bounds__(Geo<C>::THR, C == 128 ? 1 : 2)
    conv3x3(const jsni_conv_args A)
{
    using G = Geo<C>;
    constexpr int H = G::H, KS = G::KS, NT = G::NT, MT = G::MT, THR = G::THR;
    constexpr int STAGED = 3 * G::CH * THR * 16;
    const bf16 *const x_in = (const bf16 *)A.x, *const x2_in = (const bf16 *)A.x2,
                      *const x3_in = (const bf16 *)A.x3,
                      *const e_in = (const bf16 *)A.e;
    bf16 *const y_out = (bf16 *)A.y, *const x_out = (bf16 *)A.xo;
    extern __shared__ char smem_raw[];
    char *sm = (char *)(((uintptr_t)smem_raw + 1023) & ~(uintptr_t)1023);
    const uint32_t xs = shared_address(sm);
    float *coef = (float *)(sm + G::XR * G::SLOT); /* pa, pb, pd, ea, eb */
    float *sred = coef + 5 * C;                    /* per warp sums */
    const uint32_t st2 = shared_address(
        sred +
        8 * 64); /* staging of x2, then of e; each thread reads only what it copied */
    const int tid = threadIdx.x, w = tid >> 5, l = tid & 31;
    const uint32_t ste = st2 + (PRO > 1 ? (PRO - 1) * STAGED : 0) + tid * NT * 4;
    const int grp = C == 128 ? blockIdx.x >> 1 : blockIdx.x, img0 = grp * G::NI,
              view = img0 / A.view_images;
    launch_next();

    /* role of the warp */
    const bool rev = C == 32 && (w & 2); /* lower half of the image: march upwards */
    const int strip = C == 32 ? w & 1 : 0;
    const int cog = C == 32 ? 0
                    : C == 64
                        ? w
                        : (blockIdx.x & 1) * 8 + w; /* group of NB output channels */
    uint32_t wr[3][3][16];
#pragma unroll
    for (int kh = 0; kh < 3; kh++)
#pragma unroll
        for (int kw = 0; kw < 3; kw++)
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const uint4 v =
                    __ldg((const uint4 *)A.w +
                          ((cog * 9 + (rev ? 2 - kh : kh) * 3 + kw) * 4 + q) * 32 + l);
                wr[kh][kw][q * 4] = v.x;
                wr[kh][kw][q * 4 + 1] = v.y;
                wr[kh][kw][q * 4 + 2] = v.z;
                wr[kh][kw][q * 4 + 3] = v.w;
            }
    for (int i = tid; i < G::XR * G::ROWS * 2 * (C / 8);
         i += THR) { /* zero the padding columns */
        const int c = i % (C / 8), r = i / (C / 8);
        store_shared16(xs + (r >> 1) * G::PITCH + (r & 1) * (H + 1) * G::PX + c * 16,
                       make_uint4(0, 0, 0, 0));
    }
    launch_wait(); /* what earlier kernels wrote is read only from here on */

    /* chunk i of a stage of this thread: its row of the stage, pixel, and source */
    const int ch = tid % (C / 8), px = (tid / (C / 8)) % H;
    auto rowof = [&](int i) { return C == 128 ? i * 2 + (tid >> 7) : i; };
    auto src = [&](int g, int i) {
        const int r = rowof(i), im = C == 128 ? r : 0,
                  row = C == 32   ? (r & 2 ? 31 - 2 * g - (r & 1) : 2 * g + r)
                        : C == 64 ? 2 * g + r
                                  : g;
        return (((img0 + im) * H + row) * H + px) * C + ch * 8; /* fits 32 bits */
    };
    auto dst = [&](int g, int i) {
        return xs + (g % G::XR) * G::SLOT + rowof(i) * G::PITCH + (px + 1) * G::PX +
               swizzle<C>(px + 1, ch);
    };
    auto load = [&](int g) {
        if (g < G::STAGES)
#pragma unroll
            for (int i = 0; i < G::CH; i++)
                copy16(dst(g, i), x_in + src(g, i));
    };
    auto staged = [&](int g, int i) {
        return st2 + (((g % 3) * G::CH + i) * THR + tid) * 16;
    };
    auto load2 = [&](int g) {
        if (PRO > 1 && g < G::STAGES)
#pragma unroll
            for (int i = 0; i < G::CH; i++) {
                copy16(staged(g, i), x2_in + src(g, i));
                if (PRO == 3)
                    copy16(staged(g, i) + STAGED, x3_in + src(g, i));
            }
    };
    const int c0 =
        cog * G::NB +
        (l & 3) * 2 * NT; /* this thread's 2*NT neighbouring output channels */
    auto opos = [&](int o, int mt,
                    int h) { /* output offset of position o of the march */
                             const int row = rev ? 31 - o : o;
                             const int im = C == 128 ? mt * 2 + h : 0,
                                       p = C == 128 ? l >> 2
                                                    : strip * 16 + (l >> 2) + h * 8;
                             return (((img0 + im) * H + row) * H + p) * C + c0;
    };
    auto eslot = [&](int o, int mt, int h) {
        return ste + ((o / G::SR) % 3) * G::ESLOT +
               (((o % G::SR) * MT + mt) * 2 + h) * THR * NT * 4;
    };
    auto loade = [&](int g) {
        if (EPI > 1 && g < G::STAGES)
#pragma unroll
            for (int k = 0; k < G::SR; k++)
#pragma unroll
                for (int mt = 0; mt < MT; mt++)
#pragma unroll
                    for (int h = 0; h < 2; h++) {
                        const int o = g * G::SR + k;
                        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                                         eslot(o, mt, h)),
                                     "l"(e_in + opos(o, mt, h)), "n"(NT * 4)
                                     : "memory");
                    }
    };
    auto transform =
        [&](int g,
            int i) { /* each thread transforms the chunks it copied itself */
                     if (!PRO || g >= G::STAGES)
                         return;
                     const uint32_t p = dst(g, i);
                     if (PRO == 1)
                         store_shared16(p, norm_relu8(load_shared16(p), coef + ch * 8,
                                                      coef + C + ch * 8));
                     else {
                         const uint4 s = PRO == 3 ? load_shared16(staged(g, i) + STAGED)
                                                  : make_uint4(0, 0, 0, 0);
                         const uint4 v = norm_back8<PRO == 3>(
                             load_shared16(p), load_shared16(staged(g, i)), s,
                             coef + ch * 8, coef + C + ch * 8, coef + 2 * C + ch * 8);
                         store_shared16(p, v);
                         if (x_out)
                             *(uint4 *)(x_out + src(g, i)) = v;
                     }
        };
    load(0);
    load2(0);
    loade(0);
    copy_commit();
    load(1);
    load2(1);
    loade(1);
    copy_commit();
    load(2);
    load2(2);
    copy_commit();
    load(3);
    copy_commit();
    for (int i = tid; i < C; i += THR) {
        if (PRO) {
            coef[i] = A.pa[view * C + i];
            coef[C + i] = A.pb[view * C + i];
        }
        if (PRO > 1)
            coef[2 * C + i] = A.pd[view * C + i];
        if (EPI == 3) {
            coef[3 * C + i] = A.ea[view * C + i];
            coef[4 * C + i] = A.eb[view * C + i];
        }
    }
    uint32_t aa[3]; /* this lane's fragment row, by column shift, inside a slot */
#pragma unroll
    for (int kw = 0; kw < 3; kw++) {
        const int h8 = (l >> 3) & 1,
                  p = strip * 16 + (l & 7) + (C == 128 ? 0 : h8 * 8) + kw;
        aa[kw] = (C == 128 ? h8
                  : rev    ? 2
                           : 0) *
                     G::PITCH +
                 p * G::PX + swizzle<C>(p, l >> 4);
    }
    float acc[3][MT][NT][4] = {}; /* output rows s-1, s, s+1 */
    float s1[2 * NT] = {}, s2[2 * NT] = {};
    auto epilogue =
        [&](int o) { /* store output row o from acc[0] */
#pragma unroll
                     for (int mt = 0; mt < MT; mt++)
#pragma unroll
                         for (int h = 0; h < 2; h++) {
                             uint32_t out[NT], ev[NT];
                             if (EPI > 1) {
                                 const uint32_t p = eslot(o, mt, h);
                                 if (NT == 4) {
                                     const uint4 v = load_shared16(p);
                                     ev[0] = v.x;
                                     ev[1 % NT] = v.y;
                                     ev[2 % NT] = v.z;
                                     ev[3 % NT] = v.w;
                                 } else if (NT == 2)
                                     asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];"
                                                  : "=r"(ev[0]), "=r"(ev[1 % NT])
                                                  : "r"(p)
                                                  : "memory");
                                 else
                                     asm volatile("ld.shared.u32 %0, [%1];"
                                                  : "=r"(ev[0])
                                                  : "r"(p)
                                                  : "memory");
                             }
#pragma unroll
                             for (int j = 0; j < NT; j++) {
                                 float v0 = acc[0][mt][j][h * 2],
                                       v1 = acc[0][mt][j][h * 2 + 1];
                                 if (EPI == 2)
                                     v0 += low(ev[j]), v1 += high(ev[j]);
                                 if (EPI == 3) {
                                     const float2 a = *(const float2 *)(coef + 3 * C +
                                                                        c0 + 2 * j),
                                                  b = *(const float2 *)(coef + 4 * C +
                                                                        c0 + 2 * j);
                                     v0 = fmaf(a.x, low(ev[j]), b.x) > 0.f ? v0 : 0.f;
                                     v1 = fmaf(a.y, high(ev[j]), b.y) > 0.f ? v1 : 0.f;
                                 }
                                 out[j] = pack(v0, v1);
                                 if (EPI) {
                                     v0 = low(out[j]);
                                     v1 = high(out[j]); /* sums of what is stored */
                                     s1[2 * j] += v0;
                                     s1[2 * j + 1] += v1;
                                     s2[2 * j] = fmaf(v0, EPI == 3 ? low(ev[j]) : v0,
                                                      s2[2 * j]);
                                     s2[2 * j + 1] =
                                         fmaf(v1, EPI == 3 ? high(ev[j]) : v1,
                                              s2[2 * j + 1]);
                                 }
                             }
                             bf16 *p = y_out + opos(o, mt, h);
                             if (NT == 4)
                                 *(uint4 *)p = make_uint4(out[0], out[1 % NT],
                                                          out[2 % NT], out[3 % NT]);
                             else if (NT == 2)
                                 *(uint2 *)p = make_uint2(out[0], out[1 % NT]);
                             else
                                 *(uint32_t *)p = out[0];
                         }
        };
    auto products =
        [&](uint32_t base, auto k0, auto k1,
            auto k2) { /* one input row into up to three output rows */
#pragma unroll
                       for (int kw = 0; kw < 3; kw++)
#pragma unroll
                           for (int ks = 0; ks < KS; ks++) {
                               uint32_t a[MT][4];
#pragma unroll
                               for (int mt = 0; mt < MT; mt++)
                                   load_matrix(a[mt], base + (aa[kw] ^ (ks << 5)) +
                                                          mt * 2 * G::PITCH);
#pragma unroll
                               for (int kh = 0; kh < 3; kh++)
                                   if ((kh == 0 && k0.value) || (kh == 1 && k1.value) ||
                                       (kh == 2 && k2.value))
#pragma unroll
                                       for (int mt = 0; mt < MT; mt++)
#pragma unroll
                                           for (int j = 0; j < NT; j++)
                                               multiply(
                                                   acc[2 - kh][mt][j], a[mt],
                                                   wr[kh][kw][ks * NT * 2 + j * 2],
                                                   wr[kh][kw][ks * NT * 2 + j * 2 + 1]);
                           }
        };
    auto shift = [&]() {
#pragma unroll
        for (int mt = 0; mt < MT; mt++)
#pragma unroll
            for (int j = 0; j < NT; j++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    acc[0][mt][j][i] = acc[1][mt][j][i];
                    acc[1][mt][j][i] = acc[2][mt][j][i];
                    acc[2][mt][j][i] = 0.f;
                }
    };
    std::integral_constant<bool, true> T;
    std::integral_constant<bool, false> F;
    __syncthreads(); /* coefficients */
    copy_wait<3>();
#pragma unroll
    for (int i = 0; i < G::CH; i++)
        transform(0, i);
#pragma unroll 1
    for (
        int g = 0; g < G::STAGES;
        g++) { /* multiply stage g while transforming stage g+1 and loading later ones */
        if (g < 2)
            copy_wait<2>();
        else
            copy_wait<1>();
        __syncthreads();
        const uint32_t base = xs + (g % G::XR) * G::SLOT;
#pragma unroll
        for (int k = 0; k < G::SR; k++) {
            const int s = g * G::SR + k;
            if (k == 0 && g == 0)
                products(base, T, T, F);
            else
                products(base + k * G::PITCH, T, T, T);
#pragma unroll
            for (int i = k * G::CH / G::SR; i < (k + 1) * G::CH / G::SR; i++)
                transform(g + 1, i);
            if (s)
                epilogue(s - 1);
            shift();
            if (k == 0) {
                load(g + 4);
                load2(g + 3);
                loade(g + 2);
                copy_commit();
            }
        }
    }
    /* C=32: the row beyond this half is the other half's last one */
    if (C == 32)
        products(xs + ((G::STAGES - 1) % G::XR) * G::SLOT + (rev ? -1 : 3) * G::PITCH,
                 F, F, T);
    epilogue(C == 32 ? 15 : H - 1);
    if (EPI) { /* fixed-order sums of the block */
#pragma unroll
        for (int j = 0; j < 2 * NT; j++)
#pragma unroll
            for (int d = 4; d < 32; d <<= 1) {
                s1[j] += __shfl_xor_sync(~0u, s1[j], d);
                s2[j] += __shfl_xor_sync(~0u, s2[j], d);
            }
        if (l < 4)
#pragma unroll
            for (int j = 0; j < 2 * NT; j++) {
                sred[w * 64 + l * 2 * NT + j] = s1[j];
                sred[w * 64 + 32 + l * 2 * NT + j] = s2[j];
            }
        __syncthreads();
        constexpr int NC = C == 128 ? 64 : C,
                      NR = C == 32 ? 4
                                   : 1; /* channels of the block, warps sharing one */
        if (tid < 2 * NC) {
            const int q = tid / NC, c = tid % NC, w0 = c / G::NB;
            float s = 0;
#pragma unroll
            for (int r = 0; r < NR; r++)
                s += sred[(w0 + r) * 64 + q * 32 + c % G::NB];
            A.part[(grp * 2 + q) * C + (C == 128 ? (blockIdx.x & 1) * 64 : 0) + c] = s;
        }
    }
}
template <int C, int PRO, int EPI>
static cudaError_t start(const jsni_conv_args *args, cudaStream_t stream)
{
    using G = Geo<C>;
    static_assert(CONV_SMEM<C, PRO, EPI> <= JSNI_CONV_SHARED, "see roomy");
    const int groups = args->images / G::NI;
    return jsni_launch(conv3x3<C, PRO, EPI>, C == 128 ? 2 * groups : groups, G::THR,
                       CONV_SMEM<C, PRO, EPI>, 1, stream, *args);
}

template <int C>
static cudaError_t choose(const jsni_conv_args *args, int prologue, int epilogue,
                          cudaStream_t stream)
{
    switch (prologue * 4 + epilogue) {
    case 1 * 4 + 1:
        return start<C, 1, 1>(args, stream);
    case 1 * 4 + 2:
        return start<C, 1, 2>(args, stream);
    case 0 * 4 + 3:
        return start<C, 0, 3>(args, stream);
    case 2 * 4 + 3:
        return start<C, 2, 3>(args, stream);
    case 3 * 4 + 3:
        return start<C, 3, 3>(args, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t jsni_conv3x3(const jsni_conv_args *args, int channels,
                         jsni_conv_prologue prologue, jsni_conv_epilogue epilogue,
                         bool wide, cudaStream_t stream)
{
    if (wide)
        return channels == 32
                   ? jsni_conv3x3_rows(args, prologue, epilogue, stream)
                   : jsni_conv3x3_image(args, channels, prologue, epilogue, stream);
    switch (channels) {
    case 32:
        return choose<32>(args, prologue, epilogue, stream);
    case 64:
        return choose<64>(args, prologue, epilogue, stream);
    case 128:
        return choose<128>(args, prologue, epilogue, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

int jsni_conv3x3_group(int channels, int images, bool wide)
{
    if (!wide)
        return channels == 128 ? Geo<128>::NI : 1;
    return channels == 32 ? jsni_conv3x3_rows_group(images)
                          : jsni_conv3x3_image_group(channels, images);
}

bool jsni_conv3x3_fits(int channels, int height, int width, int view_images)
{
    return (channels == 32 || channels == 64 || channels == 128) &&
           channels * height == 1024 && height == width && view_images % 8 == 0;
}
