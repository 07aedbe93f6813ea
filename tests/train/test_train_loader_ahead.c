/* What a device asks of the loader that takes images ahead of their step: a look at the next
 * batch, and memory that was pinned. */
#include "support/support.h"

#include <string.h>

#include "train/loader.h"

enum { SIDE = 32, FLOATS = 3 * SIDE * SIDE, SAMPLES = 70 };

typedef struct source {
    jsn_dataset *data;
    jsni_part part;
    jsn_augment *augment;
} source;

static int open_source(source *s, const char *spec)
{
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, std[3] = {0.25f, 0.25f, 0.25f};
    if (jsn_dataset_open(&s->data, spec, NULL) != JSN_OK ||
        jsni_part_whole(&s->part, s->data, JSN_SPLIT_TRAIN) != JSN_OK ||
        jsn_augment_create(&s->augment, "strong", SIDE, SIDE, mean, std) != JSN_OK) {
        print_error("%s\n", jsn_last_error());
        return 1;
    }
    return 0;
}

static void close_source(source *s)
{
    jsn_augment_destroy(s->augment);
    jsni_part_release(&s->part);
    jsn_dataset_close(s->data);
}

static source builtin;

static int set_up(void **state)
{
    (void)state;
    char spec[64];
    (void)snprintf(spec, sizeof spec, "builtin:size=%d", SAMPLES);
    return open_source(&builtin, spec);
}

static int tear_down(void **state)
{
    (void)state;
    close_source(&builtin);
    return 0;
}

static jsni_loader_options options_for(const source *s, size_t batch, size_t workers)
{
    return (jsni_loader_options){.part = &s->part,
                                 .classes = 10,
                                 .augment = s->augment,
                                 .height = SIDE,
                                 .width = SIDE,
                                 .batch = batch,
                                 .views = 2,
                                 .workers = workers,
                                 .order = JSNI_ORDER_SHUFFLED,
                                 .seed = 5,
                                 .max_bad = 100};
}

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
    const jsni_loader_options o = options_for(&builtin, 7, 3);
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

/* What is looked at ahead is what comes, and stays while the batch before it is used. */
static void test_a_batch_can_be_looked_at_before_it_comes(void **state)
{
    (void)state;
    for (size_t workers = 0; workers < 10; workers += 3) {
        const jsni_loader_options o = options_for(&builtin, 7, workers);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_pinned_once_and_given_back),
        cmocka_unit_test(test_a_batch_can_be_looked_at_before_it_comes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
