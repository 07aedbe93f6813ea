/* tests/train/test_train_run.c - the parts of a run by themselves: no model, no disk. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "support/support.h"
#include "train/run_losses.h"
#include "train/run_samples.h"
#include "train/run_state.h"
#include "train/step_arrays.h"

enum { CLASSES = 3, SAMPLES = 6, EPOCHS = 9, STEPS = 20 };

/* Six samples of three classes, two of them with a wrong label; class 1 is never used. */
static uint32_t numbers[SAMPLES] = {10, 11, 12, 13, 14, 15};
static int32_t used[SAMPLES] = {0, 0, 0, 0, 2, 2};
static int32_t given[SAMPLES] = {0, 0, 0, 1, 2, 0};

static jsni_problem problem_of(void)
{
    return (jsni_problem){.classes = CLASSES,
                          .train = {.count = SAMPLES,
                                    .index = numbers,
                                    .used = used,
                                    .given = given,
                                    .truth = true}};
}

/* Texts of a configuration are its own, and not const. */
static char none[] = "none", balanced[] = "balanced", shuffle[] = "shuffle",
            sop[] = "sop", ref[] = "ref", ce[] = "ce", gjs[] = "gjs:pi1=0.5",
            unknown[] = "nothing";

static jsn_train_config config_of(void)
{
    return (jsn_train_config){
        .batch = 4, .views = 2, .class_weights = none, .sampling = shuffle};
}

static const uint32_t places[] = {3, 0, 5, 4};
static const jsni_batch four = {.samples = 4, .position = places};

/* -- state ---------------------------------------------------------------------------- */

static void test_the_best_epoch_is_the_first_of_equals(void **unused)
{
    (void)unused;
    static const struct {
        double val, test;
        bool better;
        int64_t best;
        double best_test;
    } epochs[] = {{NAN, NAN, false, 0, NAN},   {0.5, 0.4, true, 2, 0.4},
                  {0.5, 0.6, false, 2, 0.6},   {0.7, NAN, true, 4, 0.6},
                  {NAN, 0.5, false, 4, 0.6},   {0.0, 0.9, false, 4, 0.9},
                  {0.70001, 0.1, true, 7, 0.9}};
    jsni_run_state s = jsni_run_state_begin();
    for (size_t i = 0; i < sizeof epochs / sizeof epochs[0]; i++) {
        assert_int_equal(jsni_run_state_judge(&s, epochs[i].val, epochs[i].test),
                         epochs[i].better);
        assert_int_equal(s.best_epoch, epochs[i].best);
        if (isnan(epochs[i].best_test))
            assert_true(isnan(s.best_test));
        else
            assert_close(s.best_test, epochs[i].best_test, 0.0, 0.0);
        s.batch = 5;
        s.step += 5;
        s.counts.samples = 20;
        jsni_run_state_next_epoch(&s);
        assert_int_equal(s.epoch, i + 1);
        assert_int_equal(s.batch, 0);
        assert_int_equal(s.counts.samples, 0);
        assert_int_equal(s.step, 5 * (i + 1));
    }
}

static void test_the_state_survives_its_text(void **unused)
{
    (void)unused;
    jsni_run_state s = {.epoch = 7,
                        .batch = STEPS,
                        .step = UINT64_C(1) << 53,
                        .counts = {.loss_sum = 0.1 + 0.2,
                                   .samples = 9,
                                   .steps = 3,
                                   .seen = {4, 5},
                                   .correct = {{1, 2}, {3, 4}}},
                        .seconds = 1.0 / 3.0,
                        .best_val = 0.7,
                        .best_epoch = 6,
                        .best_test = NAN};
    jsni_run_state back;
    char *text = NULL;
    memset(&back, 0xff, sizeof back);
    assert_ok(jsni_run_state_text(&s, &text));
    assert_ok(jsni_run_state_read(&back, text, EPOCHS, STEPS));
    assert_true(isnan(back.best_test));
    back.best_test = s.best_test = 0.0;
    assert_memory_equal(&back, &s, sizeof s);
    jsn_text_release(text);
}

static jsn_status read_fields(const char *fields, jsni_run_state *s)
{
    char text[320];
    (void)snprintf(text, sizeof text,
                   "{%s,\"counts\":{\"loss_sum\":0,\"samples\":0,\"steps\":0,"
                   "\"seen\":[0,0],\"correct\":[]}}",
                   fields);
    return jsni_run_state_read(s, text, EPOCHS, STEPS);
}

static void test_a_state_of_another_run_is_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {
        "\"epoch\":10,\"batch\":0,\"step\":0",    /* of 9 */
        "\"epoch\":-1,\"batch\":0,\"step\":0",    /* before the first */
        "\"epoch\":1,\"batch\":21,\"step\":0",    /* of 20 */
        "\"epoch\":1,\"batch\":0,\"step\":1e300", /* no count */
        "\"epoch\":1,\"batch\":0",                /* no step */
        "\"epoch\":1,\"batch\":0,\"step\":0,\"best_val\":1.5",
        "\"epoch\":1,\"batch\":0,\"step\":0,\"best_epoch\":10",
        "\"epoch\":1,\"batch\":0,\"step\":0,\"seconds\":-1"};
    jsni_run_state s = {.epoch = 3, .batch = 2};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(read_fields(wrong[i], &s), JSN_ERR_DATA);
        assert_int_equal(s.epoch, 3);
        assert_int_equal(s.batch, 2);
    }
    assert_ok(read_fields("\"epoch\":9,\"batch\":20,\"step\":0", &s));
    assert_int_equal(s.epoch, EPOCHS);
    assert_int_equal(s.batch, STEPS);
    assert_close(s.seconds, 0.0, 0.0, 0.0); /* a file without a time is fine */
}

