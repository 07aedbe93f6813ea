/* Every method against NumPy and cleanlab (golden/make_audit.py), for float32 and float64
 * probabilities, and the same bits for any number of threads. */
#include "support/support.h"

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/json.h"

static jsni_json *golden;

static int read_golden(void **state)
{
    (void)state;
    return jsni_json_read(&golden, JSN_TEST_GOLDEN "/audit.json") != JSN_OK;
}

static int free_golden(void **state)
{
    (void)state;
    jsni_json_destroy(golden);
    return 0;
}

static double *reals(const jsni_json *list)
{
    double *out = calloc(jsni_json_count(list) + 1, sizeof *out);
    for (size_t i = 0; i < jsni_json_count(list); i++)
        out[i] = jsni_json_real(jsni_json_at(list, i));
    return out;
}

static int32_t *integers(const jsni_json *list)
{
    int32_t *out = calloc(jsni_json_count(list) + 1, sizeof *out);
    for (size_t i = 0; i < jsni_json_count(list); i++)
        out[i] = (int32_t)jsni_json_int(jsni_json_at(list, i));
    return out;
}

typedef struct given {
    jsn_audit_input in;
    int32_t *labels;
    double *p;
    float *p32, *views;
} given;

static given read_case(const jsni_json *made)
{
    given g = {.labels = integers(jsni_json_get(made, "labels")),
               .p = reals(jsni_json_get(made, "posteriors"))};
    jsn_audit_input_init(&g.in);
    g.in.samples = (size_t)jsni_json_int(jsni_json_get(made, "samples"));
    g.in.classes = (size_t)jsni_json_int(jsni_json_get(made, "classes"));
    g.in.labels = g.labels;
    g.in.posteriors64 = g.p;
    const size_t count = g.in.samples * g.in.classes;
    g.p32 = calloc(count, sizeof *g.p32);
    for (size_t i = 0; i < count; i++)
        g.p32[i] = (float)g.p[i];
    const jsni_json *views = jsni_json_get(made, "views");
    g.in.view_count = jsni_json_count(views) / count;
    g.views = calloc(jsni_json_count(views), sizeof *g.views);
    for (size_t i = 0; i < jsni_json_count(views); i++)
        g.views[i] = (float)jsni_json_real(jsni_json_at(views, i));
    g.in.views = g.views;
    return g;
}

static void free_case(given *g)
{
    free(g->labels);
    free(g->p);
    free(g->p32);
    free(g->views);
}

/* The chances are kept as float, whose last digit is 6e-8; the golden values have nine. */
static void compare(const jsn_audit_result *r, const jsni_json *want, double tolerance)
{
    const size_t n = r->samples, k = r->classes;
    double *matrix = reals(jsni_json_get(want, "matrix"));
    double *score = reals(jsni_json_get(want, "score"));
    int32_t *suggested = integers(jsni_json_get(want, "suggested"));
    double rate = 0.0;
    assert_ok(jsni_json_get_real(want, "noise_rate", &rate));
    assert_close(r->noise_rate, rate, 1e-8, 0);
    assert_close(r->expected_errors, rate * (double)n, 1e-5, 0);
    assert_true(r->noise_low <= r->noise_rate && r->noise_rate <= r->noise_high);
    for (size_t i = 0; i < k * k; i++)
        assert_close(r->matrix[i], matrix[i], 1e-6, 1e-8);
    for (size_t i = 0; i < n; i++) {
        assert_close((double)r->score[i], score[i], tolerance, 0);
        assert_int_equal(r->suggested[i], suggested[i]);
    }
    free(matrix);
    free(score);
    free(suggested);
}

static void test_every_method_gives_the_values_of_its_definition(void **state)
{
    (void)state;
    size_t seen = 0;
    const jsni_json *cases = jsni_json_get(golden, "cases");
    for (size_t c = 0; c < jsni_json_count(cases); c++) {
        const jsni_json *made = jsni_json_at(cases, c);
        given g = read_case(made);
        const jsni_json *methods = jsni_json_get(made, "methods");
        double *thresholds = reals(jsni_json_get(made, "thresholds"));
        seen = jsni_json_count(methods);
        for (size_t m = 0; m < seen; m++) {
            jsn_audit_options options;
            jsn_audit_result r;
            jsn_audit_options_init(&options);
            assert_ok(jsni_json_get_text(jsni_json_at(methods, m), "method",
                                         &options.method));
            g.in.posteriors = NULL;
            g.in.posteriors64 = g.p;
            assert_ok(jsn_audit(&g.in, &options, &r));
            compare(&r, jsni_json_at(methods, m), 2e-7);
            for (size_t k = 0; k < r.classes; k++)
                assert_close(r.thresholds[k], thresholds[k], 1e-8, 0);
            jsn_audit_result_release(&r);
            g.in.posteriors = g.p32;
            g.in.posteriors64 = NULL;
            assert_ok(jsn_audit(&g.in, &options, &r));
            compare(&r, jsni_json_at(methods, m), 1e-5);
            jsn_audit_result_release(&r);
        }
        free(thresholds);
        free_case(&g);
    }
    if (jsni_audit_entry(seen).name != NULL)
        fail_msg("%s is not in tests/golden/audit.json; make_audit.py makes it",
                 jsni_audit_entry(seen).name);
}

static void test_the_suspects_are_sorted_and_have_a_kind(void **state)
{
    (void)state;
    given g = read_case(jsni_json_at(jsni_json_get(golden, "cases"), 0));
    jsn_audit_options options;
    jsn_audit_result r;
    jsn_audit_options_init(&options);
    options.cutoff = 0.2;
    assert_ok(jsn_audit(&g.in, &options, &r));
    assert_true(r.suspects > 0 && r.suspects < r.samples);
    size_t listed = 0;
    for (size_t i = 0; i < r.samples; i++) {
        listed += r.kind[i] != JSN_AUDIT_NONE;
        assert_true((r.kind[i] != JSN_AUDIT_NONE) == ((double)r.score[i] >= 0.2));
        assert_true(r.suggested[i] != g.labels[i]);
    }
    assert_int_equal(listed, r.suspects);
    for (size_t i = 1; i < r.suspects; i++)
        assert_true(r.score[r.order[i - 1]] >= r.score[r.order[i]]);
    jsn_audit_result_release(&r);
    free_case(&g);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    given g = read_case(jsni_json_at(jsni_json_get(golden, "cases"), 1));
    jsn_audit_options options;
    jsn_audit_result one, many;
    jsn_audit_options_init(&options);
    options.threads = 1;
    assert_ok(jsn_audit(&g.in, &options, &one));
    options.threads = 7;
    assert_ok(jsn_audit(&g.in, &options, &many));
    assert_memory_equal(one.score, many.score, one.samples * sizeof *one.score);
    assert_memory_equal(one.matrix, many.matrix,
                        one.classes * one.classes * sizeof *one.matrix);
    assert_true(one.noise_low == many.noise_low && one.noise_high == many.noise_high);
    jsn_audit_result_release(&one);
    jsn_audit_result_release(&many);
    free_case(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_gives_the_values_of_its_definition),
        cmocka_unit_test(test_the_suspects_are_sorted_and_have_a_kind),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, read_golden, free_golden);
}
