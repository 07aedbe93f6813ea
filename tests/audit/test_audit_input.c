/* What the audit refuses, small and lopsided inputs, kinds of suspects, memory. */
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"

enum { N = 12, K = 3 };

/* Eleven clear samples with right labels, four a class but for one that says 0 where
 * everything speaks for 2. */
static int32_t labels[N];
static float p[N * K];

static jsn_audit_input clear_input(void)
{
    for (int i = 0; i < N; i++) {
        labels[i] = i % K;
        for (int c = 0; c < K; c++)
            p[i * K + c] = c == i % K ? 0.9f : 0.05f;
    }
    labels[5] = 0;
    jsn_audit_input in;
    jsn_audit_input_init(&in);
    in.labels = labels;
    in.posteriors = p;
    in.samples = N;
    in.classes = K;
    return in;
}

/* One image in twenty has the next class's label, and the model is sure of all: in few images
 * and in many, these are the suspects. */
static void test_clear_mistakes_of_few_and_many_are_found(void **state)
{
    (void)state;
    enum { MOST = 1536 };
    static int32_t given[MOST];
    static float sure[MOST * K];
    for (size_t n = 12; n <= MOST; n *= 2) {
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++) {
            given[i] = (int32_t)((i + (i % 20 == 7)) % K);
            wrong += i % 20 == 7;
            for (size_t c = 0; c < K; c++)
                sure[i * K + c] = c == i % K ? 0.9F : 0.05F;
        }
        const jsn_audit_input in = {
            .labels = given, .posteriors = sure, .samples = n, .classes = K};
        jsn_audit_result r;
        assert_ok(jsn_audit(&in, NULL, &r));
        assert_int_equal(r.suspects, wrong);
        for (size_t i = 0; i < r.suspects; i++)
            assert_int_equal(r.order[i] % 20, 7);
        jsn_audit_result_release(&r);
    }
}

static void test_a_clear_mistake_is_first(void **state)
{
    (void)state;
    const jsn_audit_input in = clear_input();
    jsn_audit_options options;
    jsn_audit_options_init(&options);
    for (size_t m = 0; jsni_audit_entry(m).name != NULL; m++) {
        jsn_audit_result r;
        options.method = jsni_audit_entry(m).name;
        options.cutoff = 1e-9;
        assert_ok(jsn_audit(&in, &options, &r));
        assert_int_equal(r.suspects, N);
        assert_int_equal(r.order[0], 5);
        assert_int_equal(r.suggested[5], 2);
        assert_int_equal(r.kind[5], JSN_AUDIT_LABEL);
        assert_close(r.noise_rate, 1.0 / N, 1e-9, 0);
        assert_close(r.matrix[0 * K + 2], 1.0, 1e-9, 0); /* given 0, true 2 */
        assert_close(r.class_rates[0], 0.2, 1e-9, 0);
        jsn_audit_result_release(&r);
    }
}

/* Three views; sample 7 has the right label, but one view of it contradicts. */
static void test_views_that_contradict_each_other_are_suspect(void **state)
{
    (void)state;
    jsn_audit_input in = clear_input();
    static float views[3 * N * K];
    static const char *const methods[] = {"agreement", "consistency"};
    for (size_t i = 0; i < 3 * N * K; i++)
        views[i] = p[i % (N * K)];
    float *turned = &views[2 * N * K + 7 * K]; /* class 1 */
    turned[1] = 0.05f;
    turned[0] = 0.9f;
    in.views = views;
    in.view_count = 3;
    for (size_t m = 0; m < 2; m++) {
        jsn_audit_options options;
        jsn_audit_result r;
        jsn_audit_options_init(&options);
        options.method = methods[m];
        options.cutoff = 1e-9;
        assert_ok(jsn_audit(&in, &options, &r));
        assert_int_equal(r.order[0], 5);
        assert_int_equal(r.order[1], 7);
        assert_true(r.score[7] > r.score[8]);
        jsn_audit_result_release(&r);
    }
}

static void test_wrong_views_are_refused(void **state)
{
    (void)state;
    jsn_audit_input in = clear_input();
    jsn_audit_result r;
    static float views[2 * N * K];
    in.view_count = 2;
    assert_int_equal(jsn_audit(&in, NULL, &r), JSN_ERR_ARGUMENT);
    in.views = views;
    in.view_count = 0;
    assert_int_equal(jsn_audit(&in, NULL, &r), JSN_ERR_ARGUMENT);
    in.view_count = 1001;
    assert_int_equal(jsn_audit(&in, NULL, &r), JSN_ERR_ARGUMENT);
    in.view_count = 2;
    for (size_t i = 0; i < 2 * N * K; i++)
        views[i] = p[i % (N * K)];
    assert_int_equal(jsn_audit(&in, NULL, &r), JSN_OK);
    jsn_audit_result_release(&r);
    const float bad[] = {-0.1f, 0.5f, NAN};
    for (size_t b = 0; b < 3; b++) {
        views[N * K + 3 * K + 1] = bad[b];
        assert_int_equal(jsn_audit(&in, NULL, &r), JSN_ERR_DATA);
        assert_non_null(strstr(jsn_last_error(), "row 3"));
    }
}

/* One wrong label of twelve, all of them counted: 1/12 -+ z sqrt(1/12 11/12 / 12), where z
 * is 1.6448536269514722 for 90% and 1.9599639845400545 for 95%. */
