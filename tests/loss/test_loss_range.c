/* tests/loss/test_loss_range.c - values at the ends of their range: roots near 0, weights that
 * no double holds, tails that are heavy, norms that are large. */
#include "support/support.h"

#include <math.h>

#include "jensen/loss.h"
#include "loss/loss_mode.h"

/* A root has no per-sample values, and its slope at 0 counts as 0. */
static void test_root_at_zero(void **state)
{
    (void)state;
    static const double sure[4] = {4000.0, 0.0, 0.0, 0.0};
    static const int32_t label = 0;
    double grad[4] = {1, 1, 1, 1};
    double value = 0.0;
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = sure;
    batch.labels = &label;
    assert_ok(jsn_loss_create(&loss, "js-sqrt:scale=1", 4, 1));
    jsn_loss_result result = {-1.0, NULL, grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(result.mean, 0.0, 0, 0);
    for (size_t k = 0; k < 4; k++)
        assert_close(grad[k], 0.0, 0, 0);
    result.per_sample = &value;
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_ARGUMENT, "per-sample");
    jsn_loss_destroy(loss);
}

/* ... and it keeps its digits where every prediction is nearly sure, in float as well:
 * the label's logit is x, nine others are 0; expected values from another program. */
static void test_root_of_small_losses(void **state)
{
    (void)state;
    static const struct {
        float x;
        double value, slope; /* of the label's logit */
    } cases[] = {
        {10.0f, 0.01189843553919745, -0.0059476641711896947},
        {18.0f, 0.0002179559007625, -0.00010897794083125921},
    };
    static const int32_t label = 2;
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "js-sqrt", 10, 1));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float z[10] = {0}, grad[10];
        jsn_loss_batch batch;
        jsn_loss_batch_init(&batch);
        batch.samples = 1;
        batch.logits = z;
        batch.labels = &label;
        z[label] = cases[i].x;
        jsn_loss_result result = {0.0, NULL, grad};
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        assert_close(result.mean, cases[i].value, 0, 1e-9);
        assert_close((double)grad[label], cases[i].slope, 0, 1e-6);
    }
    jsn_loss_destroy(loss);
}

/* No mean is handed out that is not a number, however extreme the weights. */
static void test_weights_beyond_the_range_of_a_double(void **state)
{
    (void)state;
    const double far[2][2] = {{50.0, 0.0}, {50.0, 0.0}};
    const int32_t wrong[2] = {1, 1};
    double weights[2] = {1e-320, 0.0}; /* the inverse is infinite */
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 2, 1));
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 2;
    batch.type = JSN_LOSS_F64;
    batch.logits = far;
    batch.labels = wrong;
    batch.sample_weights = weights;
    jsn_loss_result result = {-1.0, NULL, NULL};
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_RANGE, "weights sum to");
    assert_true(result.mean == -1.0);
    weights[0] = weights[1] = 8e307; /* the sum of the weighted losses is infinite */
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_NUMERIC, "too large");
    weights[0] = weights[1] = 1e-300;
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(result.mean, 50.0, 1e-12, 0.0);
    jsn_loss_destroy(loss);
}

enum { ROWS = 40, WIDE = 1000 };
static double rows_d[ROWS * WIDE], grads[2][ROWS * WIDE], values[2][ROWS];
static float rows_f[ROWS * WIDE];

/* Evaluates rows_d, or at a float level its copy in float, as values[to] and grads[to]. */
static void eval_rows(const char *spec, size_t classes, jsni_loss_level level,
                      const int32_t *labels, size_t to)
{
    static float grad[ROWS * WIDE];
    const bool f64 = level == JSNI_LOSS_DOUBLE;
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, classes, 1));
    assert_ok(jsni_loss_set_level(loss, level));
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = ROWS;
    batch.labels = labels;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (void *)rows_d : (void *)rows_f;
    for (size_t k = 0; k < ROWS * classes; k++)
        rows_f[k] = (float)rows_d[k];
    jsn_loss_result result = {0.0, values[to], f64 ? (void *)grads[to] : (void *)grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    for (size_t k = 0; k < ROWS * classes && !f64; k++)
        grads[to][k] = (double)grad[k];
    jsn_loss_destroy(loss);
}

