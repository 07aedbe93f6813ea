/* tests/theory/test_theory_golden.c - the 50-digit values of golden/theory.json. */
#include "support/support.h"

#include <math.h>

#include "core/json.h"
#include "jensen/theory.h"

enum { MOST = 6 * 16 };

static jsni_json *golden;

static int open_golden(void **state)
{
    (void)state;
    return jsni_json_read(&golden, JSN_TEST_GOLDEN "/theory.json") == JSN_OK ? 0 : -1;
}

static int close_golden(void **state)
{
    (void)state;
    jsni_json_destroy(golden);
    return 0;
}

static double real(const jsni_json *object, const char *key)
{
    double value = NAN;
    assert_ok(jsni_json_get_real(object, key, &value));
    return value;
}

static size_t whole(const jsni_json *object, const char *key)
{
    int64_t value = -1;
    assert_ok(jsni_json_get_int(object, key, &value));
    assert_true(value >= 0);
    return (size_t)value;
}

/* Within 1e-12 for pi1 in [0.01, 0.99] and outside, as no form here cancels. */
static void test_bounds(void **state)
{
    (void)state;
    const jsni_json *cases = jsni_json_get(golden, "bounds");
    assert_int_equal(jsni_json_count(cases), 120);
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *c = jsni_json_at(cases, i);
        jsn_theory_bounds b;
        assert_ok(jsn_theory_bounds_equal(&b, whole(c, "K"), whole(c, "M") - 1,
                                          real(c, "pi1")));
        assert_close(b.z, real(c, "Z"), 0, 1e-14);
        assert_close(b.lower / b.z, real(c, "B_L"), 0, 1e-12);
        assert_close(b.upper / b.z, real(c, "B_U"), 0, 1e-12);
        assert_close(b.c1 / b.z, real(c, "C1"), 0, 1e-12);
        assert_close(b.c2 / b.z, real(c, "C2"), 0, 1e-12);
        assert_close(b.c1, real(c, "C1_unscaled"), 0, 1e-12);
        assert_close(b.c2, real(c, "C2_unscaled"), 0, 1e-12);
    }
}

static void test_limits(void **state)
{
    (void)state;
    const jsni_json *cases = jsni_json_get(golden, "limits");
    assert_int_equal(jsni_json_count(cases), 9);
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *c = jsni_json_at(cases, i);
        const jsni_json *rows = jsni_json_get(c, "JS");
        const double p_y = real(c, "p_y");
        assert_close(-log(p_y), real(c, "CE"), 0, 1e-13);
        assert_int_equal(jsni_json_count(rows), 11);
        for (size_t r = 0; r < jsni_json_count(rows); r++) {
            const jsni_json *row = jsni_json_at(rows, r);
            assert_close(jsn_theory_js(jsni_json_real(jsni_json_at(row, 0)), p_y),
                         jsni_json_real(jsni_json_at(row, 1)), 0, 1e-12);
        }
    }
}

static void softmax(const jsni_json *logits, double *p)
{
    const size_t classes = jsni_json_count(logits);
    long double sum = 0.0L;
    for (size_t k = 0; k < classes; k++)
        sum += expl(jsni_json_real(jsni_json_at(logits, k)));
    for (size_t k = 0; k < classes; k++)
        p[k] = (double)(expl(jsni_json_real(jsni_json_at(logits, k))) / sum);
}

static void test_decomposition(void **state)
{
    (void)state;
    const jsni_json *cases = jsni_json_get(golden, "decomposition");
    size_t checked = 0;
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *c = jsni_json_at(cases, i);
        const jsni_json *logits = jsni_json_get(c, "logits");
        const size_t classes = whole(c, "K"), views = whole(c, "M") - 1;
        double p[MOST];
        jsn_theory_parts parts;
        if (logits == NULL) /* listed for small K alone */
            continue;
        assert_true(views * classes <= MOST && jsni_json_count(logits) == views);
        for (size_t j = 0; j < views; j++)
            softmax(jsni_json_at(logits, j), p + j * classes);
        assert_ok(jsn_theory_decompose(&parts, views, classes, real(c, "pi1"), NULL,
                                       whole(c, "label"), p));
        assert_close(parts.gjs, real(c, "GJS"), 0, 1e-12);
        assert_close(parts.js, real(c, "JS_of_mean"), 0, 1e-12);
        assert_close(parts.consistency, real(c, "consistency_term"), 0, 1e-12);
        assert_close(parts.spread, real(c, "D_GJS_pi''_unscaled"), 0, 1e-12);
        assert_close(parts.z, real(c, "Z"), 0, 1e-14);
        checked++;
    }
    assert_int_equal(checked, 18);
}

static void test_gce_match(void **state)
{
    (void)state;
    const jsni_json *cases = jsni_json_get(golden, "gce_match");
    assert_int_equal(jsni_json_count(cases), 9);
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *c = jsni_json_at(cases, i);
        double pi1 = 0.0, rest = 0.0;
        assert_ok(jsn_theory_match_gce(real(c, "q"), 0.5, &pi1, &rest));
        /* Solving divides by the slope of the scale, which is small at large q. */
        assert_close(pi1, real(c, "pi1"), 0, 1e-12);
        assert_close(rest, real(c, "one_minus_pi1"), 0, 1e-12);
        assert_close(jsn_theory_gradient_scale(JSN_THEORY_GCE, real(c, "q"), 0.5),
                     real(c, "gradient_scale"), 0, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_decomposition),
        cmocka_unit_test(test_gce_match),
    };
    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
