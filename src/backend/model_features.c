/* backend/model_features.c - see model_features.h. Parameters lie in the order of the
 * nodes and the head is last, so the body's block is the beginning of the model's. */
#include "backend/model_features.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "nn/network_impl.h"

size_t jsni_model_outputs(const jsn_model *model)
{
    return jsni_shape_count(jsni_graph_output(model->graph)->shape);
}

static jsn_status copy_block(jsn_model *from, jsn_model *to, jsni_block block)
{
    float *values =
        jsni_alloc_zero(jsni_model_block_floats(from, block) + 1, sizeof *values);
    JSNI_TRY_ALLOC(values);
    jsn_status status = jsni_model_read(from, from->member, block, values);
    if (status == JSN_OK)
        status = jsni_model_write(to, 0, block, values);
    jsni_free(values);
    return status;
}

jsn_status jsni_model_body(jsn_model **out, jsn_model *model, const char *device,
                           size_t batch, size_t threads)
{
    *out = NULL;
    jsni_graph *graph = NULL;
    JSNI_TRY(jsni_network_build(model->graph->network,
                                jsni_graph_input(model->graph)->shape,
                                model->graph->classes, &graph));
    jsni_graph_drop_head(graph);
    if (graph->node_count < 2) {
        jsni_graph_destroy(graph);
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: has no layer ahead of its head",
                         model->graph->network);
    }
    const jsni_plan_options options = {.batch = batch,
                                       .views = 1,
                                       .threads = threads,
                                       .precision = JSN_PRECISION_FP32};
    jsn_model *body = NULL;
    JSNI_TRY(jsni_model_create(&body, graph, device, NULL, &options));
    jsn_status status = copy_block(model, body, JSNI_BLOCK_PARAMETERS);
    if (status == JSN_OK)
        status = copy_block(model, body, JSNI_BLOCK_STATISTICS);
    if (status != JSN_OK) {
        jsn_model_destroy(body);
        return status;
    }
    *out = body;
    return JSN_OK;
}
