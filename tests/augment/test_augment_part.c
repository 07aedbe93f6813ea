/* Pipelines on parts of an image: what is asked for, the same values from it as from the
 * whole, and coarse images against a picture whose resizing is known. */
#include "support/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "augment/augment_part.h"
#include "augment/image_resize.h"
#include "core/alloc.h"
#include "core/image_part.h"
#include "core/rng.h"
#include "jensen/augment.h"

enum { OUT = 32, PLANES = 3 * OUT * OUT };

static const float mean[3] = {0.0f, 0.0f, 0.0f};
static const float std[3] = {1.0f, 1.0f, 1.0f};

/* image.resize(size, BILINEAR, box=box) of Pillow 9.4, of the 9x7 image that the test
 * draws: boxes that cut pixels. */
static const struct {
    double left, top, right, bottom;
    size_t width, height;
    uint8_t want[108];
} rows[] = {
    {0.5, 0.25, 8.25, 6.75, 5, 4, {93,  135, 165, 144, 148, 135, 124, 140, 163, 149,
                                   143, 139, 123, 127, 104, 152, 130, 123, 141, 137,
                                   127, 146, 144, 120, 150, 100, 145, 117, 144, 146,
                                   120, 173, 127, 129, 137, 136, 146, 90,  136, 119,
                                   131, 163, 140, 88,  141, 104, 157, 160, 120, 126,
                                   177, 167, 112, 144, 135, 132, 121, 137, 129, 160}},
    {0.75, 0, 9, 6.5, 12, 3, {101, 126, 160, 120, 139, 161, 120, 171, 118, 151, 132,
                              147, 146, 127, 164, 107, 158, 163, 139, 158, 127, 152,
                              137, 131, 148, 111, 154, 112, 143, 111, 123, 124, 97,
                              148, 91,  97,  134, 141, 133, 148, 145, 126, 110, 161,
                              88,  155, 124, 133, 161, 113, 139, 125, 127, 105, 141,
                              124, 155, 145, 109, 162, 138, 91,  142, 115, 106, 141,
                              119, 135, 139, 130, 161, 136, 118, 171, 137, 105, 158,
                              157, 85,  138, 176, 150, 119, 167, 175, 100, 153, 156,
                              85,  134, 137, 154, 125, 123, 146, 132, 118, 98,  151,
                              136, 120, 173, 157, 120, 145, 173, 112, 106}},
};

static void test_cut_pixels_are_resized_as_by_pillow(void **state)
{
    (void)state;
    uint8_t in[9 * 7 * 3], out[108];
    for (size_t i = 0; i < sizeof in; i++) {
        const size_t x = i / 3 % 9, y = i / 27;
        in[i] = (uint8_t)((x * 37 + y * 91 + i % 3 * 53 + x * y * 13) % 256);
    }
    jsni_resize_room room = {0};
    for (size_t i = 0; i < 2; i++) {
        const jsni_resize_from from = {in,
                                       27,
                                       9,
                                       7,
                                       rows[i].left,
                                       rows[i].top,
                                       rows[i].right - rows[i].left,
                                       rows[i].bottom - rows[i].top};
        const size_t width = rows[i].width, height = rows[i].height;
        const jsni_resize_to all = {width, height, 0, 0, width, height};
        assert_ok(jsni_resize_part(&room, &from, JSN_FILTER_BILINEAR, &all, out));
        assert_memory_equal(out, rows[i].want, width * height * 3);
        /* and every rectangle of it */
        for (size_t k = 0; k < width * height; k++) {
            const size_t x = k % width, y = k / width;
            const jsni_resize_to part = {width, height,    x,
                                         y,     width - x, 1 + k % (height - y)};
            assert_ok(jsni_resize_part(&room, &from, JSN_FILTER_BILINEAR, &part, out));
            for (size_t j = 0; j < part.down; j++)
                assert_memory_equal(out + j * part.across * 3,
                                    rows[i].want + ((y + j) * width + x) * 3,
                                    part.across * 3);
        }
    }
    jsni_resize_room_release(&room);
}

static jsn_image noise(size_t width, size_t height)
{
    jsn_image image;
    assert_ok(jsn_image_create(&image, width, height));
    jsni_rng rng = jsni_rng_stream(11, JSNI_RNG_TEST, 1, 0, 0);
    for (size_t i = 0; i < width * height * 3; i++)
        image.data[i] = (uint8_t)jsni_rng_below(&rng, 256);
    return image;
}

