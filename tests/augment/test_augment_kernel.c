/* The pixel loops of every instruction set against the definitions, and against each
 * other. */
#include "support/support.h"

#include "augment/pixel_op.h"
#include "augment/pixelkernel.h"
#include "core/alloc.h"
#include "core/rng.h"

enum { PIXELS = 1003 }; /* not a multiple of any vector */

static uint8_t image[PIXELS * 3];

static void draw_image(uint32_t number)
{
    jsni_rng rng = jsni_rng_stream(5, JSNI_RNG_TEST, number, 0, 0);
    const uint32_t span = 2 + jsni_rng_below(&rng, 255);
    for (size_t i = 0; i < sizeof image; i++)
        image[i] = (uint8_t)(255 - jsni_rng_below(&rng, span));
}

/* Calls check(kernel) for every kernel that this machine can run. */
static void for_each(void (*check)(const jsni_pixelkernel *))
{
    size_t ran = 0;
    for (size_t i = 0; jsni_pixelkernel_at(i) != NULL; i++) {
        const jsni_pixelkernel *k = jsni_pixelkernel_at(i);
        if (!jsni_isa_usable(k->isa)) {
            print_message("kernel %s skipped: this machine cannot run it\n", k->name);
            continue;
        }
        check(k);
        ran++;
    }
    assert_true(ran > 0);
}

static void check_statistics(const jsni_pixelkernel *k)
{
    for (uint32_t n = 0; n < 20; n++) {
        draw_image(n);
        const size_t pixels = n % 2 ? PIXELS : 1 + n;
        uint8_t low[3], high[3];
        uint32_t sum = 0;
        k->ranges(image, pixels, low, high);
        for (size_t c = 0; c < 3; c++) {
            int least = 255, most = 0;
            for (size_t i = c; i < pixels * 3; i += 3) {
                least = image[i] < least ? image[i] : least;
                most = image[i] > most ? image[i] : most;
            }
            assert_int_equal(low[c], least);
            assert_int_equal(high[c], most);
        }
        for (size_t i = 0; i < pixels; i++)
            sum += jsni_gray(image[3 * i], image[3 * i + 1], image[3 * i + 2]);
        assert_int_equal(k->gray_sum(image, pixels), sum);
    }
}

static void test_statistics(void **state)
{
    (void)state;
    for_each(check_statistics);
}

/* Colours on a lattice that holds all greys and all corners. */
static void check_hue(const jsni_pixelkernel *k)
{
    enum { STEP_R = 3, STEP_G = 17 };
    static uint8_t row[256 * 3], want[256 * 3], got[256 * 3];
    for (int r = 0; r < 256; r += STEP_R)
        for (int g = 0; g < 256; g += STEP_G) {
            for (int b = 0; b < 256; b++) {
                row[3 * b] = (uint8_t)r;
                row[3 * b + 1] = (uint8_t)g;
                row[3 * b + 2] = (uint8_t)b;
            }
            const uint8_t shift = (uint8_t)(r * 7 + g);
            jsni_rgb_to_hsv(row, want, 256);
            for (int b = 0; b < 256; b++)
                want[3 * b] = (uint8_t)(want[3 * b] + shift);
            jsni_hsv_to_rgb(want, want, 256);
            k->hue(row, got, 256, shift);
            assert_memory_equal(want, got, sizeof got);
            /* Another order of the channels, and a length that is no block. */
            for (int b = 0; b < 256; b++) {
                const uint8_t kept = row[3 * b];
                row[3 * b] = row[3 * b + 2];
                row[3 * b + 2] = kept;
            }
            jsni_rgb_to_hsv(row, want, 201);
            jsni_hsv_to_rgb(want, want, 201);
            k->hue(row, got, 201, 0);
            assert_memory_equal(want, got, 201 * 3);
        }
}

static void test_hue(void **state)
{
    (void)state;
    for_each(check_hue);
}

static void check_blends(const jsni_pixelkernel *k)
{
    static const float factors[] = {0.0f, 0.28f, 0.999f, 1.0f, 1.4f, 1.9f, -0.5f};
    static uint8_t out[PIXELS * 3];
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
        draw_image((uint32_t)f);
        k->color(image, out, PIXELS, factors[f]);
        for (size_t i = 0; i < PIXELS * 3; i++) {
            const uint8_t *p = image + i / 3 * 3;
            const int gray = jsni_gray(p[0], p[1], p[2]);
            assert_int_equal(out[i], jsni_blend(gray, image[i], factors[f]));
        }
        enum { ROW = PIXELS };
        k->sharpen(image, image + ROW, image + 2 * ROW, out, ROW, factors[f]);
        for (size_t i = 3; i < ROW - 3; i++) {
            int sum = 0;
            for (size_t y = 0; y < 3; y++)
                sum += image[y * ROW + i - 3] + image[y * ROW + i] +
                       image[y * ROW + i + 3];
            const int base = (int)((sum + 4 * image[ROW + i]) / 13.0 + 0.5);
            assert_int_equal(out[i], jsni_blend(base, image[ROW + i], factors[f]));
        }
    }
}

static void test_blends(void **state)
{
    (void)state;
    for_each(check_blends);
}

static void check_sums(const jsni_pixelkernel *k)
{
    static uint8_t out[PIXELS];
    const int32_t weight[3] = {1 << 21, -(1 << 19), 3 << 20};
    draw_image(1);
    k->across(image, weight, 3, out);
    for (size_t i = 0; i < JSNI_RESIZE_LANES; i++) {
        int64_t sum = 1 << 21;
        for (size_t t = 0; t < 3; t++)
            sum += (int64_t)image[t * JSNI_RESIZE_LANES + i] * weight[t];
        assert_int_equal(out[i], jsni_clip_byte((int)(sum >> 22)));
    }
    k->down(image, PIXELS, weight, 3, out, PIXELS);
    for (size_t i = 0; i < PIXELS; i++) {
        int64_t sum = 1 << 21;
        for (size_t t = 0; t < 3; t++)
            sum += (int64_t)image[t * PIXELS + i] * weight[t];
        assert_int_equal(out[i], jsni_clip_byte((int)(sum >> 22)));
    }
}

static void test_weighted_sums(void **state)
{
    (void)state;
    for_each(check_sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_hue),
        cmocka_unit_test(test_blends),
        cmocka_unit_test(test_weighted_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
