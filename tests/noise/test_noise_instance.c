/* Instance-dependent noise: the three types by their formulas, calibration, refusals. */
#include "noise/noise_support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "jensen/array.h"

enum { N = 20000, K = 4 };

static int32_t labels[N];
static float posteriors[N][K];

/* Posteriors with u = label (but for every tenth sample), s = label + 1, difference d. */
static jsn_noise_input input(double d)
{
    jsn_noise_input in = noise_input(labels, N, K, 9);
    for (int i = 0; i < N; i++) {
        const int u = i / K % 10 == 0 ? (labels[i] + 2) % K : labels[i];
        for (int c = 0; c < K; c++)
            posteriors[i][c] = (float)((1.0 - d) / (K * 2));
        posteriors[i][(u + 1) % K] = (float)(0.5 - d / 2);
        posteriors[i][u] = posteriors[i][(u + 1) % K] + (float)d;
    }
    in.posteriors = posteriors[0];
    return in;
}

static void test_types_keep_by_their_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double keep; /* at D = 0.5 */
    } rows[] = {{"instance:type=1,factor=1", (1 + 0.25) / 2},
                {"instance:type=2,factor=1", 0.125},
                {"instance:type=3,factor=1", (0.125 + 0.25 + 0.5) / 3},
                {"instance:type=1,factor=2.5", (1 + 0.25) / 5}};
    const jsn_noise_input in = input(0.5);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jsn_noise_result r;
        size_t kept = 0;
        noise_apply(rows[i].spec, &in, &r);
        for (int s = 0; s < N; s++) {
            const int u = s / K % 10 == 0 ? (labels[s] + 2) % K : labels[s];
            assert_true(r.labels[s] == u || r.labels[s] == (u + 1) % K);
            kept += r.labels[s] == u;
        }
        /* Deviation of a share of 20000: at most 0.0036. */
        assert_close((double)kept / N, rows[i].keep, 5 * 0.0036, 0);
        assert_true(isnan(r.nominal_rate));
        jsn_noise_result_release(&r);
    }
}

static void test_factor_is_calibrated_to_the_rate(void **state)
{
    (void)state;
    static const double rates[] = {0.35, 0.70, 0.12};
    jsn_noise_input in = input(0.5);
    jsni_rng rng = jsni_rng_stream(4, JSNI_RNG_TEST, 0, 0, 0);
    for (int i = 0; i < N; i++) /* many differences D */
        posteriors[i][labels[i]] += (float)(0.24 * jsni_rng_uniform(&rng));
    for (int type = 1; type <= 3; type++)
        for (size_t k = 0; k < 3; k++) {
            char spec[100];
            jsn_noise_result r;
            (void)snprintf(spec, sizeof spec, "instance:type=%d,rate=%g", type,
                           rates[k]);
            /* Type 1 keeps at least half when D is 0, so 12% needs a factor below 1. */
            noise_apply(spec, &in, &r);
            assert_close(r.real_rate, rates[k], 1.5 / N, 0);
            assert_true(r.nominal_rate == rates[k] && r.factor > 0.0);
            jsn_noise_result_release(&r);
        }
    noise_refused("instance:rate=0.02", &in, JSN_ERR_RANGE, "out of reach");
    /* A classifier whose second choice is the right one cannot be asked for a rate. */
    memset(posteriors, 0, sizeof posteriors);
    for (int i = 0; i < N; i++) {
        posteriors[i][labels[i]] = 0.4f;
        posteriors[i][(labels[i] + 1) % K] = 0.6f;
    }
    noise_refused("instance:rate=0.5", &in, JSN_ERR_DATA,
                  "wrong more often (1.0000) than their second (0.0000)");
}

static void test_posteriors_come_from_a_file(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    const size_t shape[2] = {N, K};
    jsn_array a;
    char path[600], spec[700];
    jsn_noise_input in = input(0.5);
    jsn_noise_result memory, file;
    noise_apply("instance:type=2,rate=0.5", &in, &memory);
    assert_ok(jsn_array_create(&a, JSN_DTYPE_FLOAT32, 2, shape));
    memcpy(a.data, posteriors, sizeof posteriors);
    (void)snprintf(path, sizeof path, "%s/p.npy", folder);
    assert_ok(jsn_array_write(&a, path));
    jsn_array_release(&a);
    (void)snprintf(spec, sizeof spec, "instance:type=2,rate=0.5,posteriors=%s", path);
    in.posteriors = NULL;
    noise_apply(spec, &in, &file);
    assert_memory_equal(memory.labels, file.labels, sizeof labels);
    jsn_noise_result_release(&memory);
    jsn_noise_result_release(&file);
    in.samples = N - 1;
    noise_refused(spec, &in, JSN_ERR_DATA, "20000 samples");
    /* Of a part of the data the rows of the part: at factor 0.5 type 1 keeps every
     * first choice ((1 + d^2) / 2 is no less), so the label is the largest posterior of the sample. */
    static uint32_t numbers[N - 1];
    for (size_t i = 0; i < N - 1; i++)
        numbers[i] = (uint32_t)(N - 1 - i);
    in.numbers = numbers;
    in.total = N;
    (void)snprintf(spec, sizeof spec, "instance:type=1,factor=0.5,posteriors=%s", path);
    noise_apply(spec, &in, &file);
    for (size_t i = 0; i < N - 1; i++) {
        const float *p = posteriors[N - 1 - i];
        for (size_t c = 0; c < K; c++)
            assert_true(p[c] <= p[file.labels[i]]);
    }
    jsn_noise_result_release(&file);
    support_remove_folder(folder);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    jsn_noise *noise = NULL;
    jsn_noise_input in = input(0.5);
    posteriors[5][1] = NAN;
    noise_refused("instance", &in, JSN_ERR_DATA, "sample 5");
    in.posteriors = NULL;
    noise_refused("instance", &in, JSN_ERR_ARGUMENT, "posteriors=");
    assert_fails(jsn_noise_create(&noise, "instance:type=1.5"), JSN_ERR_ARGUMENT,
                 "1.5");
    assert_fails(jsn_noise_create(&noise, "instance:type=4"), JSN_ERR_RANGE, "type");
    assert_fails(jsn_noise_create(&noise, "instance:posteriors=no/such.npy"),
                 JSN_ERR_DATA, "no/such.npy");
    assert_fails(jsn_noise_create(&noise, "instance:posteriors=a.npy,from=runs/x"),
                 JSN_ERR_ARGUMENT, "exclude");
    assert_ok(jsn_noise_create(&noise, "instance:type=1,from=runs/x"));
    assert_string_equal(jsn_noise_about(noise).run, "runs/x");
    jsn_noise_destroy(noise);
    assert_ok(jsn_noise_create(&noise, "sym"));
    assert_null(jsn_noise_about(noise).run);
    jsn_noise_destroy(noise);
    assert_int_equal(jsni_alloc_live(), 0);
}

static jsn_status whole(void *user)
{
    const jsn_noise_input in = input(0.5);
    return noise_try(user, &in);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char spec[] = "instance:type=3,rate=0.5";
    support_walk_allocations(whole, spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_keep_by_their_formulas),
        cmocka_unit_test(test_factor_is_calibrated_to_the_rate),
        cmocka_unit_test(test_posteriors_come_from_a_file),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
