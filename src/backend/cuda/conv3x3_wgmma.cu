/* backend/cuda/conv3x3_wgmma.cu - the 3x3 convolution of 32 channels on wgmma, for
 * sm_90a: forward and backward-data.
 *
 * Two consumer and two producer warpgroups, an image for each pair. M = 64 pixels: row o
 * of the upper and of the lower half; N = 96: the three output rows that an input row
 * feeds, in three rotating register blocks. The weights lie in shared memory as kh =
 * 2,1,0,2,1 by column shift, so that each rotation is a start address. Pixels lie as
 * [8 channels][group of 8 pixels + 1 neighbour on each side][16 bytes]: a column shift
 * is 16 bytes. Accumulators are copied and zeroed in place by asm and pinned before the
 * fence, else the assembler serialises every wgmma.
 */
#include "backend/cuda/conv_kernels.h"

#include <type_traits>

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int
    WG_LBO = 1312,
    WG_IMG = 4 * WG_LBO, WG_SLOT = 2 * WG_IMG, WG_RING = 9,
    WG_W = 30720; /* the ring's size also keeps a second block off the multiprocessor */
constexpr int WG_SMEM =
    1024 + WG_W + WG_RING * WG_SLOT + 5 * 32 * 4 + 8 * 64 * 4 + 4 * WG_RING * 8;
