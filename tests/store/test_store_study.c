/* tests/store/test_store_study.c - studies in SQLite: one worker gets a trial, a dead
 * one loses it, who lost it changes nothing; passwords stay hidden; other schemas are
 * refused. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <time.h>

#include "core/alloc.h"
#include "core/file.h"
#include "store/study.h"
#include "support/support.h"

typedef struct fixture {
    char folder[512], url[600];
    jsni_store *store;
    jsni_study study;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    (void)snprintf(f->folder, sizeof f->folder, "%s", support_temporary_folder());
    (void)snprintf(f->url, sizeof f->url, "sqlite:///%s/s.db", f->folder);
    *state = f;
    if (jsni_store_open(&f->store, f->url, JSNI_STORE_CREATE) == JSN_ERR_UNSUPPORTED)
        return 0;
    assert_ok(jsni_study_create(&f->study, f->store, "one", true));
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    jsni_store_close(f->store);
    support_remove_folder(f->folder);
    free(f);
    return 0;
}

#define NEED_STORE(f)                                       \
    if ((f)->store == NULL) {                               \
        print_message("skipped: a build without SQLite\n"); \
        skip();                                             \
    }

/* Longer than the grace of the tests. */
static void rest(void)
{
    const struct timespec pause = {0, 50000000L};
    (void)nanosleep(&pause, NULL);
}

static void add_trials(fixture *f, size_t count)
{
    char name[] = "lr", distribution[] =
                            "{\"name\":\"FloatDistribution\",\"attributes\""
                            ":{\"step\":null,\"low\":0,\"high\":1,\"log\":"
                            "false}}";
    for (size_t i = 0; i < count; i++) {
        const jsni_trial_param param = {name, 0.1 * (double)i, distribution};
        assert_ok(jsni_trial_add(&f->study, &param, 1, NULL, 0));
    }
}

static void test_trials_are_numbered_and_read_back(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 3);
    jsni_trial *trials = NULL;
    size_t count = 0;
    assert_ok(jsni_trials_read(&f->study, 0, true, &trials, &count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(trials[i].number, i);
        assert_int_equal(trials[i].state, JSNI_TRIAL_WAITING);
        assert_int_equal(trials[i].param_count, 1);
        assert_close(trials[i].params[0].value, 0.1 * (double)i, 0.0, 0.0);
        assert_true(isnan(trials[i].value));
    }
    jsni_trials_release(trials, count);
}

static void test_a_trial_is_claimed_once(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 2);
    jsni_claim a, b, c;
    assert_ok(jsni_trial_claim(&f->study, 0, "a", &(jsni_takeover){60.0, 3, NULL}, &a));
    assert_ok(jsni_trial_claim(&f->study, 0, "b", &(jsni_takeover){60.0, 3, NULL}, &b));
    assert_ok(jsni_trial_claim(&f->study, 0, "c", &(jsni_takeover){60.0, 3, NULL}, &c));
    assert_int_equal(a.number, 0);
    assert_int_equal(b.number, 1);
    assert_int_equal(c.trial, 0);
    bool done = true;
    int64_t attempts = 0;
    assert_ok(jsni_trial_claim_one(&f->study, a.trial, "c", &attempts, &done));
    assert_false(done);
}

