/* backend/cuda/cuda_module.h - the door between the library and the CUDA module that it
 * loads at run time. The module is a shared library of its own with copies of what it
 * needs of core, nn, loss and augment; failures go back through the host's record, so
 * jsn_last_error() works as everywhere. */
#ifndef JSNI_BACKEND_CUDA_CUDA_MODULE_H
#define JSNI_BACKEND_CUDA_CUDA_MODULE_H

#include <stddef.h>

#include "backend/backend_impl.h"

#define JSNI_CUDA_MODULE_FILE  "libjensen_cuda.so"
#define JSNI_CUDA_MODULE_ENTRY "jsni_cuda_module_open"

/* For the row that the library has and for the table that the module brings. */
#define JSNI_CUDA_CAN                                                               \
    {                                                                               \
        .gpu = true, .resident = true, .members = 8,                                \
        .precisions = JSNI_CAN(JSN_PRECISION_FP32) | JSNI_CAN(JSN_PRECISION_TF32) | \
                      JSNI_CAN(JSN_PRECISION_BF16)                                  \
    }

typedef struct jsni_cuda_host {
    const char *version; /* jsn_version() of the library */
    size_t sizes[4];     /* jsni_cuda_module_sizes() as the library was compiled */
    /* Records a sentence. */
    jsn_status (*fail)(jsn_status status, const char *sentence);
} jsni_cuda_host;

/* Structs that both sides read: a module of another build is refused. */
#define JSNI_CUDA_MODULE_SIZES                                                   \
    {                                                                            \
        sizeof(jsni_backend_ops), sizeof(jsni_graph), sizeof(jsni_plan_options), \
            sizeof(jsni_node)                                                    \
    }

/* The backend's table, or NULL with the failure recorded. `host` is borrowed for good. */
typedef const jsni_backend_ops *jsni_cuda_module_fn(const jsni_cuda_host *host);

#endif /* JSNI_BACKEND_CUDA_CUDA_MODULE_H */
