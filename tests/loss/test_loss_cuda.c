/* tests/loss/test_loss_cuda.c - every golden loss case on the device: float kernels to
 * the tolerance of float, the double ones (pi1 outside [0.01, 0.99]) to 1e-6; weights,
 * two losses in one batch, a matrix and the root against the host; the same bits twice.
 * Skips with a message where there is no device. */
#include "support/support.h"

#include <cuda_runtime_api.h>
#include <math.h>

#include "backend/cuda/cuda_loss.h"
#include "jensen/loss.h"
#include "loss/golden_loss.h"
#include "loss/golden_method.h"
#include "loss/loss_mode.h"

/* Device copies of a batch and of its results. */
typedef struct device_batch {
    float *logits, *targets, *grad, *memory, *mean_float;
    int32_t *labels;
    double *class_weights, *sample_weights, *per_sample, *mean;
    uint8_t *use_other;
    void *workspace;
} device_batch;

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        fail_msg("CUDA: %s", cudaGetErrorString(error));
}

static int no_device(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
        return 0;
    print_message("[  SKIPPED ] no CUDA device\n");
    return 1;
}

static void *upload(const void *from, size_t bytes)
{
    void *to = NULL;
    if (from == NULL)
        return NULL;
    check(cudaMalloc(&to, bytes));
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static float floats[GOLDEN_MOST];
static double doubles[GOLDEN_MOST];

/* Evaluates a host batch of float32 on the device; grad comes back as double. */
static double run_device(const jsn_loss *loss, const jsn_loss_batch *batch,
                         size_t views, size_t classes, double *values, double *grad)
{
    const size_t rows = batch->samples * classes;
    const size_t bytes = views * rows * sizeof(float);
    const size_t space = jsni_cuda_loss_workspace(batch->samples);
    jsni_loss_device first, second;
    device_batch d = {0};
    double mean = 0.0;
    float rounded = 0.0f;
    assert_ok(jsni_cuda_loss_describe(loss, &first));
    if (batch->other != NULL)
        assert_ok(jsni_cuda_loss_describe(batch->other, &second));
    d.logits = upload(batch->logits, bytes);
    d.labels = upload(batch->labels, batch->samples * sizeof(int32_t));
    d.targets = upload(batch->targets, rows * sizeof(float));
    d.class_weights = upload(batch->class_weights, classes * sizeof(double));
    d.sample_weights = upload(batch->sample_weights, batch->samples * sizeof(double));
    d.use_other = upload(batch->use_other, batch->samples);
    check(cudaMalloc((void **)&d.per_sample, batch->samples * sizeof(double)));
    check(cudaMemset(d.per_sample, 0xff, batch->samples * sizeof(double)));
    check(cudaMalloc((void **)&d.mean, sizeof(double)));
    check(cudaMemset(d.mean, 0xff, sizeof(double)));
    check(cudaMalloc((void **)&d.mean_float, sizeof(float)));
    check(cudaMemset(d.mean_float, 0xff, sizeof(float)));
    check(cudaMalloc(&d.workspace, space));
    check(cudaMemset(d.workspace, 0, space));
    d.memory = upload(batch->memory, rows * sizeof(float));
    const jsni_cuda_loss_batch in = {.samples = batch->samples,
                                     .logits = d.logits,
                                     .labels = d.labels,
                                     .targets = d.targets,
                                     .class_weights = d.class_weights,
                                     .sample_weights = d.sample_weights,
                                     .use_other = d.use_other,
                                     .memory = d.memory};
    /* In place, where that is possible: the gradient takes the memory of the logits. */
    const bool sum = first.term_count > 1 || (batch->other && second.term_count > 1);
    if (sum)
        check(cudaMalloc((void **)&d.grad, bytes));
    float *grad_at = sum ? d.grad : d.logits;
    const jsni_cuda_loss_out out = {d.mean, d.per_sample, grad_at, d.workspace,
                                    d.mean_float};
    check((cudaError_t)jsni_cuda_loss_run(&first, batch->other != NULL ? &second : NULL,
                                          &in, &out, NULL));
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(&mean, d.mean, sizeof mean, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&rounded, d.mean_float, sizeof rounded, cudaMemcpyDeviceToHost));
    assert_true(rounded == (float)mean || (isnan(mean) && isnan(rounded)));
    check(cudaMemcpy(values, d.per_sample, batch->samples * sizeof(double),
                     cudaMemcpyDeviceToHost));
    check(cudaMemcpy(floats, grad_at, bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < views * rows; k++)
        grad[k] = (double)floats[k];
    if (d.memory != NULL)
        check(cudaMemcpy(batch->memory, d.memory, rows * sizeof(float),
                         cudaMemcpyDeviceToHost));
    void *const all[] = {d.logits,         d.labels,    d.targets,    d.class_weights,
                         d.sample_weights, d.use_other, d.per_sample, d.mean,
                         d.mean_float,     d.workspace, d.grad,       d.memory};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check(cudaFree(all[i]));
    return mean;
}

static void test_golden_cases_on_the_device(void **state)
{
    const golden *g = *state;
    size_t failures = 0;
    if (no_device())
        skip();
    for (size_t i = 0; i < g->count; i++) {
        static float logits[GOLDEN_MOST];
        golden_case c;
        double values[8];
        jsn_loss *loss = NULL;
        jsn_loss_batch batch;
        golden_read(g, i, &c);
        const size_t rows = c.samples * c.classes;
        for (size_t k = 0; k < c.views * rows; k++)
            logits[k] = c.logits[k / rows][k % rows];
        jsn_loss_batch_init(&batch);
        batch.samples = c.samples;
        batch.logits = logits;
        batch.labels = c.labels;
        batch.targets = c.targets;
        assert_ok(jsn_loss_create(&loss, c.spec, c.classes, c.views));
        (void)run_device(loss, &batch, c.views, c.classes, values, doubles);
        jsn_loss_destroy(loss);
        const double of_loss = golden_loss_error(&c, values);
        const double of_grad = golden_gradient_error(&c, doubles);
        if (!(of_loss <= (c.extreme ? 1e-6 : 3e-6)) ||
            !(of_grad <= (c.extreme ? 1e-6 : 1e-5))) {
            print_error("%s (%s): loss off by %.3g, gradient by %.3g\n", c.name, c.spec,
                        of_loss, of_grad);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
    print_message("%zu golden cases on the device\n", g->count);
}

static void eval_on_device(jsn_loss *loss, const jsn_loss_batch *batch, double *values,
                           void *grad)
{
    static double own[GOLDEN_MOST];
    jsni_loss_device device;
    jsni_loss_for_device(loss, &device);
    (void)run_device(loss, batch, device.views, device.classes, values, own);
    for (size_t k = 0; k < device.views * batch->samples * device.classes; k++)
        ((float *)grad)[k] = (float)own[k];
}

static void test_golden_methods_on_the_device(void **state)
{
    (void)state;
    const method_errors most = {1e-5, 1e-5, 1e-5};
    if (no_device())
        skip();
    assert_int_equal(golden_methods(false, NULL, eval_on_device, most), 0);
}

/* A loss with a matrix gets one: classes are taken for the next ones, some twice as often
 * with `more`. */
static void give_matrix(jsn_loss *loss, size_t classes, double more)
{
    if (jsn_loss_matrix_path(loss) == NULL)
        return;
    double *matrix = calloc(classes * classes, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < classes; i++) {
        const double away = (0.1 + 0.05 * (double)(i % 3)) * more;
        matrix[i * classes + i] += 1.0 - away;
        matrix[i * classes + (i + 1) % classes] += away;
    }
    assert_ok(jsn_loss_set_matrix(loss, matrix));
    free(matrix);
}

/* Weights, a second loss, many classes and the root, against the host in double. */
static void check_batch(const char *spec, const char *other_spec, size_t classes,
                        bool weighted)
{
    enum { SAMPLES = 9, VIEWS = 2 };
    static float logits[SAMPLES * VIEWS * 1100], host_grad[SAMPLES * VIEWS * 1100];
    static double class_weights[1100], again[SAMPLES * VIEWS * 1100];
    int32_t labels[SAMPLES];
    double sample_weights[SAMPLES], values[SAMPLES], expected[SAMPLES];
    uint8_t use_other[SAMPLES];
    jsn_loss *loss = NULL;
    jsn_loss *other = NULL;
    jsn_loss_batch batch;
    const size_t count = SAMPLES * VIEWS * classes;
    for (size_t k = 0; k < count; k++)
        logits[k] = (float)((k * 2654435761u >> 5) % 1000) / 200.0f;
    for (size_t k = 0; k < classes; k++)
        class_weights[k] = 0.5 + (double)(k % 3);
    for (size_t i = 0; i < SAMPLES; i++) {
        labels[i] = (int32_t)(i * 5 % classes);
        sample_weights[i] = 0.25 + (double)(i % 4);
        use_other[i] = i % 2 == 1;
    }
    jsn_loss_batch_init(&batch);
    batch.samples = SAMPLES;
    batch.logits = logits;
    batch.labels = labels;
    batch.class_weights = weighted ? class_weights : NULL;
    batch.sample_weights = weighted ? sample_weights : NULL;
    assert_ok(jsn_loss_create(&loss, spec, classes, VIEWS));
    assert_ok(jsni_loss_set_level(loss, JSNI_LOSS_DOUBLE));
    give_matrix(loss, classes, 1.0);
    if (other_spec != NULL) {
        assert_ok(jsn_loss_create(&other, other_spec, classes, VIEWS));
        give_matrix(other, classes, 1.0);
        assert_ok(jsni_loss_set_level(other, JSNI_LOSS_DOUBLE));
        jsni_loss_first_view_only(other, true);
        batch.other = other;
        batch.use_other = use_other;
    }
    const bool valued = jsn_loss_describe_of(loss)->per_sample;
    jsn_loss_result result = {0.0, valued ? expected : NULL, host_grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    const double mean = run_device(loss, &batch, VIEWS, classes, values, doubles);
    assert_close(mean, result.mean, 3e-6, 3e-6);
    for (size_t i = 0; i < SAMPLES && valued; i++)
        assert_close(values[i], expected[i], 3e-6, 3e-6);
    for (size_t k = 0; k < count; k++)
        assert_close(doubles[k], (double)host_grad[k], 1e-6, 1e-5);
    assert_true(mean == run_device(loss, &batch, VIEWS, classes, values, again));
    assert_memory_equal(again, doubles, count * sizeof(double));
    jsn_loss_destroy(other);
    jsn_loss_destroy(loss);
}

static void test_device_batches_match_the_host(void **state)
{
    (void)state;
    /* Multiples of four over 32 are held in registers, by a warp or by two. */
    static const size_t classes[] = {2, 10, 33, 36, 256, 257, 512, 1000, 1100};
    if (no_device())
        skip();
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        for (int weighted = 0; weighted <= 1; weighted++) {
            for (size_t l = 0; jsn_loss_describe(l) != NULL; l++)
                check_batch(jsn_loss_describe(l)->name, NULL, classes[i],
                            weighted != 0);
            check_batch("gjs:pi1=0.05", NULL, classes[i], weighted != 0);
            check_batch("gjs:pi1=0.9", NULL, classes[i], weighted != 0);
            check_batch("gjs", "ce", classes[i], weighted != 0);
            check_batch("js:pi1=0.999", "gce", classes[i], weighted != 0);
            check_batch("forward:matrix=t", NULL, classes[i], weighted != 0);
            check_batch("backward:matrix=t", "ce", classes[i], weighted != 0);
            check_batch("gjs", "forward:matrix=t", classes[i], weighted != 0);
            check_batch("logitclip:tau=1,loss=ce", NULL, classes[i], weighted != 0);
            check_batch("logitclip:tau=2,p=1,loss=10*nce+0.1*rce", "ce", classes[i],
                        weighted != 0);
            check_batch("gjs", "logitclip:tau=0.5,p=3,loss=gjs:pi1=0.3", classes[i],
                        weighted != 0);
            check_batch("logitclip:tau=12,loss=1*gjs+1*bs", NULL, classes[i],
                        weighted != 0);
            check_batch("logitclip:tau=2,loss=forward:matrix=t", NULL, classes[i],
                        weighted != 0);
            check_batch("1*mae+2*forward:matrix=t+1*js:pi1=0.999", NULL, classes[i],
                        weighted != 0);
        }
}

/* The device has the table of the latest matrix, not of the first. */
static void test_another_matrix_takes_its_place(void **state)
{
    (void)state;
    enum { K = 36 };
    static float logits[K];
    const int32_t label = 5;
    double values[2], slope[K], host[K];
    jsn_loss *loss = NULL;
    if (no_device())
        skip();
    for (size_t k = 0; k < K; k++)
        logits[k] = (float)(k * 7 % 11) / 4.0f;
    assert_ok(jsn_loss_create(&loss, "forward:matrix=t", K, 1));
    for (size_t m = 0; m < 2; m++) {
        double want = 0.0;
        float slope_f[K];
        jsn_loss_batch batch;
        jsn_loss_batch_init(&batch);
        batch.samples = 1;
        batch.logits = logits;
        batch.labels = &label;
        give_matrix(loss, K, 1.0 + (double)m);
        jsn_loss_result result = {0.0, &want, slope_f};
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        (void)run_device(loss, &batch, 1, K, &values[m], slope);
        assert_close(values[m], want, 3e-6, 3e-6);
        for (size_t k = 0; k < K; k++) {
            host[k] = (double)slope_f[k];
            assert_close(slope[k], host[k], 1e-6, 1e-5);
        }
    }
    assert_true(fabs(values[0] - values[1]) > 1e-3);
    jsn_loss_destroy(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_cases_on_the_device),
        cmocka_unit_test(test_golden_methods_on_the_device),
        cmocka_unit_test(test_device_batches_match_the_host),
        cmocka_unit_test(test_another_matrix_takes_its_place),
    };
    return cmocka_run_group_tests_name("loss/cuda", tests, golden_open, golden_close);
}
