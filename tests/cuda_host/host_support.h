/* cuda_host/host_support.h - numbers for the tests of kernels, and the comparison of what
 * they make. */
#ifndef JSNI_CUDA_HOST_HOST_SUPPORT_H
#define JSNI_CUDA_HOST_HOST_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_host/host_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor that kernels read or write: bf16 where `half`, else float. */
typedef struct host_tensor {
    void *at;
    size_t count;
    bool half;
} host_tensor;

host_tensor host_tensor_zeros(size_t count, bool half);
/* Quarters from -1 to 1: sums of a few thousand products are exact in float. */
host_tensor host_tensor_quarters(size_t count, bool half, uint32_t seed);
double host_tensor_value(host_tensor t, size_t i);
void host_tensor_set(host_tensor t, size_t i, double value);
/* Not a number everywhere: what a kernel leaves out is seen. */
void host_tensor_spoil(host_tensor t);
/* How many differ from `expected`, rounded as the tensor is, by more than `apart` units of
 * 1 + |expected|. */
size_t host_tensor_off(host_tensor t, const double *expected, double apart);

/* Calls `run` in two orders of blocks, with copies late and early, and fails the test
 * where there is a fault or what `run` leaves in `results` has other bits. */
void host_in_orders(void (*run)(void *user), void *user, const host_tensor *results,
                    size_t count);

/* The tear-down of every test: one that failed leaves nothing to the next. */
int host_reset_after(void **state);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_CUDA_HOST_HOST_SUPPORT_H */
