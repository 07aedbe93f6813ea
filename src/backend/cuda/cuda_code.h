/* backend/cuda/cuda_code.h - what the kernels that the current device runs were compiled
 * for. A device of a newer kind than any in JSN_CUDA_ARCHITECTURES runs what was compiled
 * for an older one, without the parts that are behind #if: the device's own number does
 * not tell. */
#ifndef JSNI_BACKEND_CUDA_CUDA_CODE_H
#define JSNI_BACKEND_CUDA_CUDA_CODE_H

#include <cuda_runtime.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jsni_cuda_code {
    bool sm90;  /* clusters, early launch: __CUDA_ARCH__ >= 900 */
    bool sm90a; /* wgmma: __CUDA_ARCH_FEAT_SM90_ALL */
} jsni_cuda_code;

/* Of the current device; runs a kernel there. */
cudaError_t jsni_cuda_code_of(jsni_cuda_code *code);
/* The first of the two alone, without running anything; false when it cannot be found
 * out. */
bool jsni_cuda_code_sm90(void);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_CUDA_CODE_H */
