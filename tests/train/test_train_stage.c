/* What a run does with a device that copies images ahead of their step. The device is the
 * reference one with slow copies: a thread takes them out of memory that was pinned while
 * the run goes on. They must find what they were sent for, whatever ends the run. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/backend_impl.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/image_file.h"
#include "jensen/train.h"
#include "support/support.h"

enum { SIDE = 32, EPOCHS = 3, PINS = 64, CLASSES = 2, IMAGES = 66 };

/* ---- the device ---- */

typedef struct pinned {
    const char *memory;
    size_t bytes;
} pinned;

static struct device {
    bool on, flying;
    long nanoseconds;     /* of a copy */
    jsni_backend_ops ops; /* the reference ones, and copies */
    const jsni_backend_ops *real;
    pinned pins[PINS];
    size_t asked, pin_count;
    const float *images; /* that were announced; NULL: none */
    const float *from;   /* of the copy, which may end after they were forgotten */
    size_t views, samples, bytes;
    float *room;
    pthread_t copier;
    size_t taken, forgotten, plain;
} device;

static void *copy(void *unused)
{
    (void)unused;
    const size_t half = device.bytes / 2;
    const struct timespec slow = {0, device.nanoseconds};
    memcpy(device.room, device.from, half);
    (void)nanosleep(&slow, NULL);
    memcpy((char *)device.room + half, (const char *)device.from + half,
           device.bytes - half);
    return NULL;
}

static void land(void)
{
    if (device.flying)
        assert_int_equal(pthread_join(device.copier, NULL), 0);
    device.flying = false;
}

static bool is_pinned(const void *memory)
{
    for (size_t i = 0; i < device.pin_count; i++)
        if (device.pins[i].memory == memory)
            return true;
    return false;
}

static jsn_status stage_input(jsni_plan *plan, const float *images, size_t views,
                              size_t samples)
{
    land();
    device.images = device.from = images;
    device.views = views;
    device.samples = samples;
    device.bytes =
        views * samples * jsni_shape_count(plan->graph->nodes[0].shape) * sizeof(float);
    device.room = realloc(device.room, device.bytes);
    assert_non_null(device.room);
    if (is_pinned(images)) {
        assert_int_equal(pthread_create(&device.copier, NULL, copy, NULL), 0);
        device.flying = true;
    } else {
        memcpy(device.room, images, device.bytes); /* as CUDA's of other memory */
    }
    return JSN_OK;
}

static jsn_status set_input(jsni_plan *plan, size_t member, const float *images,
                            size_t views, size_t samples)
{
    const bool staged =
        images == device.images && views == device.views && samples == device.samples;
    device.forgotten += device.images != NULL && !staged;
    device.images = NULL;
    if (!staged) {
        device.plain++;
        return device.real->set_input(plan, member, images, views, samples);
    }
    land();
    assert_memory_equal(device.room, images, device.bytes);
    device.taken++;
    return device.real->set_input(plan, member, device.room, views, samples);
}

/* Every third one cannot be. */
static bool pin(jsni_plan *plan, void *memory, size_t bytes)
{
    assert_non_null(plan);
    if (device.asked++ % 3 == 2)
        return false;
    assert_true(device.pin_count < PINS);
    device.pins[device.pin_count++] = (pinned){memory, bytes};
    return true;
}

static void unpin(jsni_plan *plan, void *memory)
{
    size_t at = 0;
    assert_ptr_equal(plan->ops, &device.ops);
    land();
    while (at < device.pin_count && device.pins[at].memory != memory)
        at++;
    assert_true(at < device.pin_count);
    device.pins[at] = device.pins[--device.pin_count];
}

static void plan_destroy(jsni_plan *plan)
{
    assert_int_equal(device.pin_count, 0); /* nobody can unpin them any more */
    assert_false(device.flying);
    device.real->plan_destroy(plan);
}

/* The linker gives these calls of the library to the second, and those of the second to the
 * library. */
jsn_status __real_jsni_plan_create(jsni_backend *backend, const jsni_graph *graph,
                                   const jsni_plan_options *options, jsni_plan **out);
jsn_status __wrap_jsni_plan_create(jsni_backend *backend, const jsni_graph *graph,
                                   const jsni_plan_options *options, jsni_plan **out);

