/* backend/onednn/dnnl_api.h - the few oneDNN calls that differ between versions 2 and 3,
 * behind names of our own; nothing else in the backend knows the version. Also the
 * number of threads that oneDNN itself may use: always one, our pool is above it. */
#ifndef JSNI_BACKEND_ONEDNN_DNNL_API_H
#define JSNI_BACKEND_ONEDNN_DNNL_API_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/onednn/dnnl_calls.h"
#include "jensen/status.h"

/* A memory descriptor: a struct in version 2, a handle in version 3. */
typedef struct jsni_md {
    bool set;
    dnnl_memory_desc_t desc; /* owned when it is a handle */
} jsni_md;

typedef enum jsni_conv_way {
    JSNI_CONV_FORWARD,
    JSNI_CONV_DATA,
    JSNI_CONV_WEIGHTS
} jsni_conv_way;

/* What a convolution primitive is made from. `source`, `weights`, `result` are the
 * images, the weights and the convolution's result or their gradients. */
typedef struct jsni_conv_args {
    jsni_conv_way way;
    const jsni_md *source, *weights, *bias, *result; /* bias only forward, or NULL */
    dnnl_dims_t strides, pad_low, pad_high;
    const_dnnl_primitive_desc_t hint; /* the forward descriptor; NULL forward */
    bool any_algorithm;               /* not direct alone: Winograd, where it is made */
} jsni_conv_args;

/* The other primitives, which are only timed (dn_limit.c). */
typedef enum jsni_prim_kind {
    JSNI_PRIM_NORM, /* with `relu`: the ReLU behind it, too */
    JSNI_PRIM_RELU,
    JSNI_PRIM_ADD,
    JSNI_PRIM_MAX_POOL,
    JSNI_PRIM_AVG_POOL,
    JSNI_PRIM_LINEAR
} jsni_prim_kind;

typedef struct jsni_prim_args {
    jsni_prim_kind kind;
    jsni_conv_way way; /* what has no weights: DATA is its backward */
    const jsni_md *source, *weights, *bias, *result;
    dnnl_dims_t kernel, strides, pad_low, pad_high; /* of a pool */
    bool relu;
    const_dnnl_primitive_desc_t hint; /* the forward descriptor; NULL forward */
} jsni_prim_args;

JSN_MUST_CHECK jsn_status jsni_md_create(jsni_md *out, int dims, const dnnl_dims_t dim,
                                         dnnl_format_tag_t tag);
/* The descriptor that a primitive descriptor has for `what`. */
JSN_MUST_CHECK jsn_status jsni_md_query(jsni_md *out, const_dnnl_primitive_desc_t from,
                                        dnnl_query_t what);
/* The descriptor of its argument DNNL_ARG_...; of 0 bytes where it has none. */
JSN_MUST_CHECK jsn_status jsni_md_argument(jsni_md *out,
                                           const_dnnl_primitive_desc_t from, int arg);
void jsni_md_destroy(jsni_md *md);
size_t jsni_md_bytes(const jsni_md *md);
bool jsni_md_equal(const jsni_md *a, const jsni_md *b);

JSN_MUST_CHECK jsn_status jsni_dnnl_memory(dnnl_memory_t *out, const jsni_md *md,
                                           dnnl_engine_t engine);
JSN_MUST_CHECK jsn_status jsni_dnnl_conv_desc(dnnl_primitive_desc_t *out,
                                              const jsni_conv_args *args,
                                              const_dnnl_primitive_attr_t attr,
                                              dnnl_engine_t engine);
JSN_MUST_CHECK jsn_status jsni_dnnl_prim_desc(dnnl_primitive_desc_t *out,
                                              const jsni_prim_args *args,
                                              dnnl_engine_t engine);
JSN_MUST_CHECK jsn_status jsni_dnnl_reorder_desc(dnnl_primitive_desc_t *out,
                                                 const jsni_md *from, const jsni_md *to,
                                                 const_dnnl_primitive_attr_t attr,
                                                 dnnl_engine_t engine);

/* "oneDNN 2.6.3". `size` bytes at `text`. */
void jsni_dnnl_version_text(char *text, size_t size);

/* The instruction set that oneDNN uses here, by the name of the own kernels that go with
 * it: the processor's, or a smaller one when the environment sets ONEDNN_MAX_CPU_ISA
 * (AVX2, SSE41). */
const char *jsni_dnnl_instructions(void);

/* The calling thread's limit on oneDNN's own threads: sets it, returns the former.
 * It is a property of the thread, so every worker sets it. */
int jsni_dnnl_threads(int threads);

#endif /* JSNI_BACKEND_ONEDNN_DNNL_API_H */
