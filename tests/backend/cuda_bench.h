/* tests/backend/cuda_bench.h - what the tests of the CUDA backend share: a small network
 * with every shape of the own kernels, and a plan of it with host copies of its blocks. */
#ifndef TESTS_BACKEND_CUDA_BENCH_H
#define TESTS_BACKEND_CUDA_BENCH_H

#include "backend/backend_support.h"

enum { VIEWS = 2, SAMPLES = 8, CLASSES = 10, PIXELS = 32 * 32 };

/* Ends the test as skipped where there is no device. */
const jsni_backend_ops *cuda_backend(void);
const jsni_backend_ops *ref_backend(void);

jsni_graph *small_preact(void);

/* Zeroed; the caller frees it. */
float *room(size_t count);

typedef struct bench {
    jsni_backend *backend;
    jsni_plan *plan;
    float *params, *grads, *stats, *logits;
    size_t views, samples;
} bench;

/* The first for VIEWS and SAMPLES. */
void bench_open(bench *t, const jsni_backend_ops *ops, const jsni_graph *graph,
                jsn_precision precision, size_t members);
void bench_open_for(bench *t, const jsni_backend_ops *ops, const jsni_graph *graph,
                    jsn_precision precision, size_t members, size_t views,
                    size_t samples);
void bench_close(bench *t);
/* Parameters, gradients and statistics of a member. */
void bench_read(bench *t, size_t member);
/* One training step by single calls, and what bench_read() reads. */
void bench_step(bench *t, const char *spec, const float *x, const int32_t *y,
                double rate, double *value);

#endif /* TESTS_BACKEND_CUDA_BENCH_H */
