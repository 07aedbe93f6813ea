/* backend/model_time.c - the times of a model's layers and of their limit; see
 * jensen/model.h. */
#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"

typedef jsn_status time_fn(jsni_plan *plan, jsni_task_time *times, size_t room,
                           size_t *count);

static jsn_status take_times(jsn_model *model, time_fn *fn, jsni_layer_time *times,
                             size_t room, size_t *count)
{
    jsni_task_time *tasks = jsni_alloc_zero(room, sizeof *tasks);
    JSNI_TRY_ALLOC(tasks);
    const jsn_status status = fn(model->plan, tasks, room, count);
    for (size_t i = 0; status == JSN_OK && i < *count && i < room; i++)
        times[i] = (jsni_layer_time){tasks[i].node, tasks[i].what, tasks[i].seconds};
    jsni_free(tasks);
    return status;
}

static jsn_status check(const jsn_model *model, time_fn *fn)
{
    if (!model->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "the model was made for evaluation alone");
    if (fn == NULL)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "the %s backend does not time its layers",
                         model->plan->ops->name);
    return JSN_OK;
}

jsn_status jsni_model_time_layers(jsn_model *model, jsni_layer_time *times, size_t room,
                                  size_t *count)
{
    JSNI_NEED(model);
    const jsni_backend_ops *ops = model->plan->ops;
    float *stats = model->staging + model->graph->param_floats;
    JSNI_TRY(check(model, ops->time_tasks));
    JSNI_TRY(ops->download(model->plan, 0, JSNI_BLOCK_STATISTICS, stats));
    const jsn_status status = take_times(model, ops->time_tasks, times, room, count);
    const jsn_status back = ops->upload(model->plan, 0, JSNI_BLOCK_STATISTICS, stats);
    return status != JSN_OK ? status : back;
}

jsn_status jsni_model_time_limit(jsn_model *model, jsni_layer_time *times, size_t room,
                                 size_t *count)
{
    JSNI_NEED(model);
    JSNI_TRY(check(model, model->plan->ops->time_limit));
    return take_times(model, model->plan->ops->time_limit, times, room, count);
}
