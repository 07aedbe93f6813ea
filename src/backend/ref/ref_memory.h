/* backend/ref/ref_memory.h - where the reference backend keeps the values and gradients
 * of all nodes: computed from the graph before anything is allocated. */
#ifndef JSNI_REF_MEMORY_H
#define JSNI_REF_MEMORY_H

#include "backend/ref/ref_impl.h"

typedef struct ref_layout {
    size_t *value;    /* [nodes] offset of the output in the activation block, floats */
    size_t *gradient; /* [nodes] of its gradient; JSNI_NONE when never needed */
    size_t *kept;  /* [nodes] of what forward keeps for backward, in bytes of `kept` */
    size_t floats; /* length of the activation block */
    size_t kept_bytes; /* length of the block behind `kept` */
} ref_layout;

/* JSN_ERR_RANGE when sizes overflow, JSN_ERR_MEMORY. Release also after a failure. */
JSN_MUST_CHECK jsn_status jsni_ref_layout_create(ref_layout *layout,
                                                 const jsni_graph *graph,
                                                 const jsni_plan_options *options);
void jsni_ref_layout_release(ref_layout *layout);

/* The kernel of an op kind; the input has none. */
const ref_kernel *jsni_ref_kernel_of(jsni_op_kind kind);

#endif /* JSNI_REF_MEMORY_H */
