/* tests/theory/test_theory_bounds.c - the inequalities and identities of the paper on
 * random points of the simplex, against divergences computed here from the definition
 * in long double. */
#include "support/support.h"

#include <math.h>

#include "core/rng.h"
#include "jensen/theory.h"

enum { MOST_CLASSES = 12, MOST_VIEWS = 6 };

/* A point of the simplex. Three kinds: near the middle, spread out, near a vertex. */
static void draw_simplex(jsni_rng *rng, size_t classes, double *p)
{
    static const double powers[] = {0.3, 1.0, 6.0};
    const double power = powers[jsni_rng_below(rng, 3)];
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++) {
        p[k] = pow(-log(1.0 - jsni_rng_uniform(rng)), power) + 1e-300;
        sum += p[k];
    }
    for (size_t k = 0; k < classes; k++)
        p[k] /= sum;
}

static long double h(long double x)
{
    return x > 0.0L ? -x * logl(x) : 0.0L;
}

/* H(m) - sum_j w_j H(pj), the textbook form. */
static double reference_divergence(size_t count, size_t classes, const double *w,
                                   const double *p)
{
    long double d = 0.0L;
    for (size_t k = 0; k < classes; k++) {
        long double m = 0.0L;
        for (size_t j = 0; j < count; j++) {
            m += (long double)w[j] * p[j * classes + k];
            d -= (long double)w[j] * h(p[j * classes + k]);
        }
        d += h(m);
    }
    return (double)d;
}

/* Positive weights that sum to 1, none below 0.02/count. */
static void draw_weights(jsni_rng *rng, size_t count, double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) {
        w[j] = 0.02 + jsni_rng_uniform(rng);
        sum += w[j];
    }
    for (size_t j = 0; j < count; j++)
        w[j] /= sum;
}

/* sum over all labels of the unscaled loss; p is [views][classes]. */
static double label_sum(size_t views, size_t classes, const double *w, const double *p)
{
    double all[(MOST_VIEWS + 1) * MOST_CLASSES];
    double sum = 0.0;
    memcpy(all + classes, p, views * classes * sizeof(double));
    for (size_t y = 0; y < classes; y++) {
        for (size_t k = 0; k < classes; k++)
            all[k] = k == y ? 1.0 : 0.0;
        sum += reference_divergence(views + 1, classes, w, all);
    }
    return sum;
}

static void test_divergence_matches_the_definition(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 3000; n++) {
        const size_t count = 1 + jsni_rng_below(&rng, MOST_VIEWS);
        const size_t classes = 2 + jsni_rng_below(&rng, MOST_CLASSES - 1);
        double w[MOST_VIEWS], p[MOST_VIEWS * MOST_CLASSES], got = 0.0;
        draw_weights(&rng, count, w);
        for (size_t j = 0; j < count; j++)
            draw_simplex(&rng, classes, p + j * classes);
        assert_ok(jsn_theory_divergence(count, classes, w, p, &got));
        /* The sums of w and p are off 1 by a few 1e-16, which the textbook form sees. */
        assert_close(got, reference_divergence(count, classes, w, p), 4e-15, 1e-14);
        assert_true(got >= 0.0);
    }
}

static void test_divergence_keeps_digits_when_views_agree(void **state)
{
    (void)state;
    /* D of (1/2 + x, 1/2 - x) and (1/2 - x, 1/2 + x) at equal weights is
     * log 2 - H(1/2 + x) = 2x^2 + (4/3) x^4 + ...; the textbook form has no digit left
     * at x = 1e-9. */
    const double w[2] = {0.5, 0.5};
    for (double x = 1e-3; x > 1e-12; x /= 10.0) {
        const double p[4] = {0.5 + x, 0.5 - x, 0.5 - x, 0.5 + x};
        const double d = 0.5 * (p[0] - p[1]); /* x as it was rounded */
        double got = 0.0;
        assert_ok(jsn_theory_divergence(2, 2, w, p, &got));
        assert_close(got, 2 * d * d + 4.0 / 3 * pow(d, 4) + 32.0 / 15 * pow(d, 6), 0.0,
                     1e-12);
    }
    const double same[6] = {0.2, 0.3, 0.5, 0.2, 0.3, 0.5};
    double got = 1.0;
    assert_ok(jsn_theory_divergence(2, 3, w, same, &got));
    assert_true(got == 0.0);
    const double tiny[2] = {1e-20, 1.0};
    const double apart[4] = {1.0, 0.0, 0.0, 1.0};
    assert_ok(jsn_theory_divergence(2, 2, tiny, apart, &got));
    assert_close(got, 1e-20 * (1.0 + 20.0 * log(10.0)), 0.0, 1e-12);
}

