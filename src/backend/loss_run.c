/* backend/loss_run.c - a loss on logits in host memory; see backend_impl.h. */
#include <math.h>

#include "backend/backend_impl.h"
#include "jensen/loss.h"

jsn_status jsni_loss_run(const jsni_losses *losses, const jsni_labels *labels,
                         const float *logits, size_t samples, double *mean,
                         double *values, float *gradient)
{
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = samples;
    batch.logits = logits;
    batch.labels = labels->labels;
    batch.targets = labels->targets;
    batch.class_weights = labels->class_weights;
    batch.sample_weights = labels->weights;
    batch.memory = labels->memory;
    bool valued = jsn_loss_describe_of(losses->first)->per_sample;
    if (losses->second != NULL && labels->second != NULL) {
        batch.other = losses->second;
        batch.use_other = labels->second;
        valued = valued && jsn_loss_describe_of(losses->second)->per_sample;
    }
    jsn_loss_result result = {0};
    result.grad = gradient;
    result.per_sample = valued ? values : NULL;
    const jsn_status status = jsn_loss_eval(losses->first, &batch, &result);
    if (status != JSN_OK)
        return status;
    for (size_t i = 0; i < samples && !valued; i++)
        values[i] = NAN;
    *mean = result.mean;
    return JSN_OK;
}
