/* backend/cuda/cuda_check.h - the one place where codes of CUDA and cuDNN become a
 * jsn_status with their text in the sentence. */
#ifndef JSNI_BACKEND_CUDA_CUDA_CHECK_H
#define JSNI_BACKEND_CUDA_CUDA_CHECK_H

#include <cuda_runtime.h>

#include "core/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* JSN_OK, or JSN_ERR_DEVICE with the call, the code and its text. */
JSN_MUST_CHECK jsn_status jsni_cuda_check(cudaError_t error, const char *call);

#ifdef __cplusplus
}
#endif

#define JSNI_CUDA(call)     jsni_cuda_check((call), #call)
#define JSNI_TRY_CUDA(call) JSNI_TRY(JSNI_CUDA(call))

#endif /* JSNI_BACKEND_CUDA_CUDA_CHECK_H */
