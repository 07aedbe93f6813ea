/* The stratified split: counts, disjointness, dependence on the seed alone. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "data/split.h"

enum { SAMPLES = 50000, CLASSES = 10 };

static int32_t labels[SAMPLES];

static void test_cifar_splits_into_45000_and_5000(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        labels[i] = (i * 7 + i / 11) % CLASSES;
    uint32_t *train = NULL, *val = NULL, *again = NULL, *rest = NULL;
    size_t train_count = 0, val_count = 0, n = 0, m = 0;
    assert_ok(jsni_split_stratified(labels, SAMPLES, CLASSES, 0.1, 1, &train,
                                    &train_count, &val, &val_count));
    size_t sizes[CLASSES] = {0}, in_train[CLASSES] = {0}, in_val[CLASSES] = {0};
    static unsigned char seen[SAMPLES];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < SAMPLES; i++)
        sizes[labels[i]]++;
    for (size_t i = 0; i < train_count; i++) {
        assert_int_equal(seen[train[i]]++, 0);
        in_train[labels[train[i]]]++;
    }
    for (size_t i = 0; i < val_count; i++) {
        assert_int_equal(seen[val[i]]++, 0);
        in_val[labels[val[i]]]++;
    }
    assert_int_equal(train_count + val_count, SAMPLES);
    for (int k = 0; k < CLASSES; k++) {
        assert_close((double)in_train[k], 0.9 * (double)sizes[k], 0.5, 0.0);
        assert_int_equal(in_train[k] + in_val[k], sizes[k]);
    }
    /* Another seed, another split; the same seed, the same one. */
    assert_ok(
        jsni_split_stratified(labels, SAMPLES, CLASSES, 0.1, 2, &again, &n, &rest, &m));
    assert_memory_not_equal(train, again, n * sizeof *train);
    jsni_free(again);
    jsni_free(rest);
    assert_ok(
        jsni_split_stratified(labels, SAMPLES, CLASSES, 0.1, 1, &again, &n, &rest, &m));
    assert_memory_equal(train, again, n * sizeof *train);
    assert_memory_equal(val, rest, m * sizeof *val);
    jsni_free(again);
    jsni_free(rest);
    jsni_free(train);
    jsni_free(val);
}

static jsn_status split_few(void *fraction)
{
    static const int32_t few[] = {0, 1, 1, 0, 2};
    uint32_t *train = NULL, *val = NULL;
    size_t n = 0, m = 0;
    JSNI_TRY(
        jsni_split_stratified(few, 5, 4, *(double *)fraction, 1, &train, &n, &val, &m));
    assert_true(m >= 1 && n + m == 5);
    jsni_free(train);
    jsni_free(val);
    return JSN_OK;
}

/* Classes of three, of which a tenth rounds to none: a tenth of all images, each of
 * another class, and the same ones for the same seed. */
static void test_tiny_classes_spare_a_tenth_of_all(void **state)
{
    (void)state;
    enum { KINDS = 100, EACH = 3 };
    int32_t few[KINDS * EACH];
    uint32_t *train = NULL, *val = NULL, *again = NULL;
    size_t n = 0, m = 0;
    for (size_t i = 0; i < KINDS * EACH; i++)
        few[i] = (int32_t)(i % KINDS);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        uint8_t seen[KINDS * EACH] = {0}, of[KINDS] = {0};
        assert_ok(jsni_split_stratified(few, KINDS * EACH, KINDS, 0.1, seed, &train, &n,
                                        &val, &m));
        assert_int_equal(m, 30);
        assert_int_equal(n, 270);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen[train[i]]++, 0);
        for (size_t i = 0; i < m; i++) {
            assert_int_equal(seen[val[i]]++, 0);
            assert_int_equal(of[few[val[i]]]++, 0);
        }
        jsni_free(train);
        assert_ok(jsni_split_stratified(few, KINDS * EACH, KINDS, 0.1, seed, &train, &n,
                                        &again, &m));
        assert_memory_equal(val, again, m * sizeof *val);
        jsni_free(again);
        jsni_free(train);
        jsni_free(val);
    }
    assert_fails(jsni_split_stratified((const int32_t[]){0, 1, 2}, 3, 3, 0.1, 1, &train,
                                       &n, &val, &m),
                 JSN_ERR_DATA, "too few to keep any");
    assert_null(train);
    assert_null(val);
}

static void test_small_classes_keep_a_training_sample(void **state)
{
    (void)state;
    double half = 0.5, tenth = 0.1;
    support_walk_allocations(split_few, &half);
    support_walk_allocations(split_few, &tenth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar_splits_into_45000_and_5000),
        cmocka_unit_test(test_small_classes_keep_a_training_sample),
        cmocka_unit_test(test_tiny_classes_spare_a_tenth_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
