/* backend/loss_gpu.c - see jensen/loss_gpu.h. Checks what can be seen from here; the rest
 * is the backend's. */
#include "backend/loss_gpu.h"

#include <math.h>

#include "backend/backend_impl.h"
#include "core/fail.h"
#include "jensen/loss_gpu.h"
#include "loss/loss_impl.h"

size_t jsn_loss_gpu_workspace(size_t samples)
{
    return samples < SIZE_MAX / 64 ? JSNI_LOSS_GPU_BYTES(samples) : 0;
}

jsn_status jsn_loss_gpu_run(const jsn_loss *loss, const jsn_loss_gpu_batch *batch)
{
    if (loss == NULL || batch == NULL || batch->logits == NULL ||
        (batch->mean == NULL && batch->value == NULL) || batch->workspace == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: something is NULL");
    if ((batch->labels == NULL) == (batch->targets == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: give labels or soft targets, one of the two");
    if (batch->samples < 1 || batch->samples >= SIZE_MAX / 64)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %zu samples", batch->samples);
    if (batch->device < 0)
        return jsni_fail(JSN_ERR_DEVICE, "cuda: %d is no device", batch->device);
    if (!(batch->divisor >= 0.0) || isinf(batch->divisor))
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %g is no divisor", batch->divisor);
    if (batch->grad == batch->logits)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: the gradient needs memory of its own on a GPU");
    JSNI_TRY(jsni_loss_check_use(loss, NULL, batch->targets != NULL));
    if (loss->root && (batch->per_sample != NULL || batch->divisor != 0.0))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: %s is a root of the mean: it has no other reduction",
                         loss->info.name);
    return jsni_backend_cuda.loss_launch(loss, batch);
}

jsn_status jsn_loss_gpu_rescale(const jsn_loss_gpu_scale *scale)
{
    if (scale == NULL || scale->numbers == NULL || scale->factor == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "scale: something is NULL");
    if (scale->device < 0)
        return jsni_fail(JSN_ERR_DEVICE, "cuda: %d is no device", scale->device);
    return scale->count == 0 ? JSN_OK : jsni_backend_cuda.loss_scale(scale);
}