/* The wanted pixels of an image and `more` beyond them where there are any. */
static jsni_image_part cut(const jsn_image *from, const jsni_image_want *want,
                           size_t more)
{
    const size_t left = want->left > more ? want->left - more : 0;
    const size_t top = want->top > more ? want->top - more : 0;
    const size_t right = want->left + want->width + more < from->width
                             ? want->left + want->width + more
                             : from->width;
    const size_t bottom = want->top + want->height + more < from->height
                              ? want->top + want->height + more
                              : from->height;
    jsni_image_part part = {
        {0}, from->width, from->height, (ptrdiff_t)left, (ptrdiff_t)top, 1};
    assert_ok(jsn_image_create(&part.image, right - left, bottom - top));
    for (size_t y = top; y < bottom; y++)
        memcpy(part.image.data + (y - top) * (right - left) * 3,
               from->data + (y * from->width + left) * 3, (right - left) * 3);
    return part;
}

static void test_parts_give_the_values_of_the_whole(void **state)
{
    (void)state;
    static const char *const specs[] = {"jitter",
                                        "fit+strong",
                                        "resize+centercrop",
                                        "food101n",
                                        "resizedcrop:least=0.5+cutout",
                                        "strong",
                                        "none"};
    static float a[PLANES], b[PLANES];
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    size_t smaller = 0;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        jsn_image image = i < 5 ? noise(83, 61) : noise(OUT, OUT);
        jsn_augment *p = NULL;
        assert_ok(jsn_augment_create(&p, specs[i], OUT, OUT, mean, std));
        for (uint32_t k = 0; k < 40; k++) {
            jsn_augment_key key = {i, 3, k, 5, 0};
            jsni_image_want want;
            const uint32_t views = 1 + k % 3;
            assert_ok(
                jsni_augment_want(p, image.width, image.height, &key, views, 0, &want));
            assert_int_equal(want.divisor, 1);
            jsni_image_part part = cut(&image, &want, k % 4);
            smaller += part.image.width < image.width;
            for (uint32_t v = 0; v < views; v++, key.view++) {
                assert_ok(jsn_augment_apply(p, scratch, &image, &key, a));
                assert_ok(jsni_augment_apply_part(p, scratch, &part, &key, b));
                assert_memory_equal(a, b, sizeof a);
            }
            jsn_image_release(&part.image);
        }
        jsn_augment_destroy(p);
        jsn_image_release(&image);
    }
    assert_true(smaller > 60);
    jsn_augment_scratch_destroy(scratch);
    assert_int_equal(jsni_alloc_live(), 0);
}

enum { W = 403, H = 301 };

/* A ramp: red rises with x, green with y, half a level a pixel; blue is constant. Pixels
 * that stand for d x d others have their average, which is the ramp at their centre. */
static jsni_image_part ramp(ptrdiff_t left, ptrdiff_t top, size_t width, size_t height,
                            unsigned d)
{
    jsni_image_part part = {{0}, W, H, left, top, d};
    assert_ok(jsn_image_create(&part.image, width, height));
    for (size_t i = 0; i < width * height; i++) {
        const double x = (double)left + d * ((double)(i % width) + 0.5);
        const double y = (double)top + d * ((double)(i / width) + 0.5);
        part.image.data[3 * i] = (uint8_t)lrint(20 + 0.5 * x);
        part.image.data[3 * i + 1] = (uint8_t)lrint(20 + 0.5 * y);
        part.image.data[3 * i + 2] = 77;
    }
    return part;
}

/* Largest difference in levels between two results. */
static double worst(const float *a, const float *b)
{
    double most = 0;
    for (size_t i = 0; i < PLANES; i++)
        most = support_worse(most, fabs(255.0 * (double)(a[i] - b[i])));
    return most;
}

/* What a crop in the middle leaves of a resized image is made alone; it has the pixels that
 * the whole of it has there. */
