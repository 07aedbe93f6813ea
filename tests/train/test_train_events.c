/* tests/train/test_train_events.c - what a run tells who watches it: records in their order
 * and with their numbers; a watcher stops it, and it continues to the same weights. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "jensen/train.h"
#include "store/run_rows.h"
#include "support/support.h"

enum { EPOCHS = 3, STEPS = 5, MOST = 64 };

/* What was heard, and what to answer. */
typedef struct ear {
    char kinds[MOST + 1]; /* "osssss..": opened, step, Epoch, Stopped, Finished */
    size_t heard;
    jsn_epoch epochs[2 * EPOCHS];
    size_t epoch_count, past;
    int64_t opened_at;
    size_t numbers[3]; /* events by number of the configuration */
    size_t members[3]; /* events by member */
    char stop_after;   /* answer to every event of this kind, unless it is 0 */
    jsn_status answer;
    double last_val; /* of opened->past */
} ear;

static jsn_status hear(void *user, const jsn_event *event)
{
    ear *e = user;
    const char kind = " osEXF"[(size_t)event->kind];
    assert_int_equal(event->size, sizeof *event);
    assert_true(e->heard < MOST);
    e->kinds[e->heard++] = kind;
    e->numbers[event->number]++;
    e->members[event->member]++;
    if (event->opened != NULL) {
        assert_int_equal(event->opened->size, sizeof(jsn_opened));
        assert_int_equal(event->opened->epochs, EPOCHS);
        e->opened_at = event->opened->epoch;
        e->past = event->opened->past_count;
        if (e->past > 0)
            e->last_val = event->opened->past[e->past - 1].val_acc;
    }
    if (event->step != NULL) {
        assert_int_equal(event->step->size, sizeof(jsn_step));
        assert_true(event->step->steps == STEPS);
        assert_true(event->step->loss > 0.0);
    }
    if (event->epoch != NULL) {
        assert_int_equal(event->epoch->size, sizeof(jsn_epoch));
        e->epochs[e->epoch_count++] = *event->epoch;
    }
    if (event->stopped != NULL)
        assert_int_equal(event->stopped->size, sizeof(jsn_stopped));
    if (event->finished != NULL) {
        assert_int_equal(event->finished->size, sizeof(jsn_finished));
        assert_string_equal(event->finished->result->run, event->run);
    }
    /* One record, that of the kind. */
    const int records = (event->opened != NULL) + (event->step != NULL) +
                        (event->epoch != NULL) + (event->stopped != NULL) +
                        (event->finished != NULL);
    assert_true(records == 1);
    return kind == e->stop_after ? e->answer : JSN_OK;
}

static jsn_status train_as(const char *name, const char *members, ear *e,
                           const jsn_logger *logger, jsn_train_result *result)
{
    const jsn_watcher watcher = {.user = e, .event = hear};
    char out[600];
    (void)snprintf(out, sizeof out, "%s/%s", support_folder, name);
    const char *const options[][2] = {{"data", "builtin:size=90,test=20"},
                                      {"noise", "sym:rate=0.4"},
                                      {"network", "mlp:width=8"},
                                      {"loss", "gjs:pi1=0.5"},
                                      {"batch", "16"},
                                      {"epochs", "3"},
                                      {"device", "ref"},
                                      {"val-fraction", "0.1"},
                                      {"threads", "1"},
                                      {"members", members},
                                      {"out", out}};
    jsn_train_config config;
    jsn_train_config_clear(&config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&config, options[i][0], options[i][1]));
    const jsn_status status = jsn_train_watched(&config, 1, logger, &watcher, result);
    jsn_train_config_release(&config);
    return status;
}

static jsn_status train(const char *name, ear *e, jsn_train_result *result)
{
    return train_as(name, "1", e, NULL, result);
}

static void test_events_come_in_their_order(void **state)
{
    (void)state;
    ear e = {0};
    jsn_train_result result;
    assert_ok(train("whole", &e, &result));
    assert_string_equal(e.kinds, "osssssEsssssEsssssEF");
    assert_int_equal(e.opened_at, 0);
    assert_int_equal(e.past, 0);
    /* The records are what the run folder keeps. */
    jsn_epoch *rows = NULL;
    size_t count = 0;
    assert_ok(jsni_run_rows_read(result.run, &rows, &count));
    assert_int_equal(count, EPOCHS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(e.epochs[i].epoch, i + 1);
        assert_int_equal(e.epochs[i].epochs, EPOCHS);
        assert_int_equal(e.epochs[i].views, 2);
        assert_true(e.epochs[i].loss == rows[i].loss);
        assert_true(e.epochs[i].val_acc == rows[i].val_acc);
        assert_true(e.epochs[i].train_acc_all[1] == rows[i].train_acc_all[1]);
        assert_true(e.epochs[i].seconds == rows[i].seconds);
    }
    jsni_free(rows);
    assert_true(e.epochs[EPOCHS - 1].test_acc == result.test_acc);
    /* Once more: nothing is trained, the epochs are told all the same. */
    ear again = {0};
    assert_ok(train("whole", &again, &result));
    assert_string_equal(again.kinds, "oF");
    assert_int_equal(again.opened_at, EPOCHS);
    assert_int_equal(again.past, EPOCHS);
    assert_true(again.last_val == e.epochs[EPOCHS - 1].val_acc);
    assert_true(result.already_finished);
}

