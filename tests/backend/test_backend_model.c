/* Models: training steps, the same bits for any number of threads, weights to and from
 * files, and every refusal with its numbers and names. */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/model.h"
#include "core/alloc.h"
#include "core/file.h"
#include "jensen/loss.h"

static jsn_model_options small(const char *device)
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

enum { IMAGE = 3 * 8 * 8 };

static jsn_model *make(const jsn_model_options *o)
{
    jsn_model *model = NULL;
    assert_ok(jsn_model_create(&model, o));
    assert_ok(jsn_model_init(model, 7));
    return model;
}

/* `steps` steps on fixed data; returns the last loss. */
static double train(jsn_model *model, const char *spec, size_t views, size_t samples,
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

static void test_training_lowers_the_loss_on_every_backend(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0) {
            print_message("skipped: no device for %s\n", jsni_backend_at(b)->name);
            continue;
        }
        static const char *const optimisers[] = {"sgd", "adamw"};
        for (size_t i = 0; i < 2; i++) {
            jsn_model_options o = small(jsni_backend_at(b)->name);
            o.optimiser = optimisers[i];
            jsn_model *model = make(&o);
            const double before = train(model, "ce", 1, 6, IMAGE, 1, 0.02);
            const double after = train(model, "ce", 1, 6, IMAGE, 30, 0.02);
            assert_true(after < 0.3 * before);
            jsn_model_destroy(model);
        }
    }
}

static void sha_after_training(const char *device, const char *network, size_t side,
                               size_t batch, size_t threads, size_t steps, char hex[65])
{
    jsn_model_options o = small(device);
    o.network = network;
    o.height = o.width = side;
    o.batch = batch;
    o.views = 2;
    o.threads = threads;
    jsn_model *model = make(&o);
    (void)train(model, "gjs:pi1=0.5", 2, batch, 3 * side * side, steps, 0.05);
    assert_ok(jsni_model_sha256(model, hex));
    jsn_model_destroy(model);
}

static void test_weights_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        size_t side, batch, steps;
    } rows[] = {{"cnn:width=6", 11, 5, 4}, {"preactresnet34:width=8", 8, 5, 1}};
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0)
            continue;
        for (size_t r = 0; r < 2; r++) {
            char one[65], other[65];
            const char *device = jsni_backend_at(b)->name;
            sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch, 1,
                               rows[r].steps, one);
            static const size_t threads[] = {2, 5};
            for (size_t t = 0; t < 2; t++) {
                sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch,
                                   threads[t], rows[r].steps, other);
                assert_string_equal(one, other);
            }
            /* The check can tell: one step more gives other bits. */
            sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch, 1,
                               rows[r].steps + 1, other);
            assert_string_not_equal(one, other);
        }
    }
}

