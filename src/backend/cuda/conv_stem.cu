/* backend/cuda/conv_stem.cu - the first convolution, 3 -> 32 channels at 32x32, forward
 * with the channel sums of its output, and backward-weights; the image needs no
 * gradient.
 *
 * Products run over 30 slots: slot kh*10+i holds (kw,c) = i of row kh for i < 9 and a
 * zero weight for i = 9; slots 30 and 31 are zero.
 */
#include "backend/cuda/conv_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int BLOCK = 256;
constexpr int SROW = 102,
              SIMG = 34 * SROW +
                     12; /* elements of a padded row, of an image (with slack) */
__device__ __forceinline__ int stem_off(int k)
{
    return k < 30 ? (k / 10) * SROW + k % 10 : 0;
}
__device__ __forceinline__ void stem_load(const bf16 *x, int img0, unsigned short *a,
                                          unsigned short *b, int tid)
{
    for (int i = tid; i < 2 * SIMG; i += BLOCK) {
        a[i] = 0;
        if (b)
            b[i] = 0;
    }
    __syncthreads();
    for (int i = tid; i < 2 * 1536; i += BLOCK) {
        const int im = i / 1536, o = (i % 1536) * 2, row = o / 96, c = o % 96,
                  p = im * SIMG + (row + 1) * SROW + 3 + c;
        const uint32_t v =
            __ldg((const uint32_t *)x + (size_t)(img0 + im) * 1536 + i % 1536);
        a[p] = v & 0xffff;
        a[p + 1] = v >> 16;
        if (b) {
            b[p - 1] = v & 0xffff;
            b[p] = v >> 16;
        } /* copy shifted by one element, so that pairs are always aligned */
    }
}
static __global__ void __launch_bounds__(BLOCK, 1)
    stem_fwd(const bf16 *x, const bf16 *wt, bf16 *y, float *part)
{
    launch_next();
    launch_wait();
    __shared__ __align__(16) unsigned short s[2][2 * SIMG];
    __shared__ float sred[8][64];
    const int tid = threadIdx.x, w = tid >> 5, l = tid & 31, img0 = blockIdx.x * 2,
              im = w >> 2, g = l >> 2, t = l & 3;
    uint32_t wr[2][4][2];
    int off[2][2];
    for (int ks = 0; ks < 2; ks++)
        for (int b = 0; b < 2; b++) {
            const int k = ks * 16 + b * 8 + t * 2;
            off[ks][b] = stem_off(k);
            for (int j = 0; j < 4; j++) {
                const int co = (g >> 1) * 8 + j * 2 + (g & 1);
                uint32_t v = 0;
                for (int e = 0; e < 2; e++)
                    if (k + e < 30 && (k + e) % 10 < 9)
                        v |= (uint32_t)__bfloat16_as_ushort(
                                 wt[co * 27 + (k + e) / 10 * 9 + (k + e) % 10])
                             << (16 * e);
                wr[ks][j][b] = v;
            }
        }
    stem_load(x, img0, s[0], s[1], tid);
    __syncthreads();
    float s1[8] = {}, s2[8] = {};
#pragma unroll 2
    for (int r = 0; r < 16; r++) {
        const int row = (w & 3) * 8 + (r >> 1), px = (r & 1) * 16 + g;
        const int base = im * SIMG + row * SROW + px * 3;
        float acc[4][4] = {};
#pragma unroll
        for (int ks = 0; ks < 2; ks++) {
            uint32_t a[4];
#pragma unroll
            for (int b = 0; b < 2; b++) {
                const int p = base + off[ks][b],
                          q = p + 24; /* pixel px and pixel px+8: same parity */
                a[b * 2] = *(const uint32_t *)&s[p & 1][p & ~1];
                a[b * 2 + 1] = *(const uint32_t *)&s[q & 1][q & ~1];
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                multiply(acc[j], a, wr[ks][j][0], wr[ks][j][1]);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t o[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                o[j] = pack(acc[j][h * 2], acc[j][h * 2 + 1]);
                const float v0 = low(o[j]), v1 = high(o[j]);
                s1[2 * j] += v0;
                s1[2 * j + 1] += v1;
                s2[2 * j] = fmaf(v0, v0, s2[2 * j]);
                s2[2 * j + 1] = fmaf(v1, v1, s2[2 * j + 1]);
            }
            *(uint4 *)(y + ((size_t)((img0 + im) * 32 + row) * 32 + px + h * 8) * 32 +
                       t * 8) = make_uint4(o[0], o[1], o[2], o[3]);
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int d = 4; d < 32; d <<= 1) {
            s1[j] += __shfl_xor_sync(~0u, s1[j], d);
            s2[j] += __shfl_xor_sync(~0u, s2[j], d);
        }
    if (l < 4)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            sred[w][l * 8 + j] = s1[j];
            sred[w][32 + l * 8 + j] = s2[j];
        }
    __syncthreads();
    if (tid < 64) {
        float v = 0;
        for (int r = 0; r < 8; r++)
            v += sred[r][tid];
        part[blockIdx.x * 64 + tid] = v;
    }
}
constexpr int STEM_BW_SMEM = 1024 + 131072 + 2 * SIMG * 2 + 64;
static_assert(STEM_BW_SMEM <= JSNI_CONV_SHARED, "see roomy");
/* The gradient of two images into shared memory, through the BatchNorm behind the stem:
 * 8 pieces of 16 bytes a thread and stage, rows q*8+2*st and the next of both images. */
template <int PRO>
static __device__ __forceinline__ void
stem_gradient(const jsni_conv_args &A, const float *coef, uint32_t to, int stage)
{
    const int img0 = blockIdx.x * 2, c = threadIdx.x & 3;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int id = i * BLOCK + (int)threadIdx.x, px = (id >> 2) & 31, rr = id >> 7;
        const int image = rr >> 3, row = ((rr >> 1) & 3) * 8 + stage * 2 + (rr & 1);
        const int at = (((img0 + image) * 32 + row) * 32 + px) * 32 + c * 8;
        const uint32_t p =
            to + ((image * 32 + row) * 32 + px) * 64 + swizzle<32>(px, c);
        if (PRO == 0) {
            copy16(p, (const bf16 *)A.x + at);
            continue;
        }
        const uint4 g = __ldg((const uint4 *)((const bf16 *)A.x + at));
        const uint4 x = __ldg((const uint4 *)((const bf16 *)A.x2 + at));
        const uint4 s = PRO == 3 ? __ldg((const uint4 *)((const bf16 *)A.x3 + at)) : g;
        store_shared16(p, norm_back8<PRO == 3>(g, x, s, coef + c * 8, coef + 32 + c * 8,
                                               coef + 64 + c * 8));
    }
    copy_commit();
}