/* Stopped after every kind of event, again and again, a run ends with the same weights. */
static void test_a_watcher_stops_a_run_that_continues(void **state)
{
    (void)state;
    ear e = {0};
    jsn_train_result whole, result;
    assert_ok(train("undisturbed", &e, &whole));
    static const struct {
        char after;
        const char *name, *kinds;
    } cases[] = {{'o', "stop-opened", "osX"},
                 {'s', "stop-step", "osX"},
                 {'E', "stop-epoch", "osssssEX"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ear stops = {.stop_after = cases[c].after, .answer = JSN_ERR_STOPPED};
        assert_fails(train(cases[c].name, &stops, &result), JSN_ERR_STOPPED,
                     "the same command continues");
        assert_string_equal(stops.kinds, cases[c].kinds);
        bool there = false;
        char folder[600];
        (void)snprintf(folder, sizeof folder, "%s/%s", support_folder, cases[c].name);
        assert_ok(jsni_file_find(folder, "checkpoint.safetensors", &there));
        assert_true(there);
        ear second = {.stop_after = cases[c].after, .answer = JSN_ERR_STOPPED};
        assert_fails(train(cases[c].name, &second, &result), JSN_ERR_STOPPED, "");
        ear rest = {0};
        assert_ok(train(cases[c].name, &rest, &result));
        assert_int_equal(rest.past, rest.opened_at);
        assert_int_equal(rest.past + rest.epoch_count, EPOCHS);
        assert_string_equal(result.weights_sha256, whole.weights_sha256);
    }
}

/* Another status ends the call with it; nothing is lost. */
static void test_a_watcher_that_fails_ends_the_run(void **state)
{
    (void)state;
    ear e = {.stop_after = 'E', .answer = JSN_ERR_IO}, rest = {0};
    jsn_train_result result;
    assert_int_equal(train("fails", &e, &result), JSN_ERR_IO);
    assert_string_equal(e.kinds, "osssssE");
    assert_ok(train("fails", &rest, &result));
    assert_int_equal(rest.past + rest.epoch_count, EPOCHS);
}

static void test_members_are_told_apart(void **state)
{
    (void)state;
    ear e = {0};
    jsn_train_result result;
    assert_ok(train_as("pair", "2", &e, NULL, &result));
    assert_string_equal(e.kinds, "osssssEsssssEsssssEF"
                                 "osssssEsssssEsssssEF"
                                 "F");
    assert_int_equal(e.members[0], 1);
    assert_int_equal(e.members[1], 20);
    assert_int_equal(e.members[2], 20);
}

typedef struct sentences {
    size_t epochs;
    char last[300];
} sentences;

static void keep_sentence(void *user, jsn_log_level level, const char *text)
{
    sentences *s = user;
    (void)level;
    if (strncmp(text, "epoch ", 6) == 0) {
        s->epochs++;
        (void)snprintf(s->last, sizeof s->last, "%s", text);
    }
}

/* The sentence is made of the record, and of nothing else. */
static void test_the_sentence_of_an_epoch(void **state)
{
    (void)state;
    sentences said = {0};
    const jsn_logger logger = {.user = &said, .message = keep_sentence};
    ear e = {0};
    jsn_train_result result;
    char text[300];
    assert_ok(train_as("said", "1", &e, &logger, &result));
    assert_int_equal(said.epochs, EPOCHS);
    jsn_epoch_text(&e.epochs[EPOCHS - 1], text, sizeof text);
    assert_string_equal(said.last, text);
    jsn_epoch one = e.epochs[0];
    one.epoch = 3;
    one.epochs = 60;
    one.loss = 0.41331;
    one.train_acc_all[0] = 0.612;
    one.val_acc = 0.701;
    one.test_acc = one.consistency = NAN;
    one.images_per_second = 1234.4;
    jsn_epoch_text(&one, text, sizeof text);
    assert_string_equal(text, "epoch 3/60: loss 0.4133, train 61.20%, val 70.10%, "
                              "1234 images/s");
    jsn_epoch_text(&one, text, 12);
    assert_string_equal(text, "epoch 3/60:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_come_in_their_order),
        cmocka_unit_test(test_a_watcher_stops_a_run_that_continues),
        cmocka_unit_test(test_a_watcher_that_fails_ends_the_run),
        cmocka_unit_test(test_members_are_told_apart),
        cmocka_unit_test(test_the_sentence_of_an_epoch),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