static void test_weights_survive_a_file(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    const jsn_model_options o = small("ref");
    jsn_model *model = make(&o);
    (void)train(model, "ce", 1, 6, IMAGE, 3, 0.1);
    assert_ok(jsn_model_save(model, path));
    char before[65], after[65];
    assert_ok(jsni_model_sha256(model, before));
    assert_ok(jsn_model_init(model, 99));
    assert_ok(jsni_model_sha256(model, after));
    assert_string_not_equal(before, after);
    int head = 7;
    assert_ok(jsn_model_load(model, path, &head));
    assert_int_equal(head, 0);
    assert_ok(jsni_model_sha256(model, after));
    assert_string_equal(before, after);
    assert_fails(jsn_model_save(model, "/nonexistent/w.safetensors"), JSN_ERR_IO, "/");
    assert_fails(jsn_model_load(model, "/nonexistent", NULL), JSN_ERR_DATA, "/");
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

static void test_another_number_of_classes_leaves_the_head_alone(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    jsn_model_options o = small("ref");
    jsn_model *five = make(&o);
    (void)train(five, "ce", 1, 6, IMAGE, 3, 0.1);
    assert_ok(jsn_model_save(five, path));
    o.classes = 7;
    jsn_model *seven = make(&o);
    assert_fails(jsn_model_load(seven, path, NULL), JSN_ERR_DATA,
                 "'linear.weight' is 5x32, the network's is 7x32");
    int head = 0;
    assert_ok(jsn_model_load(seven, path, &head));
    assert_int_equal(head, 1);
    const jsni_graph *graph = seven->graph;
    float *a = calloc(graph->param_floats, sizeof *a),
          *b = calloc(graph->param_floats, 4);
    float *initial = calloc(graph->param_floats, sizeof *initial);
    float *stats = calloc(graph->stat_floats, sizeof *stats);
    assert_true(a != NULL && b != NULL && initial != NULL && stats != NULL);
    assert_ok(jsni_model_read(five, 0, JSNI_BLOCK_PARAMETERS, a));
    assert_ok(jsni_model_read(seven, 0, JSNI_BLOCK_PARAMETERS, b));
    jsni_graph_init(graph, 7, initial, stats);
    const size_t body = graph->params[graph->param_count - 2].offset;
    assert_memory_equal(a, b, body * sizeof *a);
    assert_memory_equal(b + body, initial + body,
                        (graph->param_floats - body) * sizeof *b);
    free(a);
    free(b);
    free(initial);
    free(stats);
    jsn_model_destroy(five);
    jsn_model_destroy(seven);
    jsni_free(path);
    support_remove_folder(folder);
}

/* A plain ResNet-50 file initialises the body of the one with a two-layer head. */
static void test_a_head_of_another_kind_is_replaced(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    jsn_model_options o = small("ref");
    o.network = "resnet50";
    o.height = o.width = 32;
    o.batch = 1;
    o.optimiser = NULL;
    jsn_model *model = NULL;
    assert_ok(jsn_model_create(&model, &o)); /* zero weights do */
    assert_ok(jsn_model_save(model, path));
    jsn_model_destroy(model);
    o.network = "resnet50-plc";
    assert_ok(jsn_model_create(&model, &o));
    int head = 0;
    assert_ok(jsn_model_load(model, path, &head));
    assert_int_equal(head, 1);
    assert_fails(jsn_model_load(model, path, NULL), JSN_ERR_DATA,
                 "has the weights of resnet50,");
    jsn_model_destroy(model);
    o.network = "resnet18";
    assert_ok(jsn_model_create(&model, &o));
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "--network resnet50 takes them");
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

/* Writes the weights of `model` without tensor `skip`, with `extra` added and tensor
 * `wrong` as float64. */
static void write_variant(jsn_model *model, const char *path, const char *skip,
                          const char *extra, const char *wrong)
{
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params));
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_STATISTICS, stats));
    jsni_safetensor list[64] = {{0}};
    static double doubles[4096];
    size_t count = 0;
    for (size_t i = 0; i < graph->param_count + graph->stat_count; i++) {
        const bool stat = i >= graph->param_count;
        const jsni_tensor *t =
            stat ? &graph->stats[i - graph->param_count] : &graph->params[i];
        if (skip != NULL && strcmp(t->name, skip) == 0)
            continue;
        jsni_safetensor *to = &list[count++];
        *to = (jsni_safetensor){.name = t->name,
                                .dtype = JSN_DTYPE_FLOAT32,
                                .rank = t->rank,
                                .data = (stat ? stats : params) + t->offset};
        memcpy(to->shape, t->dim, sizeof t->dim);
        if (wrong != NULL && strcmp(t->name, wrong) == 0) {
            to->dtype = JSN_DTYPE_FLOAT64;
            to->data = doubles;
        }
    }
    if (extra != NULL)
        list[count++] = (jsni_safetensor){.name = extra,
                                          .dtype = JSN_DTYPE_FLOAT32,
                                          .rank = 1,
                                          .shape = {3},
                                          .data = doubles};
    assert_ok(jsni_safetensors_write(NULL, path, list, count, NULL, 0, false));
}

static void test_files_that_do_not_fit_change_nothing(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    const jsn_model_options o = small("ref");
    jsn_model *source = make(&o), *model = make(&o);
    assert_ok(jsn_model_init(model, 5));
    char before[65], after[65];
    assert_ok(jsni_model_sha256(model, before));
    int head = 0;
    write_variant(source, path, "layer2.bn.running_var", NULL, NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "lacks 1 tensor of cnn:width=4: layer2.bn.running_var");
    write_variant(source, path, NULL, "layer9.weight", NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "has 1 tensor that cnn:width=4 lacks: layer9.weight");
    write_variant(source, path, "layer1.conv.weight", "layer0.conv.weight", NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA, "does not fit");
    write_variant(source, path, NULL, NULL, "layer1.conv.weight");
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "'layer1.conv.weight' is float64");
    assert_ok(jsni_model_sha256(model, after));
    assert_string_equal(before, after);
    write_variant(source, path, NULL, "layer1.bn.num_batches_tracked", NULL);
    assert_ok(jsn_model_load(model, path, NULL));
    jsn_model_destroy(source);
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