static void test_js_is_symmetric_and_bounded(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(2, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 2000; n++) {
        const size_t classes = 2 + jsni_rng_below(&rng, MOST_CLASSES - 1);
        double p[2 * MOST_CLASSES], swapped[2 * MOST_CLASSES], w[2], one = 0, two = 0;
        draw_simplex(&rng, classes, p);
        draw_simplex(&rng, classes, p + classes);
        memcpy(swapped, p + classes, classes * sizeof(double));
        memcpy(swapped + classes, p, classes * sizeof(double));
        const double half[2] = {0.5, 0.5};
        assert_ok(jsn_theory_divergence(2, classes, half, p, &one));
        assert_ok(jsn_theory_divergence(2, classes, half, swapped, &two));
        assert_close(one, two, 1e-16, 1e-14);
        assert_true(one >= 0.0 && one <= log(2.0) + 1e-15);
        /* With unequal weights: symmetric when the weights are exchanged, too, and
         * bounded by the entropy of the weights. */
        draw_weights(&rng, 2, w);
        const double back[2] = {w[1], w[0]};
        assert_ok(jsn_theory_divergence(2, classes, w, p, &one));
        assert_ok(jsn_theory_divergence(2, classes, back, swapped, &two));
        assert_close(one, two, 1e-16, 1e-14);
        assert_true(one <= (double)(h(w[0]) + h(w[1])) + 1e-15);
    }
}

static void test_f_divergence_form(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(3, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 2000; n++) {
        const size_t classes = 2 + jsni_rng_below(&rng, MOST_CLASSES - 1);
        const double pi1 = 0.01 + 0.98 * jsni_rng_uniform(&rng);
        const double w[2] = {pi1, 1.0 - pi1};
        double p[2 * MOST_CLASSES], d = 0.0, sum = 0.0;
        draw_simplex(&rng, classes, p);
        draw_simplex(&rng, classes, p + classes);
        for (size_t k = 0; k < classes; k++)
            sum += p[classes + k] * jsn_theory_f(pi1, p[k] / p[classes + k]);
        assert_ok(jsn_theory_divergence(2, classes, w, p, &d));
        assert_close(sum, d, 1e-13, 1e-11);
        /* f'' by central differences, signed. */
        const double t = 0.05 + 3.0 * jsni_rng_uniform(&rng), e = 1e-3 * t;
        const double second = (jsn_theory_f(pi1, t + e) - 2 * jsn_theory_f(pi1, t) +
                               jsn_theory_f(pi1, t - e)) /
                              (e * e);
        assert_close(jsn_theory_f_second(pi1, t), second, 1e-7, 1e-4);
        assert_true(jsn_theory_f_second(pi1, t) > 0.0);
    }
    assert_true(jsn_theory_f(0.3, 1.0) == 0.0);
    /* Near the ends of pi1 and near t = 1; values by 60-digit arithmetic. */
    assert_close(jsn_theory_f(1.0 - 0x1p-53, 2.0), 3.4067506531349452e-17, 0, 1e-14);
    assert_close(jsn_theory_f(1.0 - 0x1p-53, 1e8), 1.1102228090122873e-8, 0, 1e-14);
    assert_close(jsn_theory_f(0.999999999, 0.5), 1.9314717484737e-10, 0, 1e-14);
    assert_close(jsn_theory_f(0.3, 1.0 - 1e-9), 1.0499999410629447e-19, 0, 1e-14);
    assert_close(jsn_theory_gradient_scale(JSN_THEORY_JS, 0.999999999, 1e-300),
                 34.333333287793645, 0, 1e-14);
    assert_true(isnan(jsn_theory_f(0.3, -1.0)) && isnan(jsn_theory_f(1.0, 1.0)));
}

