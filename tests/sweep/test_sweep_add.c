/* tests/sweep/test_sweep_add.c - trials that a program adds to a study. */
#include <stdio.h>

#include "core/option.h"
#include "jensen/sweep.h"
#include "support/support.h"
#include "sweep/sweep_impl.h"

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
    assert_ok(jsni_options_set(table, count, &plan, "search", "none"));
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
    assert_ok(jsni_sweep_append(sweep, &pair, 1, group, &added));
    assert_true(added);
    jsn_sweep_trial *trials = NULL;
    assert_ok(jsn_sweep_trials(sweep, &trials, &count));
    assert_int_equal(count, 1);
    assert_string_equal(jsn_sweep_fact(&trials[0], "group"), group);
    assert_string_equal(jsn_sweep_option(&trials[0], "lr"), value);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
}

/* As the head of jensen/sweep.h does it. */
static void test_made_without_being_opened(void **state)
{
    (void)state;
    char url[300];
    (void)snprintf(url, sizeof url, "sqlite:///%s/made.db", support_folder);
    jsn_sweep_plan plan;
    jsn_train_config base;
    jsn_sweep_counts counts;
    assert_ok(jsn_sweep_plan_init(&plan));
    assert_ok(jsn_texts_add(&plan.axes, "lr=0.01,0.1"));
    jsn_train_config_clear(&base);
    assert_ok(jsn_train_config_set(&base, "data", "builtin"));
    const jsn_status made = jsn_sweep_create(NULL, url, "first", &plan, &base);
    jsn_sweep_plan_release(&plan);
    jsn_train_config_release(&base);
    if (made == JSN_ERR_UNSUPPORTED)
        skip(); /* a build without SQLite */
    assert_ok(made);
    jsn_sweep *sweep = NULL;
    assert_ok(jsn_sweep_open(&sweep, url, "first"));
    assert_ok(jsn_sweep_count(sweep, &counts));
    assert_int_equal(counts.waiting, 2);
    jsn_sweep_close(sweep);
}

/* Makes a study as one of an earlier version would be: its first rate is no longer the
 * one that training takes by itself. */
static jsn_status make_earlier_study(const char *url, const jsn_train_config *base)
{
    char lr[] = "lr", rate[] = "0.05", loss[] = "loss", middle[] = "gjs:pi1=0.5";
    jsn_sweep_plan plan;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    assert_ok(jsn_sweep_plan_init(&plan));
    assert_ok(jsni_options_set(table, count, &plan, "search", "none"));
    assert_ok(jsni_options_set(table, count, &plan, "objective", "val_acc_noisy"));
    jsn_sweep *sweep = NULL;
    const jsn_status made = jsn_sweep_create(&sweep, url, "earlier", &plan, base);
    jsn_sweep_plan_release(&plan);
    if (made != JSN_OK)
        return made;
    const jsn_sweep_pair pairs[] = {{lr, rate}, {loss, middle}};
    assert_ok(jsni_sweep_append(sweep, pairs, 2, "rates", NULL));
    jsn_sweep_close(sweep);
    return JSN_OK;
}

/* The plan of a study is made from its first trial, which stays. */
static void test_tune_continues_an_earlier_study(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"data", "builtin:size=80,test=20"},
                                             {"network", "mlp:width=8"},
                                             {"batch", "16"},
                                             {"epochs", "1"},
                                             {"device", "ref"},
                                             {"val-fraction", "0.1"},
                                             {"val-labels", "noisy"},
                                             {"threads", "1"}};
    static const double want[] = {0.05, 0.1, 0.02};
    char url[300], folder[300];
    (void)snprintf(url, sizeof url, "sqlite:///%s/earlier.db", support_folder);
    (void)snprintf(folder, sizeof folder, "%s/runs", support_folder);
    jsn_train_config base;
    jsn_train_config_clear(&base);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&base, options[i][0], options[i][1]));
    if (make_earlier_study(url, &base) != JSN_OK) {
        jsn_train_config_release(&base);
        skip(); /* a build without SQLite */
    }
    jsn_sweep_worker worker;
    jsn_tune_result result;
    jsn_sweep_worker_init(&worker);
    worker.folder = folder;
    assert_ok(jsn_tune(url, "earlier", &base, 3, &worker, NULL, NULL, NULL, &result));
    assert_int_equal(result.runs, 3);
    jsn_train_config_release(&base);
    jsn_sweep *sweep = NULL;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    assert_ok(jsn_sweep_open(&sweep, url, "earlier"));
    assert_ok(jsn_sweep_trials(sweep, &trials, &count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_true(jsni_sweep_number(&trials[i], "lr") == want[i]);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_group),
        cmocka_unit_test(test_made_without_being_opened),
        cmocka_unit_test(test_tune_continues_an_earlier_study),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
