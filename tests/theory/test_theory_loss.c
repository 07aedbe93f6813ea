/* tests/theory/test_theory_loss.c - two independent implementations against each other:
 * the loss library, from logits, and the theory's formulas, from probabilities. */
#include "support/support.h"

#include <math.h>

#include "core/rng.h"
#include "jensen/loss.h"
#include "jensen/theory.h"

enum { MOST_CLASSES = 20, MOST_VIEWS = 5 };

typedef struct sample {
    size_t classes, views;
    int32_t label;
    double logits[MOST_VIEWS * MOST_CLASSES];
    double p[MOST_VIEWS * MOST_CLASSES];
    double grad[MOST_VIEWS * MOST_CLASSES];
} sample;

static void draw_sample(sample *s, jsni_rng *rng, size_t views)
{
    s->classes = 2 + jsni_rng_below(rng, MOST_CLASSES - 1);
    s->views = views;
    s->label = (int32_t)jsni_rng_below(rng, (uint32_t)s->classes);
    for (size_t j = 0; j < views; j++) {
        long double sum = 0.0L;
        for (size_t k = 0; k < s->classes; k++) {
            s->logits[j * s->classes + k] = 2.0 * jsni_rng_normal(rng);
            sum += expl(s->logits[j * s->classes + k]);
        }
        for (size_t k = 0; k < s->classes; k++)
            s->p[j * s->classes + k] =
                (double)(expl(s->logits[j * s->classes + k]) / sum);
    }
}

/* The loss by its library; the gradient goes to s->grad. */
static double eval(sample *s, const char *spec)
{
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_result result = {0.0, NULL, s->grad};
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = s->logits;
    batch.labels = &s->label;
    assert_ok(jsn_loss_create(&loss, spec, s->classes, s->views));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    jsn_loss_destroy(loss);
    return result.mean;
}

static const double weights_of_label[] = {1e-6, 0.01, 0.1,  0.3,     0.5,
                                          0.7,  0.9,  0.99, 1 - 1e-6};

static void test_gjs_and_its_parts_agree(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(31, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 900; n++) {
        const double pi1 = weights_of_label[n % 9];
        const double slack = pi1 < 0.01 || pi1 > 0.99 ? 1e-9 : 1e-12;
        char spec[96];
        sample s;
        jsn_theory_parts parts;
        draw_sample(&s, &rng, 2 + jsni_rng_below(&rng, MOST_VIEWS - 1));
        assert_ok(jsn_theory_decompose(&parts, s.views, s.classes, pi1, NULL,
                                       (size_t)s.label, s.p));
        (void)snprintf(spec, sizeof spec, "gjs:pi1=%.17g", pi1);
        assert_close(eval(&s, spec), parts.gjs, slack, slack);
        (void)snprintf(spec, sizeof spec, "gjs:pi1=%.17g,scale=0", pi1);
        assert_close(eval(&s, spec), parts.gjs * parts.z, slack, slack);
        (void)snprintf(spec, sizeof spec, "gjs-nocons:pi1=%.17g", pi1);
        assert_close(eval(&s, spec), parts.js, slack, slack);
        (void)snprintf(spec, sizeof spec, "gjs-consistency:pi1=%.17g", pi1);
        assert_close(eval(&s, spec), parts.consistency, slack, slack);
    }
}

static void test_unequal_weights_agree(void **state)
{
    (void)state;
    const double weights[4] = {0.4, 0.3, 0.2, 0.1};
    jsni_rng rng = jsni_rng_stream(32, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 200; n++) {
        sample s;
        jsn_theory_parts parts;
        draw_sample(&s, &rng, 3);
        assert_ok(jsn_theory_decompose(&parts, 3, s.classes, 0.0, weights,
                                       (size_t)s.label, s.p));
        assert_close(eval(&s, "gjs:pi=0.4/0.3/0.2/0.1"), parts.gjs, 1e-12, 1e-12);
    }
}

static void test_losses_of_one_view_agree(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(33, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 900; n++) {
        const double pi1 = weights_of_label[n % 9];
        const double slack = pi1 < 0.01 || pi1 > 0.99 ? 1e-9 : 1e-11;
        char spec[96];
        sample s;
        draw_sample(&s, &rng, 1);
        const double p = s.p[s.label];
        const double unit = -p * (1.0 - p); /* the gradient of -p_y, by z_y */
        (void)snprintf(spec, sizeof spec, "js:pi1=%.17g", pi1);
        assert_close(eval(&s, spec), jsn_theory_js(pi1, p), slack, slack);
        assert_close(s.grad[s.label],
                     unit * jsn_theory_gradient_scale(JSN_THEORY_JS, pi1, p), slack,
                     slack);
        assert_close(eval(&s, "ce"), -log(p), 1e-12, 1e-12);
        assert_close(s.grad[s.label],
                     unit * jsn_theory_gradient_scale(JSN_THEORY_CE, 0, p), 1e-12,
                     1e-12);
        assert_close(eval(&s, "mae:half=1"), 1.0 - p, 1e-12, 0);
        assert_close(s.grad[s.label], unit, 1e-12, 1e-12);
        assert_close(eval(&s, "gce:q=0.7"), (1.0 - pow(p, 0.7)) / 0.7, 1e-12, 1e-12);
        assert_close(s.grad[s.label],
                     unit * jsn_theory_gradient_scale(JSN_THEORY_GCE, 0.7, p), 1e-12,
                     1e-12);
    }
}

/* sum over labels of what the library computes, inside what the theory promises. */
static void test_label_sums_stay_within_the_bounds(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(34, JSNI_RNG_TEST, 0, 0, 0);
    for (int n = 0; n < 200; n++) {
        sample s;
        jsn_theory_bounds b;
        double sum = 0.0;
        draw_sample(&s, &rng, 1 + jsni_rng_below(&rng, MOST_VIEWS));
        assert_ok(jsn_theory_bounds_equal(&b, s.classes, s.views, 0.3));
        for (size_t y = 0; y < s.classes; y++) {
            s.label = (int32_t)y;
            const double loss = eval(&s, "gjs:pi1=0.3");
            assert_true(loss >= 0.0 && loss <= b.c1 / b.z + 1e-12);
            sum += loss;
        }
        assert_true(sum >= b.lower / b.z - 1e-11 && sum <= b.upper / b.z + 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gjs_and_its_parts_agree),
        cmocka_unit_test(test_unequal_weights_agree),
        cmocka_unit_test(test_losses_of_one_view_agree),
        cmocka_unit_test(test_label_sums_stay_within_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