jsn_status __wrap_jsni_plan_create(jsni_backend *backend, const jsni_graph *graph,
                                   const jsni_plan_options *options, jsni_plan **out)
{
    JSNI_TRY(__real_jsni_plan_create(backend, graph, options, out));
    if (!device.on || !options->training)
        return JSN_OK;
    device.real = (*out)->ops;
    device.ops = *device.real;
    device.ops.set_input = set_input;
    device.ops.stage_input = stage_input;
    device.ops.pin = pin;
    device.ops.unpin = unpin;
    device.ops.plan_destroy = plan_destroy;
    (*out)->ops = &device.ops;
    return JSN_OK;
}

/* ---- runs ---- */

/* Broken images: one in ten, and all of the last batches of an epoch together. */
static char folder[300];

static int set_up(void **state)
{
    if (support_folder_begin(state) != 0)
        return 1;
    jsn_image image;
    (void)snprintf(folder, sizeof folder, "%s/images", support_folder);
    assert_ok(jsn_image_create(&image, SIDE, SIDE));
    for (int i = 0; i < IMAGES; i++) {
        char name[400];
        if (i < CLASSES) {
            (void)snprintf(name, sizeof name, "mkdir -p %s/%d", folder, i);
            assert_int_equal(system(name), 0);
        }
        (void)snprintf(name, sizeof name, "%s/%d/%02d.ppm", folder, i % CLASSES, i);
        for (int k = 0; k < 3 * SIDE * SIDE; k++)
            image.data[k] = (unsigned char)(i * 7 + k * (1 + i % CLASSES));
        assert_ok(jsn_image_write(name, &image));
        if (i % 10 == 3)
            assert_int_equal(truncate(name, 100), 0);
    }
    jsn_image_release(&image);
    return 0;
}

static int tear_down(void **state)
{
    free(device.room);
    return support_folder_end(state);
}

/* Answers `answer` to the event of this kind when it comes for the n-th time. */
typedef struct ear {
    jsn_event_kind kind;
    size_t nth, heard;
    jsn_status answer;
} ear;

static jsn_status hear(void *user, const jsn_event *event)
{
    ear *e = user;
    return event->kind == e->kind && ++e->heard == e->nth ? e->answer : JSN_OK;
}

typedef struct option {
    const char *name, *value;
} option;

/* A run named `name` with up to four further options, on the copying device or without. */
static jsn_status train(const char *name, bool copies, const option *more, ear *e,
                        jsn_train_result *result)
{
    char out[600];
    (void)snprintf(out, sizeof out, "%s/%s", support_folder, name);
    const option options[] = {{"data", folder},
                              {"network", "mlp:width=4"},
                              {"loss", "gjs:pi1=0.5"},
                              {"lr", "0.05"},
                              {"augment", "weak"},
                              {"image-size", "32"},
                              {"batch", "5"},
                              {"epochs", "3"},
                              {"device", "ref"},
                              {"threads", "1"},
                              {"val-fraction", "0.2"},
                              {"workers", "3"},
                              {"max-bad", "100"},
                              {"consistency", "end"},
                              {"out", out}};
    jsn_train_config config;
    jsn_train_config_clear(&config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&config, options[i].name, options[i].value));
    for (size_t i = 0; i < 4 && more != NULL && more[i].name != NULL; i++)
        assert_ok(jsn_train_config_set(&config, more[i].name, more[i].value));
    const jsn_watcher watcher = {.user = e, .event = e == NULL ? NULL : hear};
    device.on = copies;
    /* Longer than the end of a run takes, where it is ended. */
    device.nanoseconds = e != NULL ? 50000000 : 1000000;
    device.asked = device.taken = device.forgotten = device.plain = 0;
    device.images = NULL;
    const size_t live = jsni_alloc_live();
    const jsn_status status = jsn_train_watched(&config, 1, NULL, &watcher, result);
    assert_int_equal(jsni_alloc_live() > live ? device.pin_count + device.flying : 0,
                     0);
    device.on = false;
    jsn_train_config_release(&config);
    return status;
}

