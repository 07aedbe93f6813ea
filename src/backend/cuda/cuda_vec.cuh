/* backend/cuda/cuda_vec.cuh - 16 bytes at a time of float or bf16 values, widened to
 * float; and single values: for channel counts that 16 bytes do not divide, and of arrays
 * whose type is known at run time alone. */
#ifndef JSNI_BACKEND_CUDA_CUDA_VEC_CUH
#define JSNI_BACKEND_CUDA_CUDA_VEC_CUH

#include "backend/cuda/conv_device.cuh"

static __device__ __forceinline__ float widen(float x)
{
    return x;
}

static __device__ __forceinline__ float widen(bf16 x)
{
    return __bfloat162float(x);
}

template <class T> static __device__ __forceinline__ T narrow(float x);

template <> __device__ __forceinline__ float narrow<float>(float x)
{
    return x;
}

template <> __device__ __forceinline__ bf16 narrow<bf16>(float x)
{
    return __float2bfloat16(x);
}

/* Entry i of an array of bf16 (`half`) or float values. */
static __device__ __forceinline__ float fetch(const void *p, long long i, bool half)
{
    return half ? widen(((const bf16 *)p)[i]) : ((const float *)p)[i];
}

static __device__ __forceinline__ void put(void *p, long long i, float v, bool half)
{
    if (half)
        ((bf16 *)p)[i] = narrow<bf16>(v);
    else
        ((float *)p)[i] = v;
}

/* N values as memory has them: what is loaded ahead waits in half the registers. */
template <class T, int N> struct held {
    static constexpr int WORDS = N * sizeof(T) == 16 ? 4 : N;
    uint32_t w[WORDS];

    __device__ __forceinline__ void load(const T *p)
    {
        if (WORDS == 4 && N * sizeof(T) == 16) {
            const uint4 u = *(const uint4 *)p;
            w[0] = u.x;
            w[1 % WORDS] = u.y;
            w[2 % WORDS] = u.z;
            w[3 % WORDS] = u.w;
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                w[i % WORDS] = __float_as_uint(widen(p[i]));
        }
    }

    __device__ __forceinline__ float at(int i) const
    {
        if (N * sizeof(T) != 16 || sizeof(T) == 4)
            return __uint_as_float(w[i % WORDS]);
        return i % 2 ? high(w[i / 2 % WORDS]) : low(w[i / 2 % WORDS]);
    }
};

template <class T, int N> struct vec {
    float v[N];

    __device__ __forceinline__ void load(const T *p)
    {
        held<T, N> h;
        h.load(p);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = h.at(i);
    }

    __device__ __forceinline__ void store(T *p) const
    {
        if (N * sizeof(T) == 16) {
            uint32_t w[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                w[i] = sizeof(T) == 4 ? __float_as_uint(v[i % N])
                                      : pack(v[2 * i % N], v[(2 * i + 1) % N]);
            *(uint4 *)p = make_uint4(w[0], w[1], w[2], w[3]);
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                p[i] = narrow<T>(v[i]);
        }
    }
};

/* Values in 16 bytes. */
template <class T> constexpr int WIDE = 16 / (int)sizeof(T);

#endif /* JSNI_BACKEND_CUDA_CUDA_VEC_CUH */
