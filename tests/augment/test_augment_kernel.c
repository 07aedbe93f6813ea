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

enum { LONGEST = 3 * 256 };

static void check_turned(const jsni_pixelkernel *k, const uint8_t *row, size_t pixels,
                         uint8_t shift)
{
    static uint8_t want[LONGEST * 3], got[LONGEST * 3];
    jsni_rgb_to_hsv(row, want, pixels);
    for (size_t i = 0; i < pixels; i++)
        want[3 * i] = (uint8_t)(want[3 * i] + shift);
    jsni_hsv_to_rgb(want, want, pixels);
    k->hue(row, got, pixels, shift);
    if (memcmp(want, got, pixels * 3) != 0)
        fail_msg("%s: %zu colours from %u %u %u on, shift %u", k->name, pixels, row[0],
                 row[1], row[2], shift);
}

/* Every colour once, then every saturation and value with every hue: so every colour with
 * every shift. In lengths that are no multiple of any vector. */
static void check_hue(const jsni_pixelkernel *k)
{
    static uint8_t row[LONGEST * 3];
    uint32_t colour = 0;
    for (uint32_t n = 0; colour < 1u << 24; n++) {
        const size_t left = (1u << 24) - colour, pixels = 1 + n * 331 % LONGEST;
        const size_t count = left < pixels ? left : pixels;
        for (size_t i = 0; i < count; i++, colour++)
            for (int c = 0; c < 3; c++)
                row[3 * i + (size_t)c] = (uint8_t)(colour >> 8 * c);
        check_turned(k, row, count, (uint8_t)(n * 7));
    }
    for (int high = 0; high < 256; high++) {
        for (int low = 0; low <= high; low++) {
            row[3 * low] = (uint8_t)high; /* a red: its hue is 0 */
            row[3 * low + 1] = row[3 * low + 2] = (uint8_t)low;
        }
        for (int shift = 0; shift < 256; shift++)
            check_turned(k, row, (size_t)high + 1, (uint8_t)shift);
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
        for (int base = 0; base < 256; base += 15) {
            k->blend(image, out, PIXELS * 3, base, factors[f]);
            for (size_t i = 0; i < PIXELS * 3; i++)
                assert_int_equal(out[i], jsni_blend(base, image[i], factors[f]));
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

static void check_mirror(const jsni_pixelkernel *k)
{
    static uint8_t out[60 * 3 + 1];
    draw_image(3);
    for (size_t pixels = 1; pixels <= 60; pixels++) {
        out[pixels * 3] = 77; /* nothing is written beyond the row */
        k->mirror(image, out, pixels);
        for (size_t i = 0; i < pixels * 3; i++)
            assert_int_equal(out[i], image[(pixels - 1 - i / 3) * 3 + i % 3]);
        assert_int_equal(out[pixels * 3], 77);
    }
}

static void test_mirror(void **state)
{
    (void)state;
    for_each(check_mirror);
}

enum { MOST_TAPS = 9, MOST_OUT = 37 };

static int settled(int64_t sum)
{
    return jsni_clip_byte((int)((sum + (1 << 21)) >> 22));
}

/* Windows at random places, with some weights below zero. */
static jsni_windows draw_windows(jsni_rng *rng, size_t in, size_t out, size_t most)
{
    static uint32_t first[MOST_OUT], count[MOST_OUT];
    static int32_t weight[MOST_OUT * MOST_TAPS];
    jsni_windows w = {MOST_TAPS, 0, first, count, weight};
    memset(weight, 0, sizeof weight);
    for (size_t i = 0; i < out; i++) {
        count[i] = 1 + jsni_rng_below(rng, (uint32_t)most);
        first[i] = jsni_rng_below(rng, (uint32_t)(in - count[i] + 1));
        for (size_t t = 0; t < count[i]; t++)
            weight[i * MOST_TAPS + t] =
                ((int32_t)jsni_rng_below(rng, 5 << 20) - (1 << 19)) / (int32_t)count[i];
        w.most = count[i] > w.most ? count[i] : w.most;
    }
    return w;
}

static void check_across(const jsni_pixelkernel *k)
{
    for (uint32_t n = 0; n < 400; n++) {
        jsni_rng rng = jsni_rng_stream(6, JSNI_RNG_TEST, n, 0, 0);
        const size_t width = MOST_TAPS + jsni_rng_below(&rng, 10);
        const size_t rows = 1 + jsni_rng_below(&rng, 18);
        const size_t out_width = 1 + jsni_rng_below(&rng, MOST_OUT);
        const size_t stride = width * 3 + n % 3;
        const jsni_windows w = draw_windows(&rng, width, out_width, 1 + n % MOST_TAPS);
        draw_image(n);
        /* Blocks of their exact size, for the sanitizer to see what is read beyond. */
        uint8_t *in = jsni_alloc(stride * (rows - 1) + width * 3, 1);
        uint8_t *out = jsni_alloc(rows * out_width * 3, 1);
        uint8_t *room = jsni_alloc(jsni_across_room(width, &w), 1);
        assert_true(in != NULL && out != NULL && room != NULL);
        memcpy(in, image, stride * (rows - 1) + width * 3);
        const jsni_across pass = {in, stride, width, rows, &w, out, out_width, room};
        k->across(&pass);
        for (size_t i = 0; i < rows * out_width * 3; i++) {
            const size_t y = i / 3 / out_width, x = i / 3 % out_width;
            int64_t sum = 0;
            for (size_t t = 0; t < w.count[x]; t++)
                sum += (int64_t)in[y * stride + (w.first[x] + t) * 3 + i % 3] *
                       w.weight[x * MOST_TAPS + t];
            assert_int_equal(out[i], settled(sum));
        }
        jsni_free(in);
        jsni_free(out);
        jsni_free(room);
    }
}

static void check_down(const jsni_pixelkernel *k)
{
    static uint8_t out[PIXELS];
    const int32_t weight[3] = {1 << 21, -(1 << 19), 3 << 20};
    draw_image(1);
    for (size_t bytes = 1; bytes <= PIXELS; bytes += 59) {
        k->down(image, PIXELS, weight, 3, out, bytes);
        for (size_t i = 0; i < bytes; i++) {
            int64_t sum = 0;
            for (size_t t = 0; t < 3; t++)
                sum += (int64_t)image[t * PIXELS + i] * weight[t];
            assert_int_equal(out[i], settled(sum));
        }
    }
}

static void test_weighted_sums(void **state)
{
    (void)state;
    for_each(check_across);
    for_each(check_down);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),    cmocka_unit_test(test_hue),
        cmocka_unit_test(test_blends),        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_weighted_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
