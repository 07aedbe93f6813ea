/* tests/loss/test_loss_table.c - every loss of the table, at every level of this
 * machine, through what all of them must satisfy: gradients that agree with signed
 * central differences, invariance to a shift of the logits, finite results for extreme
 * logits, ties, from two to a thousand classes, one to five views, soft targets. A new
 * loss is tested here without a line being written. */
#include "support/support.h"

#include <math.h>

#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { MOST_CLASSES = 1000, MOST_VIEWS = 5, SAMPLES = 3 };
enum { MOST = MOST_VIEWS * SAMPLES * MOST_CLASSES };

/* A batch with its results. */
typedef struct probe {
    const char *spec;
    size_t classes, views;
    bool soft;
    double logits[MOST];
    double targets[SAMPLES * MOST_CLASSES];
    int32_t labels[SAMPLES];
    double grad[MOST];
    double mean;
    double size; /* mean of the absolute values, 0: there are none */
} probe;

static size_t entries(const probe *p)
{
    return p->views * SAMPLES * p->classes;
}

/* Numbers in [-1, 1) from a fixed sequence. */
static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static void fill_probe(probe *p, double spread)
{
    uint32_t seed = 7;
    for (size_t k = 0; k < entries(p); k++)
        p->logits[k] = (double)(float)(spread * noise(&seed));
    for (size_t i = 0; i < SAMPLES; i++) {
        double sum = 0.0;
        p->labels[i] = (int32_t)((i * 7 + 1) % p->classes);
        for (size_t k = 0; k < p->classes; k++) {
            /* Some entries are zero; the label keeps the sum away from it. */
            const double t = k % 3 == 2 ? 0.0 : 1.0 + noise(&seed);
            p->targets[i * p->classes + k] = k == (size_t)p->labels[i] ? 1.0 : t;
            sum += p->targets[i * p->classes + k];
        }
        for (size_t k = 0; k < p->classes; k++)
            p->targets[i * p->classes + k] /= sum;
    }
}

/* Evaluates in double (JSNI_LOSS_AUTO) or, from rounded logits, at a float level. */
static void evaluate(probe *p, jsni_loss_level level, double *grad)
{
    static float logits[MOST], targets[SAMPLES * MOST_CLASSES], gradient[MOST];
    const bool f64 = level == JSNI_LOSS_AUTO;
    const size_t count = entries(p);
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    for (size_t k = 0; k < count; k++)
        logits[k] = (float)p->logits[k];
    for (size_t k = 0; k < SAMPLES * p->classes; k++)
        targets[k] = (float)p->targets[k];
    batch.samples = SAMPLES;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (const void *)p->logits : logits;
    if (p->soft)
        batch.targets = f64 ? (const void *)p->targets : targets;
    else
        batch.labels = p->labels;
    jsn_loss_result result = {0.0, NULL, f64 ? (void *)grad : gradient};
    double values[SAMPLES] = {0};
    if (grad == NULL)
        result.grad = NULL;
    assert_ok(jsn_loss_create(&loss, p->spec, p->classes, p->views));
    if (jsn_loss_describe_of(loss)->per_sample)
        result.per_sample = values;
    assert_ok(jsni_loss_set_level(loss, level));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    jsn_loss_destroy(loss);
    for (size_t k = 0; k < count && !f64 && grad != NULL; k++)
        grad[k] = (double)gradient[k];
    p->mean = result.mean;
    p->size = 0.0;
    for (size_t i = 0; i < SAMPLES; i++)
        p->size += fabs(values[i]) / SAMPLES;
}

/* The largest distance between the gradient in p->grad and central differences. The
 * step of 1e-5 puts both errors of the difference near 1e-10 times the third
 * derivative and the value. */
static double difference_error(probe *p)
{
    const double step = 1e-5;
    double worst = 0.0;
    for (size_t k = 0; k < entries(p); k++) {
        const double at = p->logits[k];
        p->logits[k] = at + step;
        evaluate(p, JSNI_LOSS_AUTO, NULL);
        const double above = p->mean;
        p->logits[k] = at - step;
        evaluate(p, JSNI_LOSS_AUTO, NULL);
        const double error = fabs(p->grad[k] - (above - p->mean) / (2.0 * step));
        p->logits[k] = at;
        worst = support_worse(worst, error);
    }
    return worst;
}

/* Calls fn for each loss, with labels and, where the loss takes them, soft targets. */
static void for_each_loss(size_t classes, size_t views, double spread,
                          void (*fn)(probe *p))
{
    static probe p;
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++)
        for (int soft = 0; soft <= (jsn_loss_describe(i)->soft ? 1 : 0); soft++) {
            p.spec = jsn_loss_describe(i)->name;
            p.classes = classes;
            p.views = views;
            p.soft = soft != 0;
            fill_probe(&p, spread);
            fn(&p);
        }
}

static void complain(const probe *p, const char *what, double number)
{
    fail_msg("%s, %zu classes, %zu views, %s: %s %.3g", p->spec, p->classes, p->views,
             p->soft ? "soft" : "labels", what, number);
}

