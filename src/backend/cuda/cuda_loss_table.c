/* backend/cuda/cuda_loss_table.c - what a device needs of a loss beside its batch: the kernels
 * of plugins, and the table of its matrix, once on every device that evaluates it. The loss
 * keeps the copies, and gives them back when its matrix changes or it ends. */
#include <cuda_runtime.h>
#include <pthread.h>

#include "backend/cuda/cuda_check.h"
#include "backend/cuda/cuda_loss.h"
#include "backend/cuda/cuda_plugin.h"
#include "core/alloc.h"

typedef struct table_copy {
    struct table_copy *next;
    int device;
    float *table; /* [classes][classes] */
} table_copy;

/* Two threads may launch one loss. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void release(void *copies)
{
    int before = 0;
    const bool known = cudaGetDevice(&before) == cudaSuccess;
    for (table_copy *c = copies, *next = NULL; c != NULL; c = next) {
        next = c->next;
        if (cudaSetDevice(c->device) == cudaSuccess)
            (void)cudaFree(c->table);
        jsni_free(c);
    }
    if (known)
        (void)cudaSetDevice(before);
}

/* On a stream of this thread: the legacy one would disturb who is capturing. */
static jsn_status upload(const jsn_loss *loss, float *to)
{
    const size_t bytes = loss->classes * loss->classes * sizeof *to;
    JSNI_TRY_CUDA(cudaMemcpyAsync(to, loss->table_f, bytes, cudaMemcpyHostToDevice,
                                  cudaStreamPerThread));
    return JSNI_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
}

static jsn_status add_copy(const jsn_loss *loss, int device)
{
    table_copy *made = jsni_alloc_zero(1, sizeof *made);
    JSNI_TRY_ALLOC(made);
    made->device = device;
    jsn_status status = JSNI_CUDA(cudaMalloc(
        (void **)&made->table, loss->classes * loss->classes * sizeof *made->table));
    if (status == JSN_OK)
        status = upload(loss, made->table);
    if (status != JSN_OK) {
        (void)cudaFree(made->table);
        jsni_free(made);
        return status;
    }
    made->next = loss->kept->copies;
    loss->kept->copies = made;
    loss->kept->release = release;
    return JSN_OK;
}

static const float *find_copy(const jsn_loss *loss, int device)
{
    for (const table_copy *c = loss->kept->copies; c != NULL; c = c->next)
        if (c->device == device)
            return c->table;
    return NULL;
}

jsn_status jsni_cuda_loss_describe(const jsn_loss *loss, jsni_loss_device *out)
{
    int device = 0;
    jsni_loss_for_device(loss, out);
    for (size_t t = 0; t < out->term_count; t++)
        if (out->terms[t].plugin != NULL)
            JSNI_TRY(jsni_cuda_plugin_kernel(out->terms[t].plugin,
                                             jsni_cuda_loss_shared(out),
                                             &out->terms[t].kernel));
    if (loss->table_f == NULL)
        return JSN_OK;
    JSNI_TRY_CUDA(cudaGetDevice(&device));
    (void)pthread_mutex_lock(&lock);
    jsn_status status = JSN_OK;
    out->table = find_copy(loss, device);
    if (out->table == NULL) {
        status = add_copy(loss, device);
        out->table = find_copy(loss, device);
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}
