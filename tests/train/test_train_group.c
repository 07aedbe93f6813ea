/* tests/train/test_train_group.c - the state of runs that are trained side by side, in
 * memory: no model, no disk. A device is played by functions that count. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/resident.h"
#include "core/alloc.h"
#include "support/support.h"
#include "train/resident_feed.h"
#include "train/run.h"

enum { MEMBERS = 3, BATCH = 4, EPOCHS = 10 };

/* What the device was asked for. */
static struct {
    size_t calls, steps;
    size_t refuse_after; /* steps of a call after which it is stopped; 0: never */
    uint32_t first[MEMBERS][2048]; /* the samples that each member's steps began with */
    double rates[MEMBERS];
} device;

static jsn_status play_epoch(jsni_plan *plan, const jsni_resident_epoch *epoch,
                             int (*stop)(void *user), void *user, size_t *done,
                             jsni_resident_result *result)
{
    (void)plan;
    size_t steps = epoch->steps;
    jsn_status status = JSN_OK;
    if (device.refuse_after > 0 && device.refuse_after < steps) {
        steps = device.refuse_after;
        status = JSN_ERR_STOPPED;
    }
    assert_false(stop(user)); /* or the group would not have asked */
    for (size_t m = 0; m < MEMBERS; m++) {
        const jsni_resident_member *own = &epoch->members[m];
        for (size_t s = 0; s < steps; s++)
            device.first[m][device.steps + s] = own->order[s * epoch->batch];
        device.rates[m] = own->rates[0];
        result[m] = (jsni_resident_result){.loss_sum = own->loss_sum + (double)steps,
                                           .samples = steps * epoch->batch};
    }
    device.calls++;
    device.steps += steps;
    *done = steps;
    return status;
}

static const struct jsni_resident_ops resident = {.epoch = play_epoch};
static const jsni_backend_ops ops = {.name = "played", .resident = &resident};

typedef struct fixture {
    jsn_train_config config[MEMBERS];
    jsni_problem problem;
    jsni_plan plan;
    jsn_model model;
    jsni_watch watch;
    jsni_run runs[MEMBERS];
    jsni_group group;
    size_t heard[MEMBERS];
    jsn_status answer;
} fixture;

static jsn_status hear(void *user, const jsn_event *event)
{
    fixture *f = user;
    assert_int_equal(event->kind, JSN_EVENT_STEP);
    assert_true(event->step->step == f->group.members[event->number].state.batch);
    f->heard[event->number]++;
    return f->answer;
}

