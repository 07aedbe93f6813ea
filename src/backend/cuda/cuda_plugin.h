/* backend/cuda/cuda_plugin.h - losses of plugins on a device: nvcc compiles the source that
 * lies beside the shared object, with the headers that stand where the module does. */
#ifndef JSNI_BACKEND_CUDA_CUDA_PLUGIN_H
#define JSNI_BACKEND_CUDA_CUDA_PLUGIN_H

#include <stddef.h>

#include "jensen/status.h"

/* The kernel for the current device of the plugin `file`, which cudaLaunchKernel() takes with
 * jsni_cuda_clip_args; `shared` bytes of shared memory can be asked of it. The first call for
 * a device takes seconds, and cannot be captured.
 *   JSN_ERR_UNSUPPORTED  no source, no nvcc, no headers
 *   JSN_ERR_ARGUMENT     the source is not one that nvcc takes
 *   JSN_ERR_DEVICE, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_cuda_plugin_kernel(const char *file, size_t shared,
                                                  const void **kernel);

#endif /* JSNI_BACKEND_CUDA_CUDA_PLUGIN_H */
