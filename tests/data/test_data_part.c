/* Parts of JPEGs: every pixel is that of the whole image, over subsamplings, kinds of file,
 * odd sizes, orientations and reduced sizes; the reduced sizes against a closed form;
 * damaged files. */
#define _POSIX_C_SOURCE 200809L
#include "support/support.h"

#include <math.h>
#include <turbojpeg.h>

#include "core/alloc.h"
#include "core/image_part.h"
#include "core/rng.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "data/part_fixture.h"
#include "jensen/image_file.h"

enum { MOST = 512 };

static const double pi = 3.14159265358979323846;

static void check_file(jsni_image_decoder *decoder, const jpeg_file *file, size_t width,
                       size_t height, size_t boxes, jsni_rng *rng)
{
    for (unsigned d = 1; d <= 8; d *= 2) {
        jsni_image_part whole = {0}, part = {0};
        assert_ok(jsni_image_decoder_part(decoder, file->bytes, file->length, "w.jpg",
                                          part_all_at, &d, &whole));
        assert_int_equal(whole.width, width);
        assert_int_equal(whole.height, height);
        assert_int_equal(whole.divisor, d);
        assert_int_equal(whole.image.width, (width + d - 1) / d);
        assert_int_equal(whole.image.height, (height + d - 1) / d);
        for (size_t i = 0; i < boxes; i++) {
            jsni_image_want want = {part_below(rng, width), part_below(rng, height), 0,
                                    0, d};
            want.width = 1 + part_below(rng, width - want.left);
            want.height = 1 + part_below(rng, height - want.top);
            assert_ok(jsni_image_decoder_part(decoder, file->bytes, file->length,
                                              "p.jpg", part_give, &want, &part));
            if (!part_holds(&part, &want) || !part_agrees(&part, &whole))
                fail_msg("%zux%zu: %zux%zu at %zu,%zu divided by %u differs", width,
                         height, want.width, want.height, want.left, want.top, d);
        }
        if (d == 1) {
            jsn_image plain = {0};
            assert_ok(jsni_image_decode(&plain, file->bytes, file->length, "f.jpg"));
            assert_memory_equal(plain.data, whole.image.data, width * height * 3);
            jsn_image_release(&plain);
        }
        jsn_image_release(&whole.image);
        jsn_image_release(&part.image);
    }
}

static void test_parts_are_the_pixels_of_the_whole(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{131, 97}, {64, 48}, {200, 150}, {17, 33},
                                      {1, 1},    {3, 70},  {90, 2},    {48, 49}};
    static const int samplings[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420,
                                    TJSAMP_440, TJSAMP_411, TJSAMP_GRAY};
    static uint8_t pixels[MOST * MOST * 3];
    jsni_image_decoder *decoder = NULL;
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_AUGMENT, 0, 0, 0);
    assert_ok(jsni_image_decoder_create(&decoder));
    for (int kind = 0; kind < 3; kind++) {
        /* The library's way to write restart markers. */
        if (kind == 2)
            assert_int_equal(setenv("TJ_RESTART", "3B", 1), 0);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (size_t k = 0; k < sizeof samplings / sizeof samplings[0]; k++) {
                const size_t width = sizes[s][0], height = sizes[s][1];
                part_fill(pixels, width * height * 3, s * 10 + k);
                jpeg_file file = part_encode(pixels, width, height, samplings[k],
                                             kind == 1 ? TJFLAG_PROGRESSIVE : 0, 1);
                check_file(decoder, &file, width, height, 25, &rng);
                free(file.bytes);
            }
    }
    (void)unsetenv("TJ_RESTART");
    jsni_image_decoder_destroy(decoder);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_parts_of_turned_images_are_upright(void **state)
{
    (void)state;
    static uint8_t pixels[MOST * MOST * 3];
    jsni_image_decoder *decoder = NULL;
    jsni_rng rng = jsni_rng_stream(2, JSNI_RNG_AUGMENT, 0, 0, 0);
    assert_ok(jsni_image_decoder_create(&decoder));
    part_fill(pixels, 131 * 75 * 3, 3);
    for (int o = 1; o <= 8; o++) {
        jpeg_file file = part_encode(pixels, 131, 75, TJSAMP_420, 0, o);
        check_file(decoder, &file, o >= 5 ? 75 : 131, o >= 5 ? 131 : 75, 60, &rng);
        free(file.bytes);
    }
    jsni_image_decoder_destroy(decoder);
}

