/* backend/cuda/conv_fused.cuh - what rides along with the 3x3 convolutions of conv_kernels.h:
 * the prologue's and the epilogue's coefficients in shared memory, the epilogue of a pair
 * of channels, where sums go, and which pairs of prologue and epilogue there are. */
#ifndef JSNI_BACKEND_CUDA_CONV_FUSED_CUH
#define JSNI_BACKEND_CUDA_CONV_FUSED_CUH

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/norm_coefs.cuh"

/* Coefficients of a view in shared memory, as many floats of each as there are channels:
 * pa, pb and pd of the prologue, ea and eb of the epilogue. */
enum { COEF_PA, COEF_PB, COEF_PD, COEF_EA, COEF_EB, COEFS };

/* Whether a prologue reads x2 and pd, whether it reads x3, and how many tensors besides x. */
constexpr bool goes_back(int prologue)
{
    return prologue == JSNI_CONV_NORM_BACK || prologue == JSNI_CONV_SKIP_BACK;
}

constexpr int more_inputs(int prologue)
{
    return prologue == JSNI_CONV_SKIP_BACK   ? 2
           : prologue == JSNI_CONV_NORM_BACK ? 1
                                             : 0;
}

/* Whether an epilogue reads e. */
constexpr bool has_operand(int epilogue)
{
    return epilogue == JSNI_CONV_RESIDUAL || epilogue == JSNI_CONV_MASK;
}

/* The epilogue of two neighbouring channels of a pixel: the products v0 and v1 and the pair
 * of `operand` make what is stored, which is also added to the channels' sums: its own and
 * those of its products. Their ea begin at `coefs`, their eb `channels` behind. */
template <int EPI>
static __device__ __forceinline__ uint32_t finish_pair(float v0, float v1,
                                                       uint32_t operand,
                                                       const float *coefs, int channels,
                                                       float *sums, float *product_sums)
{
    if (EPI == JSNI_CONV_RESIDUAL) {
        v0 += low(operand);
        v1 += high(operand);
    }
    if (EPI == JSNI_CONV_MASK) {
        const float2 scale = *(const float2 *)coefs;
        const float2 shift = *(const float2 *)(coefs + channels);
        v0 = fmaf(scale.x, low(operand), shift.x) > 0.0f ? v0 : 0.0f;
        v1 = fmaf(scale.y, high(operand), shift.y) > 0.0f ? v1 : 0.0f;
    }
    const uint32_t stored = pack(v0, v1);
    v0 = low(stored); /* sums of what is stored */
    v1 = high(stored);
    sums[0] += v0;
    sums[1] += v1;
    product_sums[0] =
        fmaf(v0, EPI == JSNI_CONV_MASK ? low(operand) : v0, product_sums[0]);
    product_sums[1] =
        fmaf(v1, EPI == JSNI_CONV_MASK ? high(operand) : v1, product_sums[1]);
    return stored;
}

/* The coefficients of channel c into shared memory, C of each kind. */
template <int C, int PRO, int EPI>
static __device__ __forceinline__ void load_coefs(const jsni_conv_args &args, int view,
                                                  int c, float *coefs)
{
    const int at = view * C + c;
    if (EPI == JSNI_CONV_MASK) {
        coefs[COEF_EA * C + c] = args.ea[at];
        coefs[COEF_EB * C + c] = args.eb[at];
    }
    if (PRO != JSNI_CONV_PLAIN && !args.through.exact) {
        coefs[COEF_PA * C + c] = args.pa[at];
        coefs[COEF_PB * C + c] = args.pb[at];
        if (goes_back(PRO))
            coefs[COEF_PD * C + c] = args.pd[at];
    } else if (PRO == JSNI_CONV_NORM_RELU) {
        const norm_scale s =
            scale_of(args.through, c, exact_moments(args.through, view, c));
        coefs[COEF_PA * C + c] = (float)s.a;
        coefs[COEF_PB * C + c] = (float)s.b;
    } else if (goes_back(PRO)) {
        const norm_slope s = exact_slope(args.through, view, c);
        coefs[COEF_PA * C + c] = (float)s.a;
        coefs[COEF_PB * C + c] = (float)s.gb;
        coefs[COEF_PD * C + c] = (float)s.gd;
    }
}

/* One block more than the convolution needs leaves what others want of the BatchNorm, while
 * the rest are at work. True: this is that block, and done. */
template <int C, int PRO>
static __device__ __forceinline__ bool is_norm_block(const jsni_conv_args &args)
{
    if (PRO == JSNI_CONV_PLAIN || !args.through.exact || blockIdx.x + 1 < gridDim.x)
        return false;
    launch_wait();
    if (threadIdx.x < C) {
        if (goes_back(PRO))
            leave_gradients(args.through, threadIdx.x);
        else
            leave_scales(args.through, threadIdx.x);
    }
    return true;
}

static inline int with_norm_block(const jsni_conv_args *args, int blocks)
{
    return blocks + (args->through.exact != NULL);
}

/* A block's sum 0 or 1 of channel c, which its warps left. */
template <int C>
static __device__ __forceinline__ void store_sum(const jsni_conv_args &args, int view,
                                                 int sum, int c, float value)
{
    if (args.sums)
        add_exactly(exact_sum(args.sums, C, view, sum, c), C, value);
}

/* How many times `images` a block takes, by args.turns: all of one view. */
static inline int turns_of_block(const jsni_conv_args *args, int images)
{
    int turns = 1;
    while (2 * turns <= args->turns && args->view_images % (2 * turns * images) == 0)
        turns *= 2;
    return turns;
}

/* A prologue and an epilogue, as a type: choose_fused() hands one to its `start`. */
template <int PRO, int EPI> struct fused {
    static constexpr int PROLOGUE = PRO, EPILOGUE = EPI;
};

/* The pairs that networks need. */
template <class START>
static cudaError_t choose_fused(int prologue, int epilogue, const START &start)
{
    if (prologue == JSNI_CONV_NORM_RELU)
        switch (epilogue) {
        case JSNI_CONV_SUMS:
            return start(fused<JSNI_CONV_NORM_RELU, JSNI_CONV_SUMS>());
        case JSNI_CONV_RESIDUAL:
            return start(fused<JSNI_CONV_NORM_RELU, JSNI_CONV_RESIDUAL>());
        default:
            return cudaErrorInvalidValue;
        }
    if (epilogue != JSNI_CONV_MASK)
        return cudaErrorInvalidValue;
    switch (prologue) {
    case JSNI_CONV_PLAIN:
        return start(fused<JSNI_CONV_PLAIN, JSNI_CONV_MASK>());
    case JSNI_CONV_NORM_BACK:
        return start(fused<JSNI_CONV_NORM_BACK, JSNI_CONV_MASK>());
    case JSNI_CONV_SKIP_BACK:
        return start(fused<JSNI_CONV_SKIP_BACK, JSNI_CONV_MASK>());
    default:
        return cudaErrorInvalidValue;
    }
}

#endif /* JSNI_BACKEND_CUDA_CONV_FUSED_CUH */
