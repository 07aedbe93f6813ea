/* backend/onednn/dnnl_calls.h - every function of oneDNN that the backend calls, as
 * jsni_dnnl.<name without dnnl_>(...). oneDNN is written in C++, and its C functions let
 * exceptions out when memory runs short; behind this table they become
 * dnnl_out_of_memory, NULL or 0 (dnnl_calls.cc). A new call is a row here. */
#ifndef JSNI_BACKEND_ONEDNN_DNNL_CALLS_H
#define JSNI_BACKEND_ONEDNN_DNNL_CALLS_H

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR >= 3
#define JSNI_DNNL_VERSION_CALLS(X)                          \
    X(batch_normalization_backward_primitive_desc_create)   \
    X(batch_normalization_forward_primitive_desc_create)    \
    X(binary_primitive_desc_create)                         \
    X(convolution_backward_data_primitive_desc_create)      \
    X(convolution_backward_weights_primitive_desc_create)   \
    X(convolution_forward_primitive_desc_create)            \
    X(eltwise_backward_primitive_desc_create)               \
    X(eltwise_forward_primitive_desc_create)                \
    X(inner_product_backward_data_primitive_desc_create)    \
    X(inner_product_backward_weights_primitive_desc_create) \
    X(inner_product_forward_primitive_desc_create)          \
    X(memory_desc_clone)                                    \
    X(memory_desc_create_with_tag)                          \
    X(memory_desc_destroy)                                  \
    X(pooling_backward_primitive_desc_create)               \
    X(pooling_forward_primitive_desc_create)
#else
#define JSNI_DNNL_VERSION_CALLS(X)              \
    X(batch_normalization_backward_desc_init)   \
    X(batch_normalization_forward_desc_init)    \
    X(binary_desc_init)                         \
    X(convolution_backward_data_desc_init)      \
    X(convolution_backward_weights_desc_init)   \
    X(convolution_forward_desc_init)            \
    X(eltwise_backward_desc_init)               \
    X(eltwise_forward_desc_init)                \
    X(inner_product_backward_data_desc_init)    \
    X(inner_product_backward_weights_desc_init) \
    X(inner_product_forward_desc_init)          \
    X(memory_desc_init_by_tag)                  \
    X(pooling_backward_desc_init)               \
    X(pooling_forward_desc_init)                \
    X(primitive_desc_create)
#endif

#define JSNI_DNNL_CALLS(X)                \
    X(engine_create)                      \
    X(engine_destroy)                     \
    X(get_effective_cpu_isa)              \
    X(memory_create)                      \
    X(memory_desc_equal)                  \
    X(memory_desc_get_size)               \
    X(memory_destroy)                     \
    X(memory_set_data_handle)             \
    X(primitive_attr_create)              \
    X(primitive_attr_destroy)             \
    X(primitive_attr_set_scratchpad_mode) \
    X(primitive_create)                   \
    X(primitive_desc_destroy)             \
    X(primitive_desc_query)               \
    X(primitive_desc_query_md)            \
    X(primitive_destroy)                  \
    X(primitive_execute)                  \
    X(reorder_primitive_desc_create)      \
    X(sgemm)                              \
    X(stream_create)                      \
    X(stream_destroy)                     \
    X(stream_wait)                        \
    X(version)                            \
    JSNI_DNNL_VERSION_CALLS(X)

/* __typeof__, of gcc and clang, saves writing down each signature again. */
typedef struct jsni_dnnl_table {
#define JSNI_DNNL_FIELD(name) __typeof__(&dnnl_##name) name;
    JSNI_DNNL_CALLS(JSNI_DNNL_FIELD)
#undef JSNI_DNNL_FIELD
} jsni_dnnl_table;

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const jsni_dnnl_table jsni_dnnl;

#endif /* JSNI_BACKEND_ONEDNN_DNNL_CALLS_H */