static void test_questions_about_trials_are_answered(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 3);
    jsni_claim claim, waiting[JSNI_STUDY_WAITING];
    size_t count = 0;
    bool mine = false, found = true;
    int64_t number = -1;
    char *other = NULL;
    char key[] = "data_text", failure[] = "failure", ours[] = "\"ours\"",
         why[] = "\"broken\"";
    assert_ok(
        jsni_trial_claim(&f->study, 0, "a", &(jsni_takeover){60.0, 3, NULL}, &claim));
    assert_ok(jsni_study_waiting(&f->study, claim.trial, waiting, &count));
    assert_int_equal(count, 2);
    assert_int_equal(waiting[0].number, 1);
    assert_int_equal(waiting[1].number, 2);
    assert_ok(jsni_study_waiting(&f->study, waiting[0].trial, waiting, &count));
    assert_int_equal(count, 1);

    const jsni_attr seen = {key, ours};
    assert_ok(jsni_trial_finish(&f->study, claim.trial, "a", JSNI_TRIAL_COMPLETE, 0.5,
                                &seen, 1, &mine));
    assert_ok(jsni_study_has_trial(&f->study, key, ours, &found));
    assert_true(found);
    assert_ok(jsni_study_has_trial(&f->study, key, "\"theirs\"", &found));
    assert_false(found);
    assert_ok(
        jsni_study_other_data(&f->study, waiting[0].trial, ours, &number, &other));
    assert_null(other);
    assert_ok(jsni_study_other_data(&f->study, waiting[0].trial, "\"theirs\"", &number,
                                    &other));
    assert_string_equal(other, ours);
    assert_int_equal(number, 0);
    jsni_free(other);

    const jsni_attr broken = {failure, why};
    assert_ok(
        jsni_trial_claim(&f->study, 0, "a", &(jsni_takeover){60.0, 3, NULL}, &claim));
    assert_ok(jsni_trial_finish(&f->study, claim.trial, "a", JSNI_TRIAL_FAILED, NAN,
                                &broken, 1, &mine));
    assert_ok(jsni_study_retry(&f->study, &count));
    assert_int_equal(count, 1);
    assert_ok(jsni_study_has_trial(&f->study, failure, why, &found));
    assert_false(found);
    assert_ok(jsni_study_waiting(&f->study, 0, waiting, &count));
    assert_int_equal(count, 2);
}

static void test_a_stale_trial_changes_hands_three_times(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 1);
    jsni_claim claim;
    assert_ok(
        jsni_trial_claim(&f->study, 0, "w1", &(jsni_takeover){0.02, 3, NULL}, &claim));
    for (int i = 2; i <= 4; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "w%d", i);
        rest();
        assert_ok(jsni_trial_claim(&f->study, 0, name, &(jsni_takeover){0.02, 3, NULL},
                                   &claim));
        assert_int_equal(claim.attempts, i);
    }
    /* The first worker was only asleep: nothing it does counts any more. */
    bool mine = true;
    assert_ok(jsni_trial_beat(f->store, claim.trial, "w1", &mine));
    assert_false(mine);
    assert_ok(jsni_trial_finish(&f->study, claim.trial, "w1", JSNI_TRIAL_COMPLETE, 0.5,
                                NULL, 0, &mine));
    assert_false(mine);
    assert_ok(jsni_trial_beat(f->store, claim.trial, "w4", &mine));
    assert_true(mine);
    rest();
    assert_ok(
        jsni_trial_claim(&f->study, 0, "w5", &(jsni_takeover){0.02, 3, NULL}, &claim));
    assert_int_equal(claim.trial, 0);
    size_t counts[JSNI_TRIAL_STATES];
    assert_ok(jsni_study_counts(&f->study, counts));
    assert_int_equal(counts[JSNI_TRIAL_FAILED], 1);
}

static bool is_w1(const char *worker)
{
    return strcmp(worker, "w1") == 0;
}

static void test_the_trial_of_a_worker_that_is_gone_is_taken_at_once(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 2);
    const jsni_takeover blind = {60.0, 3, NULL}, sees = {60.0, 3, is_w1};
    jsni_claim claim, other;
    bool mine = true;
    assert_ok(jsni_trial_claim(&f->study, 0, "w1", &blind, &claim));
    assert_ok(jsni_trial_claim(&f->study, 0, "w2", &sees, &other));
    assert_int_equal(other.number, 1); /* those that wait come first */
    assert_ok(jsni_trial_claim(&f->study, 0, "w3", &blind, &other));
    assert_int_equal(other.trial, 0);
    assert_ok(jsni_trial_claim(&f->study, 0, "w3", &sees, &other));
    assert_int_equal(other.trial, claim.trial);
    assert_int_equal(other.attempts, 2);
    assert_ok(jsni_trial_beat(f->store, claim.trial, "w1", &mine));
    assert_false(mine);
    assert_ok(jsni_trial_claim(&f->study, 0, "w4", &sees, &other));
    assert_int_equal(other.trial, 0); /* w2 and w3 live */
}

