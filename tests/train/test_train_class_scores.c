/* Precision, recall and F1 by scikit-learn's definitions: the values are those of
 * precision_recall_fscore_support(zero_division=nan), balanced_accuracy_score() and
 * f1_score(average="macro") for labels 0 0 0 1 1 2 3 and predictions 0 0 1 1 2 0 0. */
#include <math.h>

#include "core/alloc.h"
#include "support/support.h"
#include "train/class_scores.h"

static void assert_share(double value, double want)
{
    if (isnan(want))
        assert_true(isnan(value));
    else
        assert_close(value, want, 0, 1e-15);
}

static void test_scores_follow_their_definitions(void **state)
{
    (void)state;
    enum { K = 5 };
    static const uint64_t confusion[K * K] = {2, 1, 0, 0, 0, /* */
                                              0, 1, 1, 0, 0, /* */
                                              1, 0, 0, 0, 0, /* */
                                              1, 0, 0, 0, 0, /* */
                                              0, 0, 0, 0, 0};
    static const struct {
        uint64_t labels, predictions;
        double precision, recall, f1;
    } want[K] = {{3, 4, 0.5, 2.0 / 3.0, 4.0 / 7.0},
                 {2, 2, 0.5, 0.5, 0.5},
                 {1, 1, 0.0, 0.0, 0.0},
                 {1, 0, NAN, 0.0, 0.0},
                 {0, 0, NAN, NAN, NAN}};
    jsn_classifier_scores s = {0};
    assert_ok(jsni_class_scores_make(confusion, K, &s));
    for (size_t k = 0; k < K; k++) {
        assert_true(s.per_class[k].labels == want[k].labels);
        assert_true(s.per_class[k].predictions == want[k].predictions);
        assert_share(s.per_class[k].precision, want[k].precision);
        assert_share(s.per_class[k].recall, want[k].recall);
        assert_share(s.per_class[k].f1, want[k].f1);
    }
    assert_share(s.balanced_accuracy, (2.0 / 3.0 + 0.5) / 4.0);
    assert_share(s.macro_f1, (4.0 / 7.0 + 0.5) / 4.0);
    jsn_classifier_scores_release(&s);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_nothing_evaluated_gives_no_numbers(void **state)
{
    (void)state;
    static const uint64_t confusion[4] = {0};
    jsn_classifier_scores s = {0};
    assert_ok(jsni_class_scores_make(confusion, 2, &s));
    assert_true(isnan(s.balanced_accuracy) && isnan(s.macro_f1));
    jsn_classifier_scores_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_follow_their_definitions),
        cmocka_unit_test(test_nothing_evaluated_gives_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