__device__ __forceinline__ void mbar_init(uint32_t b, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint32_t b)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(b)
                 : "memory");
}
__device__ __forceinline__ void mbar_wait(uint32_t b, int ph)
{
    asm volatile("{ .reg .pred p;\n W: mbarrier.try_wait.parity.shared::cta.b64 p, "
                 "[%0], %1;\n @!p bra W; }" ::"r"(b),
                 "r"(ph)
                 : "memory");
}
__device__ __forceinline__ uint64_t desc(uint32_t a, uint32_t lbo, uint32_t sbo)
{
    return (uint64_t)((a & 0x3ffff) >> 4) | (uint64_t)(lbo >> 4) << 16 |
           (uint64_t)(sbo >> 4) << 32;
}
__device__ __forceinline__ void wgmma96(float (&d)[48], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, "
        "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
        "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, "
        "%37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, %48, %49, 1, 1, 1, 0, "
        "0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
          "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
          "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
          "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
          "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
        : "l"(a), "l"(b));
}
template <int PRO, int EPI>
__global__ void __launch_bounds__(512, 1) conv32_wg(const jsni_conv_args A)
{
#if __CUDA_ARCH_FEAT_SM90_ALL

    constexpr int C = 32, H = 32;
    const bf16 *const x_in = (const bf16 *)A.x, *const x2_in = (const bf16 *)A.x2,
                      *const x3_in = (const bf16 *)A.x3,
                      *const e_in = (const bf16 *)A.e;
    bf16 *const y_out = (bf16 *)A.y, *const x_out = (bf16 *)A.xo;
    extern __shared__ char smem_raw[];
    char *sm = (char *)(((uintptr_t)smem_raw + 1023) & ~(uintptr_t)1023);
    const uint32_t ws = shared_address(sm), xs = ws + WG_W;
    float *coef = (float *)(sm + WG_W + WG_RING * WG_SLOT), *sred = coef + 5 * C;
    const int tid = threadIdx.x, w = tid >> 5, l = tid & 31,
              g = (w >> 2) & 1; /* g: image of this warp */
    const uint32_t full = shared_address(sred + 8 * 64) + g * 2 * WG_RING * 8,
                   empty = full + WG_RING * 8;
    const int img0 = blockIdx.x * 2, view = img0 / A.view_images;
    launch_next();
    for (int i = tid; i < WG_W / 16; i += 512)
        store_shared16(ws + i * 16, __ldg((const uint4 *)A.w + i));
    for (int i = tid; i < WG_RING * WG_SLOT / 16; i += 512)
        store_shared16(xs + i * 16, make_uint4(0, 0, 0, 0));
    if ((tid & 127) < WG_RING && w < 8) {
        mbar_init(full + (tid & 127) * 8, 4);
        mbar_init(empty + (tid & 127) * 8, 4);
    } /* one arrival a warp */
    launch_wait();
    if (tid < C) {
        if (PRO) {
            coef[tid] = A.pa[view * C + tid];
            coef[C + tid] = A.pb[view * C + tid];
        }
        if (PRO > 1)
            coef[2 * C + tid] = A.pd[view * C + tid];
        if (EPI == 3) {
            coef[3 * C + tid] = A.ea[view * C + tid];
            coef[4 * C + tid] = A.eb[view * C + tid];
        }
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (w >= 8) { /* producer: one 16-byte chunk of both rows of a position */
        asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
        const int t = tid & 127, ch = t & 3, px = t >> 2;
        constexpr int D = PRO == 3 ? 2 : PRO == 2 ? 3 : 6; /* positions in flight */
        uint4 b[D][2], b2[D][2], b3[D][2];
        auto off = [&](int p, int r) {
            return (((img0 + g) * H + (r ? 15 + p : p - 1)) * H + px) * C + ch * 8;
        };
        auto ok = [&](int p, int r) { return r ? p < 17 : p > 0; };
        auto fetch = [&](int p, uint4(&v)[2], uint4(&v2)[2], uint4(&v3)[2]) {
#pragma unroll
            for (int r = 0; r < 2; r++)
                if (ok(p, r)) {
                    v[r] = __ldg((const uint4 *)(x_in + off(p, r)));
                    if (PRO > 1)
                        v2[r] = __ldg((const uint4 *)(x2_in + off(p, r)));
                    if (PRO == 3)
                        v3[r] = __ldg((const uint4 *)(x3_in + off(p, r)));
                }
        };
        const float *ca = coef + ch * 8, *cb = ca + C, *cd = cb + C;
        const uint32_t a0 =
            xs + g * WG_IMG + ch * WG_LBO + (px >> 3) * 160 + ((px & 7) + 1) * 16;
        /* a group's edge pixels are also a neighbour group's neighbours; other threads store theirs again to the same place */
        const uint32_t a1 = a0 + ((px & 7) == 7 && px < 31  ? 32
                                  : (px & 7) == 0 && px > 0 ? -32
                                                            : 0);
#pragma unroll
        for (int j = 0; j < D; j++)
            fetch(j, b[j], b2[j], b3[j]);
#pragma unroll 1
        for (int p0 = 0; p0 < 18; p0 += D)
#pragma unroll
            for (int j = 0; j < D; j++) {
                const int p = p0 + j, slot = p % WG_RING;
                if (p >= WG_RING)
                    mbar_wait(empty + slot * 8, (p / WG_RING - 1) & 1);
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    uint4 v = make_uint4(0, 0, 0, 0);
                    if (ok(p, r)) {
                        v = PRO == 1  ? norm_relu8(b[j][r], ca, cb)
                            : PRO > 1 ? norm_back8<PRO == 3>(b[j][r], b2[j][r],
                                                             b3[j][r], ca, cb, cd)
                                      : b[j][r];
                        /* rows 15 and 16 pass twice (each half needs both); store once */
                        if (PRO > 1 && x_out && (r ? p > 0 : p < 17))
                            *(uint4 *)(x_out + off(p, r)) = v;
                    }
                    store_shared16(a0 + slot * WG_SLOT + r * 640, v);
                    if (a1 != a0)
                        store_shared16(a1 + slot * WG_SLOT + r * 640, v);
                }
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                __syncwarp();
                if (l == 0)
                    mbar_arrive(full + slot * 8);
                if (p + D < 18)
                    fetch(p + D, b[j], b2[j], b3[j]);
            }
        if (EPI)
            __syncthreads();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
        const int ww = w & 3, t = l & 3; /* consumer: rows ww*16.. of M */
        float d[48], f[16];              /* accumulators; a finished output row */
#pragma unroll
        for (int i = 0; i < 48; i++)
            d[i] = 0.f;
        float s1[8] = {}, s2[8] = {};
        const int obase =
            (((img0 + g) * H + (ww >> 1) * 16) * H + (ww & 1) * 16 + (l >> 2)) * C +
            t * 8;
        uint4 ev[3][2]; /* epilogue operand, three rows ahead */
        auto eload = [&](int o, uint4(&v)[2]) {
            if (EPI > 1) {
                v[0] = __ldg((const uint4 *)(e_in + obase + o * H * C));
                v[1] = __ldg((const uint4 *)(e_in + obase + o * H * C + 8 * C));
            }
        };
        auto epilogue =
            [&](int o,
                const uint4(
                    &ve)[2]) { /* store output row o from f */
#pragma unroll
                               for (int h = 0; h < 2; h++) {
                                   uint32_t out[4];
                                   const uint32_t *e = (const uint32_t *)&ve[h];
#pragma unroll
                                   for (int q = 0; q < 4; q++) {
                                       float v0 = f[q * 4 + h * 2],
                                             v1 = f[q * 4 + h * 2 + 1];
                                       if (EPI == 2)
                                           v0 += low(e[q]), v1 += high(e[q]);
                                       if (EPI == 3) {
                                           const float2 a = *(const float2 *)(coef +
                                                                              3 * C +
                                                                              t * 8 +
                                                                              2 * q),
                                                        b = *(const float2 *)(coef +
                                                                              4 * C +
                                                                              t * 8 +
                                                                              2 * q);
                                           v0 = fmaf(a.x, low(e[q]), b.x) > 0.f ? v0
                                                                                : 0.f;
                                           v1 = fmaf(a.y, high(e[q]), b.y) > 0.f ? v1
                                                                                 : 0.f;
                                       }
                                       out[q] = pack(v0, v1);
                                       if (EPI) {
                                           v0 = low(out[q]);
                                           v1 = high(out[q]);
                                           s1[2 * q] += v0;
                                           s1[2 * q + 1] += v1;
                                           s2[2 * q] =
                                               fmaf(v0, EPI == 3 ? low(e[q]) : v0,
                                                    s2[2 * q]);
                                           s2[2 * q + 1] =
                                               fmaf(v1, EPI == 3 ? high(e[q]) : v1,
                                                    s2[2 * q + 1]);
                                       }
                                   }
                                   *(uint4 *)(y_out + obase + o * H * C + h * 8 * C) =
                                       make_uint4(out[0], out[1], out[2], out[3]);
                               }
            };
        auto pin =
            [&]() { /* keep the compiler from moving accumulator writes across here */
#pragma unroll
                    for (int i = 0; i < 48; i++)
                        asm volatile("" : "+f"(d[i])::"memory");
            };
        auto step = [&](int p, auto jc, auto first) {
            constexpr int j = decltype(jc)::value;
            const int slot = p % WG_RING;
            mbar_wait(full + slot * 8, (p / WG_RING) & 1);
            pin();
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int kw = 0; kw < 3; kw++)
#pragma unroll
                for (int ks = 0; ks < 2; ks++)
                    wgmma96(d,
                            desc(xs + slot * WG_SLOT + g * WG_IMG + ks * 2 * WG_LBO +
                                     kw * 16,
                                 WG_LBO, 160),
                            desc(ws + (kw * 2 + ks) * 5120 + (2 - j) * 512, 2560, 128));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            if (!first.value)
                epilogue(p - 3, ev[j]); /* while the products run */
            eload(p < 15 ? p : 15, ev[j]);
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            pin();
            if (l == 0)
                mbar_arrive(empty + slot * 8);
            constexpr int bl = (j + 1) % 3; /* register block of output row p-2 */
#pragma unroll
            for (
                int i = 0; i < 16;
                i++) { /* a true copy and a zero in place: the accumulators must keep their registers */
                asm volatile("mov.f32 %0, %1;" : "=f"(f[i]) : "f"(d[bl * 16 + i]));
                asm volatile("mov.f32 %0, 0f00000000;" : "+f"(d[bl * 16 + i]));
            }
        };
        std::integral_constant<int, 0> J0;
        std::integral_constant<int, 1> J1;
        std::integral_constant<int, 2> J2;
        std::true_type first;
        std::false_type later;
        step(0, J0, first);
        step(1, J1, first);
        step(2, J2, first);
#pragma unroll 1
        for (int p = 3; p < 18; p += 3) {
            step(p, J0, later);
            step(p + 1, J1, later);
            step(p + 2, J2, later);
        }
        epilogue(15, ev[0]);
        if (EPI) {
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int k = 4; k < 32; k <<= 1) {
                    s1[j] += __shfl_xor_sync(~0u, s1[j], k);
                    s2[j] += __shfl_xor_sync(~0u, s2[j], k);
                }
            if (l < 4)
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sred[w * 64 + l * 8 + j] = s1[j];
                    sred[w * 64 + 32 + l * 8 + j] = s2[j];
                }
            __syncthreads();
            if (tid < 64) {
                float s = 0;
                for (int r = 0; r < 8; r++)
                    s += sred[r * 64 + tid];
                A.part[blockIdx.x * 64 + tid] = s;
            }
        }
    }
#endif
}

template <int PRO, int EPI>
static cudaError_t start(const jsni_conv_args *args, cudaStream_t stream)
{
    return jsni_launch(conv32_wg<PRO, EPI>, args->images / 2, 512, WG_SMEM, 1, stream,
                       *args);
}

cudaError_t jsni_conv3x3_wide(const jsni_conv_args *args, jsni_conv_prologue prologue,
                              jsni_conv_epilogue epilogue, cudaStream_t stream)
{
    switch (prologue * 4 + epilogue) {
    case 1 * 4 + 1:
        return start<1, 1>(args, stream);
    case 1 * 4 + 2:
        return start<1, 2>(args, stream);
    case 0 * 4 + 3:
        return start<0, 3>(args, stream);
    case 2 * 4 + 3:
        return start<2, 3>(args, stream);
    case 3 * 4 + 3:
        return start<3, 3>(args, stream);
    default:
        return cudaErrorInvalidValue;
    }
}
