/* backend/ref/ref_impl.h - what the kernels of the reference backend see.
 *
 * A kernel works on all images of a pass at once: [images][C][H][W], images = views *
 * samples, view by view. It is cut into pieces by image or by channel, so no piece
 * adds to what another one adds to, and the bits do not depend on the threads.
 * Backward adds to dx (a node may have several readers) and overwrites dweight, dbias.
 */
#ifndef JSNI_REF_IMPL_H
#define JSNI_REF_IMPL_H

#include "backend/backend_impl.h"
#include "core/pool.h"

/* One node in one pass. */
typedef struct ref_call {
    const jsni_node *node;
    size_t number; /* of the node */
    jsni_pool *pool;
    const jsni_pass *pass;
    size_t views, samples;
    jsni_shape in, out;
    const float *x, *other; /* inputs; `other` of add alone */
    float *y;
    const float *dy;
    float *dx, *dother; /* NULL: not wanted */
    const float *weight, *bias;
    float *dweight, *dbias;
    float *running_mean, *running_var;
    void *kept; /* what forward leaves for backward: kept_bytes */
} ref_call;

typedef struct ref_kernel {
    const char *text;
    void (*forward)(const ref_call *call);
    void (*backward)(const ref_call *call);
    /* Bytes of `kept` for a node with `batch` samples a view; NULL: none. */
    size_t (*kept_bytes)(const jsni_graph *graph, size_t number, size_t views,
                         size_t batch);
} ref_kernel;

extern const ref_kernel jsni_ref_depthwise, jsni_ref_norm, jsni_ref_relu,
    jsni_ref_relu6, jsni_ref_add, jsni_ref_max_pool, jsni_ref_avg_pool,
    jsni_ref_adaptive_pool, jsni_ref_linear, jsni_ref_dropout, jsni_ref_flatten;

static inline size_t ref_images(const ref_call *call)
{
    return call->views * call->samples;
}

#endif /* JSNI_REF_IMPL_H */
