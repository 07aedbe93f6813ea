/* backend/model_stage.c - steps whose images arrive while the device works on others; see
 * backend/model.h. */
#include "backend/model.h"
#include "core/fail.h"

bool jsni_model_stages(const jsn_model *model)
{
    return model->plan->ops->stage_input != NULL;
}

jsn_status jsni_model_stage(jsn_model *model, const float *images, size_t views,
                            size_t samples)
{
    JSNI_NEED(model);
    JSNI_NEED(images);
    return model->plan->ops->stage_input(model->plan, images, views, samples);
}

bool jsni_model_pin(void *model, void *memory, size_t bytes)
{
    const jsn_model *m = model;
    return m->plan->ops->pin(m->plan, memory, bytes);
}

void jsni_model_unpin(void *model, void *memory)
{
    const jsn_model *m = model;
    m->plan->ops->unpin(m->plan, memory);
}

jsn_status jsni_model_loss(jsn_model *model, double *mean)
{
    JSNI_NEED(model);
    JSNI_NEED(mean);
    return model->plan->ops->read_loss(model->plan, 0, mean, NULL);
}
