/* backend/cuda/cuda_loss_row.cuh - the accessors of loss/row.h on a device.
 *
 * The threads of a group (a warp, or a block where classes are many) hold every
 * `lanes`-th class of one sample, or quads of classes. A thread touches its own entries
 * alone; only sums and maxima go through the group, in an order fixed by the group's
 * size. With JSNI_HELD, row->label is the chunk in which the thread has the label.
 */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_ROW_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_ROW_CUH

__device__ static __forceinline__ size_t jsni_at(const jsni_row *row, size_t view,
                                                 size_t chunk)
{
#ifdef JSNI_HELD
    return view * row->chunks + chunk;
#else
    return (view * row->chunks + chunk) * row->lanes + row->lane;
#endif
}

__device__ static __forceinline__ jsni_real jsni_target(const jsni_row *row,
                                                        size_t chunk)
{
#ifdef JSNI_HELD
    return (unsigned)chunk == (unsigned)row->label ? R(1) : R(0);
#else
    const size_t k = chunk * row->lanes + row->lane;
    if (row->soft_target == NULL)
        return k == row->label ? R(1) : R(0);
    return k < (size_t)row->classes ? R(row->soft_target[k]) : R(0);
#endif
}

/* The class that a thread has in a chunk. */
__device__ static __forceinline__ size_t jsni_class(const jsni_row *row, size_t chunk)
{
#ifdef JSNI_HELD
    return 4 * (chunk / 4 * row->lanes + row->lane) + chunk % 4;
#else
    return chunk * row->lanes + row->lane;
#endif
}

__device__ static __forceinline__ jsni_real jsni_recall(const jsni_row *row,
                                                        size_t chunk)
{
    const size_t k = jsni_class(row, chunk);
    return k < (size_t)row->classes ? R(row->memory[k]) : R(0);
}

__device__ static __forceinline__ void jsni_remember(const jsni_row *row, size_t chunk,
                                                     jsni_real value)
{
    const size_t k = jsni_class(row, chunk);
    if (k < (size_t)row->classes)
        row->memory[k] = (float)value;
}

/* The last classes of a sample may lie in any chunk. */
__device__ static __forceinline__ int jsni_ragged(const jsni_row *row, size_t chunk)
{
    (void)row;
    (void)chunk;
    return 1;
}

/* Combines the numbers of a group; every thread gets the result. */
template <class Combine>
__device__ static __forceinline__ jsni_real jsni_combine(const jsni_row *row,
                                                         jsni_real x, Combine combine)
{
    for (int step = 16; step > 0; step /= 2)
        x = combine(x, __shfl_xor_sync(0xffffffffu, x, step));
    if (row->lanes == 32)
        return x;
    const unsigned warps = row->lanes / 32;
    __syncthreads(); /* the exchange of the previous sum has been read */
    if (row->lane % 32 == 0)
        row->exchange[row->lane / 32] = x;
    __syncthreads();
    x = row->exchange[0];
    for (unsigned w = 1; w < warps; w++)
        x = combine(x, row->exchange[w]);
    return x;
}

struct jsni_adder {
    __device__ jsni_real operator()(jsni_real a, jsni_real b) const
    {
        return a + b;
    }
};

struct jsni_chooser {
    __device__ jsni_real operator()(jsni_real a, jsni_real b) const
    {
        return jsni_max(a, b);
    }
};

__device__ static __forceinline__ jsni_real jsni_total(const jsni_row *row, jsni_real x)
{
    return jsni_combine(row, x, jsni_adder());
}

__device__ static __forceinline__ jsni_real jsni_highest(const jsni_row *row,
                                                         jsni_real x)
{
    return jsni_combine(row, x, jsni_chooser());
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_ROW_CUH */