/* Coefficients of the view that the block's images are of. */
static __device__ __forceinline__ void stem_coefs(const jsni_conv_args &A, float *coef)
{
    const int at = (int)blockIdx.x * 2 / A.view_images * 32 + (int)threadIdx.x;
    if (threadIdx.x < 32) {
        coef[threadIdx.x] = A.pa[at];
        coef[32 + threadIdx.x] = A.pb[at];
        coef[64 + threadIdx.x] = A.pd[at];
    }
    __syncthreads();
}

template <int PRO>
static __global__ void __launch_bounds__(BLOCK, 1) stem_bwdw(const jsni_conv_args A)
{
    __shared__ __align__(16) float coef[96];
    const bf16 *const x = (const bf16 *)A.e;
    float *const part = A.part;
    launch_next();
    launch_wait();
    extern __shared__ char smem_raw[];
    char *sm = (char *)(((uintptr_t)smem_raw + 1023) & ~(uintptr_t)1023);
    unsigned short *xs = (unsigned short *)(sm + 131072);
    const uint32_t ds = shared_address(sm);
    const int tid = threadIdx.x, w = tid >> 5, l = tid & 31, img0 = blockIdx.x * 2,
              im = w >> 2, g = l >> 2, t = l & 3;
    if (PRO)
        stem_coefs(A, coef);
#pragma unroll
    for (int st = 0; st < 4; st++)
        stem_gradient<PRO>(A, coef, ds, st);
    stem_load(x, img0, xs, nullptr, tid);
    int off[4];
    for (int j = 0; j < 4; j++)
        off[j] = im * SIMG + stem_off(j * 8 + g) + t * 6;
    float acc[2][4][4] = {};
    const uint32_t da = ds + im * 65536 + ((l & 7) + (l >> 4) * 8) * 64 +
                        swizzle<32>((l & 7) + (l >> 4) * 8, (l >> 3) & 1);
#pragma unroll 1
    for (int st = 0; st < 4; st++) {
        if (st == 0)
            copy_wait<3>();
        else if (st == 1)
            copy_wait<2>();
        else if (st == 2)
            copy_wait<1>();
        else
            copy_wait<0>();
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int row = (w & 3) * 8 + st * 2 + (k >> 1), px = (k & 1) * 16;
            uint32_t a[2][4];
#pragma unroll
            for (int m = 0; m < 2; m++)
                load_matrix_t(a[m], (da ^ (m << 5)) + row * 2048 + px * 64);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned short *p = xs + off[j] + row * SROW + px * 3;
                const uint32_t b0 = (uint32_t)p[0] | (uint32_t)p[3] << 16,
                               b1 = (uint32_t)p[24] | (uint32_t)p[27] << 16;
#pragma unroll
                for (int m = 0; m < 2; m++)
                    multiply(acc[m][j], a[m], b0, b1);
            }
        }
    }
    __syncthreads();
    float *red = (float *)sm;
#pragma unroll
    for (int i = 0; i < 32; i++)
        red[i * 256 + tid] = acc[i / 16][i / 4 % 4][i % 4];
    __syncthreads();
    for (int e = tid; e < 1024; e += BLOCK) {
        float v = 0;
        for (int r = 0; r < 8; r++)
            v += red[(e >> 5) * 256 + r * 32 + (e & 31)];
        part[blockIdx.x * 1024 + e] = v;
    }
}
cudaError_t jsni_conv_stem(const void *x, const void *w, void *y, float *part,
                           int images, cudaStream_t stream)
{
    return jsni_launch(stem_fwd, images / 2, BLOCK, 0, 1, stream, (const bf16 *)x,
                       (const bf16 *)w, (bf16 *)y, part);
}

cudaError_t jsni_conv_stem_weights(const jsni_conv_args *args,
                                   jsni_conv_prologue prologue, cudaStream_t stream)
{
    const auto kernel = prologue == JSNI_CONV_PLAIN       ? stem_bwdw<0>
                        : prologue == JSNI_CONV_NORM_BACK ? stem_bwdw<2>
                                                          : stem_bwdw<3>;
    return jsni_launch(kernel, args->images / 2, BLOCK, STEM_BW_SMEM, 1, stream, *args);
}