/* The rows in float at every level beside those in double. */
static void check_rows(const char *spec, size_t classes, const int32_t *labels)
{
    eval_rows(spec, classes, JSNI_LOSS_DOUBLE, labels, 0);
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
        if (!jsni_loss_level_exists((jsni_loss_level)level))
            continue;
        eval_rows(spec, classes, (jsni_loss_level)level, labels, 1);
        for (size_t i = 0; i < ROWS; i++) {
            double most = 1.0;
            assert_close(values[1][i], values[0][i], 3e-6, 3e-6);
            for (size_t k = 0; k < classes; k++)
                most = fmax(most, ROWS * fabs(grads[0][i * classes + k]));
            for (size_t k = 0; k < classes; k++)
                assert_close(ROWS * grads[1][i * classes + k],
                             ROWS * grads[0][i * classes + k], 1e-5 * most, 0);
        }
    }
}

/* Row i is of one of four shapes: spread evenly, one above all others by a gap, a tenth of
 * them above the others, or one far above and one halfway. Numbers that float holds. */
static void fill_rows(size_t classes, int32_t *labels)
{
    static const double gaps[ROWS / 4] = {0.1, 1, 2, 4, 6, 8, 10, 16, 50, 1000};
    uint32_t seed = 11;
    for (size_t i = 0; i < ROWS; i++) {
        const double gap = gaps[i / 4];
        labels[i] = (int32_t)(i * 7 % classes);
        for (size_t k = 0; k < classes; k++) {
            seed = seed * 1664525u + 1013904223u;
            const double even = (double)(seed >> 16) / 65536.0;
            const bool above = i % 4 == 2 ? k % 10 == 3 : k == 1;
            const double z = i % 4 == 0 ? 3.0 * gap * even : above ? 0.0 : -gap;
            rows_d[i * classes + k] =
                (double)(float)(i % 4 == 3 && k == 0 ? -0.5 * gap : z);
        }
    }
}

/* p_k of bi-tempered logits z less a; what a lacks, by Newton's method. */
static long double tempered_lack(const double *z, size_t classes, long double a,
                                 long double s, long double *p)
{
    long double sum = 0.0L, slope = 0.0L;
    for (size_t k = 0; k < classes; k++) {
        const long double root = 1.0L + s * (a - (long double)z[k]);
        p[k] = powl(root, -1.0L / s);
        sum += p[k];
        slope += p[k] / root;
    }
    return (sum - 1.0L) / slope;
}

/* The loss of one row by the definition, with a from a bisection, and its gradient. */
static long double tempered_row(const double *z, size_t classes, size_t label,
                                long double t1, long double s, long double *grad)
{
    static long double p[WIDE];
    long double low = (long double)z[0], high, power = 0.0L, heavy = 0.0L, pull = 0.0L;
    for (size_t k = 1; k < classes; k++)
        low = fmaxl(low, (long double)z[k]);
    high = low + (powl((long double)classes, s) - 1.0L) / s;
    for (int i = 0; i < 40; i++) {
        const long double a = 0.5L * (low + high);
        *(tempered_lack(z, classes, a, s, p) > 0.0L ? &low : &high) = a;
    }
    for (int i = 0; i < 4; i++)
        low += tempered_lack(z, classes, low, s, p);
    for (size_t k = 0; k < classes; k++) {
        grad[k] = (p[k] - (k == label ? 1.0L : 0.0L)) * powl(p[k], 1.0L + s - t1);
        power += powl(p[k], 2.0L - t1);
        heavy += powl(p[k], 1.0L + s);
        pull += grad[k];
    }
    for (size_t k = 0; k < classes; k++)
        grad[k] -= pull / heavy * powl(p[k], 1.0L + s);
    return (1.0L - powl(p[label], 1.0L - t1)) / (1.0L - t1) -
           (1.0L - power) / (2.0L - t1);
}

typedef struct tempered_case {
    const char *spec;
    long double t1, s;
} tempered_case;