static void no_message(void *user, jsn_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static void no_progress(void *user, const jsn_progress *progress)
{
    (void)user;
    (void)progress;
}

static void set_config(jsn_train_config *config, size_t member)
{
    static const char *const options[][2] = {{"data", "builtin:size=4400,test=10"},
                                             {"epochs", "10"},
                                             {"batch", "4"},
                                             {"schedule", "constant"},
                                             {"views", "2"},
                                             {"val-fraction", "0"}};
    static const char *const rates[] = {"0.1", "0.2", "0.4"};
    jsn_train_config_clear(config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(config, options[i][0], options[i][1]));
    assert_ok(jsn_train_config_set(config, "lr", rates[member]));
    assert_ok(jsn_train_config_resolve(config));
}

static int set_up(void **state)
{
    fixture *f = jsni_alloc_zero(1, sizeof *f);
    memset(&device, 0, sizeof device);
    for (size_t m = 0; m < MEMBERS; m++)
        set_config(&f->config[m], m);
    assert_ok(jsni_problem_create(&f->problem, &f->config[0], NULL, NULL));
    f->plan.ops = &ops;
    f->model.plan = &f->plan;
    const jsn_watcher watcher = {.user = f, .event = hear};
    f->watch = jsni_watch_of(NULL, &watcher);
    f->group = (jsni_group){.watch = &f->watch,
                            .stop = jsni_watch_stop(&f->watch),
                            .config = &f->config[0],
                            .problem = &f->problem,
                            .model = &f->model,
                            .resident = true,
                            .steps = f->problem.train.count / BATCH,
                            .clock = {.checkpoint = jsni_clock()},
                            .members = f->runs,
                            .count = MEMBERS};
    for (size_t m = 0; m < MEMBERS; m++) {
        f->runs[m] = (jsni_run){.group = &f->group,
                                .member = m,
                                .job = {.config = &f->config[m],
                                        .problem = &f->problem,
                                        .seed = m + 1,
                                        .number = m},
                                .logger = {NULL, no_message, no_progress}};
        assert_ok(jsni_schedule_parse("constant", EPOCHS, &f->runs[m].schedule));
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    jsni_problem_release(&f->problem);
    for (size_t m = 0; m < MEMBERS; m++)
        jsn_train_config_release(&f->config[m]);
    jsni_free(f);
    return 0;
}

static void assert_in_step(const fixture *f, size_t batch)
{
    for (size_t m = 0; m < MEMBERS; m++) {
        assert_int_equal(f->runs[m].state.batch, batch);
        assert_int_equal(f->runs[m].state.step, batch);
        assert_int_equal(f->runs[m].state.counts.samples, batch * BATCH);
        assert_true(f->runs[m].pace.images == 2 * BATCH * batch);
        assert_true(f->runs[m].saved.stale);
    }
    assert_true(jsni_group_lead(&f->group) == &f->runs[0]);
}

/* 1100 steps are 512, 512 and 76: each member tells of its step once a chunk. */
static void test_members_stay_in_step(void **state)
{
    fixture *f = *state;
    assert_int_equal(f->group.steps, 1100);
    assert_ok(jsni_resident_steps(&f->group));
    assert_int_equal(device.calls, 3);
    assert_int_equal(device.steps, 1100);
    assert_in_step(f, 1100);
    size_t equal = 0;
    for (size_t m = 0; m < MEMBERS; m++) {
        assert_int_equal(f->heard[m], 3);
        assert_close(device.rates[m], f->config[m].lr, 0.0, 0.0);
        assert_close(f->runs[m].state.counts.loss_sum, 1100.0, 0.0, 0.0);
    }
    for (size_t s = 0; s < 1100; s++)
        equal += device.first[0][s] == device.first[1][s];
    assert_true(equal < 20); /* orders of their own: 1100 of 4400 by chance at most */
}

/* Who hears the first chunk ends the epoch there; the next call goes on behind it, with
 * what an undisturbed epoch has. */
static void test_a_wish_to_stop_ends_the_chunks(void **state)
{
    fixture *f = *state;
    f->answer = JSN_ERR_STOPPED;
    assert_int_equal(jsni_resident_steps(&f->group), JSN_ERR_STOPPED);
    assert_int_equal(device.calls, 1);
    assert_in_step(f, 512);
    f->answer = JSN_OK;
    f->watch.stopping = false;
    device.refuse_after = 100; /* the device itself is stopped in the next chunk */
    assert_int_equal(jsni_resident_steps(&f->group), JSN_ERR_STOPPED);
    assert_in_step(f, 612);
    device.refuse_after = 0;
    assert_ok(jsni_resident_steps(&f->group));
    assert_in_step(f, 1100);
    uint32_t disturbed[1100];
    memcpy(disturbed, device.first[2], sizeof disturbed);
    for (size_t m = 0; m < MEMBERS; m++)
        f->runs[m].state = (jsni_run_state){.epoch = 0};
    device.steps = 0;
    assert_ok(jsni_resident_steps(&f->group));
    assert_memory_equal(disturbed, device.first[2], sizeof disturbed);
}

static void test_a_failing_watcher_is_passed_on(void **state)
{
    fixture *f = *state;
    f->answer = JSN_ERR_IO;
    assert_int_equal(jsni_resident_steps(&f->group), JSN_ERR_IO);
    assert_int_equal(f->heard[0] + f->heard[1] + f->heard[2], 1);
    assert_false(f->watch.stopping);
}

static void test_the_pace_is_the_mean_of_an_epoch(void **state)
{
    fixture *f = *state;
    jsni_group *g = &f->group;
    g->steps = 10;
    jsni_group_pace(g, 10, 20.0); /* the first epoch is slow */
    assert_close(g->clock.step_seconds, 2.0, 0.0, 1e-12);
    for (int i = 0; i < 200; i++)
        jsni_group_pace(g, 1, 1.0);
    assert_close(g->clock.step_seconds, 1.0, 1e-6, 0.0);
    jsni_group_pace(g, 0, 5.0);
    assert_int_equal(g->clock.steps, 210);
    /* Nine epochs of ten steps are left, and what their evaluation takes. */
    f->runs[0].state.epoch = 1;
    f->runs[0].pace.measure_seconds = 3.0;
    const double left = jsni_run_seconds_left(&f->runs[0]);
    assert_true(left > 9.0 * 13.0 && left < 9.0 * 13.0 + 3000.0);
    g->clock.after = 1;
    assert_true(jsni_run_seconds_left(&f->runs[0]) > left + 10.0 * 13.0);
    f->runs[0].state.epoch = EPOCHS;
    g->clock.after = 0;
    assert_true(isnan(jsni_run_seconds_left(&f->runs[0])));
}

static void test_checkpoints_cost_a_twentieth(void **state)
{
    fixture *f = *state;
    jsni_group *g = &f->group;
    g->clock.checkpoint = 100.0;
    for (size_t m = 0; m < MEMBERS; m++)
        f->runs[m].saved.seconds = 1.0;
    assert_false(jsni_group_checkpoint_due(g, 159.9));
    assert_true(jsni_group_checkpoint_due(g, 160.0));
    for (size_t m = 0; m < MEMBERS; m++)
        f->runs[m].state.epoch = EPOCHS; /* the last epoch is always kept */
    assert_true(jsni_group_checkpoint_due(g, 100.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_members_stay_in_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_wish_to_stop_ends_the_chunks, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_failing_watcher_is_passed_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_pace_is_the_mean_of_an_epoch, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_checkpoints_cost_a_twentieth, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
