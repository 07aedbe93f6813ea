/* The CUDA backend beyond what every backend is tested for: tf32 and bf16 with their own
 * fused kernels, batches of many shapes, memory. Skipped where there is no device.
 *
 * bf16 keeps 8 bits: a layer's output is off by 2^-9 of its size, and a ReLU near zero
 * may open or close, which moves gradients by a finite amount. The limits below are
 * measured spreads of the plain bf16 path with room of two; a wrong tap, view, channel
 * or coefficient is off by 0.3 and more.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "backend/cuda_bench.h"
#include "backend/cuda_strided.h"

/* Logits, all gradients as one vector, running statistics; and each gradient against
 * `spread`, what the plain path of the same precision is off by: [param_count], filled
 * when `fill`, else held to. */
static void compare(const char *what, const jsni_graph *graph, const bench *got,
                    const bench *want, double logits, double grads, double *spread,
                    bool fill)
{
    const double d =
        rig_distance(got->logits, want->logits, got->views * got->samples * CLASSES);
    const double all = rig_distance(got->grads, want->grads, graph->param_floats);
    const double s = rig_distance(got->stats, want->stats, graph->stat_floats);
    print_message("%s: logits off by %.2e, gradients by %.2e, statistics by %.2e\n",
                  what, d, all, s);
    if (!(d <= logits))
        fail_msg("%s: logits off by %g", what, d);
    if (!(all <= grads))
        fail_msg("%s: gradients off by %g", what, all);
    if (!(s <= 1e-2))
        fail_msg("%s: running statistics off by %g", what, s);
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *p = &graph->params[i];
        const double g =
            rig_distance(got->grads + p->offset, want->grads + p->offset, p->count);
        if (fill)
            spread[i] = g;
        else if (!(g <= 2.0 * spread[i] + 0.05))
            fail_msg("%s: gradient of %s off by %g, the plain path by %g", what,
                     p->name, g, spread[i]);
    }
}

/* Every precision, plain kernels and own ones, on a batch of that shape, against another
 * backend in fp32. */
static void precisions_agree_with(const jsni_backend_ops *reference, size_t views,
                                  size_t samples)
{
    const jsni_backend_ops *ops = cuda_backend();
    static const struct {
        const char *name, *plain;
        jsn_precision precision;
        double logits, grads;
        bool fill; /* is the path that the next ones are held to */
    } cases[] = {{"fp32", "0", JSN_PRECISION_FP32, 2e-5, 1e-2, true},
                 {"tf32 plain", "1", JSN_PRECISION_TF32, 5e-3, 1e-1, true},
                 {"tf32 own", "0", JSN_PRECISION_TF32, 5e-3, 1e-1, false},
                 {"bf16 plain", "1", JSN_PRECISION_BF16, 3e-2, 2.5e-1, true},
                 {"bf16 own", "0", JSN_PRECISION_BF16, 3e-2, 2.5e-1, false}};
    const char *loss = views > 1 ? "gjs:pi1=0.5" : "ce";
    jsni_graph *graph = small_preact();
    float *x = room(views * samples * 3 * PIXELS);
    int32_t *y = calloc(samples, sizeof *y);
    double *spread = calloc(graph->param_count, sizeof *spread);
    assert_non_null(y);
    assert_non_null(spread);
    rig_fill(x, views * samples * 3 * PIXELS, 40);
    for (size_t i = 0; i < samples; i++)
        y[i] = (int32_t)(i % CLASSES);
    bench want, got;
    double value = 0.0, reached = 0.0;
    bench_open_for(&want, reference, graph, JSN_PRECISION_FP32, 1, views, samples);
    bench_step(&want, loss, x, y, 0.1, &value);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(setenv("JENSEN_CUDA_PLAIN", cases[i].plain, 1), 0);
        bench_open_for(&got, ops, graph, cases[i].precision, 1, views, samples);
        bench_step(&got, loss, x, y, 0.1, &reached);
        /* With few images a mask that flips weighs more. */
        const double few = views * samples < 16 ? 1.6 : 1.0;
        compare(cases[i].name, graph, &got, &want, few * cases[i].logits,
                few * cases[i].grads, spread, cases[i].fill);
        assert_close(reached, value, 0, 2e-2);
        bench_close(&got);
    }
    assert_int_equal(unsetenv("JENSEN_CUDA_PLAIN"), 0);
    bench_close(&want);
    free(spread);
    free(x);
    free(y);
    jsni_graph_destroy(graph);
}

static void precisions_agree(size_t views, size_t samples)
{
    (void)cuda_backend();
    precisions_agree_with(ref_backend(), views, samples);
}

static void test_each_precision_agrees_with_ref(void **state)
{
    (void)state;
    precisions_agree(VIEWS, SAMPLES);
}

/* Odd numbers of groups of 8 images, which no cluster of two blocks can share; even ones;
 * and samples that are no multiple of 8. */
static void test_other_batches_agree_with_ref(void **state)
{
    (void)state;
    precisions_agree(1, SAMPLES);
    precisions_agree(1, 3 * SAMPLES);
    precisions_agree(1, 4 * SAMPLES);
    precisions_agree(3, SAMPLES);
    precisions_agree(2, SAMPLES + 4);
}

