/* tests/sweep/test_sweep_report.c - a worker hears of epochs as records: what goes into the
 * store, what is pruned, and that sentences play no part in it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/option.h"
#include "store/record_epoch.h"
#include "support/support.h"
#include "sweep/worker_impl.h"

enum { TRIALS = 7, EPOCHS = 3 };

typedef struct fixture {
    jsn_sweep *sweep;
    jsn_sweep_worker how;
    jsni_worker worker;
    jsni_worker_job jobs[1];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    char url[600], lr[] = "lr";
    static int number;
    jsn_sweep_plan plan;
    jsn_train_config base;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    f = (fixture){.sweep = NULL};
    *state = &f;
    (void)snprintf(url, sizeof url, "sqlite:///%s/%d.db", support_folder, number++);
    assert_ok(jsn_sweep_plan_init(&plan));
    assert_ok(jsni_options_set(table, count, &plan, "search", "none"));
    assert_ok(jsni_options_set(table, count, &plan, "pruner", "median"));
    assert_ok(jsni_options_set(table, count, &plan, "objective", "val_acc_noisy"));
    jsn_train_config_clear(&base);
    assert_ok(jsn_train_config_set(&base, "data", "builtin"));
    const jsn_status made = jsn_sweep_create(&f.sweep, url, "s", &plan, &base);
    jsn_sweep_plan_release(&plan);
    jsn_train_config_release(&base);
    if (made == JSN_ERR_UNSUPPORTED)
        return 0; /* a build without SQLite */
    assert_ok(made);
    for (int i = 0; i < TRIALS; i++) {
        char value[24];
        (void)snprintf(value, sizeof value, "0.%d", i + 1);
        const jsn_sweep_pair pair = {lr, value};
        assert_ok(jsni_sweep_append(f.sweep, &pair, 1, NULL, NULL));
    }
    jsn_sweep_worker_init(&f.how);
    f.worker = (jsni_worker){
        .sweep = f.sweep, .how = &f.how, .jobs = f.jobs, .count = 1, .name = "w"};
    f.jobs[0].best = NAN;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    jsni_worker_job_clear(&f->jobs[0]);
    jsn_sweep_close(f->sweep);
    return 0;
}

#define NEED_STORE(f)                                       \
    if ((f)->sweep == NULL) {                               \
        print_message("skipped: a build without SQLite\n"); \
        skip();                                             \
    }

static jsn_epoch epoch_of(int64_t number, double value)
{
    jsn_epoch e = jsni_epoch_none();
    e.epoch = number;
    e.epochs = EPOCHS;
    e.val_acc_noisy = value;
    e.val_acc = 1.0 - value; /* not the objective */
    return e;
}

static void claim(fixture *f)
{
    jsni_worker_job_clear(&f->jobs[0]);
    f->worker.pruned = false;
    assert_ok(jsni_trial_claim(&f->sweep->study, 0, "w",
                               &(jsni_takeover){60.0, 3, NULL}, &f->jobs[0].claim));
}

static jsn_status tell_epoch(fixture *f, int64_t number, double value)
{
    const jsn_epoch e = epoch_of(number, value);
    const jsn_event event = {
        .size = sizeof event, .kind = JSN_EVENT_EPOCH, .run = "r", .epoch = &e};
    return jsni_worker_hear(&f->worker, &event);
}

static void tell_opened(fixture *f, const jsn_epoch *past, size_t count)
{
    const jsn_opened opened = {
        .size = sizeof opened, .past = past, .past_count = count};
    const jsn_event event = {
        .size = sizeof event, .kind = JSN_EVENT_OPENED, .run = "r", .opened = &opened};
    assert_ok(jsni_worker_hear(&f->worker, &event));
}

static void finish(fixture *f, double value)
{
    bool mine = false;
    assert_ok(jsni_trial_finish(&f->sweep->study, f->jobs[0].claim.trial, "w",
                                JSNI_TRIAL_COMPLETE, value, NULL, 0, &mine));
    assert_true(mine);
}

/* Five trials with values 0.5, 0.6 ... 0.9 at every epoch. */
static void finish_five(fixture *f)
{
    for (int i = 0; i < 5; i++) {
        claim(f);
        tell_opened(f, NULL, 0);
        for (int e = 1; e <= EPOCHS; e++)
            assert_ok(tell_epoch(f, e, 0.5 + 0.1 * i));
        finish(f, 0.5 + 0.1 * i);
    }
}

static size_t stored_steps(fixture *f, size_t trial, double *last)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    assert_ok(jsn_sweep_trials(f->sweep, &trials, &count));
    const size_t steps = trials[trial].step_count;
    *last = steps == 0 ? NAN : trials[trial].steps[steps - 1];
    jsn_sweep_trials_release(trials, count);
    return steps;
}

static void test_every_epoch_is_stored(void **state)
{
    fixture *f = *state;
    double last = NAN;
    NEED_STORE(f);
    claim(f);
    tell_opened(f, NULL, 0);
    assert_ok(tell_epoch(f, 1, 0.25));
    assert_int_equal(stored_steps(f, 0, &last), 1);
    assert_ok(tell_epoch(f, 2, 0.5));
    assert_int_equal(stored_steps(f, 0, &last), 2);
    assert_close(last, 0.5, 0.0, 0.0);
}

/* Of a trial that another worker began the epochs before are stored, too. */
static void test_a_continued_trial_brings_its_past(void **state)
{
    fixture *f = *state;
    double last = NAN;
    NEED_STORE(f);
    const jsn_epoch past[] = {epoch_of(1, 0.75), epoch_of(2, 0.25)};
    claim(f);
    tell_opened(f, past, 2);
    assert_ok(tell_epoch(f, 3, 0.5));
    assert_int_equal(stored_steps(f, 0, &last), 3);
    assert_close(f->jobs[0].best, 0.75, 0.0, 0.0);
}

static void test_a_bad_trial_is_stopped_and_a_good_one_is_not(void **state)
{
    fixture *f = *state;
    NEED_STORE(f);
    finish_five(f);
    claim(f);
    tell_opened(f, NULL, 0);
    assert_ok(tell_epoch(f, 1, 0.1)); /* nobody is judged by his first epoch */
    assert_int_equal(tell_epoch(f, 2, 0.2), JSN_ERR_STOPPED);
    assert_true(f->worker.pruned);
    assert_close(f->jobs[0].best, 0.2, 0.0, 0.0);
    finish(f, 0.2);
    claim(f);
    tell_opened(f, NULL, 0);
    assert_ok(tell_epoch(f, 1, 0.1));
    assert_ok(tell_epoch(f, 2, 0.8));
    assert_false(f->worker.pruned);
}

/* A store that cannot be reached for a while gets the epochs with a later one. */
static void test_an_outage_loses_no_epoch(void **state)
{
    fixture *f = *state;
    double last = NAN;
    NEED_STORE(f);
    claim(f);
    tell_opened(f, NULL, 0);
    assert_true(jsni_worker_outage(&f->worker, JSN_ERR_NETWORK));
    jsn_epoch missed = epoch_of(1, 0.25);
    tell_opened(f, &missed, 1); /* heard, not reported */
    assert_int_equal(stored_steps(f, 0, &last), 0);
    assert_ok(tell_epoch(f, 2, 0.5));
    assert_int_equal(stored_steps(f, 0, &last), 2);
    assert_true(f->worker.outage <= 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_epoch_is_stored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_continued_trial_brings_its_past, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_bad_trial_is_stopped_and_a_good_one_is_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_outage_loses_no_epoch, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
