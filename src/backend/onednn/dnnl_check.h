/* backend/onednn/dnnl_check.h - the one place where a oneDNN status becomes a
 * jsn_status. */
#ifndef JSNI_BACKEND_ONEDNN_DNNL_CHECK_H
#define JSNI_BACKEND_ONEDNN_DNNL_CHECK_H

#include "backend/onednn/dnnl_calls.h"
#include "core/fail.h"

static inline jsn_status jsni_dnnl_status(dnnl_status_t status, const char *what)
{
    switch (status) {
    case dnnl_success:
        return JSN_OK;
    case dnnl_out_of_memory:
        return jsni_fail(JSN_ERR_MEMORY, "oneDNN: %s: out of memory", what);
    case dnnl_unimplemented:
        return jsni_fail(JSN_ERR_UNSUPPORTED, "oneDNN: %s: not implemented", what);
    default:
        return jsni_fail(JSN_ERR_DEVICE, "oneDNN: %s: status %d", what, (int)status);
    }
}

/* DNNL_TRY(memory_create, ...) for jsni_dnnl.memory_create(...). */
#define DNNL_TRY(name, ...) \
    JSNI_TRY(jsni_dnnl_status(jsni_dnnl.name(__VA_ARGS__), "dnnl_" #name))

#endif /* JSNI_BACKEND_ONEDNN_DNNL_CHECK_H */
