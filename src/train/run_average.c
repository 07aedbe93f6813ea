/* train/run_average.c - see run_average.h. */
#include "train/run_average.h"

#include "core/alloc.h"
#include "core/fail.h"

static jsn_status read_model(jsn_model *model, float *params, float *stats)
{
    JSNI_TRY(jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params));
    return jsni_model_read(model, 0, JSNI_BLOCK_STATISTICS, stats);
}

static jsn_status write_model(jsn_model *model, const float *params, const float *stats)
{
    JSNI_TRY(jsni_model_write(model, 0, JSNI_BLOCK_PARAMETERS, params));
    return jsni_model_write(model, 0, JSNI_BLOCK_STATISTICS, stats);
}

jsn_status jsni_average_create(jsni_average *a, jsn_model *model)
{
    const size_t params = model->graph->param_floats, stats = model->graph->stat_floats;
    a->params = jsni_alloc(params, sizeof(float));
    a->own_params = jsni_alloc(params, sizeof(float));
    a->stats = jsni_alloc(stats, sizeof(float));
    a->own_stats = jsni_alloc(stats, sizeof(float));
    const bool there = a->params != NULL && a->own_params != NULL && a->stats != NULL &&
                       a->own_stats != NULL;
    const jsn_status status =
        there ? read_model(model, a->params, a->stats) : JSN_ERR_MEMORY;
    if (status != JSN_OK)
        jsni_average_release(a);
    return status;
}

void jsni_average_release(jsni_average *a)
{
    jsni_free(a->params);
    jsni_free(a->own_params);
    jsni_free(a->stats);
    jsni_free(a->own_stats);
    *a = (jsni_average){0};
}

static void move(float *to, const float *from, size_t count, float share)
{
    for (size_t i = 0; i < count; i++)
        to[i] += share * (from[i] - to[i]);
}

jsn_status jsni_average_move(jsni_average *a, jsn_model *model, double decay,
                             uint64_t step)
{
    const double early = (1.0 + (double)step) / (10.0 + (double)step);
    const float share = (float)(1.0 - (early < decay ? early : decay));
    JSNI_TRY(read_model(model, a->own_params, a->own_stats));
    move(a->params, a->own_params, model->graph->param_floats, share);
    move(a->stats, a->own_stats, model->graph->stat_floats, share);
    return JSN_OK;
}

jsn_status jsni_average_show(jsni_average *a, jsn_model *model, bool shown)
{
    if (a->params == NULL || a->shown == shown)
        return JSN_OK;
    if (shown) {
        JSNI_TRY(read_model(model, a->own_params, a->own_stats));
        JSNI_TRY(write_model(model, a->params, a->stats));
    } else {
        JSNI_TRY(write_model(model, a->own_params, a->own_stats));
    }
    a->shown = shown;
    return JSN_OK;
}