static void check_middle(jsn_augment_scratch *scratch, const jsn_image *image,
                         size_t side, bool cubic)
{
    static float got[PLANES];
    char spec[80];
    jsn_augment *p = NULL;
    jsn_image all;
    const bool wide = image->width >= image->height;
    const size_t shorter = wide ? image->height : image->width;
    const size_t longer = side * (wide ? image->width : image->height) / shorter;
    (void)snprintf(spec, sizeof spec, "resize:size=%zu,filter=%s+centercrop", side,
                   cubic ? "bicubic" : "bilinear");
    assert_ok(jsn_augment_create(&p, spec, OUT, OUT, mean, std));
    assert_ok(jsn_augment_apply(p, scratch, image, &(jsn_augment_key){0}, got));
    assert_ok(jsn_image_create(&all, wide ? longer : side, wide ? side : longer));
    assert_ok(jsn_image_resize(image, NULL,
                               cubic ? JSN_FILTER_BICUBIC : JSN_FILTER_BILINEAR, &all));
    const size_t left = (size_t)nearbyint((double)(all.width - OUT) / 2.0);
    const size_t top = (size_t)nearbyint((double)(all.height - OUT) / 2.0);
    for (size_t i = 0; i < PLANES; i++) {
        const size_t c = i / (OUT * OUT), y = i / OUT % OUT, x = i % OUT;
        const uint8_t byte = all.data[((y + top) * all.width + x + left) * 3 + c];
        assert_true(got[i] == (float)byte / 255.0f);
    }
    jsn_image_release(&all);
    jsn_augment_destroy(p);
}

static void test_the_middle_of_a_resized_image_is_the_same_made_alone(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{83, 61}, {61, 83},   {32, 32}, {40, 32},
                                      {32, 41}, {300, 47},  {9, 200}, {36, 36},
                                      {33, 90}, {129, 128}, {1, 1},   {3, 2}};
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        jsn_image image = noise(sizes[i][0], sizes[i][1]);
        for (size_t side = OUT; side < OUT + 12; side += 1 + side % 3)
            for (int cubic = 0; cubic < 2; cubic++)
                check_middle(scratch, &image, side, cubic);
        jsn_image_release(&image);
    }
    /* and where there is no such middle, the sentence is that of the crop */
    jsn_augment *p = NULL;
    jsn_image image = noise(50, 40);
    static float got[PLANES];
    assert_ok(jsn_augment_create(&p, "resize:size=20+centercrop", OUT, OUT, mean, std));
    assert_int_equal(jsn_augment_apply(p, scratch, &image, &(jsn_augment_key){0}, got),
                     JSN_ERR_DATA);
    assert_string_equal(jsn_last_error(),
                        "centercrop: the image is 25x20, smaller than 32x32");
    jsn_augment_destroy(p);
    jsn_image_release(&image);
    jsn_augment_scratch_destroy(scratch);
    assert_int_equal(jsni_alloc_live(), 0);
}

/* Resizing keeps a ramp but at the edges, where windows are cut on one side: that moves
 * them by a tenth of their width, 8 pixels at most here. With half a level a pixel: 0.4
 * levels, for either image, and three roundings of half a level each: 2.3 at most
 * between them. A shift by one coarse pixel of 8 is 4 levels. */