/* Blocks that take several images, and more of them than shared memory holds at once. The
 * reference is the same backend in fp32, which the tests above compare with ref. */
static void test_large_batches_agree_with_fp32(void **state)
{
    (void)state;
    precisions_agree_with(cuda_backend(), 1, 16 * SAMPLES);
    precisions_agree_with(cuda_backend(), 2, 16 * SAMPLES);
    precisions_agree_with(cuda_backend(), 2, 64 * SAMPLES);
}

static void test_strided_convolutions_agree_with_ref(void **state)
{
    (void)state;
    strided_agree_with_ref(cuda_backend(), ref_backend());
}

static void test_strided_blocks_agree_with_ref(void **state)
{
    (void)state;
    strided_blocks_agree_with_ref(cuda_backend(), ref_backend());
}

static void test_an_evaluation_is_described(void **state)
{
    (void)state;
    strided_evaluation_is_described(cuda_backend());
}

static void test_what_does_not_fit_is_said(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda_backend();
    jsni_graph *graph = small_preact();
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    assert_fails(ops->open(&backend, 4711), JSN_ERR_DEVICE, "4711");
    assert_ok(ops->open(&backend, 0));
    const jsni_plan_options options = {.batch = 4000000, .views = 2, .training = true};
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_MEMORY,
                 "MiB");
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

/* Of several plans, one after the other, nothing stays. Other programs may take memory of
 * the device at the same time, so the best of three tries counts; a workspace that is
 * never freed (64 MiB a plan) costs every try 512 MiB. */
static void test_a_plan_gives_all_memory_back(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda_backend();
    jsni_graph *graph = small_preact();
    jsni_backend *backend = NULL;
    assert_ok(ops->open(&backend, 0));
    const jsni_plan_options options = {.batch = SAMPLES,
                                       .views = VIEWS,
                                       .training = true,
                                       .precision = JSN_PRECISION_BF16,
                                       .optimiser_slots = 1};
    size_t lost = SIZE_MAX;
    for (int try = 0; try < 3; try++) {
        size_t before = 0;
        for (int i = 0; i < 9; i++) { /* the first one loads kernels, too */
            jsni_plan *plan = NULL;
            assert_ok(jsni_plan_create(backend, graph, &options, &plan));
            jsni_plan_destroy(plan);
            if (i == 0)
                before = backend->ops->memory_available(backend);
        }
        const size_t after = backend->ops->memory_available(backend);
        const size_t gone = before > after ? before - after : 0;
        lost = gone < lost ? gone : lost;
    }
    if (lost >= (size_t)64 << 20)
        fail_msg("%zu bytes of the device are gone after 8 plans", lost);
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

/* Images that came while another step ran give the bits of those that came when due; what
 * was announced and does not come is forgotten. */
static void test_images_may_come_early(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda_backend();
    enum { BATCHES = 4, EACH = VIEWS * SAMPLES * 3 * PIXELS };
    jsni_graph *graph = small_preact();
    float *x = room((size_t)BATCHES * EACH), *want = room(graph->param_floats);
    int32_t *y = calloc(SAMPLES, sizeof *y);
    assert_non_null(y);
    rig_fill(x, (size_t)BATCHES * EACH, 41);
    for (int how = 0; how < 4; how++) {
        bench got;
        double value = 0.0;
        bench_open(&got, ops, graph, JSN_PRECISION_BF16, 1);
        const jsni_backend_ops *own = got.plan->ops;
        const bool pinned =
            how == 2 && own->pin(got.plan, x, (size_t)BATCHES * EACH * sizeof *x);
        for (size_t i = 0; i < BATCHES; i++) {
            /* how 3: announced, but another one comes. */
            if (how > 0)
                assert_ok(own->stage_input(got.plan,
                                           x + (how < 3 ? i : (i + 1) % BATCHES) * EACH,
                                           VIEWS, SAMPLES));
            bench_step(&got, "gjs:pi1=0.5", x + i * EACH, y, 0.1, &value);
        }
        if (how == 0)
            memcpy(want, got.params, graph->param_floats * sizeof *want);
        assert_memory_equal(got.params, want, graph->param_floats * sizeof *want);
        assert_int_equal(own->stage_input(got.plan, x, VIEWS + 1, SAMPLES),
                         JSN_ERR_ARGUMENT);
        if (pinned)
            own->unpin(got.plan, x);
        bench_close(&got);
    }
    free(x);
    free(y);
    free(want);
    jsni_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_precision_agrees_with_ref),
        cmocka_unit_test(test_other_batches_agree_with_ref),
        cmocka_unit_test(test_large_batches_agree_with_fp32),
        cmocka_unit_test(test_strided_convolutions_agree_with_ref),
        cmocka_unit_test(test_strided_blocks_agree_with_ref),
        cmocka_unit_test(test_an_evaluation_is_described),
        cmocka_unit_test(test_what_does_not_fit_is_said),
        cmocka_unit_test(test_a_plan_gives_all_memory_back),
        cmocka_unit_test(test_images_may_come_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
