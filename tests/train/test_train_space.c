/* What is said of a disk with too little room for a run. */
#include "support/support.h"

#include "train/run_space.h"

static void test_a_disk_that_is_too_small_is_told_with_numbers(void **state)
{
    (void)state;
    const jsni_run_space space = {.checkpoints = 30000000,
                                  .weights = 6000000,
                                  .posteriors = 2000000,
                                  .there = 8000000};
    char text[800] = "";
    jsni_run_space_text(&space, 30000000, "runs/a", text, sizeof text);
    assert_string_equal(text, "");
    jsni_run_space_text(&space, 29999999, "runs/a", text, sizeof text);
    assert_string_equal(text,
                        "runs/a: 30.0 MB are free on this disk, the run needs up to "
                        "30.0 MB more (checkpoints 30.0 MB, weights 6.0 MB, "
                        "posteriors 2.0 MB); the run stops when the disk is full; make "
                        "room, and the same command continues");
    const jsni_run_space done = {.checkpoints = 10, .weights = 10, .there = 21};
    text[0] = '\0';
    jsni_run_space_text(&done, 1, "runs/a", text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_disk_that_is_too_small_is_told_with_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
