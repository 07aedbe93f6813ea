/* The table of operations: what RandAugment may draw has a form that a device can run, and
 * an operation's fast loop gives the bytes of its definition, pixel by pixel. A new
 * operation is tested without a line here; golden bytes are in test_augment_golden.c. */
#include "support/support.h"

#include "augment/operation.h"
#include "augment/pixel_op.h"
#include "core/rng.h"

enum { WIDTH = 13, HEIGHT = 9, BYTES = WIDTH * HEIGHT * 3 };

static void draw_image(uint8_t *image, uint32_t number)
{
    jsni_rng rng = jsni_rng_stream(7, JSNI_RNG_TEST, number, 0, 0);
    const uint32_t span = 2 + jsni_rng_below(&rng, 255);
    for (size_t i = 0; i < BYTES; i++)
        image[i] = (uint8_t)(255 - jsni_rng_below(&rng, span));
}

static void test_drawn_operations_come_first_and_have_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < JSNI_PIXEL_COUNT; i++) {
        const jsni_operation *o = jsni_operation_at(i);
        assert_ptr_equal(&o->info, jsn_operation_describe(i));
        if (o->info.randaugment != (i < JSNI_PIXEL_DRAWN))
            fail_msg("%s: RandAugment's operations have a range, the others 0 and 0",
                     o->info.name);
        if (o->info.randaugment && o->form == JSNI_FORM_IMAGE)
            fail_msg("%s is drawn, and no device can run it", o->info.name);
        assert_int_equal(o->form == JSNI_FORM_TABLE, o->fill != NULL);
        assert_int_equal(o->form == JSNI_FORM_WARP, o->resolve != NULL);
        assert_int_equal(o->form == JSNI_FORM_PIXEL, o->each != NULL);
    }
    assert_null(jsni_operation_at(JSNI_PIXEL_COUNT));
    assert_null(jsn_operation_describe(JSNI_PIXEL_COUNT));
}

static void test_fast_loops_have_the_bytes_of_the_definition(void **state)
{
    (void)state;
    uint8_t in[BYTES], want[BYTES], got[BYTES];
    size_t compared = 0;
    for (size_t i = 0; i < JSNI_PIXEL_COUNT; i++) {
        const jsni_operation *o = jsni_operation_at(i);
        for (uint32_t n = 0; o->form == JSNI_FORM_PIXEL && n < 30; n++) {
            const double part = n / 29.0;
            const double value = o->info.low + part * (o->info.high - o->info.low);
            jsni_pixel_op op;
            jsni_pixel_op_resolve(&op, (int)i, value, 1, WIDTH, HEIGHT, part * WIDTH,
                                  (1 - part) * HEIGHT);
            draw_image(in, n);
            o->each(&op, in, want, WIDTH, HEIGHT);
            jsni_pixel_op_run(&op, in, got, WIDTH, HEIGHT);
            if (memcmp(got, want, sizeof got) != 0)
                fail_msg("%s with %g: not the bytes of its definition", o->info.name,
                         value);
            compared++;
        }
    }
    assert_true(compared >= 90);
}

/* A table made for the image, applied to it, is the operation. */
static void test_tables_are_the_operation(void **state)
{
    (void)state;
    uint8_t in[BYTES], want[BYTES], got[BYTES], table[3][256];
    for (size_t i = 0; i < JSNI_PIXEL_COUNT; i++) {
        const jsni_operation *o = jsni_operation_at(i);
        jsni_pixel_op op;
        jsni_pixel_op_resolve(&op, (int)i, o->info.high, 1, WIDTH, HEIGHT, 3, 3);
        draw_image(in, (uint32_t)i);
        const bool is_table = jsni_pixel_op_table(&op, in, WIDTH * HEIGHT, table);
        assert_int_equal(is_table, o->form == JSNI_FORM_TABLE);
        if (!is_table)
            continue;
        for (size_t k = 0; k < BYTES; k++)
            want[k] = table[k % 3][in[k]];
        jsni_pixel_op_run(&op, in, got, WIDTH, HEIGHT);
        assert_memory_equal(got, want, sizeof got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_operations_come_first_and_have_ranges),
        cmocka_unit_test(test_fast_loops_have_the_bytes_of_the_definition),
        cmocka_unit_test(test_tables_are_the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
