/* The time left of a run that others follow is that of all of them. */
#include <math.h>
#include <stdio.h>

#include "support/support.h"
#include "train/train_one_of.h"

static void keep_longest(void *user, const jsn_progress *progress)
{
    double *longest = user;
    if (isfinite(progress->left))
        *longest = fmax(*longest, progress->left);
}

/* The longest time that a small run tells, of which `after` more follow. */
static double longest(const char *folder, size_t after)
{
    char out[600];
    double seconds = 0.0;
    jsn_train_config config;
    jsn_train_result result;
    const jsn_logger logger = {.user = &seconds, .progress = keep_longest};
    (void)snprintf(out, sizeof out, "%s/after-%zu", folder, after);
    const char *const options[][2] = {{"data", "builtin:size=60,test=0"},
                                      {"network", "mlp:width=4"},
                                      {"device", "ref"},
                                      {"batch", "10"},
                                      {"epochs", "3"},
                                      {"threads", "1"},
                                      {"workers", "0"},
                                      {"augment", "none"},
                                      {"val-fraction", "0"},
                                      {"out", out}};
    jsn_train_config_clear(&config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&config, options[i][0], options[i][1]));
    assert_ok(jsni_train_one_of(&config, after, &logger, NULL, &result));
    jsn_train_config_release(&config);
    return seconds;
}

static void test_the_time_left_is_that_of_the_runs_that_follow(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    const double alone = longest(folder, 0), first = longest(folder, 100000);
    assert_true(alone > 0.0);
    /* Whatever the machine does besides, it is not a thousand times slower now. */
    assert_true(first > 100.0 * alone);
    support_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_time_left_is_that_of_the_runs_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
