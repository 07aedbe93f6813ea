/* tests/loss/test_loss_finite.c - logits that are NaN or infinite: a loss that is not
 * finite is an error that names its sample, whatever the loss, the level and the place;
 * a class ruled out by -infinity is none unless the target wants it. */
#include "support/support.h"

#include <math.h>

#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { SAMPLES = 40, MOST_CLASSES = 200, COUNT = SAMPLES * MOST_CLASSES };

static float logits[COUNT];
static double logits_f64[COUNT];
static float targets[COUNT];
static double targets_f64[COUNT];
static int32_t labels[SAMPLES];

/* Label 0 everywhere; soft targets give `share` to class 1, the rest to class 0. */
static jsn_loss_batch make_batch(size_t classes, float share)
{
    jsn_loss_batch batch;
    for (size_t k = 0; k < COUNT; k++) {
        logits[k] = (float)(k * 2654435761u % 1000) / 250.0f - 2.0f;
        targets[k] = k % classes == 0 ? 1.0f - share : k % classes == 1 ? share : 0.0f;
    }
    jsn_loss_batch_init(&batch);
    batch.samples = SAMPLES;
    batch.logits = logits;
    if (share > 0.0f)
        batch.targets = targets;
    else
        batch.labels = labels;
    return batch;
}

static void in_double(jsn_loss_batch *batch)
{
    for (size_t k = 0; k < COUNT; k++) {
        logits_f64[k] = (double)logits[k];
        targets_f64[k] = (double)targets[k];
    }
    batch->type = JSN_LOSS_F64;
    batch->logits = logits_f64;
    batch->targets = batch->targets == NULL ? NULL : targets_f64;
}

static void assert_found(jsn_loss *loss, const jsn_loss_batch *batch, void *grad,
                         size_t sample)
{
    char words[60];
    jsn_loss_result result = {0.0, NULL, grad};
    (void)snprintf(words, sizeof words, "sample %zu is not finite", sample);
    assert_fails(jsn_loss_eval(loss, batch, &result), JSN_ERR_NUMERIC, words);
}

/* In every place of two groups of lanes, at the end of a row, and in a whole row. */
static void check_wrong(jsn_loss *loss, size_t classes, float share)
{
    static float grad[COUNT];
    static const float wrong[] = {NAN, INFINITY};
    for (size_t w = 0; w < 2; w++)
        for (size_t at = 2; at < classes * 18; at += 6 * classes + 1) {
            jsn_loss_batch batch = make_batch(classes, share);
            logits[at] = wrong[w];
            assert_found(loss, &batch, grad, at / classes);
        }
    for (size_t w = 0; w < 2; w++) { /* the last group of lanes can be a part of one */
        jsn_loss_batch batch = make_batch(classes, share);
        logits[6 * classes - 1] = wrong[w];
        assert_found(loss, &batch, grad, 5);
    }
    jsn_loss_batch batch = make_batch(classes, share);
    for (size_t k = 0; k < classes; k++)
        logits[3 * classes + k] = -INFINITY;
    assert_found(loss, &batch, grad, 3);
}

static void test_logits_that_are_no_numbers_are_found(void **state)
{
    (void)state;
    static const size_t sizes[] = {5, MOST_CLASSES};
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++)
        for (int level = JSNI_LOSS_DOUBLE; level <= JSNI_LOSS_AVX512; level++)
            for (size_t s = 0; s < 2; s++) {
                if (!jsni_loss_level_exists((jsni_loss_level)level))
                    continue;
                jsn_loss *loss = NULL;
                assert_ok(
                    jsn_loss_create(&loss, jsn_loss_describe(i)->name, sizes[s], 1));
                assert_ok(jsni_loss_set_level(loss, (jsni_loss_level)level));
                check_wrong(loss, sizes[s], 0.0f);
                if (jsn_loss_describe(i)->soft)
                    check_wrong(loss, sizes[s], 0.5f);
                jsn_loss_destroy(loss);
            }
}

/* -infinity for class 1 of sample 7: where the loss wants that class, however little, it
 * is infinite; the gradient may be written over the logits. */
static void check_masked(const char *spec, size_t classes, float share, int level)
{
    static float grad[COUNT];
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, classes, 1));
    assert_ok(jsni_loss_set_level(loss, (jsni_loss_level)level));
    for (size_t in_place = 0; in_place < 2; in_place++) {
        jsn_loss_batch batch = make_batch(classes, share);
        logits[7 * classes + 1] = -INFINITY;
        assert_found(loss, &batch, in_place ? logits : grad, 7);
    }
    jsn_loss_batch batch = make_batch(classes, share);
    logits[7 * classes + 1] = -INFINITY;
    in_double(&batch);
    assert_found(loss, &batch, logits_f64, 7);
    jsn_loss_destroy(loss);
}

static void test_a_class_that_is_ruled_out_but_wanted_is_found(void **state)
{
    (void)state;
    static const size_t sizes[] = {5, 20, MOST_CLASSES};
    static const char *const specs[] = {"ce", "sce", "bs", "kl", "jeffreys"};
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++)
        for (size_t s = 0; s < 3; s++) {
            if (!jsni_loss_level_exists((jsni_loss_level)level))
                continue;
            check_masked("ls", sizes[s], 0.0f, level);
            for (size_t i = 0; i < 5; i++) {
                check_masked(specs[i], sizes[s], 1e-3f, level);
                check_masked(specs[i], sizes[s], 1e-20f, level);
            }
        }
}

/* ... and where it does not, the class is as if it were not there; losses that are large
 * because the finite logits are far apart stay what they are. */
static void test_a_class_that_is_ruled_out_is_left_out(void **state)
{
    (void)state;
    jsn_loss *loss = NULL;
    double values[SAMPLES];
    jsn_loss_batch batch = make_batch(5, 0.0f);
    for (size_t k = 0; k < SAMPLES * (size_t)5; k++)
        logits[k] = k % 5 == 1 ? -INFINITY : 0.0f;
    logits[4] = 3e5f;
    assert_ok(jsn_loss_create(&loss, "ce", 5, 1));
    jsn_loss_result result = {0.0, values, NULL};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(values[0], 3e5, 0, 1e-6);
    assert_close(values[1], log(4.0), 1e-6, 0);
    jsn_loss_destroy(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logits_that_are_no_numbers_are_found),
        cmocka_unit_test(test_a_class_that_is_ruled_out_but_wanted_is_found),
        cmocka_unit_test(test_a_class_that_is_ruled_out_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