/* Every `every`-th row in rows_d in double beside a bisection; and float beside double. */
static void check_tempered(const tempered_case *c, size_t classes,
                           const int32_t *labels, size_t every, double most)
{
    static long double grad[WIDE];
    if (c->s > 1e-3L) /* else float cannot hold t2 */
        check_rows(c->spec, classes, labels);
    else
        eval_rows(c->spec, classes, JSNI_LOSS_DOUBLE, labels, 0);
    for (size_t i = 0; i < ROWS; i += every) {
        const double value = (double)tempered_row(rows_d + i * classes, classes,
                                                  (size_t)labels[i], c->t1, c->s, grad);
        assert_close(values[0][i], value, most, most);
        for (size_t k = 0; k < classes; k++)
            assert_close(ROWS * grads[0][i * classes + k], (double)grad[k], most, 0);
    }
}

/* Its shift is found by a few steps for all logits. */
static void test_tempered_tails(void **state)
{
    (void)state;
    static const tempered_case cases[] = {
        {"bitempered", 0.8L, 0.2L},
        {"bitempered:t1=0.5,t2=1.5", 0.5L, 0.5L},
        {"bitempered:t1=0.9,t2=1.3", 0.9L, 0.3L},
        {"bitempered:t1=0.2,t2=4", 0.2L, 3.0L},
    };
    static const size_t classes[] = {2, 10, 65, 1000};
    int32_t labels[ROWS];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++) {
            fill_rows(classes[j], labels);
            check_tempered(&cases[c], classes[j], labels, classes[j] > 100 ? 3 : 1,
                           1e-13);
        }
}

/* Row i: one class above, most somewhat below, some far below, which a step of high order
 * misses by much. */
static void fill_three_kinds(size_t classes, int32_t *labels)
{
    static const double below[5] = {4.5, 5.5, 10, 14, 30};
    for (size_t i = 0; i < ROWS; i++) {
        const size_t far = 1 + classes * (i / 5) / ROWS;
        labels[i] = (int32_t)(i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : classes - 1);
        for (size_t k = 0; k < classes; k++)
            rows_d[i * classes + k] = k == 0 ? 0.0 : k <= far ? -2000.0 : -below[i % 5];
    }
}

static void test_tempered_rows_of_three_kinds(void **state)
{
    (void)state;
    static const tempered_case cases[] = {
        {"bitempered", 0.8L, 0.2L},
        {"bitempered:t1=0.5,t2=1.5", 0.5L, 0.5L},
        {"bitempered:t1=0.6,t2=1.4", 0.6L, 0.4L},
        {"bitempered:t1=0.3,t2=2", 0.3L, 1.0L},
        {"bitempered:t1=0.8,t2=1.0000005", 0.8L, 5e-7L},
    };
    static const size_t classes[] = {10, 127, 1000};
    int32_t labels[ROWS];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++) {
            fill_three_kinds(classes[j], labels);
            check_tempered(&cases[c], classes[j], labels, classes[j] > 100 ? 7 : 1,
                           1e-12);
        }
}

/* The number of steps is that of the hardest row of a group, but a row's bits are its own. */
static void test_tempered_rows_keep_to_themselves(void **state)
{
    (void)state;
    static const size_t classes[] = {2, 10, 33, 100, 129, 1000};
    static float one[WIDE];
    int32_t labels[ROWS];
    for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++)
        for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
            if (!jsni_loss_level_exists((jsni_loss_level)level))
                continue;
            fill_rows(classes[j], labels);
            eval_rows("bitempered", classes[j], (jsni_loss_level)level, labels, 0);
            jsn_loss *loss = NULL;
            assert_ok(jsn_loss_create(&loss, "bitempered", classes[j], 1));
            assert_ok(jsni_loss_set_level(loss, (jsni_loss_level)level));
            jsn_loss_batch batch;
            jsn_loss_batch_init(&batch);
            batch.samples = 1;
            for (size_t i = 0; i < ROWS; i++) {
                batch.logits = rows_f + i * classes[j];
                batch.labels = &labels[i];
                jsn_loss_result result = {0.0, NULL, one};
                assert_ok(jsn_loss_eval(loss, &batch, &result));
                assert_close(result.mean, values[0][i], 0, 0);
                for (size_t k = 0; k < classes[j]; k++) /* one is 1/ROWS of the batch */
                    assert_close((double)one[k], ROWS * grads[0][i * classes[j] + k],
                                 1e-12, 3e-7);
            }
            jsn_loss_destroy(loss);
        }
}