static void test_arguments_that_are_null(void **state)
{
    (void)state;
    const double p[2] = {0.5, 0.5};
    double x = 0.0;
    jsn_theory_bounds b;
    jsn_theory_parts parts;
    jsn_theory_risk risk;
    assert_ok(jsn_theory_bounds_equal(&b, 2, 1, 0.5));
    assert_fails(jsn_theory_bounds_equal(NULL, 2, 1, 0.5), JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_bounds_weighted(&b, 2, 1, NULL), JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_label_sum(JSN_THEORY_CE, 0, 2, &x, NULL), JSN_ERR_ARGUMENT,
                 "NULL");
    assert_fails(jsn_theory_divergence(1, 2, NULL, p, &x), JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_divergence(1, 2, p, p, NULL), JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_match_gce(0.5, 0.5, NULL, &x), JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_decompose(&parts, 1, 2, 0.5, NULL, 0, NULL),
                 JSN_ERR_ARGUMENT, "NULL");
    assert_fails(jsn_theory_risk_symmetric(&risk, NULL, 0.1, true), JSN_ERR_ARGUMENT,
                 "NULL");
    assert_fails(jsn_theory_risk_asymmetric(&risk, &b, NULL, NULL, true),
                 JSN_ERR_ARGUMENT, "NULL");
}

static void test_bounds_hold_on_random_points(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(4, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 3000; n++) {
        const size_t classes = 2 + jsni_rng_below(&rng, 6);
        const size_t views = 1 + jsni_rng_below(&rng, MOST_VIEWS);
        double w[MOST_VIEWS + 1], p[MOST_VIEWS * MOST_CLASSES];
        jsn_theory_bounds b;
        if (n % 2 == 0) {
            const double pi1 = 0.01 + 0.98 * jsni_rng_uniform(&rng);
            w[0] = pi1;
            for (size_t j = 1; j <= views; j++)
                w[j] = (1.0 - pi1) / (double)views;
            assert_ok(jsn_theory_bounds_equal(&b, classes, views, pi1));
        } else {
            draw_weights(&rng, views + 1, w);
            assert_ok(jsn_theory_bounds_weighted(&b, classes, views, w));
        }
        assert_true(b.upper_tight && b.lower <= b.upper_js + 1e-13);
        assert_true(b.upper_js <= b.upper + 1e-13 && b.c2 <= b.c1 + 1e-15);
        for (int draw = 0; draw < 6; draw++) {
            /* Half of the draws are vertices, where the upper bound lives. */
            memset(p, 0, sizeof p);
            for (size_t j = 0; j < views; j++)
                if (draw % 2 == 0)
                    draw_simplex(&rng, classes, p + j * classes);
                else
                    p[j * classes + jsni_rng_below(&rng, (uint32_t)classes)] = 1.0;
            const double sum = label_sum(views, classes, w, p);
            assert_true(sum >= b.lower - 1e-13 && sum <= b.upper + 1e-13);
            jsn_theory_parts parts;
            assert_ok(jsn_theory_decompose(&parts, views, classes, 0.0, w, 0, p));
            assert_true(parts.gjs * parts.z <= b.c1 + 1e-13);
        }
    }
}

/* All assignments of views to classes: the largest label sum, by brute force. */
static double largest_vertex_sum(size_t views, size_t classes, const double *w)
{
    size_t total = 1;
    for (size_t j = 0; j < views; j++)
        total *= classes;
    double best = 0.0;
    for (size_t code = 0; code < total; code++) {
        double p[MOST_VIEWS * MOST_CLASSES] = {0};
        size_t rest = code;
        for (size_t j = 0; j < views; j++, rest /= classes)
            p[j * classes + rest % classes] = 1.0;
        const double sum = label_sum(views, classes, w, p);
        best = sum > best ? sum : best;
    }
    return best;
}

