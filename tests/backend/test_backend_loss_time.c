/* Times of a loss on every device there is: the loss is the CPU's, there are times of it
 * and of a copy, and what cannot be timed is refused. */
#include <math.h>

#include "backend/loss_device.h"
#include "jensen/backend.h"
#include "jensen/loss.h"
#include "support/support.h"

enum { SAMPLES = 6, CLASSES = 5, VIEWS = 2, ROOM = 40 };

typedef struct fixture {
    float logits[VIEWS * SAMPLES * CLASSES];
    int32_t labels[SAMPLES];
    jsn_loss *loss;
    jsn_loss_batch batch;
    double seconds[ROOM];
    jsni_loss_times times;
} fixture;

static void begin(fixture *f)
{
    *f = (fixture){0};
    for (size_t i = 0; i < VIEWS * SAMPLES * CLASSES; i++)
        f->logits[i] = (float)(i * 7 % 11) * 0.25f - 1.0f;
    for (size_t i = 0; i < SAMPLES; i++)
        f->labels[i] = (int32_t)(i % CLASSES);
    assert_ok(jsn_loss_create(&f->loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    jsn_loss_batch_init(&f->batch);
    f->batch.samples = SAMPLES;
    f->batch.logits = f->logits;
    f->batch.labels = f->labels;
    f->times = (jsni_loss_times){.seconds = f->seconds, .room = ROOM};
}

static void test_every_device_times_the_loss_that_the_cpu_has(void **state)
{
    (void)state;
    fixture f;
    jsn_loss_result want = {0};
    begin(&f);
    assert_ok(jsn_loss_eval(f.loss, &f.batch, &want));
    for (size_t i = 0; jsn_backend_describe(i).name != NULL; i++) {
        const jsn_backend_info info = jsn_backend_describe(i);
        if (info.devices == 0)
            continue;
        f.times.copy = f.times.mean = NAN;
        assert_ok(jsni_loss_time_on(info.name, f.loss, &f.batch, 1e-3, &f.times));
        /* Sums of a few floats. */
        assert_close(f.times.mean, want.mean, 1e-6, 1e-6);
        assert_true(f.times.count >= 1 && f.times.count <= ROOM);
        assert_true(f.times.copy > 0.0 && isfinite(f.times.copy));
        for (size_t k = 0; k < f.times.count; k++)
            assert_true(f.seconds[k] > 0.0 && isfinite(f.seconds[k]));
    }
    /* No more times than there is room for. */
    f.times.room = 3;
    f.seconds[3] = -1.0;
    assert_ok(jsni_loss_time_on("ref", f.loss, &f.batch, 10.0, &f.times));
    assert_int_equal(f.times.count, 3);
    assert_close(f.seconds[3], -1.0, 0.0, 0.0);
    jsn_loss_destroy(f.loss);
}

/* What is timed beside the loss really copies: the gradient then holds the logits. */
static void test_the_copy_takes_the_output_to_the_gradient(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (size_t i = 0; jsn_backend_describe(i).name != NULL; i++) {
        const jsn_backend_info info = jsn_backend_describe(i);
        if (info.devices == 0)
            continue;
        const jsni_plan_options options = {
            .batch = SAMPLES, .views = VIEWS, .threads = 1, .training = true};
        float got[VIEWS * SAMPLES * CLASSES] = {0};
        jsni_backend *backend = NULL;
        jsni_builder b;
        jsni_graph *graph = NULL;
        jsni_plan *plan = NULL;
        assert_ok(jsni_backend_open(&backend, info.name));
        jsni_build_begin(&b, "none", (jsni_shape){CLASSES, 1, 1}, CLASSES);
        (void)jsni_build_flatten(&b, "flat", jsni_build_input(&b));
        assert_ok(jsni_build_end(&b, &graph));
        assert_ok(jsni_plan_create(backend, graph, &options, &plan));
        assert_ok(jsni_loss_place(plan, f.loss, &f.batch));
        assert_ok(plan->ops->copy_output(plan));
        assert_ok(plan->ops->read_output_gradient(plan, 0, got));
        assert_memory_equal(got, f.logits, sizeof got);
        jsni_plan_destroy(plan);
        jsni_graph_destroy(graph);
        jsni_backend_close(backend);
    }
    jsn_loss_destroy(f.loss);
}

static void test_what_cannot_be_timed_is_refused(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    assert_fails(jsni_loss_time_on(NULL, f.loss, &f.batch, 1e-3, &f.times),
                 JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsni_loss_time_on("curda", f.loss, &f.batch, 1e-3, &f.times),
                 JSN_ERR_UNKNOWN_NAME, "curda");
    f.labels[4] = CLASSES;
    assert_fails(jsni_loss_time_on("ref", f.loss, &f.batch, 1e-3, &f.times),
                 JSN_ERR_RANGE, "5");
    f.labels[4] = 0;
    f.batch.type = JSN_LOSS_F64;
    assert_fails(jsni_loss_time_on("ref", f.loss, &f.batch, 1e-3, &f.times),
                 JSN_ERR_ARGUMENT, "float32");
    f.batch.type = JSN_LOSS_F32;
    f.times.room = 0;
    assert_fails(jsni_loss_time_on("ref", f.loss, &f.batch, 1e-3, &f.times),
                 JSN_ERR_ARGUMENT, "room");
    jsn_loss_destroy(f.loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_device_times_the_loss_that_the_cpu_has),
        cmocka_unit_test(test_the_copy_takes_the_output_to_the_gradient),
        cmocka_unit_test(test_what_cannot_be_timed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