static void test_values_and_steps_are_kept(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    add_trials(f, 1);
    jsni_claim claim;
    jsni_trial *trials = NULL;
    size_t count = 0;
    bool mine = false;
    char key[] = "run", json[] = "\"runs/x\"";
    const jsni_attr attr = {key, json};
    assert_ok(
        jsni_trial_claim(&f->study, 0, "w", &(jsni_takeover){60.0, 3, NULL}, &claim));
    assert_ok(jsni_trial_report(f->store, claim.trial, 1, 0.25));
    assert_ok(jsni_trial_report(f->store, claim.trial, 3, NAN));
    assert_ok(jsni_trial_report(f->store, claim.trial, 1, 0.5));
    assert_ok(jsni_trial_finish(&f->study, claim.trial, "w", JSNI_TRIAL_COMPLETE,
                                1.0 / 3.0, &attr, 1, &mine));
    assert_true(mine);
    assert_ok(jsni_trials_read(&f->study, 0, true, &trials, &count));
    assert_close(trials[0].value, 1.0 / 3.0, 0.0, 0.0);
    assert_int_equal(trials[0].step_count, 3);
    assert_close(trials[0].steps[0], 0.5, 0.0, 0.0);
    assert_true(isnan(trials[0].steps[1]));
    assert_string_equal(jsni_trial_attr(&trials[0], "run"), "\"runs/x\"");
    jsni_trials_release(trials, count);
    double *values = NULL;
    assert_ok(jsni_study_step_values(&f->study, 1, &values, &count));
    assert_int_equal(count, 1);
    assert_close(values[0], 0.5, 0.0, 0.0);
    jsni_free(values);
}

static void test_nothing_stays_of_an_undone_transaction(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    assert_ok(jsni_store_begin(f->store));
    add_trials(f, 2);
    assert_int_equal(jsni_store_end(f->store, JSN_ERR_DATA), JSN_ERR_DATA);
    size_t counts[JSNI_TRIAL_STATES];
    assert_ok(jsni_study_counts(&f->study, counts));
    assert_int_equal(counts[JSNI_TRIAL_WAITING], 0);
}

static void test_other_databases_are_refused(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    jsni_store *store = NULL;
    char path[700];
    (void)snprintf(path, sizeof path, "%s/text.db", f->folder);
    assert_ok(jsni_file_write(path, "this is no database at all, but text\n", 37));
    assert_fails(jsni_store_open(&store, path, JSNI_STORE_CREATE), JSN_ERR_DATA,
                 "text.db");
    assert_fails(jsni_store_open(&store, "mysql://host/db", JSNI_STORE_CREATE),
                 JSN_ERR_ARGUMENT, "mysql://host/db");
    (void)snprintf(path, sizeof path, "%s/none.db", f->folder);
    assert_fails(jsni_store_open(&store, path, JSNI_STORE_WRITE), JSN_ERR_DATA,
                 "database does not exist");
    assert_ok(jsni_store_run(f->store, "UPDATE version_info SET schema_version = 13",
                             NULL, 0, NULL, NULL));
    assert_fails(jsni_store_open(&store, f->url, JSNI_STORE_WRITE), JSN_ERR_DATA,
                 "another schema");
    assert_null(store);
}

static void test_passwords_are_hidden(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"postgresql://me:se@cret@host/db", "postgresql://me:***@host/db"},
        {"postgresql://me@host/db", "postgresql://me@host/db"},
        {"postgresql://h/d?user=a&password=x&b=c",
         "postgresql://h/d?user=a&password=***&"
         "b=c"},
        {"sqlite:///a:b.db", "sqlite:///a:b.db"},
        {"postgresql://a:p@s/t?x@h:5/d", "postgresql://a:***@h:5/d"},
        {"postgresql:/a:pst@h/d", "postgresql:/a:***@h/d"},
        {"postgres.db", "postgres.db"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *shown = jsni_store_shown_url(pairs[i][0]);
        assert_string_equal(shown, pairs[i][1]);
        jsni_free(shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_trials_are_numbered_and_read_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_trial_is_claimed_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_questions_about_trials_are_answered,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_stale_trial_changes_hands_three_times,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_the_trial_of_a_worker_that_is_gone_is_taken_at_once, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(test_values_and_steps_are_kept, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_stays_of_an_undone_transaction,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_databases_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test(test_passwords_are_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
