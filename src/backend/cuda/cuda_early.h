/* backend/cuda/cuda_early.h - whether kernels may start before their predecessor in the
 * stream has ended (programmatic dependent launch). */
#ifndef JSNI_BACKEND_CUDA_CUDA_EARLY_H
#define JSNI_BACKEND_CUDA_CUDA_EARLY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Code for compute capability 9.0 and above, unless held or JENSEN_CUDA_LATE=1. */
bool jsni_launch_early(void);
/* With `on`, kernels that this thread starts wait for all work before them. */
void jsni_launch_hold(bool on);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_CUDA_EARLY_H */
