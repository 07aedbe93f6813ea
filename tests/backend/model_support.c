/* tests/backend/model_support.c - see model_support.h. */
#include "backend/model_support.h"

#include "jensen/loss.h"

jsn_model_options model_small(const char *device)
{
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = "cnn:width=4";
    o.classes = 5;
    o.height = o.width = 8;
    o.device = device;
    o.batch = 6;
    o.threads = 1;
    o.optimiser = "sgd";
    return o;
}

jsn_model *model_make(const jsn_model_options *o)
{
    jsn_model *model = NULL;
    assert_ok(jsn_model_create(&model, o));
    assert_ok(jsn_model_init(model, 7));
    return model;
}

double model_train(jsn_model *model, const char *spec, size_t views, size_t samples,
                   size_t image, size_t steps, double rate)
{
    float *images = calloc(views * samples * image, sizeof *images);
    int32_t *labels = calloc(samples, sizeof *labels);
    assert_true(images != NULL && labels != NULL);
    rig_fill(images, views * samples * image, 11);
    for (size_t i = 0; i < samples; i++)
        labels[i] = (int32_t)(i % 5);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, model->graph->classes, views));
    const jsn_model_batch batch = {
        .images = images, .views = views, .samples = samples, .labels = labels};
    double mean = 0.0;
    for (size_t i = 0; i < steps; i++) {
        const jsn_model_step step = {.loss = loss,
                                     .rate = rate,
                                     .weight_decay = 5e-4,
                                     .decay_all = 1,
                                     .step = i + 1,
                                     .seed = 3};
        assert_ok(jsn_model_train_step(model, &batch, &step, &mean, NULL));
    }
    jsn_loss_destroy(loss);
    free(images);
    free(labels);
    return mean;
}