static void test_the_interval_is_that_of_a_counted_share(void **state)
{
    (void)state;
    const jsn_audit_input in = clear_input();
    const double share = 1.0 / N, deviation = sqrt(share * (1.0 - share) / N);
    jsn_audit_options options;
    jsn_audit_result r;
    jsn_audit_options_init(&options);
    options.method = "confident";
    assert_ok(jsn_audit(&in, &options, &r));
    assert_close(r.noise_high, share + 1.6448536269514722 * deviation, 1e-12, 0);
    assert_close(r.noise_low, 0.0, 0, 0);
    jsn_audit_result_release(&r);
    options.confidence = 0.95;
    assert_ok(jsn_audit(&in, &options, &r));
    assert_close(r.noise_high, share + 1.9599639845400545 * deviation, 1e-12, 0);
    jsn_audit_result_release(&r);
}

static void test_ambiguous_and_outlying_samples_are_told_apart(void **state)
{
    (void)state;
    const jsn_audit_input in = clear_input();
    const float two[K] = {0.44f, 0.08f, 0.48f}, none[K] = {0.30f, 0.36f, 0.34f};
    jsn_audit_options options;
    jsn_audit_result r;
    jsn_audit_options_init(&options);
    options.cutoff = 1e-9;
    memcpy(&p[3 * K], two, sizeof two);   /* given 0 */
    memcpy(&p[8 * K], none, sizeof none); /* given 2 */
    assert_ok(jsn_audit(&in, &options, &r));
    assert_int_equal(r.kind[3], JSN_AUDIT_AMBIGUOUS);
    assert_int_equal(r.kind[8], JSN_AUDIT_OUTLIER);
    jsn_audit_result_release(&r);
    assert_string_equal(jsn_audit_kind_name(JSN_AUDIT_OUTLIER), "outlier");
    assert_null(jsn_audit_kind_name(JSN_AUDIT_KINDS));
}

static void test_wrong_input_is_refused_with_its_place(void **state)
{
    (void)state;
    jsn_audit_input in = clear_input();
    jsn_audit_options options;
    jsn_audit_result r;
    jsn_audit_options_init(&options);
    labels[7] = K;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_ARGUMENT, "label 3 of sample 7");
    in = clear_input();
    p[4 * K] = NAN;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_DATA, "row 4");
    in = clear_input();
    p[9 * K] = -0.1f;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_DATA, "row 9");
    in = clear_input();
    p[2 * K] += 0.5f;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_DATA, "row 2");
    in = clear_input();
    in.classes = 1;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_RANGE, "1 classes");
    in = clear_input();
    options.method = "self-confidance";
    assert_fails(jsn_audit(&in, &options, &r), JSN_ERR_UNKNOWN_NAME, "self-confidence");
    options.method = "margin";
    options.cutoff = 0.0;
    assert_fails(jsn_audit(&in, &options, &r), JSN_ERR_RANGE, "cut-off");
    in.posteriors = NULL;
    assert_fails(jsn_audit(&in, NULL, &r), JSN_ERR_ARGUMENT, "probabilities");
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_a_class_without_labels_and_one_sample_do_no_harm(void **state)
{
    (void)state;
    jsn_audit_input in = clear_input();
    jsn_audit_options options;
    jsn_audit_options_init(&options);
    for (size_t m = 0; jsni_audit_entry(m).name != NULL; m++) {
        jsn_audit_result r;
        options.method = jsni_audit_entry(m).name;
        in = clear_input();
        for (int i = 0; i < N; i++)
            labels[i] = labels[i] == 1 ? 0 : labels[i];
        assert_ok(jsn_audit(&in, &options, &r));
        assert_close(r.thresholds[1], 1.0, 0, 0);
        for (size_t i = 0; i < N; i++)
            assert_true(r.score[i] >= 0.0f && r.score[i] <= 1.0f);
        jsn_audit_result_release(&r);
        in.samples = 1;
        assert_ok(jsn_audit(&in, &options, &r));
        assert_true(r.score[0] >= 0.0f && r.score[0] <= 1.0f);
        jsn_audit_result_release(&r);
    }
    assert_int_equal(jsni_alloc_live(), 0);
}

static jsn_status audit_once(void *user)
{
    const jsn_audit_input *in = user;
    jsn_audit_result r;
    const jsn_status status = jsn_audit(in, NULL, &r);
    jsn_audit_result_release(&r);
    return status;
}

static void test_every_failed_allocation_is_handed_up(void **state)
{
    (void)state;
    jsn_audit_input in = clear_input();
    support_walk_allocations(audit_once, &in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clear_mistake_is_first),
        cmocka_unit_test(test_clear_mistakes_of_few_and_many_are_found),
        cmocka_unit_test(test_views_that_contradict_each_other_are_suspect),
        cmocka_unit_test(test_wrong_views_are_refused),
        cmocka_unit_test(test_the_interval_is_that_of_a_counted_share),
        cmocka_unit_test(test_ambiguous_and_outlying_samples_are_told_apart),
        cmocka_unit_test(test_wrong_input_is_refused_with_its_place),
        cmocka_unit_test(test_a_class_without_labels_and_one_sample_do_no_harm),
        cmocka_unit_test(test_every_failed_allocation_is_handed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
