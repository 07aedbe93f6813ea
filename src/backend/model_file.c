/* backend/model_file.c - weights from files (weights/weight_file.h) and to
 * safetensors files, by PyTorch's names.
 * A file is compared with the network in full before the first weight is changed. */
#include <stdio.h>

#include "backend/model.h"
#include "weights/weight_match.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "format/safetensors.h"
#include "weights/weight_file.h"

static void take_tensors(const jsni_safetensors *file, const jsni_tensor *tensors,
                         size_t count, const jsni_graph *skip_head_of, float *block)
{
    for (size_t i = 0; i < count; i++) {
        if (skip_head_of != NULL && jsni_weight_file_in_head(skip_head_of, &tensors[i]))
            continue;
        const jsni_safetensor *stored = jsni_safetensors_find(file, tensors[i].name);
        jsni_weight_file_take(stored, tensors[i].count, block + tensors[i].offset);
    }
}

jsn_status jsni_model_load_in(jsn_model *model, const char *folder, const char *name,
                              int *head)
{
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    jsni_safetensors *file = NULL;
    JSNI_TRY(jsni_weight_file_open(&file, folder, name, NULL));
    const bool skip_head = head != NULL && !jsni_weight_file_head_fits(graph, file);
    /* Files of other programs carry no checksum. */
    const bool checksum =
        jsni_safetensors_metadata(file, JSNI_SAFETENSORS_CHECKSUM) != NULL;
    jsn_status status = checksum ? jsni_safetensors_verify(file) : JSN_OK;
    if (status == JSN_OK)
        status =
            jsni_weight_file_check(jsni_safetensors_path(file), graph, file, skip_head);
    if (status != JSN_OK)
        goto done;
    status = jsni_model_read(model, model->member, JSNI_BLOCK_PARAMETERS, params);
    if (status != JSN_OK)
        goto done;
    take_tensors(file, graph->params, graph->param_count, skip_head ? graph : NULL,
                 params);
    take_tensors(file, graph->stats, graph->stat_count, NULL, stats);
    status = jsni_model_write(model, model->member, JSNI_BLOCK_PARAMETERS, params);
    if (status == JSN_OK)
        status = jsni_model_write(model, model->member, JSNI_BLOCK_STATISTICS, stats);
    if (status == JSN_OK && head != NULL)
        *head = skip_head ? 1 : 0;
done:
    jsni_safetensors_close(file);
    return status;
}

jsn_status jsn_model_load(jsn_model *model, const char *path, int *head)
{
    if (model == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: NULL argument");
    return jsni_model_load_in(model, NULL, path, head);
}

static void put_tensors(jsni_safetensor *to, const jsni_tensor *tensors, size_t count,
                        const float *block)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (jsni_safetensor){.name = tensors[i].name,
                                  .dtype = JSN_DTYPE_FLOAT32,
                                  .rank = tensors[i].rank,
                                  .data = block + tensors[i].offset};
        for (size_t k = 0; k < tensors[i].rank; k++)
            to[i].shape[k] = tensors[i].dim[k];
    }
}

jsn_status jsni_model_save_in(jsn_model *model, const char *folder, const char *name)
{
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_PARAMETERS, params));
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_STATISTICS, stats));
    const size_t count = graph->param_count + graph->stat_count;
    jsni_safetensor *tensors = jsni_alloc_zero(count, sizeof *tensors);
    JSNI_TRY_ALLOC(tensors);
    put_tensors(tensors, graph->params, graph->param_count, params);
    put_tensors(tensors + graph->param_count, graph->stats, graph->stat_count, stats);
    const jsni_shape in = jsni_graph_input(graph)->shape;
    char classes[32], input[80];
    (void)snprintf(classes, sizeof classes, "%zu", graph->classes);
    (void)snprintf(input, sizeof input, "%zux%zux%zu", in.channels, in.height,
                   in.width);
    const jsni_pair pairs[] = {{"format", "pt"},
                               {"network", graph->network},
                               {"classes", classes},
                               {"input", input}};
    const jsn_status status = jsni_safetensors_write(
        folder, name, tensors, count, pairs, sizeof pairs / sizeof pairs[0], true);
    jsni_free(tensors);
    return status;
}

jsn_status jsn_model_save(jsn_model *model, const char *path)
{
    if (model == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: NULL argument");
    return jsni_model_save_in(model, NULL, path);
}
