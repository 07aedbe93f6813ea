/* tests/backend/backend_support.h - runs a graph on a backend from plain arrays, for
 * tests that walk the table of backends; and the golden file of layers and networks. */
#ifndef TESTS_BACKEND_SUPPORT_H
#define TESTS_BACKEND_SUPPORT_H

#include "backend/backend_impl.h"
#include "format/safetensors.h"
#include "support/support.h"

/* A graph on an open device, with its canonical blocks in host memory. */
typedef struct rig {
    jsni_graph *graph; /* borrowed */
    jsni_backend *backend;
    jsni_plan *plan;
    const jsni_backend_ops *ops;
    size_t views, samples;
    float *params, *grads, *stats; /* [param_floats], [param_floats], [stat_floats] */
    float *x, *dx;                 /* [views][samples][input] */
    float *y, *dy;                 /* [views][samples][output] */
} rig;

/* The backend of plain loops. */
const jsni_backend_ops *rig_ref(void);

/* Opens device 0 of `ops` for training with input gradients. Blocks are zero. Returns 0
 * after printing why when the machine has no such device. */
int rig_open(rig *r, const jsni_backend_ops *ops, jsni_graph *graph, size_t views,
             size_t samples, size_t threads, jsn_precision precision);
void rig_close(rig *r);

/* Uploads params and stats, runs forward and, with `back`, backward from dy; fills y,
 * stats, dx and grads. `step` names the dropout streams. Returns JSN_ERR_UNSUPPORTED
 * when the backend has no backward after an evaluation pass; any other failure fails
 * the test. */
jsn_status rig_run(rig *r, int training, int back, uint32_t step);

/* Numbers of about 1 from a stream of their own, with both signs. */
void rig_fill(float *to, size_t count, uint32_t stream);

/* The same x, dy, params and stats for every rig of a graph; weights of the size that
 * keeps values near 1; what a ReLU6 reads goes beyond both of its ends. */
void rig_fill_blocks(rig *r);

/* A graph of one op on an input of shape `in`. */
jsni_graph *rig_graph(const jsni_op *op, jsni_shape in);

/* The largest difference over the largest wanted magnitude (at least `least`); a NaN
 * gives infinity. */
double rig_difference(const float *got, const float *want, size_t count, double least);

/* Of whole tensors: the norm of the difference over that of `want`; NaN stays NaN. */
double rig_distance(const float *got, const float *want, size_t count);

/* Fails unless got[i] is within tolerance * max(|want|) of want[i] for all i. */
void rig_assert_near(const float *got, const float *want, size_t count,
                     double tolerance, const char *what);

/* The golden file; NULL `name` entries fail the test. */
const double *golden_doubles(const jsni_safetensors *file, const char *name,
                             size_t *count);
void golden_floats(const jsni_safetensors *file, const char *name, float *to,
                   size_t count);
void golden_assert_near(const jsni_safetensors *file, const char *name,
                        const float *got, size_t count, double tolerance);

#endif /* TESTS_BACKEND_SUPPORT_H */
