/* tests/backend/cuda_strided.h - convolutions of stride 2 on the CUDA backend, in every
 * precision, with the own kernels and without. */
#ifndef TESTS_BACKEND_CUDA_STRIDED_H
#define TESTS_BACKEND_CUDA_STRIDED_H

#include "backend/backend_support.h"

/* Each prints every deviation and fails after the last. */
void strided_agree_with_ref(const jsni_backend_ops *cuda, const jsni_backend_ops *ref);
void strided_blocks_agree_with_ref(const jsni_backend_ops *cuda,
                                   const jsni_backend_ops *ref);
/* What an evaluation is said to run. */
void strided_evaluation_is_described(const jsni_backend_ops *cuda);

#endif /* TESTS_BACKEND_CUDA_STRIDED_H */
