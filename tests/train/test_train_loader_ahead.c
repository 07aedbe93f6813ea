/* What a device asks of the loader that takes images ahead of their step: a look at the next
 * batch, and memory that was pinned. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "jensen/image_file.h"
#include "train/loader_source.h"

/* Pinned memory, as a device would be told of it. */
typedef struct pins {
    size_t asked, pinned, bytes;
} pins;

/* Every other one cannot be. */
static bool pin(void *user, void *memory, size_t bytes)
{
    pins *p = user;
    assert_non_null(memory);
    p->bytes = bytes;
    p->pinned += p->asked % 2 == 0;
    return p->asked++ % 2 == 0;
}

static void unpin(void *user, void *memory)
{
    assert_non_null(memory);
    ((pins *)user)->pinned--;
}

static void test_memory_is_pinned_once_and_given_back(void **state)
{
    (void)state;
    const jsni_loader_options o = source_options(&builtin, 7, 3);
    pins told = {0};
    const jsni_loader_pins fns = {pin, unpin, &told};
    jsni_loader *loader = NULL;
    assert_ok(jsni_loader_create(&loader, &o));
    jsni_loader_pin(loader, &fns);
    const size_t asked = told.asked;
    assert_true(asked > 3);
    assert_int_equal(told.bytes, 2 * 7 * FLOATS * sizeof(float));
    jsni_loader_pin(loader, &fns);
    assert_int_equal(told.asked, asked);
    jsni_loader_destroy(loader);
    assert_int_equal(told.pinned, 0);
}

/* Pages are pinned whole: of one that two blocks shared, neither would know what it is. */
typedef struct pages {
    uintptr_t first[64], end[64];
    size_t count;
} pages;

static bool pin_pages(void *user, void *memory, size_t bytes)
{
    pages *p = user;
    const uintptr_t first = (uintptr_t)memory, end = first + bytes;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(first % page, 0);
    assert_int_equal(end % page, 0);
    for (size_t i = 0; i < p->count; i++)
        assert_true(end <= p->first[i] || p->end[i] <= first);
    assert_true(p->count < sizeof p->first / sizeof p->first[0]);
    p->first[p->count] = first;
    p->end[p->count++] = end;
    return false;
}

static void test_batches_share_no_page(void **state)
{
    (void)state;
    for (size_t batch = 1; batch < 4; batch++) {
        jsni_loader_options o = source_options(&builtin, batch, 16);
        pages seen = {0};
        const jsni_loader_pins fns = {pin_pages, unpin, &seen};
        jsni_loader *loader = NULL;
        o.views = batch % 2 + 1;
        assert_ok(jsni_loader_create(&loader, &o));
        jsni_loader_pin(loader, &fns);
        assert_int_equal(seen.count, jsni_loader_slots(16));
        for (size_t i = 0; i < seen.count; i++)
            assert_true(seen.end[i] - seen.first[i] >=
                        o.views * batch * FLOATS * sizeof(float));
        jsni_loader_destroy(loader);
    }
}

/* What is looked at ahead is what comes, and stays while the batch before it is used. */
static void test_a_batch_can_be_looked_at_before_it_comes(void **state)
{
    (void)state;
    for (size_t workers = 0; workers < 10; workers += 3) {
        const jsni_loader_options o = source_options(&builtin, 7, workers);
        const size_t floats = 2 * o.batch * FLOATS;
        float *seen = malloc(floats * sizeof *seen);
        jsni_loader *loader = NULL;
        assert_non_null(seen);
        assert_ok(jsni_loader_create(&loader, &o));
        for (uint32_t epoch = 0; epoch < 2; epoch++) {
            const jsni_batch *b = NULL, *ahead = NULL;
            assert_ok(jsni_loader_begin(loader, epoch, 1));
            for (size_t i = 1; i <= SAMPLES / 7; i++) {
                ahead = jsni_loader_peek(loader);
                assert_int_equal(ahead != NULL, workers > 0 && i < SAMPLES / 7);
                if (ahead != NULL)
                    memcpy(seen, ahead->images, floats * sizeof *seen);
                assert_ok(jsni_loader_next(loader, &b));
                assert_int_equal(b != NULL, i < SAMPLES / 7);
                assert_true(ahead == NULL || ahead == b);
                if (ahead != NULL)
                    assert_memory_equal(seen, b->images, floats * sizeof *seen);
            }
        }
        jsni_loader_destroy(loader);
        free(seen);
    }
}

/* Nobody makes batches before the first epoch: who waited for one would wait for ever. */
static void test_nothing_is_there_before_an_epoch(void **state)
{
    (void)state;
    const jsni_loader_options o = source_options(&builtin, 7, 3);
    jsni_loader *loader = NULL;
    const jsni_batch *b = NULL;
    assert_ok(jsni_loader_create(&loader, &o));
    assert_null(jsni_loader_peek(loader));
    assert_ok(jsni_loader_begin(loader, 0, 0));
    do
        assert_ok(jsni_loader_next(loader, &b));
    while (b != NULL);
    assert_null(jsni_loader_peek(loader));
    jsni_loader_destroy(loader);
}

enum { EPOCHS = 3, BATCHES = SAMPLES / 7, BATCH_FLOATS = 2 * 7 * FLOATS };

