/* tests/backend/cuda_extents.h - what memory a task of the CUDA backend reads and writes,
 * from the shapes of its arguments and the layouts that the headers of the kernels
 * promise. Parameters and packed weights, which no task writes, are left out. */
#ifndef TESTS_BACKEND_CUDA_EXTENTS_H
#define TESTS_BACKEND_CUDA_EXTENTS_H

#include "backend/cuda/cuda_task.h"

enum { MOST_EXTENTS = 128 };

typedef struct extent {
    const char *at;
    size_t bytes;
    bool write;
} extent;

typedef struct extents {
    extent list[MOST_EXTENTS];
    size_t count;
} extents;

/* `finals` are the layers of JSNI_TASK_FINAL_SUMS, in memory of the host. */
void task_extents(const jsni_task *task, const jsni_conv_final *finals, extents *out);

/* Bytes of the partial weight gradients of an own 3x3 convolution. */
size_t weight_part_bytes(int channels, int parts);

#endif /* TESTS_BACKEND_CUDA_EXTENTS_H */
