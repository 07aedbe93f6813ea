/* loss/plugin.h - what a loss that is built outside of jensen includes, instead of
 * loss/row.h. Such a file is written as those in src/loss/ are and ends in the same
 * JSNI_LOSS_DEFINE(); compiled to a shared object, `jensen train --plugin FILE.so` and
 * jsn_loss_load() take it. 'jensen plugin new NAME' writes one to start from.
 *
 * The arithmetic is that of the definition, in double. There is one loss a file, its
 * parameters are the constants of the row in their order, and prepare is NULL. For a GPU
 * jensen compiles the same file as CUDA C++, for the kernel alone (backend/cuda/cuda_plugin.c).
 */
#ifndef JSNI_LOSS_PLUGIN_H
#define JSNI_LOSS_PLUGIN_H

#define JSNI_PLUGIN
#ifdef __CUDACC__
#define JSNI_CUDA_DOUBLE
#define JSNI_CUDA_CLIP
#define JSNI_LANES_HEADER  "backend/cuda/cuda_loss_lanes.cuh"
#define JSNI_ROW_HEADER    "backend/cuda/cuda_loss_row.cuh"
#define JSNI_KERNEL_HEADER "backend/cuda/loss_kernel.cuh"
#else
#ifndef JSNI_LEVEL_DOUBLE
#define JSNI_LEVEL_DOUBLE
#endif
#define JSNI_KERNEL_HEADER "loss/plugin_define.h"
#endif
#include "loss/row.h"

#endif /* JSNI_LOSS_PLUGIN_H */
