/* backend/cuda/cuda_start.cuh - the plain start of a kernel as a word, which compilers without
 * CUDA can read as well: JSNI_START(kernel, blocks, threads, shared, stream, arguments). The
 * tests of tests/cuda_host have their own. */
#ifndef JSNI_BACKEND_CUDA_CUDA_START_CUH
#define JSNI_BACKEND_CUDA_CUDA_START_CUH

#define JSNI_START(kernel, blocks, threads, shared, stream, ...) \
    kernel<<<blocks, threads, shared, stream>>>(__VA_ARGS__)

#endif /* JSNI_BACKEND_CUDA_CUDA_START_CUH */
