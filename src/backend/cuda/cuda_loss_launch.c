/* backend/cuda/cuda_loss_launch.c - a loss on memory and a stream of the caller: checks the
 * labels on the device, then runs the kernels that a training step runs. */
#include <cuda_runtime.h>

#include "backend/cuda/cuda_check.h"
#include "backend/cuda/cuda_loss.h"
#include "backend/loss_gpu.h"
#include "jensen/loss_gpu.h"

static jsn_status fits(const jsni_loss_device *loss, int device)
{
    int room = 0;
    const size_t shared = jsni_cuda_loss_shared(loss);
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (shared > (size_t)room)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "a loss of %zu classes and %zu views needs %zu KB of shared "
                         "memory on a GPU, this one has %d",
                         loss->classes, loss->joint ? loss->views_read : 1,
                         (shared + 1023) / 1024, room / 1024);
    return JSN_OK;
}

static jsn_status launch(const jsni_loss_device *loss, const jsn_loss_gpu_batch *given)
{
    char *room = given->workspace;
    double *weights = (double *)(room + JSNI_LOSS_GPU_KERNELS(given->samples));
    int32_t *labels = (int32_t *)(weights + given->samples);
    const jsni_cuda_loss_out out = {given->mean, given->per_sample, given->grad, room,
                                    given->value};
    jsni_cuda_loss_batch batch;
    int error = jsni_cuda_loss_prepare(given, loss->classes, labels, weights, &batch);
    if (error == cudaSuccess)
        error = jsni_cuda_loss_run(loss, NULL, &batch, &out, given->stream);
    return jsni_cuda_check((cudaError_t)error, "the loss kernels");
}

/* Makes a device the current one; *before is for leave(). */
static jsn_status enter(int device, int *before)
{
    JSNI_TRY_CUDA(cudaGetDevice(before));
    return *before == device ? JSN_OK : JSNI_CUDA(cudaSetDevice(device));
}

static void leave(int device, int before)
{
    if (before != device)
        (void)cudaSetDevice(before);
}

jsn_status jsni_cuda_loss_launch(const jsn_loss *loss, const jsn_loss_gpu_batch *batch)
{
    jsni_loss_device device;
    int before = 0;
    JSNI_TRY(enter(batch->device, &before));
    jsn_status status = jsni_cuda_loss_describe(loss, &device);
    if (status == JSN_OK)
        status = fits(&device, batch->device);
    if (status == JSN_OK)
        status = launch(&device, batch);
    leave(batch->device, before);
    return status;
}

jsn_status jsni_cuda_loss_rescale(const jsn_loss_gpu_scale *scale)
{
    int before = 0;
    JSNI_TRY(enter(scale->device, &before));
    const int error = jsni_cuda_loss_scale(scale->numbers, scale->count, scale->factor,
                                           scale->stream);
    leave(scale->device, before);
    return jsni_cuda_check((cudaError_t)error, "the scale kernel");
}