/* -- arrays of a step ------------------------------------------------------------------ */

static void test_classes_weigh_as_much_as_they_are_rare(void **unused)
{
    (void)unused;
    const jsni_problem p = problem_of();
    jsn_train_config c = config_of();
    jsni_step_arrays a = {0};
    c.class_weights = balanced;
    assert_ok(jsni_step_arrays_create(&a, &c, &p, true));
    /* 6 samples, 2 classes that occur: 6 / (2 x 4) and 6 / (2 x 2); their mean is 1. */
    assert_close(a.class_weights[0], 0.75, 0.0, 0.0);
    assert_close(a.class_weights[1], 0.0, 0.0, 0.0);
    assert_close(a.class_weights[2], 1.5, 0.0, 0.0);
    const jsn_model_batch b = jsni_step_gather(&a, &four);
    static const int32_t labels[] = {0, 0, 2, 2};
    static const uint8_t second[] = {1, 0, 1, 0};
    static const double weights[] = {0.75, 0.75, 1.5, 1.5};
    assert_memory_equal(b.labels, labels, sizeof labels);
    assert_memory_equal(b.second, second, sizeof second);
    assert_memory_equal(b.weights, weights, sizeof weights);
    assert_null(b.targets);
    assert_null(b.class_weights);
    assert_int_equal(b.views, 2);
    assert_int_equal(b.samples, 4);
    jsni_step_arrays_release(&a);
}

static void test_a_plain_step_has_labels_alone(void **unused)
{
    (void)unused;
    const jsni_problem p = problem_of();
    const jsn_train_config c = config_of();
    jsni_step_arrays a = {0};
    assert_ok(jsni_step_arrays_create(&a, &c, &p, false));
    const jsn_model_batch b = jsni_step_gather(&a, &four);
    assert_non_null(b.labels);
    assert_true(b.weights == NULL && b.targets == NULL && b.second == NULL);
    jsni_step_arrays_release(&a);
}

/* Soft labels and mixup: half of each sample, half of its partner. The weights of classes then
 * go by the targets, not by the sample. */
static void test_targets_are_mixed_as_images_are(void **unused)
{
    (void)unused;
    static const uint32_t partner[] = {1, 0, 3, 2};
    float soft[SAMPLES][CLASSES] = {
        {1.0f, 0.0f, 0.0f}, {0.0f}, {0.0f}, {0.5f, 0.5f, 0.0f}, {0.0f, 0.0f, 1.0f},
        {0.0f, 0.0f, 1.0f}};
    jsni_problem p = problem_of();
    jsn_train_config c = config_of();
    jsni_step_arrays a = {0};
    jsni_batch mixed = four;
    p.train.soft = soft[0];
    c.mixup = 0.4;
    c.class_weights = balanced;
    assert_ok(jsni_step_arrays_create(&a, &c, &p, false));
    mixed.partner = partner;
    mixed.share = 0.75f;
    const jsn_model_batch b = jsni_step_gather(&a, &mixed);
    static const float rows[4][CLASSES] = {{0.625f, 0.375f, 0.0f},
                                           {0.875f, 0.125f, 0.0f},
                                           {0.0f, 0.0f, 1.0f},
                                           {0.0f, 0.0f, 1.0f}};
    assert_memory_equal(b.targets, rows, sizeof rows);
    assert_null(b.labels);
    assert_null(b.weights);
    assert_non_null(b.class_weights);
    jsni_step_arrays_release(&a);
}

/* What the network says is right where it is the true class, whatever the label. */
static void test_a_step_is_counted_by_kind_of_label(void **unused)
{
    (void)unused;
    const jsni_problem p = problem_of();
    const jsn_train_config c = config_of();
    jsni_step_arrays a = {0};
    jsni_counts counts = {.samples = 10, .steps = 2, .loss_sum = 1.0};
    assert_ok(jsni_step_arrays_create(&a, &c, &p, false));
    /* True classes of the batch: 1 (wrong label), 0, 0 (wrong label), 2. */
    static const size_t says[2][4] = {{1, 0, 2, 2}, {1, 1, 0, 1}};
    memset(a.logits, 0, 2 * 4 * CLASSES * sizeof(float));
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < 4; i++)
            a.logits[(v * 4 + i) * CLASSES + says[v][i]] = 1.0f;
    jsni_step_count(&a, &four, 0.25, &counts);
    assert_int_equal(counts.samples, 14);
    assert_int_equal(counts.steps, 3);
    assert_close(counts.loss_sum, 2.0, 0.0, 0.0);
    assert_int_equal(counts.seen[JSNI_KIND_TRUE], 2);
    assert_int_equal(counts.seen[JSNI_KIND_NOISY], 2);
    assert_int_equal(counts.correct[0][JSNI_KIND_TRUE], 2);
    assert_int_equal(counts.correct[0][JSNI_KIND_NOISY], 1);
    assert_int_equal(counts.correct[1][JSNI_KIND_TRUE], 0);
    assert_int_equal(counts.correct[1][JSNI_KIND_NOISY], 2);
    jsni_step_arrays_release(&a);
}