static void test_bounds_are_attained(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(5, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t classes = 2; classes <= 4; classes++)
        for (size_t views = 1; views <= 5; views++)
            for (int n = 0; n < 4; n++) {
                double w[MOST_VIEWS + 1], p[MOST_VIEWS * MOST_CLASSES];
                jsn_theory_bounds b;
                draw_weights(&rng, views + 1, w);
                if (n == 0)
                    for (size_t j = 1; j <= views; j++)
                        w[j] = (1.0 - w[0]) / (double)views;
                assert_ok(jsn_theory_bounds_weighted(&b, classes, views, w));
                assert_true(b.upper_tight);
                assert_close(b.upper, largest_vertex_sum(views, classes, w), 0, 1e-13);
                for (size_t i = 0; i < views * classes; i++)
                    p[i] = 1.0 / (double)classes;
                assert_close(b.lower, label_sum(views, classes, w, p), 0, 1e-13);
                /* C2: all views on one wrong class. */
                jsn_theory_parts parts;
                memset(p, 0, sizeof p);
                for (size_t j = 0; j < views; j++)
                    p[j * classes + 1] = 1.0;
                assert_ok(jsn_theory_decompose(&parts, views, classes, 0, w, 0, p));
                assert_close(parts.gjs * parts.z, b.c2, 0, 1e-13);
                assert_true(parts.consistency == 0.0);
                /* C1: the views on wrong classes, one each. */
                if (views < classes) {
                    memset(p, 0, sizeof p);
                    for (size_t j = 0; j < views; j++)
                        p[j * classes + j + 1] = 1.0;
                    assert_ok(jsn_theory_decompose(&parts, views, classes, 0, w, 0, p));
                    assert_close(parts.gjs * parts.z, b.c1, 0, 1e-13);
                }
            }
}

static void test_crowded_bound_stays_valid_beyond_enumeration(void **state)
{
    (void)state;
    double w[14];
    jsn_theory_bounds many, equal;
    for (size_t j = 0; j < 14; j++)
        w[j] = 1.0 / 14.0;
    assert_ok(jsn_theory_bounds_weighted(&equal, 3, 13, w));
    assert_true(equal.upper_tight);
    w[1] += 1e-9;
    w[2] -= 1e-9;
    assert_ok(jsn_theory_bounds_weighted(&many, 3, 13, w));
    assert_false(many.upper_tight);
    assert_true(many.upper >= equal.upper);
    assert_close(many.upper, equal.upper, 0.0, 0.01);
}

static void test_decomposition_is_exact(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(6, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 3000; n++) {
        const size_t classes = 2 + jsni_rng_below(&rng, MOST_CLASSES - 1);
        const size_t views = 1 + jsni_rng_below(&rng, MOST_VIEWS);
        double w[MOST_VIEWS + 1], p[MOST_VIEWS * MOST_CLASSES];
        draw_weights(&rng, views + 1, w);
        for (size_t j = 0; j < views; j++)
            draw_simplex(&rng, classes, p + j * classes);
        const size_t label = jsni_rng_below(&rng, (uint32_t)classes);
        jsn_theory_parts parts;
        assert_ok(jsn_theory_decompose(&parts, views, classes, 0, w, label, p));
        assert_close(parts.js + parts.consistency, parts.gjs, 1e-14, 1e-13);
        assert_true(parts.js >= 0.0 && parts.consistency >= 0.0);
        if (views == 1) {
            assert_true(parts.consistency == 0.0);
            assert_close(jsn_theory_js(w[0], p[label]), parts.js, 1e-14, 1e-12);
        }
    }
}

