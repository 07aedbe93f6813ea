/* The weights after 20 training steps of PreActResNet-34 with batch 32: the same SHA-256
 * for 1, 2, 3, 4 and 8 threads. */
#include "backend/model.h"
#include "core/rng.h"
#include "jensen/loss.h"
#include "jensen/model.h"
#include "support/support.h"

enum { BATCH = 32, VIEWS = 1, STEPS = 20, CLASSES = 10, IMAGE = 3 * 32 * 32 };

static void train(size_t threads, const float *images, const int32_t *labels,
                  char hex[65])
{
    jsn_model_options options;
    jsn_model_options_init(&options);
    options.network = "preactresnet34";
    options.classes = CLASSES;
    options.device = "onednn";
    options.batch = BATCH;
    options.views = VIEWS;
    options.threads = threads;
    options.optimiser = "sgd:momentum=0.9,nesterov=1";
    jsn_model *model = NULL;
    jsn_loss *loss = NULL;
    assert_ok(jsn_model_create(&model, &options));
    assert_ok(jsn_model_init(model, 1));
    assert_ok(jsn_loss_create(&loss, "ce", CLASSES, VIEWS));
    for (size_t s = 0; s < STEPS; s++) {
        /* another order of the labels each step, so that steps differ */
        int32_t turned[BATCH];
        for (size_t i = 0; i < BATCH; i++)
            turned[i] = labels[(i + s) % BATCH];
        const jsn_model_batch batch = {
            .images = images, .views = VIEWS, .samples = BATCH, .labels = turned};
        const jsn_model_step step = {.loss = loss,
                                     .rate = 0.05,
                                     .weight_decay = 5e-4,
                                     .decay_all = 1,
                                     .step = s + 1,
                                     .seed = 1};
        assert_ok(jsn_model_train_step(model, &batch, &step, NULL, NULL));
    }
    assert_ok(jsni_model_sha256(model, hex));
    jsn_loss_destroy(loss);
    jsn_model_destroy(model);
}

static void test_weights_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 3, 4, 8};
    float *images = malloc(VIEWS * BATCH * IMAGE * sizeof *images);
    int32_t labels[BATCH];
    assert_non_null(images);
    jsni_rng rng = jsni_rng_stream(3, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < VIEWS * BATCH * IMAGE; i++)
        images[i] = (float)(3.4 * jsni_rng_uniform(&rng) - 1.7);
    for (size_t i = 0; i < BATCH; i++)
        labels[i] = (int32_t)(jsni_rng_u32(&rng) % CLASSES);
    char first[65], other[65];
    train(threads[0], images, labels, first);
    for (size_t i = 1; i < sizeof threads / sizeof *threads; i++) {
        train(threads[i], images, labels, other);
        assert_string_equal(first, other);
    }
    /* and the checksum sees a difference */
    labels[0] = (labels[0] + 1) % CLASSES;
    train(2, images, labels, other);
    assert_string_not_equal(first, other);
    free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