/* A wave of 16 pixels is one DCT coefficient in every block, so a reduced size holds the
 * same wave at the centres of its pixels, and the average once that coefficient is cut
 * off: a closed form. The error: quantisation by 1 (below half a level), conversion to
 * YCbCr and back and two roundings, each half a level at most in luma and 1.8 times that
 * in chroma, which is constant here: 3 levels in all. A picture shifted by one
 * full-size pixel is off by up to 45 * pi / 8 = 17. */
static double wave(double x)
{
    return 128.0 + 45.0 * cos((x + 0.5) * pi / 8.0);
}

static void test_reduced_sizes_are_the_picture_at_their_pixels(void **state)
{
    (void)state;
    enum { W = 100, H = 44 };
    static uint8_t pixels[W * H * 3];
    jsni_image_decoder *decoder = NULL;
    assert_ok(jsni_image_decoder_create(&decoder));
    for (size_t i = 0; i < W * H * 3; i++)
        pixels[i] = (uint8_t)lrint(wave((double)(i / 3 % W)));
    for (int o = 1; o <= 8; o++)
        for (unsigned d = 2; d <= 8; d *= 2) {
            jpeg_file file = part_encode(pixels, W, H, TJSAMP_420, 0, o);
            jsni_image_want want = {8, 9, 30, 31, d};
            jsni_image_part part = {0};
            assert_ok(jsni_image_decoder_part(decoder, file.bytes, file.length, "w.jpg",
                                              part_give, &want, &part));
            assert_true(part_holds(&part, &want));
            for (size_t i = 0; i < part.image.width * part.image.height; i++) {
                const double x = (double)part.left +
                                 d * ((double)(i % part.image.width) + 0.5) - 0.5;
                const double y =
                    (double)part.top + d * ((double)(i / part.image.width) + 0.5) - 0.5;
                const double along = o >= 5 ? y : x;
                const double stored =
                    o == 2 || o == 3 || o == 7 || o == 8 ? W - 1 - along : along;
                /* The last block holds what the encoder pads with. */
                if (stored < 96 - d)
                    assert_close(part.image.data[3 * i], d == 8 ? 128.0 : wave(stored),
                                 3.0, 0.0);
            }
            jsn_image_release(&part.image);
            free(file.bytes);
        }
    jsni_image_decoder_destroy(decoder);
}

static void test_wants_outside_the_image_are_refused(void **state)
{
    (void)state;
    uint8_t pixels[20 * 10 * 3] = {0};
    static const jsni_image_want bad[] = {
        {0, 0, 0, 1, 1},        {0, 0, 1, 0, 1},        {20, 0, 1, 1, 1},
        {0, 10, 1, 1, 1},       {1, 0, 20, 1, 1},       {0, 5, 1, 6, 1},
        {0, 0, 1, 1, 0},        {0, 0, 1, 1, 3},        {0, 0, 1, 1, 16},
        {SIZE_MAX, 0, 2, 1, 1}, {5, 0, SIZE_MAX, 1, 1},
    };
    jpeg_file file = part_encode(pixels, 20, 10, TJSAMP_420, 0, 1);
    jsni_image_decoder *decoder = NULL;
    jsni_image_part part = {0};
    assert_ok(jsni_image_decoder_create(&decoder));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        jsni_image_want want = bad[i];
        assert_fails(jsni_image_decoder_part(decoder, file.bytes, file.length, "b.jpg",
                                             part_give, &want, &part),
                     JSN_ERR_RANGE, "b.jpg: no part of");
    }
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    free(file.bytes);
}

/* Other formats, and CMYK, come whole; what is wanted is in it. */
static void test_other_kinds_come_whole(void **state)
{
    (void)state;
    static const char *const names[] = {"cmyk.jpg", "rgb16.png", "rgb.bmp", "plain.ppm",
                                        "lossy.webp"};
    jsni_image_decoder *decoder = NULL;
    assert_ok(jsni_image_decoder_create(&decoder));
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        static char bytes[1 << 16];
        char path[400];
        (void)snprintf(path, sizeof path, JSN_TEST_GOLDEN "/images/%s", names[n]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t length = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        jsn_image whole = {0};
        jsni_image_part part = {0};
        jsni_image_want want = {1, 1, 2, 2, 1};
        const jsn_status status = jsni_image_decode(&whole, bytes, length, names[n]);
        if (status == JSN_ERR_UNSUPPORTED)
            continue;
        assert_ok(status);
        assert_ok(jsni_image_decoder_part(decoder, bytes, length, names[n], part_give,
                                          &want, &part));
        assert_int_equal(part.divisor, 1);
        assert_int_equal(part.left, 0);
        assert_int_equal(part.image.width, part.width);
        assert_memory_equal(part.image.data, whole.data, part.width * part.height * 3);
        jsn_image_release(&whole);
        jsn_image_release(&part.image);
    }
    jsni_image_decoder_destroy(decoder);
}

