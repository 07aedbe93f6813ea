/* Buffers that are alive together never share memory; others do. */
#include "core/rng.h"
#include "nn/arena.h"
#include "support/support.h"

static void test_buffers_alive_together_do_not_overlap(void **state)
{
    (void)state;
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 200; round++) {
        jsni_arena_item items[40];
        const size_t count = 1 + jsni_rng_below(&rng, 40);
        size_t sum = 0, total = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t born = jsni_rng_below(&rng, 30);
            items[i] = (jsni_arena_item){jsni_rng_below(&rng, 500), born,
                                         born + jsni_rng_below(&rng, 10), 0};
            sum += (items[i].floats + 15) / 16 * 16;
        }
        assert_ok(jsni_arena_place(items, count, &total));
        assert_true(total <= sum);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(items[i].offset % 16, 0);
            assert_true(items[i].offset + items[i].floats <= total);
            for (size_t k = 0; k < i; k++) {
                const int together =
                    items[i].born <= items[k].dies && items[k].born <= items[i].dies;
                const int overlap =
                    items[i].offset < items[k].offset + items[k].floats &&
                    items[k].offset < items[i].offset + items[i].floats;
                assert_false(together && overlap && items[i].floats > 0 &&
                             items[k].floats > 0);
            }
        }
    }
}

static void test_buffers_of_different_times_share(void **state)
{
    (void)state;
    jsni_arena_item items[] = {{100, 0, 1, 0}, {50, 1, 2, 0}, {100, 2, 3, 0}};
    size_t total = 0;
    assert_ok(jsni_arena_place(items, 3, &total));
    assert_int_equal(items[0].offset, 0);
    assert_int_equal(items[1].offset, 112);
    assert_int_equal(items[2].offset, 0);
    assert_int_equal(total, 112 + 64);
}

static void test_sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    jsni_arena_item items[] = {{SIZE_MAX / 10, 0, 1, 0}, {SIZE_MAX / 10, 0, 1, 0}};
    size_t total = 0;
    assert_fails(jsni_arena_place(items, 2, &total), JSN_ERR_RANGE, "do not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers_alive_together_do_not_overlap),
        cmocka_unit_test(test_buffers_of_different_times_share),
        cmocka_unit_test(test_sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