static void test_limits_in_pi1(void **state)
{
    (void)state;
    for (double p_y = 0.01; p_y < 1.0; p_y += 0.07) {
        assert_close(jsn_theory_js(1e-14, p_y), -log(p_y), 0.0, 1e-12);
        /* The upper limit is approached like 1/|log(1-pi1)| and from above. */
        double previous = INFINITY;
        for (int digits = 1; digits <= 15; digits++) {
            const double now = jsn_theory_js(1.0 - pow(10.0, -digits), p_y);
            assert_true(now < previous && now > 1.0 - p_y);
            previous = now;
        }
        assert_close(previous, 1.0 - p_y, 1.2 / (15 * log(10.0)), 0.0);
    }
    assert_true(jsn_theory_js(0.5, 1.0) == 0.0);
    assert_close(jsn_theory_js(0.5, 0.0), 2.0, 0.0, 1e-15);
    assert_true(isnan(jsn_theory_js(0.0, 0.5)) && isnan(jsn_theory_js(0.5, 1.5)));
}

static void test_gradient_scale_is_minus_the_slope(void **state)
{
    (void)state;
    const double e = 1e-6;
    for (double pi1 = 0.02; pi1 < 1.0; pi1 += 0.06)
        for (double p = 0.05; p < 0.97; p += 0.1) {
            const double slope =
                (jsn_theory_js(pi1, p + e) - jsn_theory_js(pi1, p - e)) / (2 * e);
            assert_close(jsn_theory_gradient_scale(JSN_THEORY_JS, pi1, p), -slope, 1e-8,
                         1e-8);
            const double gce = (pow(p - e, pi1) - pow(p + e, pi1)) / (2 * e * pi1);
            assert_close(jsn_theory_gradient_scale(JSN_THEORY_GCE, pi1, p), -gce, 1e-8,
                         1e-8);
        }
    assert_true(jsn_theory_gradient_scale(JSN_THEORY_CE, 0, 0.25) == 4.0);
    assert_true(jsn_theory_gradient_scale(JSN_THEORY_MAE, 0, 0.25) == 1.0);
    assert_true(isnan(jsn_theory_gradient_scale(JSN_THEORY_CE, 0, 0.0)));
    assert_true(isnan(jsn_theory_gradient_scale(JSN_THEORY_GCE, 0, 0.5)));
    assert_true(isnan(jsn_theory_gradient_scale(JSN_THEORY_JS, 1, 0.5)));
}

static void test_match_gce_solves_its_equation(void **state)
{
    (void)state;
    for (double q = 0.05; q < 0.85; q += 0.1)
        for (double p = 0.1; p < 0.95; p += 0.2) {
            double pi1 = 0.0, rest = 0.0;
            assert_ok(jsn_theory_match_gce(q, p, &pi1, &rest));
            assert_close(pi1 + rest, 1.0, 1e-15, 0.0);
            assert_close(log1p(pi1 / (rest * p)) / -log(rest), pow(p, q - 1), 0, 1e-11);
        }
    double pi1 = 0.0, rest = 0.0;
    /* Beyond what pi1 itself resolves: log(2 e^t - 1)/t = 2^0.01 at t = 99.66... */
    assert_ok(jsn_theory_match_gce(0.99, 0.5, &pi1, &rest));
    assert_true(pi1 == 1.0);
    assert_close((-log(rest) + log(2.0)) / -log(rest), pow(2.0, 0.01), 0.0, 1e-12);
}

