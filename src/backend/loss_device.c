/* backend/loss_device.c - a loss on any device, for arrays in host memory: the logits go
 * through a network that changes nothing, one linear layer with the identity as its
 * weights, and from there on it is a training step's loss. Meant for looking at a
 * device's numbers, not for speed. */
#include "backend/loss_device.h"
#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/loss.h"
#include "loss/loss_impl.h"
#include "nn/network_impl.h"

static jsn_status make_identity(jsn_model *model, size_t classes)
{
    const jsni_graph *graph = model->graph;
    float *weights = jsni_alloc_zero(graph->param_floats, sizeof *weights);
    JSNI_TRY_ALLOC(weights);
    for (size_t k = 0; k < classes; k++)
        weights[graph->params[0].offset + k * classes + k] = 1.0f;
    const jsn_status status =
        jsni_model_write(model, 0, JSNI_BLOCK_PARAMETERS, weights);
    jsni_free(weights);
    return status;
}

jsn_status jsni_loss_place(jsni_plan *plan, const jsn_loss *loss,
                           const jsn_loss_batch *batch)
{
    const jsni_backend_ops *ops = plan->ops;
    const jsni_pass pass = {.training = true};
    const jsni_labels labels = {.labels = batch->labels,
                                .targets = batch->targets,
                                .weights = batch->sample_weights,
                                .class_weights = batch->class_weights,
                                .second = batch->use_other};
    JSNI_TRY(ops->set_input(plan, 0, batch->logits, loss->views, batch->samples));
    JSNI_TRY(ops->set_labels(plan, 0, &labels));
    return ops->forward(plan, &pass);
}

static jsn_status run(jsn_model *model, jsn_loss *loss, const jsn_loss_batch *batch,
                      jsn_loss_result *result)
{
    jsni_plan *plan = model->plan;
    const jsni_backend_ops *ops = plan->ops;
    const jsni_losses losses = {loss, batch->other};
    JSNI_TRY(jsni_loss_place(plan, loss, batch));
    JSNI_TRY(ops->loss(plan, &losses));
    JSNI_TRY(ops->read_loss(plan, 0, &result->mean, result->per_sample));
    return result->grad != NULL ? ops->read_output_gradient(plan, 0, result->grad)
                                : JSN_OK;
}

jsn_status jsn_loss_eval_on(const char *device, jsn_loss *loss,
                            const jsn_loss_batch *batch, jsn_loss_result *result)
{
    if (device == NULL || loss == NULL || batch == NULL || result == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: something is NULL");
    if (batch->type != JSN_LOSS_F32)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: %s evaluates float32 logits; float64 is for the cpu",
                         device);
    if (batch->divisor != 0.0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: a divisor is for jsn_loss_eval() alone");
    /* The CPU checks the batch, and says what is wrong with it. */
    jsn_loss_result checked = {0};
    JSNI_TRY(jsn_loss_eval(loss, batch, &checked));
    const size_t classes = loss->classes;
    const jsni_plan_options options = {.batch = batch->samples,
                                       .views = loss->views,
                                       .threads = 1,
                                       .precision = JSN_PRECISION_FP32,
                                       .training = true};
    jsni_graph *graph = NULL;
    jsn_model *model = NULL;
    JSNI_TRY(jsni_network_build("mlp:layers=0", (jsni_shape){classes, 1, 1}, classes,
                                &graph));
    jsn_status status = jsni_model_create(&model, graph, device, "sgd", &options);
    if (status == JSN_OK)
        status = make_identity(model, classes);
    if (status == JSN_OK)
        status = run(model, loss, batch, result);
    jsn_model_destroy(model);
    return status;
}