/* The same weights with any number of workers, of images that came ahead and of others. */
static void test_images_that_come_ahead_give_the_same_weights(void **state)
{
    (void)state;
    static const option cases[][5] = {
        {{NULL, NULL}},
        {{"mixup", "0.5"}, {"loss", "ce"}, {"sampling", "balanced"}},
        {{"batch", "2"},
         {"network", "cnn"},
         {"max-steps", "4"},
         {"consistency", "every"}},
        {{"ema", "0.9"}, {"batch", "1"}},
        {{"members", "2"}, {"epochs", "2"}}};
    static const char *const workers[] = {"0", "1", "3", "16"};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char want[65] = "";
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
            option given[5];
            memcpy(given, cases[c], sizeof given);
            size_t at = 0;
            while (given[at].name != NULL)
                at++;
            given[at] = (option){"workers", workers[w]};
            for (int copies = 0; copies < 2; copies++) {
                char name[40];
                jsn_train_result result;
                (void)snprintf(name, sizeof name, "case-%zu-%zu-%d", c, w, copies);
                assert_ok(train(name, copies, given, NULL, &result));
                if (want[0] == '\0')
                    (void)snprintf(want, sizeof want, "%s", result.weights_sha256);
                assert_string_equal(result.weights_sha256, want);
                assert_true(w == 0 || !copies || device.taken > 5);
                assert_int_equal(device.forgotten, 0);
            }
        }
    }
}

/* Ended at any moment while images are on their way, a run leaves no copy behind, and the
 * same command ends with the same weights. */
static void test_a_run_that_is_ended_leaves_no_copy_behind(void **state)
{
    (void)state;
    jsn_train_result whole, result;
    assert_ok(train("undisturbed", true, NULL, NULL, &whole));
    static const struct {
        jsn_event_kind kind;
        size_t nth;
        jsn_status answer;
    } cases[] = {{JSN_EVENT_STEP, 1, JSN_ERR_STOPPED},
                 {JSN_EVENT_STEP, 7, JSN_ERR_IO}, /* the first slot is on its way */
                 {JSN_EVENT_STEP, 4, JSN_ERR_STOPPED},
                 {JSN_EVENT_STEP, 4, JSN_ERR_IO},
                 {JSN_EVENT_STEP, 10, JSN_ERR_STOPPED},
                 {JSN_EVENT_STEP, 11, JSN_ERR_IO},
                 {JSN_EVENT_EPOCH, 1, JSN_ERR_STOPPED},
                 {JSN_EVENT_EPOCH, 2, JSN_ERR_IO},
                 {JSN_EVENT_OPENED, 1, JSN_ERR_STOPPED},
                 {JSN_EVENT_OPENED, 1, JSN_ERR_MEMORY}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char name[40];
        ear e = {cases[c].kind, cases[c].nth, 0, cases[c].answer};
        (void)snprintf(name, sizeof name, "ended-%zu", c);
        assert_int_equal(train(name, true, NULL, &e, &result), cases[c].answer);
        assert_ok(train(name, true, NULL, NULL, &result));
        assert_string_equal(result.weights_sha256, whole.weights_sha256);
    }
}

static void test_failures_leave_no_copy_behind(void **state)
{
    (void)state;
    jsn_train_result result;
    static const char *const workers[] = {"0", "1", "3", "8"};
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
        for (int bad = 0; bad < 6; bad++) {
            char most[8], name[40];
            (void)snprintf(most, sizeof most, "%d", bad);
            (void)snprintf(name, sizeof name, "broken-%zu-%d", w, bad);
            const option few[] = {
                {"workers", workers[w]}, {"max-bad", most}, {NULL, NULL}};
            assert_fails(train(name, true, few, NULL, &result), JSN_ERR_DATA, "broken");
        }
        char name[40];
        (void)snprintf(name, sizeof name, "diverged-%zu", w);
        const option wild[] = {{"workers", workers[w]}, {"lr", "1e12"}, {NULL, NULL}};
        ear none = {0};
        assert_fails(train(name, true, wild, &none, &result), JSN_ERR_NUMERIC,
                     "the training has diverged");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_that_come_ahead_give_the_same_weights),
        cmocka_unit_test(test_a_run_that_is_ended_leaves_no_copy_behind),
        cmocka_unit_test(test_failures_leave_no_copy_behind),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