static void test_evaluation_takes_any_number_of_samples(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0)
            continue;
        jsn_model_options o = small(jsni_backend_at(b)->name);
        o.optimiser = NULL;
        jsn_model *model = make(&o);
        float images[13 * IMAGE], all[13 * 5], one[5];
        rig_fill(images, 13 * IMAGE, 2);
        assert_ok(jsn_model_evaluate(model, images, 13, all)); /* 6 + 6 + 1 */
        for (size_t i = 0; i < 13; i++) {
            assert_ok(jsn_model_evaluate(model, images + i * IMAGE, 1, one));
            rig_assert_near(all + i * 5, one, 5, 1e-5, "a sample alone");
        }
        jsn_model_destroy(model);
    }
}

static void test_a_step_can_be_repeated_on_resident_data(void **state)
{
    (void)state;
    const jsn_model_options o = small("ref");
    jsn_model *a = make(&o), *b = make(&o);
    const double want = train(a, "ce", 1, 6, IMAGE, 2, 0.1);
    (void)train(b, "ce", 1, 6, IMAGE, 1, 0.1);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 5, 1));
    const jsn_model_batch again = {.views = 1, .samples = 6};
    const jsn_model_step step = {
        .loss = loss, .rate = 0.1, .weight_decay = 5e-4, .decay_all = 1, .step = 2};
    double mean = 0.0, values[6];
    assert_ok(jsn_model_train_step(b, &again, &step, &mean, values));
    assert_close(mean, want, 0, 0);
    double sum = 0.0;
    for (size_t i = 0; i < 6; i++)
        sum += values[i];
    assert_close(sum / 6.0, mean, 1e-6, 0);
    jsn_loss_destroy(loss);
    jsn_model_destroy(a);
    jsn_model_destroy(b);
}

static void test_what_does_not_fit_is_refused_with_numbers(void **state)
{
    (void)state;
    jsn_model *model = NULL;
    jsn_model_options o = small("ref");
    o.network = "resnet50";
    o.height = o.width = 224;
    o.batch = 1000000;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_MEMORY, "1000000");
    assert_non_null(strstr(jsn_last_error(), "MiB are available"));
    o = small("ref");
    o.batch = SIZE_MAX / 2;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_RANGE, "overflows");
    o = small("ref");
    o.batch = 0;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "batch 0");
    o = small("tpu");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_UNKNOWN_NAME, "tpu");
    o = small("ref:3");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_DEVICE, "3");
    o = small("ref:x");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "x");
    o = small("ref");
    o.precision = JSN_PRECISION_BF16;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "fp32");
    o = small("ref");
    o.optimiser = "rmsprop";
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_UNKNOWN_NAME, "rmsprop");
    assert_null(model);
}

static void test_wrong_batches_are_refused(void **state)
{
    (void)state;
    jsn_model_options o = small("ref");
    jsn_model *model = make(&o);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 5, 1));
    float images[7 * IMAGE] = {0};
    int32_t labels[7] = {0, 1, 2, 3, 4, 5, 0};
    jsn_model_batch batch = {
        .images = images, .views = 1, .samples = 7, .labels = labels};
    jsn_model_step step = {.loss = loss, .rate = 0.1, .step = 1};
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "7 samples");
    batch.samples = 6;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL), JSN_ERR_RANGE,
                 "label 5");
    batch.samples = 1; /* the last BatchNorm sees 1x1 maps */
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "layer4.bn");
    batch.samples = 5;
    step.step = 0;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "from 1");
    step.step = 1;
    jsn_loss *other = NULL;
    assert_ok(jsn_loss_create(&other, "gjs", 5, 2));
    step.loss = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "2 views");
    step.loss = loss;
    step.second = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "2 views");
    step.second = NULL;
    jsn_loss_destroy(other);
    assert_ok(jsn_loss_create(&other, "ce", 4, 1));
    step.loss = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "4 classes");
    step.loss = loss;
    jsn_loss_destroy(other);
    images[3] = (float)strtod("nan", NULL);
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_NUMERIC, "");
    jsn_model_destroy(model);
    o.optimiser = NULL;
    model = make(&o);
    images[3] = 0.0f;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "evaluation");
    jsn_model_destroy(model);
    jsn_loss_destroy(loss);
}