/* -- what is kept of samples ------------------------------------------------------------ */

static void test_the_memory_of_a_batch_goes_back_to_its_samples(void **unused)
{
    (void)unused;
    const jsni_problem p = problem_of();
    jsn_train_config c = config_of();
    jsni_run_samples s = {0}, shifted = {0};
    jsni_part later = p.train;
    c.method = sop;
    assert_ok(jsni_run_samples_create(&s, &c, &p.train, CLASSES, 0.1, 7));
    /* Draws go by the number of the sample, not by its place. */
    later.index++;
    later.count--;
    assert_ok(jsni_run_samples_create(&shifted, &c, &later, CLASSES, 0.1, 7));
    assert_memory_equal(shifted.memory, s.memory + CLASSES,
                        (SAMPLES - 1) * CLASSES * sizeof(float));
    jsni_run_samples_release(&shifted);
    float before[SAMPLES * CLASSES];
    memcpy(before, s.memory, sizeof before);
    float *rows = jsni_run_samples_take(&s, &four);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < CLASSES; k++) {
            assert_true(rows[i * CLASSES + k] == before[places[i] * CLASSES + k]);
            rows[i * CLASSES + k] += 1.0f;
        }
    jsni_run_samples_keep(&s, &four);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t k = 0; k < CLASSES; k++) {
            const float moved = i == 1 || i == 2 ? 0.0f : 1.0f;
            assert_true(s.memory[i * CLASSES + k] == before[i * CLASSES + k] + moved);
        }
    assert_null(s.posteriors);
    jsni_run_samples_release(&s);
}

static void test_posteriors_that_are_missing_are_filled(void **unused)
{
    (void)unused;
    const jsni_problem p = problem_of();
    jsn_train_config c = config_of();
    jsni_run_samples s = {0};
    double scratch[CLASSES];
    c.record_posteriors = 1;
    assert_ok(jsni_run_samples_create(&s, &c, &p.train, CLASSES, 0.0, 7));
    assert_null(jsni_run_samples_take(&s, &four));
    static const float flat[SAMPLES * CLASSES] = {0.0f};
    float sure[4 * CLASSES] = {0.0f};
    for (size_t i = 0; i < 4; i++)
        sure[i * CLASSES + 1] = 100.0f;
    jsni_run_samples_record(&s, places, 4, sure, false, scratch);
    static const uint32_t all[SAMPLES] = {0, 1, 2, 3, 4, 5};
    jsni_run_samples_record(&s, all, SAMPLES, flat, true, scratch);
    for (size_t i = 0; i < SAMPLES; i++) {
        const bool filled = i == 1 || i == 2;
        assert_close((double)s.posteriors[i * CLASSES + 1], filled ? 1.0 / 3.0 : 1.0,
                     1e-7, 0.0);
    }
    jsni_run_samples_release(&s);
}

/* -- losses ----------------------------------------------------------------------------- */

static void test_a_second_loss_is_made_when_asked_for(void **unused)
{
    (void)unused;
    jsn_train_config c = config_of();
    jsni_run_losses l = {0};
    c.device = ref;
    c.loss = ce;
    assert_ok(jsni_run_losses_open(&l, &c, CLASSES));
    assert_true(l.main != NULL && l.noisy == NULL);
    jsni_run_losses_release(&l);
    c.loss_noisy = gjs;
    assert_ok(jsni_run_losses_open(&l, &c, CLASSES));
    assert_true(l.main != NULL && l.noisy != NULL);
    jsni_run_losses_release(&l);
    assert_true(l.main == NULL && l.noisy == NULL);
    c.loss_noisy = unknown;
    assert_int_equal(jsni_run_losses_open(&l, &c, CLASSES), JSN_ERR_UNKNOWN_NAME);
    jsni_run_losses_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_best_epoch_is_the_first_of_equals),
        cmocka_unit_test(test_the_state_survives_its_text),
        cmocka_unit_test(test_a_state_of_another_run_is_refused),
        cmocka_unit_test(test_classes_weigh_as_much_as_they_are_rare),
        cmocka_unit_test(test_a_plain_step_has_labels_alone),
        cmocka_unit_test(test_targets_are_mixed_as_images_are),
        cmocka_unit_test(test_a_step_is_counted_by_kind_of_label),
        cmocka_unit_test(test_the_memory_of_a_batch_goes_back_to_its_samples),
        cmocka_unit_test(test_posteriors_that_are_missing_are_filled),
        cmocka_unit_test(test_a_second_loss_is_made_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