/* Every batch of some epochs, [EPOCHS][BATCHES][BATCH_FLOATS]. */
static float *all_batches(void)
{
    const jsni_loader_options o = source_options(&builtin, 7, 0);
    float *all = malloc(sizeof *all * EPOCHS * BATCHES * BATCH_FLOATS), *to = all;
    jsni_loader *loader = NULL;
    const jsni_batch *b = NULL;
    assert_non_null(all);
    assert_ok(jsni_loader_create(&loader, &o));
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
        assert_ok(jsni_loader_begin(loader, epoch, 0));
        for (size_t i = 0; i < BATCHES; i++, to += BATCH_FLOATS) {
            assert_ok(jsni_loader_next(loader, &b));
            memcpy(to, b->images, BATCH_FLOATS * sizeof *to);
        }
    }
    jsni_loader_destroy(loader);
    return all;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

/* Whole, broken off and resumed epochs with looks ahead now and then: the batch at hand
 * and the one that was looked at stay what they are while workers fill others. */
static void test_any_order_of_calls_gives_the_same_batches(void **state)
{
    (void)state;
    static const size_t workers[] = {1, 2, 5, 16};
    const size_t bytes = BATCH_FLOATS * sizeof(float);
    float *all = all_batches();
    uint32_t seed = 3;
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
        const jsni_loader_options o = source_options(&builtin, 7, workers[w]);
        jsni_loader *loader = NULL;
        assert_ok(jsni_loader_create(&loader, &o));
        for (int round = 0; round < 30; round++) {
            const uint32_t epoch = draw(&seed, EPOCHS),
                           begun = draw(&seed, BATCHES + 1);
            const float *want = all + ((size_t)epoch * BATCHES + begun) * BATCH_FLOATS;
            size_t left = draw(&seed, BATCHES + 2);
            const jsni_batch *b = NULL, *ahead = NULL;
            assert_ok(jsni_loader_begin(loader, epoch, begun));
            for (size_t i = begun; left > 0; i++, left--, want += BATCH_FLOATS) {
                for (uint32_t looks = draw(&seed, 3); looks > 0; looks--) {
                    ahead = jsni_loader_peek(loader);
                    assert_int_equal(ahead != NULL, i < BATCHES);
                    assert_true(ahead == NULL || ahead->number == i);
                }
                if (b != NULL) /* that of the round before */
                    assert_memory_equal(b->images, want - BATCH_FLOATS, bytes);
                assert_ok(jsni_loader_next(loader, &b));
                assert_int_equal(b != NULL, i < BATCHES);
                if (b == NULL)
                    break;
                assert_memory_equal(b->images, want, bytes);
            }
        }
        jsni_loader_destroy(loader);
    }
    free(all);
}

/* A failure among the workers ends looks and epochs alike, whoever meets it first. */
static void test_a_failure_ends_looks_as_well(void **state)
{
    (void)state;
    char folder[256], name[400];
    jsn_image image;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    assert_ok(jsn_image_create(&image, SIDE, SIDE));
    memset(image.data, 9, (size_t)SIDE * SIDE * 3);
    for (int i = 0; i < 24; i++) {
        (void)snprintf(name, sizeof name, "mkdir -p %s/%d", folder, i % 2);
        assert_int_equal(system(name), 0);
        (void)snprintf(name, sizeof name, "%s/%d/%02d.ppm", folder, i % 2, i);
        assert_ok(jsn_image_write(name, &image));
        if (i % 3 == 0)
            assert_int_equal(truncate(name, 100), 0);
    }
    jsn_image_release(&image);
    source s;
    assert_int_equal(source_open(&s, folder), 0);
    for (size_t workers = 1; workers <= 16; workers *= 2)
        for (size_t most = 0; most < 8; most++)
            for (int looks = 0; looks < 2; looks++) {
                jsni_loader_options o = source_options(&s, 2, workers);
                jsni_loader *loader = NULL;
                const jsni_batch *b = NULL;
                jsn_status status = JSN_OK;
                o.max_bad = most;
                assert_ok(jsni_loader_create(&loader, &o));
                assert_ok(jsni_loader_begin(loader, 0, 0));
                do {
                    if (looks)
                        (void)jsni_loader_peek(loader);
                    status = jsni_loader_next(loader, &b);
                } while (status == JSN_OK && b != NULL);
                assert_fails(status, JSN_ERR_DATA, "broken image");
                assert_null(jsni_loader_peek(loader));
                assert_fails(jsni_loader_begin(loader, 1, 0), JSN_ERR_DATA, "broken");
                assert_null(jsni_loader_peek(loader));
                jsni_loader_destroy(loader);
            }
    source_close(&s);
    support_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_pinned_once_and_given_back),
        cmocka_unit_test(test_batches_share_no_page),
        cmocka_unit_test(test_a_batch_can_be_looked_at_before_it_comes),
        cmocka_unit_test(test_nothing_is_there_before_an_epoch),
        cmocka_unit_test(test_any_order_of_calls_gives_the_same_batches),
        cmocka_unit_test(test_a_failure_ends_looks_as_well),
    };
    return cmocka_run_group_tests(tests, builtin_set_up, builtin_tear_down);
}
