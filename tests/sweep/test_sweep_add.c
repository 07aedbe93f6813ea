/* tests/sweep/test_sweep_add.c - trials that a program adds to a study. */
#include <stdio.h>

#include "jensen/sweep.h"
#include "support/support.h"

/* Groups are any text: what is stored can be read again. */
static void test_any_group(void **state)
{
    (void)state;
    static const char group[] = "a \"quoted\" \\ group\n";
    char url[300], word[] = "lr", value[] = "0.25";
    (void)snprintf(url, sizeof url, "sqlite:///%s/groups.db", support_folder);
    jsn_sweep_plan plan;
    jsn_train_config base;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    assert_ok(jsn_sweep_plan_init(&plan));
    assert_ok(jsn_options_set(table, count, &plan, "search", "none"));
    jsn_train_config_clear(&base);
    assert_ok(jsn_train_config_set(&base, "data", "builtin"));
    jsn_sweep *sweep = NULL;
    const jsn_status made = jsn_sweep_create(&sweep, url, "groups", &plan, &base);
    jsn_sweep_plan_release(&plan);
    jsn_train_config_release(&base);
    if (made == JSN_ERR_UNSUPPORTED)
        skip(); /* a build without SQLite */
    assert_ok(made);

    const jsn_sweep_pair pair = {word, value};
    bool added = false;
    assert_ok(jsn_sweep_add(sweep, &pair, 1, group, &added));
    assert_true(added);
    jsn_sweep_trial *trials = NULL;
    assert_ok(jsn_sweep_trials(sweep, &trials, &count));
    assert_int_equal(count, 1);
    assert_string_equal(jsn_sweep_fact(&trials[0], "group"), group);
    assert_string_equal(jsn_sweep_option(&trials[0], "lr"), value);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_group)};
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
