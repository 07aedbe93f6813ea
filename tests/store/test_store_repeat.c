/* tests/store/test_store_repeat.c - which of the runs with one seed counts. */
#include "store/run_repeat.h"
#include "support/support.h"

enum { MOST = 6 };

static void assert_counted(const jsni_run_identity *runs, size_t count,
                           const size_t *want)
{
    size_t counted[MOST];
    jsni_run_repeats(runs, count, counted);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(counted[i], want[i]);
}

static void test_groups_and_seeds_tell_runs_apart(void **state)
{
    (void)state;
    const jsni_run_identity runs[] = {{0, "1", true, 1},  {0, "2", true, 2},
                                      {1, "1", true, 3},  {0, NULL, true, 4},
                                      {0, NULL, true, 5}, {0, "10", true, 6}};
    assert_counted(runs, 6, (const size_t[]){0, 1, 2, 3, 4, 5});
    assert_counted(runs, 0, NULL);
}

static void test_the_latest_complete_run_counts(void **state)
{
    (void)state;
    const jsni_run_identity runs[] = {{0, "1", true, 5},  {0, "1", true, 7},
                                      {0, "1", false, 9}, {0, "2", true, 9},
                                      {0, "1", true, 6},  {0, "1", false, 1}};
    assert_counted(runs, 6, (const size_t[]){1, 1, 1, 3, 1, 1});
    const jsni_run_identity open[] = {{0, "1", false, 2}, {0, "1", false, 1}};
    assert_counted(open, 2, (const size_t[]){0, 0});
    const jsni_run_identity equal[] = {{0, "1", true, 2}, {0, "1", true, 2}};
    assert_counted(equal, 2, (const size_t[]){1, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_and_seeds_tell_runs_apart),
        cmocka_unit_test(test_the_latest_complete_run_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