/* With `clamp` the peer's loss has a bound, and beyond it no slope. */
static void test_peer_with_a_bound(void **state)
{
    (void)state;
    static const double sure[4] = {1000.0, 0.0, 0.0, 0.0};
    static const int32_t label = 0;
    double grad[4];
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = sure;
    batch.labels = &label;
    jsn_loss_result result = {0.0, NULL, grad};
    assert_ok(jsn_loss_create(&loss, "peer:alpha=2,clamp=1e-5", 4, 1));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(result.mean, 0.5 * (log1p(1e-5) + 3.0 * log(1e-5)), 1e-14, 1e-14);
    for (size_t k = 0; k < 4; k++)
        assert_close(grad[k], 0.0, 1e-14, 0);
    jsn_loss_destroy(loss);
}

/* ... in float as well, where probabilities this small are 0. */
static void test_peer_with_a_small_bound(void **state)
{
    (void)state;
    static const char *const specs[] = {"peer:clamp=1e-25", "peer:clamp=1e-34",
                                        "peer:clamp=1e-40", "peer:clamp=1e-60"};
    int32_t labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = 0;
        for (size_t k = 0; k < 10; k++)
            rows_d[i * 10 + k] = k == 0 ? 0.0 : -(double)(i * 2 + k * 20);
    }
    for (size_t c = 0; c < sizeof specs / sizeof specs[0]; c++)
        check_rows(specs[c], 10, labels);
}

/* Powers that are products, and losses with an array of their own behind clipped logits. */
static void test_powers_and_clipped_logits_in_float(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "focal:gamma=1",        "focal:gamma=7",
        "nfl:gamma=2",          "anl-fl:gamma=3",
        "logitclip:loss=ce",    "logitclip:tau=3,loss=nfl",
        "logitclip:loss=bs",    "logitclip:tau=2,loss=bitempered",
        "logitclip:loss=2*mae", "logitclip:tau=4,p=1,loss=fdiv-js",
        "peer:clamp=1e-3",      "2*peer:clamp=0.1+1*bitempered",
    };
    static const size_t classes[] = {2, 10, 33, 200};
    int32_t labels[ROWS];
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++) {
            fill_rows(classes[j], labels);
            check_rows(specs[i], classes[j], labels);
        }
}

/* Logits whose squares overflow are clipped as well, and change no bit of others. */
static void test_clipped_norms_that_are_large(void **state)
{
    (void)state;
    int32_t labels[ROWS];
    for (size_t classes = 10; classes <= 200; classes += 190)
        for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
            if (!jsni_loss_level_exists((jsni_loss_level)level))
                continue;
            fill_rows(classes, labels);
            eval_rows("logitclip:loss=ce", classes, (jsni_loss_level)level, labels, 0);
            for (size_t k = 0; k < classes; k++)
                rows_d[5 * classes + k] *= 1e25;
            eval_rows("logitclip:loss=ce", classes, (jsni_loss_level)level, labels, 1);
            for (size_t i = 0; i < ROWS; i++) {
                const double most = i == 5 ? 1e-6 : 0.0;
                assert_close(values[1][i], values[0][i], most, 0);
                for (size_t k = 0; k < classes && i != 5; k++)
                    assert_close(grads[1][i * classes + k], grads[0][i * classes + k],
                                 0, 0);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_at_zero),
        cmocka_unit_test(test_root_of_small_losses),
        cmocka_unit_test(test_weights_beyond_the_range_of_a_double),
        cmocka_unit_test(test_tempered_tails),
        cmocka_unit_test(test_tempered_rows_of_three_kinds),
        cmocka_unit_test(test_tempered_rows_keep_to_themselves),
        cmocka_unit_test(test_peer_with_a_bound),
        cmocka_unit_test(test_peer_with_a_small_bound),
        cmocka_unit_test(test_powers_and_clipped_logits_in_float),
        cmocka_unit_test(test_clipped_norms_that_are_large),
    };
    return cmocka_run_group_tests_name("loss/range", tests, NULL, NULL);
}