static void check_differences(probe *p)
{
    evaluate(p, JSNI_LOSS_AUTO, p->grad);
    const double error = difference_error(p);
    if (!(error <= 1e-8))
        complain(p, "gradient off by", error);
}

static void test_gradient_matches_central_difference(void **state)
{
    (void)state;
    for (size_t views = 1; views <= MOST_VIEWS; views++)
        for_each_loss(4, views, 2.0, check_differences);
    for_each_loss(2, 2, 2.0, check_differences);
    for_each_loss(17, 1, 3.0, check_differences);
}

/* A wrong sign, a wrong factor and a number that is none must not pass. */
static void test_gradient_check_notices_a_wrong_gradient(void **state)
{
    (void)state;
    static probe p = {.spec = "gjs", .classes = 4, .views = 2};
    fill_probe(&p, 2.0);
    evaluate(&p, JSNI_LOSS_AUTO, p.grad);
    assert_true(difference_error(&p) <= 1e-8);
    const double right = p.grad[5];
    p.grad[5] = -right;
    assert_true(difference_error(&p) > 1e-4);
    p.grad[5] = 1.001 * right;
    assert_true(difference_error(&p) > 1e-6);
    p.grad[5] = NAN;
    assert_false(difference_error(&p) <= 1.0);
}

/* Each view's gradient sums to 0, and adding a constant to the logits of a view changes
 * nothing. */
static void check_shift(probe *p)
{
    static double grad[MOST];
    const size_t step = SAMPLES * p->classes;
    evaluate(p, JSNI_LOSS_AUTO, p->grad);
    const double mean = p->mean;
    for (size_t row = 0; row < p->views * SAMPLES; row++) {
        double sum = 0.0;
        for (size_t k = 0; k < p->classes; k++)
            sum += p->grad[row * p->classes + k];
        if (!(fabs(sum) <= 1e-13))
            complain(p, "gradient sums to", sum);
    }
    for (size_t v = 0; v < p->views; v++)
        for (size_t k = 0; k < step; k++)
            p->logits[v * step + k] += 100.0 + (double)v;
    evaluate(p, JSNI_LOSS_AUTO, grad);
    /* Rounding of the shifted logits, 1e-14, times the slope. */
    if (!(fabs(p->mean - mean) <= 1e-12 * fmax(1.0, fabs(mean))))
        complain(p, "a shift changes the value by", p->mean - mean);
    for (size_t k = 0; k < entries(p); k++)
        if (!(fabs(grad[k] - p->grad[k]) <= 1e-12))
            complain(p, "a shift changes the gradient by", grad[k] - p->grad[k]);
}

static void test_a_shift_of_the_logits_changes_nothing(void **state)
{
    (void)state;
    for_each_loss(7, 1, 3.0, check_shift);
    for_each_loss(7, 3, 3.0, check_shift);
}

/* Every float level against double; the tolerance is that of the golden vectors. */
static void check_levels(probe *p)
{
    static double grad[MOST];
    /* The same input for both: floats. */
    for (size_t k = 0; k < SAMPLES * p->classes; k++)
        p->targets[k] = (double)(float)p->targets[k];
    evaluate(p, JSNI_LOSS_AUTO, p->grad);
    const double mean = p->mean;
    const double size = fmax(1.0, fmax(fabs(mean), p->size));
    double scale = 1.0;
    for (size_t k = 0; k < entries(p); k++)
        scale = fmax(scale, SAMPLES * fabs(p->grad[k]));
    if (!isfinite(mean))
        complain(p, "value", mean);
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
        if (!jsni_loss_level_exists((jsni_loss_level)level))
            continue;
        evaluate(p, (jsni_loss_level)level, grad);
        if (!(fabs(p->mean - mean) <= 3e-6 * size))
            complain(p, jsni_loss_level_name((jsni_loss_level)level),
                     (p->mean - mean) / size);
        for (size_t k = 0; k < entries(p); k++)
            if (!(SAMPLES * fabs(grad[k] - p->grad[k]) <= 1e-5 * scale))
                complain(p, "gradient off by", grad[k] - p->grad[k]);
    }
}

static void test_levels_agree_for_many_shapes(void **state)
{
    (void)state;
    /* Around the sizes of the groups, and of the change between the arrangements. */
    static const size_t classes[] = {2,  3,  4,  5,  7,  8,   9,   10,  15,  16,  17,
                                     31, 32, 33, 63, 64, 127, 128, 129, 130, 250, 1000};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        for (size_t views = 1; views <= (classes[i] > 200 ? 2 : MOST_VIEWS); views++)
            for_each_loss(classes[i], views, 4.0, check_levels);
}