static void test_coarse_images_give_the_same_picture(void **state)
{
    (void)state;
    static const char *const specs[] = {"resizedcrop", "fit",
                                        "resize:size=34+centercrop"};
    static float a[PLANES], b[PLANES];
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    jsni_image_part whole = ramp(0, 0, W, H, 1);
    size_t coarse[9] = {0};
    for (size_t i = 0; i < 3; i++) {
        jsn_augment *p = NULL;
        assert_ok(jsn_augment_create(&p, specs[i], OUT, OUT, mean, std));
        for (uint32_t k = 0; k < 60; k++) {
            const jsn_augment_key key = {i, 1, k, 0, 0};
            jsni_image_want want;
            assert_ok(jsni_augment_want(p, W, H, &key, 1, 1.0, &want));
            const unsigned d = want.divisor;
            coarse[d]++;
            /* As a decoder would: from a coarse pixel on, in k % 2 from the far edge. */
            const ptrdiff_t edge_x = k % 2 ? -(ptrdiff_t)((d - W % d) % d) : 0;
            const ptrdiff_t edge_y = k % 2 ? -(ptrdiff_t)((d - H % d) % d) : 0;
            jsni_image_part part =
                ramp(edge_x, edge_y, (W + d - 1) / d, (H + d - 1) / d, d);
            assert_ok(jsni_augment_apply_part(p, scratch, &whole, &key, a));
            assert_ok(jsni_augment_apply_part(p, scratch, &part, &key, b));
            if (!(worst(a, b) <= 2.3))
                fail_msg("%s, divided by %u: %g levels", specs[i], d, worst(a, b));
            if (d == 8) {
                /* The check can tell. */
                jsn_image_release(&part.image);
                part = ramp(edge_x + 8, edge_y, (W + 7) / 8, (H + 7) / 8, 8);
                part.left -= 8;
                assert_ok(jsni_augment_apply_part(p, scratch, &part, &key, b));
                assert_true(worst(a, b) > 2.3);
            }
            jsn_image_release(&part.image);
        }
        jsn_augment_destroy(p);
    }
    assert_true(coarse[2] > 0 && coarse[4] > 0 && coarse[8] > 0);
    jsn_image_release(&whole.image);
    jsn_augment_scratch_destroy(scratch);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_density_says_how_coarse(void **state)
{
    (void)state;
    static const struct {
        size_t width, height;
        double density;
        unsigned divisor;
    } cases[] = {{64, 64, 1, 2},   {63, 64, 1, 1},    {64, 63, 1, 1},
                 {128, 128, 1, 4}, {256, 256, 1, 8},  {1000, 600, 1, 8},
                 {64, 64, 0, 1},   {48, 48, 0.75, 2}, {47, 47, 0.75, 1},
                 {32, 32, 0.5, 2}, {31, 31, 0.5, 1}};
    jsn_augment *p = NULL;
    const jsn_augment_key key = {0};
    jsni_image_want want;
    assert_ok(jsn_augment_create(&p, "fit", OUT, OUT, mean, std));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_ok(jsni_augment_want(p, cases[i].width, cases[i].height, &key, 1,
                                    cases[i].density, &want));
        assert_int_equal(want.divisor, cases[i].divisor);
    }
    assert_fails(jsni_augment_want(p, 0, 5, &key, 1, 1, &want), JSN_ERR_ARGUMENT, "");
    assert_fails(jsni_augment_want(p, 5, 5, &key, 1, (double)NAN, &want),
                 JSN_ERR_ARGUMENT, "");
    assert_fails(jsni_augment_want(NULL, 5, 5, &key, 1, 1, &want), JSN_ERR_ARGUMENT,
                 "");
    jsn_augment_destroy(p);
}

static void test_parts_that_lack_something_are_refused(void **state)
{
    (void)state;
    static float out[PLANES];
    const jsn_augment_key key = {0};
    jsn_augment_scratch *scratch = NULL;
    jsn_augment *fit = NULL, *weak = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    assert_ok(jsn_augment_create(&fit, "fit", OUT, OUT, mean, std));
    assert_ok(jsn_augment_create(&weak, "weak", OUT, OUT, mean, std));
    jsni_image_part part = ramp(60, 0, W - 60, H, 1); /* fit wants columns from 51 on */
    assert_fails(jsni_augment_apply_part(fit, scratch, &part, &key, out),
                 JSN_ERR_ARGUMENT, "does not hold");
    part.left = 40;
    part.image.height--;
    assert_fails(jsni_augment_apply_part(fit, scratch, &part, &key, out),
                 JSN_ERR_ARGUMENT, "does not hold");
    assert_fails(jsni_augment_apply_part(weak, scratch, &part, &key, out),
                 JSN_ERR_ARGUMENT, "whole images");
    part.divisor = 0;
    assert_fails(jsni_augment_apply_part(fit, scratch, &part, &key, out),
                 JSN_ERR_ARGUMENT, "divisor 0");
    assert_fails(jsni_augment_apply_part(fit, scratch, NULL, &key, out),
                 JSN_ERR_ARGUMENT, "NULL");
    jsn_image_release(&part.image);
    jsn_augment_destroy(weak);
    jsn_augment_destroy(fit);
    jsn_augment_scratch_destroy(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_pixels_are_resized_as_by_pillow),
        cmocka_unit_test(test_parts_give_the_values_of_the_whole),
        cmocka_unit_test(test_the_middle_of_a_resized_image_is_the_same_made_alone),
        cmocka_unit_test(test_coarse_images_give_the_same_picture),
        cmocka_unit_test(test_density_says_how_coarse),
        cmocka_unit_test(test_parts_that_lack_something_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