static void test_label_sums_of_other_losses(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(7, JSNI_RNG_TEST, 0, 0, 0);
    const size_t classes = 7;
    for (int n = 0; n < 500; n++) {
        double p[7], ce = 0, mae = 0, gce = 0, js = 0, low = 0, high = 0;
        draw_simplex(&rng, classes, p);
        for (size_t k = 0; k < classes; k++) {
            ce -= log(p[k]);
            mae += 2.0 * (1.0 - p[k]);
            gce += (1.0 - pow(p[k], 0.7)) / 0.7;
            js += jsn_theory_js(0.3, p[k]);
        }
        assert_ok(jsn_theory_label_sum(JSN_THEORY_CE, 0, classes, &low, &high));
        assert_true(ce >= low - 1e-12 && isinf(high));
        assert_ok(jsn_theory_label_sum(JSN_THEORY_MAE, 0, classes, &low, &high));
        assert_true(low == high);
        assert_close(mae, low, 1e-13, 0);
        assert_ok(jsn_theory_label_sum(JSN_THEORY_GCE, 0.7, classes, &low, &high));
        assert_true(gce >= low - 1e-12 && gce <= high + 1e-12);
        assert_ok(jsn_theory_label_sum(JSN_THEORY_JS, 0.3, classes, &low, &high));
        assert_true(js >= low - 1e-12 && js <= high + 1e-12);
    }
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    jsn_theory_bounds b;
    jsn_theory_parts parts;
    double x = 0.0, y = 0.0;
    const double w[3] = {0.5, 0.3, 0.3}, ok[2] = {0.5, 0.5},
                 p[4] = {0.5, 0.5, 0.5, 0.6};
    assert_fails(jsn_theory_bounds_equal(&b, 1, 1, 0.5), JSN_ERR_ARGUMENT,
                 "1 class is too few");
    assert_fails(jsn_theory_bounds_equal(&b, 2, 0, 0.5), JSN_ERR_ARGUMENT, "0 views");
    assert_fails(jsn_theory_bounds_equal(&b, 2, 65, 0.5), JSN_ERR_ARGUMENT, "65 views");
    assert_fails(jsn_theory_bounds_equal(&b, 2, 1, 0.0), JSN_ERR_RANGE, "pi1 = 0");
    assert_fails(jsn_theory_bounds_equal(&b, 2, 1, 1.0), JSN_ERR_RANGE, "pi1 = 1");
    assert_fails(jsn_theory_bounds_equal(&b, 2, 1, NAN), JSN_ERR_RANGE, "pi1");
    assert_fails(jsn_theory_bounds_weighted(&b, 2, 2, w), JSN_ERR_RANGE, "1.1");
    assert_fails(jsn_theory_divergence(2, 2, ok, p, &x), JSN_ERR_RANGE, "1.1");
    assert_fails(jsn_theory_divergence(0, 2, ok, p, &x), JSN_ERR_ARGUMENT, "0 dist");
    assert_fails(jsn_theory_decompose(&parts, 1, 2, 0.5, NULL, 2, p), JSN_ERR_RANGE,
                 "label 2");
    assert_fails(jsn_theory_decompose(&parts, 1, 2, 0.5, NULL, 0, p + 2), JSN_ERR_RANGE,
                 "prediction");
    assert_fails(jsn_theory_match_gce(1.0, 0.5, &x, &y), JSN_ERR_RANGE, "q = 1");
    assert_fails(jsn_theory_match_gce(0.5, 1.0, &x, &y), JSN_ERR_RANGE, "p_y = 1");
    assert_fails(jsn_theory_label_sum(JSN_THEORY_GCE, 0, 3, &x, &y), JSN_ERR_RANGE,
                 "q");
    assert_fails(jsn_theory_label_sum(JSN_THEORY_CE, 0, 1, &x, &y), JSN_ERR_ARGUMENT,
                 "1 class is too few");
}

static jsn_status decompose_once(void *user)
{
    const double p[4] = {0.5, 0.5, 0.1, 0.9};
    return jsn_theory_decompose(user, 2, 2, 0.5, NULL, 1, p);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    jsn_theory_parts parts;
    support_walk_allocations(decompose_once, &parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divergence_matches_the_definition),
        cmocka_unit_test(test_divergence_keeps_digits_when_views_agree),
        cmocka_unit_test(test_js_is_symmetric_and_bounded),
        cmocka_unit_test(test_f_divergence_form),
        cmocka_unit_test(test_arguments_that_are_null),
        cmocka_unit_test(test_bounds_hold_on_random_points),
        cmocka_unit_test(test_bounds_are_attained),
        cmocka_unit_test(test_crowded_bound_stays_valid_beyond_enumeration),
        cmocka_unit_test(test_decomposition_is_exact),
        cmocka_unit_test(test_limits_in_pi1),
        cmocka_unit_test(test_gradient_scale_is_minus_the_slope),
        cmocka_unit_test(test_match_gce_solves_its_equation),
        cmocka_unit_test(test_label_sums_of_other_losses),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
