/* tests/api/things.c - see misuse.h. Each row is called in its own process, so that nothing
 * here is ever released or used twice. */
#define _POSIX_C_SOURCE 200809L
#include "api/misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/support.h"

/* What cannot be made is no fault of the row. */
static void need(jsn_status status)
{
    if (status == JSN_OK)
        return;
    (void)fprintf(stderr, "a thing for the test cannot be made: %s\n",
                  jsn_last_error());
    _Exit(99);
}

const char *place(void)
{
    static char path[2][512];
    static unsigned number;
    char *out = path[number % 2];
    (void)snprintf(out, sizeof path[0], "%s/nothing-%ld-%u", support_folder,
                   (long)getpid(), number++);
    return out;
}

const jsn_array *thing_array(void)
{
    static jsn_array array;
    need(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 1, (const size_t[]){4}));
    return &array;
}

const jsn_image *thing_image(void)
{
    static jsn_image image;
    need(jsn_image_create(&image, 8, 8));
    memset(image.data, 99, 8 * 8 * JSN_IMAGE_CHANNELS);
    return &image;
}

const jsn_augment *thing_augment(void)
{
    jsn_augment *pipeline = NULL;
    need(jsn_augment_create(&pipeline, "flip", 8, 8, (const float[]){0, 0, 0},
                            (const float[]){1, 1, 1}));
    return pipeline;
}

jsn_augment_scratch *thing_scratch(void)
{
    jsn_augment_scratch *scratch = NULL;
    need(jsn_augment_scratch_create(&scratch));
    return scratch;
}

jsn_loss *thing_loss(void)
{
    jsn_loss *loss = NULL;
    need(jsn_loss_create(&loss, "ce", 2, 1));
    return loss;
}

static const float numbers[2 * 3 * 32 * 32] = {0.5f, 0.25f, -0.5f, 1.0f};
static const int32_t labels[2] = {0, 1};

const jsn_loss_batch *thing_batch(void)
{
    static jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 2;
    batch.logits = numbers;
    batch.labels = labels;
    return &batch;
}

const jsn_theory_bounds *thing_bounds(void)
{
    static jsn_theory_bounds bounds;
    need(jsn_theory_bounds_equal(&bounds, 2, 2, 0.5));
    return &bounds;
}

const jsn_noise *thing_noise(void)
{
    jsn_noise *noise = NULL;
    need(jsn_noise_create(&noise, "sym:rate=0.5"));
    return noise;
}

const jsn_noise_input *thing_noise_input(void)
{
    static jsn_noise_input input;
    jsn_noise_input_init(&input);
    input.labels = labels;
    input.samples = input.classes = 2;
    return &input;
}

const jsn_noise_result *thing_noisy(void)
{
    static jsn_noise_result noisy;
    need(jsn_noise_apply(thing_noise(), thing_noise_input(), &noisy));
    return &noisy;
}

const jsn_dataset *thing_dataset(void)
{
    jsn_dataset *data = NULL;
    need(jsn_dataset_open(&data, "builtin:size=20,test=10", NULL));
    return data;
}

const jsn_network *thing_network(void)
{
    jsn_network *network = NULL;
    need(jsn_network_create(&network, "mlp:width=4", 3, 8, 8, 2));
    return network;
}

const jsn_model_options *thing_building(void)
{
    static jsn_model_options building;
    jsn_model_options_init(&building);
    building.network = "mlp:width=4";
    building.classes = building.batch = 2;
    building.device = "ref";
    building.threads = 1;
    building.optimiser = "sgd";
    return &building;
}

jsn_model *thing_model(void)
{
    jsn_model *model = NULL;
    need(jsn_model_create(&model, thing_building()));
    need(jsn_model_init(model, 1));
    return model;
}

const jsn_model_batch *thing_model_batch(void)
{
    static jsn_model_batch batch;
    batch = (jsn_model_batch){
        .images = numbers, .views = 1, .samples = 2, .labels = labels};
    return &batch;
}

const jsn_model_step *thing_step(void)
{
    static jsn_model_step step;
    step = (jsn_model_step){.loss = thing_loss(), .rate = 0.1};
    return &step;
}

jsn_classifier *thing_classifier(void)
{
    jsn_classifier *classifier = NULL;
    const char *weights = place();
    need(jsn_model_save(thing_model(), weights));
    jsn_classifier_options options;
    jsn_classifier_options_init(&options);
    options.network = "mlp:width=4";
    options.weights = weights;
    options.classes = 2;
    options.device = "ref";
    options.threads = 1;
    need(jsn_classifier_create(&classifier, &options));
    return classifier;
}

jsn_train_config *thing_config(void)
{
    static jsn_train_config config;
    jsn_train_config_clear(&config);
    return &config;
}

const jsn_recipe *thing_recipe(void)
{
    static jsn_recipe recipe;
    need(jsn_recipe_at(0, &recipe));
    return &recipe;
}

jsn_sweep_plan *thing_plan(void)
{
    static jsn_sweep_plan plan;
    need(jsn_sweep_plan_init(&plan));
    need(jsn_texts_add(&plan.axes, "lr=0.1"));
    return &plan;
}

jsn_sweep *thing_sweep(void)
{
    jsn_sweep *sweep = NULL;
    jsn_train_config *config = thing_config();
    need(jsn_train_config_set(config, "data", "builtin:size=20,test=10"));
    need(jsn_train_config_set(config, "network", "mlp:width=4"));
    need(jsn_train_config_set(config, "epochs", "1"));
    need(jsn_train_config_set(config, "batch", "10"));
    need(jsn_sweep_create(&sweep, place(), "study", thing_plan(), config));
    return sweep;
}

const jsn_sweep_trial *thing_trial(void)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    need(jsn_sweep_trials(thing_sweep(), &trials, &count));
    return trials;
}
