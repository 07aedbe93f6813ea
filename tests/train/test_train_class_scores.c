/* Precision, recall and F1 by scikit-learn's definitions: the values are those of
 * precision_recall_fscore_support(zero_division=nan), balanced_accuracy_score() and
 * f1_score(average="macro") for labels 0 0 0 1 1 2 3 and predictions 0 0 1 1 2 0 0. */
#include <math.h>

#include "core/alloc.h"
#include "jensen/limit.h"
#include "support/support.h"
#include "train/class_scores.h"

static void assert_share(double value, double want)
{
    if (isnan(want))
        assert_true(isnan(value));
    else
        assert_close(value, want, 0, 1e-15);
}

/* What is counted for those labels and predictions, among `classes` classes. */
static void count(jsni_evaluation *e, size_t classes)
{
    static const int32_t labels[] = {0, 0, 0, 1, 1, 2, 3};
    static const size_t predictions[] = {0, 0, 1, 1, 2, 0, 0};
    double *row = jsni_alloc_zero(classes, sizeof *row);
    assert_non_null(row);
    assert_ok(jsni_evaluation_create(e, classes));
    for (size_t i = 0; i < 7; i++) {
        row[predictions[i]] = 1.0;
        jsni_evaluation_add(e, row, labels[i], labels[i]);
        row[predictions[i]] = 0.0;
    }
    jsni_free(row);
}

static void test_scores_follow_their_definitions(void **state)
{
    (void)state;
    enum { K = 5 };
    static const struct {
        uint64_t labels, predictions;
        double precision, recall, f1;
    } want[K] = {{3, 4, 0.5, 2.0 / 3.0, 4.0 / 7.0},
                 {2, 2, 0.5, 0.5, 0.5},
                 {1, 1, 0.0, 0.0, 0.0},
                 {1, 0, NAN, 0.0, 0.0},
                 {0, 0, NAN, NAN, NAN}};
    jsn_classifier_scores s = {0};
    jsni_evaluation e;
    count(&e, K);
    assert_int_equal(e.confusion[0 * K + 1], 1);
    assert_int_equal(e.confusion[3 * K + 0], 1);
    assert_ok(jsni_class_scores_make(&e, &s));
    jsni_evaluation_release(&e);
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
    jsn_classifier_scores s = {0};
    jsni_evaluation e;
    assert_ok(jsni_evaluation_create(&e, 2));
    assert_ok(jsni_class_scores_make(&e, &s));
    jsni_evaluation_release(&e);
    assert_true(isnan(s.balanced_accuracy) && isnan(s.macro_f1));
    jsn_classifier_scores_release(&s);
}

/* A table of their square would take gigabytes. */
static void test_many_classes_are_counted_without_a_matrix(void **state)
{
    (void)state;
    jsn_classifier_scores s = {0};
    jsni_evaluation e;
    count(&e, JSN_MATRIX_MAX_CLASSES);
    assert_non_null(e.confusion);
    jsni_evaluation_release(&e);
    count(&e, JSN_MATRIX_MAX_CLASSES + 1);
    assert_null(e.confusion);
    assert_ok(jsni_class_scores_make(&e, &s));
    jsni_evaluation_release(&e);
    assert_share(s.per_class[0].f1, 4.0 / 7.0);
    assert_share(s.macro_f1, (4.0 / 7.0 + 0.5) / 4.0);
    jsn_classifier_scores_release(&s);
    assert_int_equal(jsni_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_follow_their_definitions),
        cmocka_unit_test(test_nothing_evaluated_gives_no_numbers),
        cmocka_unit_test(test_many_classes_are_counted_without_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
