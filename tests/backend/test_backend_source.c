/* An evaluation that asks for its images gives the bits of one that has them all, for any
 * number of threads, whichever images are missing; and keeps nothing that could be used by
 * mistake. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/model.h"
#include "support/support.h"

enum { MOST = 19, SIDE = 32, FLOATS = 3 * SIDE * SIDE, CLASSES = 10, WORKERS = 5 };

static float images[MOST][FLOATS];

static void fill_images(void)
{
    uint32_t state = 7;
    for (size_t i = 0; i < MOST; i++)
        for (size_t k = 0; k < FLOATS; k++) {
            state = state * 1664525u + 1013904223u;
            images[i][k] = (float)(state >> 8) / (float)(1 << 23) - 1.0f;
        }
}

/* Which images are there. */
static bool is_there(int pattern, size_t i, size_t samples)
{
    switch (pattern) {
    case 0:
        return true;
    case 1:
        return i % 3 != 1;
    case 2:
        return i > 0 && i + 1 < samples;
    case 3:
        return i == samples / 2;
    default:
        return false;
    }
}

typedef struct asked {
    int pattern;
    size_t samples, workers;
    atomic_int times[MOST];
    atomic_bool busy[WORKERS]; /* a worker asks for one image at a time */
} asked;

static bool give(void *user, size_t sample, size_t worker, float *to)
{
    asked *a = user;
    if (sample >= a->samples || worker >= a->workers ||
        atomic_exchange(&a->busy[worker], true))
        abort();
    atomic_fetch_add(&a->times[sample], 1);
    const bool there = is_there(a->pattern, sample, a->samples);
    /* what is not there has no business in the output */
    for (size_t k = 0; k < FLOATS; k++)
        to[k] = there ? images[sample][k] : 1e30f;
    atomic_store(&a->busy[worker], false);
    return there;
}

/* What one call for each batch gives, of the images that are there. */
static size_t expect(jsn_model *model, size_t samples, int pattern, float *want)
{
    static float present[MOST][FLOATS];
    const size_t batch = model->options.batch;
    size_t there = 0;
    for (size_t first = 0; first < samples; first += batch) {
        size_t count = 0;
        for (size_t i = first; i < samples && i < first + batch; i++)
            if (is_there(pattern, i, samples))
                memcpy(present[count++], images[i], sizeof images[i]);
        assert_ok(jsn_model_evaluate(model, present[0], count, want + there * CLASSES));
        there += count;
    }
    return there;
}

static void compare(jsn_model *model, size_t samples, int pattern)
{
    static float want[MOST * CLASSES], got[MOST * CLASSES];
    asked a = {.pattern = pattern, .samples = samples};
    const jsni_source source = {give, &a};
    size_t there = 99;
    a.workers = jsni_model_source_workers(model);
    const size_t count = expect(model, samples, pattern, want);
    assert_ok(jsni_model_evaluate_from(model, &source, samples, &there, got));
    assert_int_equal(there, count);
    assert_memory_equal(got, want, count * CLASSES * sizeof *got);
    for (size_t i = 0; i < samples; i++)
        assert_int_equal(atomic_load(&a.times[i]), 1);
    /* the images are gone */
    const jsni_pass pass = {.training = false};
    assert_fails(model->plan->ops->forward(model->plan, &pass), JSN_ERR_ARGUMENT,
                 "no input was set");
    assert_int_equal(expect(model, samples, pattern, got), count);
    assert_memory_equal(got, want, count * CLASSES * sizeof *got);
}

static void run_network(const char *device, const char *network, size_t *compared)
{
    static const size_t batches[] = {1, 3, MOST};
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = network;
    o.device = device;
    o.classes = CLASSES;
    o.height = o.width = SIDE;
    for (o.threads = 1; o.threads <= WORKERS; o.threads += 2)
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
            jsn_model *model = NULL;
            o.batch = batches[b];
            assert_ok(jsn_model_create(&model, &o));
            assert_ok(jsn_model_init(model, 3));
            const size_t most = jsni_model_source_images(model);
            assert_int_equal(most % o.batch, 0);
            for (size_t n = 1; n <= most && n <= MOST; n += 1 + n / 2)
                for (int p = 0; p < 5 && jsni_model_source_workers(model) > 0; p++) {
                    compare(model, n, p);
                    ++*compared;
                }
            jsn_model_destroy(model);
        }
}

static void test_images_that_are_asked_for(void **state)
{
    (void)state;
    fill_images();
    size_t compared = 0, wanted = 0;
    const jsni_backend_ops *ops;
    for (size_t i = 0; (ops = jsni_backend_at(i)) != NULL; i++) {
        if (ops->can.gpu || ops->device_count() == 0)
            continue;
        wanted += ops->evaluate_from != NULL;
        run_network(ops->name, "cnn:width=16", &compared);
        run_network(ops->name, "preactresnet34:width=16", &compared);
        if (ops->evaluate_from != NULL)
            run_network(ops->name, "efficientnet-lite0", &compared);
    }
    assert_true(compared > 100 || wanted == 0);
}

static bool never(void *user, size_t sample, size_t worker, float *to)
{
    (void)user;
    (void)sample;
    (void)worker;
    (void)to;
    abort();
}

/* A network without steps that a worker takes an image through, and more than a batch. */
static void test_what_cannot_ask(void **state)
{
    (void)state;
    float logits[CLASSES];
    size_t there = 0;
    jsn_model *model = NULL;
    jsn_model_options o;
    const jsni_source source = {never, NULL};
    jsn_model_options_init(&o);
    o.network = "mlp:width=4";
    o.device = "ref";
    o.classes = CLASSES;
    o.batch = 2;
    o.threads = 1;
    assert_ok(jsn_model_create(&model, &o));
    assert_int_equal(jsni_model_source_workers(model), 0);
    assert_fails(jsni_model_evaluate_from(model, &source, 1, &there, logits),
                 JSN_ERR_UNSUPPORTED, "takes its images at once");
    assert_fails(jsni_model_evaluate_from(model, NULL, 1, &there, logits),
                 JSN_ERR_ARGUMENT, "source");
    jsn_model_destroy(model);
    o.network = "cnn:width=16";
    o.device = "cpu";
    assert_ok(jsn_model_create(&model, &o));
    if (jsni_model_source_workers(model) > 0) {
        assert_fails(jsni_model_evaluate_from(model, &source, 33, &there, logits),
                     JSN_ERR_ARGUMENT, "33 images at once; the plan takes 32");
        assert_fails(jsni_model_evaluate_from(model, &source, 0, &there, logits),
                     JSN_ERR_ARGUMENT, "a batch of 0 samples");
    }
    jsn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_that_are_asked_for),
        cmocka_unit_test(test_what_cannot_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