/* Every prefix and every changed byte is read or refused; the sanitizers watch. */
static void test_damaged_files_are_refused_or_read_never_worse(void **state)
{
    (void)state;
    static uint8_t pixels[40 * 36 * 3];
    jsni_image_decoder *decoder = NULL;
    jsni_image_part part = {0};
    assert_ok(jsni_image_decoder_create(&decoder));
    part_fill(pixels, sizeof pixels, 9);
    for (int kind = 0; kind < 2; kind++) {
        jpeg_file file = part_encode(pixels, 40, 36, TJSAMP_420,
                                     kind == 1 ? TJFLAG_PROGRESSIVE : 0, 6);
        for (size_t i = 0; i < file.length; i++) {
            jsni_image_want want = {3, 8, 20, 14, 1u << i % 4};
            uint8_t *cut = malloc(i + 1);
            assert_non_null(cut);
            memcpy(cut, file.bytes, i);
            (void)!jsni_image_decoder_part(decoder, cut, i, "cut", part_give, &want,
                                           &part);
            free(cut);
            const uint8_t old = file.bytes[i];
            file.bytes[i] ^= 0x5a;
            (void)!jsni_image_decoder_part(decoder, file.bytes, file.length, "changed",
                                           part_give, &want, &part);
            file.bytes[i] = old;
        }
        /* The decoder is as good as new after all of that. */
        jsni_image_want want = {0, 0, 5, 5, 1};
        assert_ok(jsni_image_decoder_part(decoder, file.bytes, file.length, "whole",
                                          part_give, &want, &part));
        free(file.bytes);
    }
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    assert_int_equal(jsni_alloc_live(), 0);
}

static jsn_status read_one(void *user)
{
    const jpeg_file *file = user;
    jsni_image_want want = {3, 8, 20, 14, 2};
    jsni_image_decoder *decoder = NULL;
    jsni_image_part part = {0};
    jsn_status status = jsni_image_decoder_create(&decoder);
    if (status == JSN_OK)
        status = jsni_image_decoder_part(decoder, file->bytes, file->length, "m.jpg",
                                         part_give, &want, &part);
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    return status;
}

static void test_parts_survive_lack_of_memory(void **state)
{
    (void)state;
    static uint8_t pixels[40 * 36 * 3];
    part_fill(pixels, sizeof pixels, 9);
    jpeg_file file = part_encode(pixels, 40, 36, TJSAMP_420, 0, 6);
    support_walk_allocations(read_one, &file);
    free(file.bytes);
}

/* The checker must notice one wrong byte and a shift. */
static void test_the_comparison_notices_a_wrong_pixel(void **state)
{
    (void)state;
    uint8_t a[4 * 4 * 3], b[2 * 2 * 3];
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = (uint8_t)i;
    const jsni_image_part whole = {{a, 4, 4}, 4, 4, 0, 0, 1};
    jsni_image_part part = {{b, 2, 2}, 4, 4, 1, 2, 1};
    memcpy(b, a + (2 * 4 + 1) * 3, 6);
    memcpy(b + 6, a + (3 * 4 + 1) * 3, 6);
    assert_true(part_agrees(&part, &whole));
    b[11] ^= 1;
    assert_false(part_agrees(&part, &whole));
    b[11] ^= 1;
    part.left = 2;
    assert_false(part_agrees(&part, &whole));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_the_pixels_of_the_whole),
        cmocka_unit_test(test_parts_of_turned_images_are_upright),
        cmocka_unit_test(test_reduced_sizes_are_the_picture_at_their_pixels),
        cmocka_unit_test(test_wants_outside_the_image_are_refused),
        cmocka_unit_test(test_other_kinds_come_whole),
        cmocka_unit_test(test_damaged_files_are_refused_or_read_never_worse),
        cmocka_unit_test(test_parts_survive_lack_of_memory),
        cmocka_unit_test(test_the_comparison_notices_a_wrong_pixel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