/* Float runs for pi1 in [0.01, 0.99]; the ends are where it has least to spare. */
static void test_levels_agree_at_the_ends_of_pi1(void **state)
{
    (void)state;
    static probe p;
    static const char *const specs[] = {
        "gjs:pi1=0.01",
        "gjs:pi1=0.99",
        "js:pi1=0.01",
        "js:pi1=0.99",
        "gjs-nocons:pi1=0.01",
        "gjs-nocons:pi1=0.99",
        "gjs-consistency:pi1=0.01",
        "gjs-consistency:pi1=0.99",
        "gjs:pi1=0.01,scale=0",
        "gjs-nocons:pi1=0.3,code=1",
    };
    static const size_t classes[] = {2, 10, 100, 1000};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (size_t k = 0; k < 4; k++)
            for (int soft = 0; soft <= 1; soft++)
                for (double spread = 0.01; spread < 50.0; spread *= 6.0) {
                    p = (probe){.classes = classes[k], .views = 2, .soft = soft != 0};
                    p.spec = specs[i];
                    fill_probe(&p, spread);
                    check_levels(&p);
                }
}

static void make_ties(probe *p)
{
    for (size_t k = 0; k < entries(p); k++)
        p->logits[k] = k % 2 == 0 ? 0.75 : -0.5;
    check_levels(p);
}

static void make_equal(probe *p)
{
    for (size_t k = 0; k < entries(p); k++)
        p->logits[k] = 3.0;
    check_levels(p);
}

static void make_extreme(probe *p)
{
    for (size_t k = 0; k < entries(p); k++)
        p->logits[k] = p->logits[k] > 0.3 ? 1e4 : p->logits[k] < -0.3 ? -1e4 : 5.0;
    check_levels(p);
}

static void test_ties_and_extreme_logits(void **state)
{
    (void)state;
    static const size_t classes[] = {2, 10, 200};
    for (size_t i = 0; i < 3; i++)
        for (size_t views = 1; views <= 3; views++) {
            for_each_loss(classes[i], views, 1.0, make_ties);
            for_each_loss(classes[i], views, 1.0, make_equal);
            for_each_loss(classes[i], views, 1.0, make_extreme);
        }
}

/* One-view losses average over views; joint ones do not. */
static void check_average(probe *p)
{
    static double grad[MOST];
    const jsn_loss_info *info = NULL;
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++)
        if (strcmp(jsn_loss_describe(i)->name, p->spec) == 0)
            info = jsn_loss_describe(i);
    if (info->views != 1 || !info->per_sample)
        return;
    evaluate(p, JSNI_LOSS_AUTO, p->grad);
    const double together = p->mean;
    const size_t views = p->views;
    const size_t step = SAMPLES * p->classes;
    double sum = 0.0;
    p->views = 1;
    for (size_t v = 0; v < views; v++) {
        memmove(p->logits, p->logits + (v == 0 ? 0 : step), step * sizeof(double));
        if (v > 0 && v + 1 < views)
            memmove(p->logits + step, p->logits + 2 * step,
                    (views - v - 1) * step * sizeof(double));
        evaluate(p, JSNI_LOSS_AUTO, grad);
        sum += p->mean / (double)views;
        for (size_t k = 0; k < step; k++)
            assert_close(p->grad[v * step + k], grad[k] / (double)views, 1e-15, 1e-13);
    }
    assert_close(together, sum, 1e-14, 1e-14);
}

static void test_one_view_losses_average_over_views(void **state)
{
    (void)state;
    for_each_loss(6, 3, 2.0, check_average);
}

/* gjs = gjs-nocons + gjs-consistency; kl - ce, jeffreys and js are sums of others. */
static void test_parts_add_up(void **state)
{
    (void)state;
    static probe p;
    static const struct {
        const char *whole, *first, *second;
        double first_share, second_share;
    } sums[] = {
        {"gjs:pi1=0.3", "gjs-nocons:pi1=0.3", "gjs-consistency:pi1=0.3", 1, 1},
        {"jeffreys", "kl", "kl-rev", 0.5, 0.5},
        {"js:pi1=0.5,scale=0", "k", "k-rev", 0.5, 0.5},
        {"sce:alpha=0.3,beta=2", "ce", "rce", 0.3, 2},
        {"nce+rce:alpha=3,beta=0.2", "nce", "rce", 3, 0.2},
    };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        for (int soft = 0; soft <= 1; soft++) {
            double means[3];
            const char *const specs[3] = {sums[i].whole, sums[i].first, sums[i].second};
            for (size_t part = 0; part < 3; part++) {
                p = (probe){.classes = 9, .views = 2, .soft = soft != 0};
                p.spec = specs[part];
                fill_probe(&p, 3.0);
                evaluate(&p, JSNI_LOSS_AUTO, p.grad);
                means[part] = p.mean;
            }
            assert_close(means[0],
                         sums[i].first_share * means[1] +
                             sums[i].second_share * means[2],
                         1e-13, 1e-13);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_matches_central_difference),
        cmocka_unit_test(test_gradient_check_notices_a_wrong_gradient),
        cmocka_unit_test(test_a_shift_of_the_logits_changes_nothing),
        cmocka_unit_test(test_levels_agree_for_many_shapes),
        cmocka_unit_test(test_levels_agree_at_the_ends_of_pi1),
        cmocka_unit_test(test_ties_and_extreme_logits),
        cmocka_unit_test(test_one_view_losses_average_over_views),
        cmocka_unit_test(test_parts_add_up),
    };
    return cmocka_run_group_tests_name("loss/table", tests, NULL, NULL);
}