static void test_the_second_loss_applies_to_marked_samples(void **state)
{
    (void)state;
    const jsn_model_options o = small("ref");
    jsn_model *model = make(&o);
    jsn_loss *ce = NULL, *mae = NULL;
    assert_ok(jsn_loss_create(&ce, "ce", 5, 1));
    assert_ok(jsn_loss_create(&mae, "mae", 5, 1));
    float images[4 * IMAGE];
    rig_fill(images, 4 * IMAGE, 4);
    const int32_t labels[4] = {0, 1, 2, 3};
    const uint8_t second[4] = {0, 1, 0, 1};
    double values[3][4];
    for (size_t i = 0; i < 3; i++) {
        const jsn_model_batch batch = {.images = images,
                                       .views = 1,
                                       .samples = 4,
                                       .labels = labels,
                                       .second = i == 2 ? second : NULL};
        const jsn_model_step step = {.loss = i == 1 ? mae : ce,
                                     .second = i == 2 ? mae : NULL,
                                     .rate = 0.0,
                                     .step = 1};
        assert_ok(jsn_model_train_step(model, &batch, &step, NULL, values[i]));
    }
    for (size_t i = 0; i < 4; i++)
        assert_close(values[2][i], values[second[i]][i], 1e-6, 0);
    jsn_loss_destroy(ce);
    jsn_loss_destroy(mae);
    jsn_model_destroy(model);
}

static jsn_status create_once(void *user)
{
    const jsn_model_options *o = user;
    jsn_model *model = NULL;
    jsn_status status = jsn_model_create(&model, o);
    if (status == JSN_OK)
        status = jsn_model_init(model, 1);
    jsn_model_destroy(model);
    return status;
}

static void test_running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    jsn_model_options o = small("ref");
    support_walk_allocations(create_once, &o);
}

static void test_estimate_is_what_a_model_takes(void **state)
{
    (void)state;
    const jsn_model_options o = small("ref");
    jsn_model_info estimate;
    assert_ok(jsn_model_estimate(&o, &estimate));
    jsn_model *model = make(&o);
    const jsn_model_info info = jsn_model_describe(model);
    assert_int_equal(info.memory_activations, estimate.memory_activations);
    assert_int_equal(info.memory_parameters, estimate.memory_parameters);
    assert_true(info.memory_optimiser == info.memory_parameters);
    assert_string_equal(info.backend, "ref");
    assert_non_null(info.device);
    for (size_t i = 0; i < info.layers; i++)
        assert_true(jsni_model_layer(model, i) != NULL &&
                    jsni_model_implementation(model, i)[0] != '\0');
    assert_null(jsni_model_layer(model, info.layers));
    jsn_model_destroy(model);
    jsn_device_info device;
    assert_ok(jsn_device_describe("auto", &device));
    assert_true(device.memory_available > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_lowers_the_loss_on_every_backend),
        cmocka_unit_test(test_weights_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_weights_survive_a_file),
        cmocka_unit_test(test_another_number_of_classes_leaves_the_head_alone),
        cmocka_unit_test(test_a_head_of_another_kind_is_replaced),
        cmocka_unit_test(test_files_that_do_not_fit_change_nothing),
        cmocka_unit_test(test_evaluation_takes_any_number_of_samples),
        cmocka_unit_test(test_a_step_can_be_repeated_on_resident_data),
        cmocka_unit_test(test_what_does_not_fit_is_refused_with_numbers),
        cmocka_unit_test(test_wrong_batches_are_refused),
        cmocka_unit_test(test_the_second_loss_applies_to_marked_samples),
        cmocka_unit_test(test_running_out_of_memory_leaks_nothing),
        cmocka_unit_test(test_estimate_is_what_a_model_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
