/* backend/cuda/conv_float.cuh - the launchers that conv_fp32.cu and conv_tf32.cu share. They
 * differ in their kernels, which KERNELS names:
 *
 *   SPARE                      floats behind each row of columns, see row_tiles
 *   rows<STRIDE, WN, BACK>()   of forward and backward-data
 *   weights(), weights_of      of backward-weights, and its tiles
 */
#ifndef JSNI_BACKEND_CUDA_CONV_FLOAT_CUH
#define JSNI_BACKEND_CUDA_CONV_FLOAT_CUH

#include "backend/cuda/conv_tiles.cuh"
#include "backend/cuda/cuda_launch.cuh"

using float_kernel = void (*)(const jsni_any_conv);

template <class KERNELS, int STRIDE, int WN, bool BACK>
static cudaError_t launch_rows(const jsni_any_conv *c, cudaStream_t stream)
{
    using T = row_tiles<STRIDE, WN, BACK, KERNELS::SPARE>;
    static_assert(T::BYTES <= SHARED_EVERYWHERE, "too much for some devices");
    return jsni_launch(KERNELS::template rows<STRIDE, WN, BACK>(),
                       T::walk_of::blocks(c), T::THREADS, T::BYTES, 1, stream, *c);
}

/* Two warps side by side over the columns, where there are enough of them. */
template <class KERNELS, bool BACK>
static cudaError_t launch_any_rows(const jsni_any_conv *c, cudaStream_t stream)
{
    const bool wide = (BACK ? c->in_channels : c->out_channels) % 64 == 0;
    if (c->stride_h == 2)
        return wide ? launch_rows<KERNELS, 2, 2, BACK>(c, stream)
                    : launch_rows<KERNELS, 2, 1, BACK>(c, stream);
    return wide ? launch_rows<KERNELS, 1, 2, BACK>(c, stream)
                : launch_rows<KERNELS, 1, 1, BACK>(c, stream);
}

template <class KERNELS>
static cudaError_t launch_weights(const jsni_any_conv *c, cudaStream_t stream)
{
    using T = typename KERNELS::weights_of;
    static_assert(T::BYTES <= SHARED_EVERYWHERE, "too much for some devices");
    return jsni_launch(KERNELS::weights(), T::blocks(c), T::THREADS, T::BYTES, 1,
                       stream, *c);
}

#endif /* JSNI_BACKEND_CUDA_CONV_FLOAT_CUH */
