/* Resizing: bytes of Pillow 9.4 for both filters, and what holds for any image. */
#include "support/support.h"

#include "core/alloc.h"
#include "jensen/augment.h"

/* image.resize((width, height), filter) of the 9x7 image that picture() draws. */
static const struct {
    jsn_filter filter;
    size_t width, height;
    uint8_t want[108];
} rows[] = {
    {JSN_FILTER_BICUBIC, 5, 4, {65,  118, 163, 134, 149, 148, 127, 153, 169, 151,
                                139, 121, 112, 97,  98,  149, 141, 117, 149, 135,
                                122, 149, 137, 120, 131, 103, 157, 138, 171, 123,
                                112, 173, 131, 133, 142, 132, 143, 94,  139, 127,
                                123, 158, 127, 86,  151, 104, 161, 149, 108, 123,
                                188, 174, 119, 140, 127, 116, 132, 165, 146, 129}},
    {JSN_FILTER_BICUBIC,
     4,
     9,
     {20,  73,  128, 103, 169, 222, 190, 159, 95,  47,  53,  114, 95,  158, 180, 157,
      130, 126, 114, 152, 168, 160, 120, 94,  169, 168, 146, 153, 131, 112, 115, 127,
      157, 177, 173, 107, 169, 120, 85,  127, 153, 147, 166, 105, 110, 110, 165, 142,
      76,  132, 136, 176, 125, 98,  142, 111, 172, 100, 104, 157, 119, 181, 131, 124,
      109, 134, 124, 93,  157, 128, 83,  138, 132, 190, 125, 150, 111, 164, 117, 150,
      131, 158, 99,  161, 106, 164, 148, 161, 116, 174, 136, 153, 124, 160, 130, 152,
      71,  132, 190, 114, 115, 168, 168, 71,  138, 138, 152, 97}},
    {JSN_FILTER_BICUBIC,
     12,
     3,
     {73,  128, 124, 105, 119, 166, 123, 142, 161, 126, 172, 116, 167, 113, 158, 124,
      143, 167, 118, 168, 143, 160, 151, 114, 154, 107, 157, 112, 143, 123, 115, 139,
      93,  156, 91,  93,  96,  152, 123, 143, 147, 129, 145, 153, 114, 110, 155, 98,
      178, 109, 155, 149, 111, 118, 129, 122, 122, 141, 121, 174, 136, 98,  152, 124,
      94,  144, 120, 122, 143, 125, 157, 145, 118, 168, 117, 116, 174, 150, 92,  156,
      177, 79,  122, 179, 169, 121, 174, 182, 79,  146, 155, 113, 128, 122, 182, 126,
      125, 88,  131, 127, 110, 175, 153, 133, 153, 187, 126, 84}},
    {JSN_FILTER_BILINEAR, 5, 4, {72,  120, 158, 131, 147, 146, 127, 151, 166, 150,
                                 132, 122, 114, 103, 103, 145, 141, 118, 146, 135,
                                 127, 147, 140, 122, 133, 109, 152, 138, 160, 125,
                                 116, 169, 134, 128, 143, 135, 143, 96,  137, 129,
                                 121, 158, 130, 95,  148, 104, 157, 150, 109, 128,
                                 179, 167, 116, 144, 131, 115, 134, 160, 143, 129}},
    {JSN_FILTER_BILINEAR,
     4,
     9,
     {31,  84,  137, 106, 159, 205, 172, 156, 103, 61,  62,  115, 98,  151, 170, 149,
      132, 136, 123, 149, 154, 150, 121, 102, 155, 159, 141, 151, 134, 123, 127, 129,
      147, 162, 162, 112, 160, 128, 95,  135, 145, 139, 158, 112, 120, 117, 159, 138,
      80,  133, 135, 171, 118, 103, 140, 118, 171, 101, 103, 156, 120, 173, 129, 130,
      116, 140, 121, 100, 153, 131, 87,  140, 127, 180, 131, 148, 117, 158, 124, 141,
      135, 152, 103, 156, 108, 161, 151, 154, 117, 166, 140, 147, 129, 155, 128, 149,
      78,  131, 184, 119, 115, 168, 158, 86,  139, 142, 144, 102}},
    {JSN_FILTER_BILINEAR,
     12,
     3,
     {78,  131, 129, 108, 127, 159, 124, 143, 154, 126, 165, 122, 162, 118, 158, 129,
      141, 159, 124, 157, 141, 153, 147, 120, 148, 114, 156, 120, 139, 123, 122, 134,
      98,  152, 96,  94,  92,  145, 123, 131, 146, 133, 137, 152, 122, 118, 155, 102,
      175, 110, 148, 148, 112, 128, 131, 124, 134, 141, 128, 168, 142, 95,  146, 124,
      99,  143, 118, 122, 143, 128, 151, 144, 121, 174, 117, 117, 170, 148, 99,  152,
      170, 85,  125, 178, 163, 120, 173, 173, 93,  146, 154, 116, 128, 127, 169, 126,
      123, 96,  135, 130, 114, 167, 153, 130, 149, 183, 127, 88}},
};

static jsn_image picture(void)
{
    jsn_image image;
    assert_ok(jsn_image_create(&image, 9, 7));
    for (size_t y = 0; y < 7; y++)
        for (size_t x = 0; x < 9; x++)
            for (size_t c = 0; c < 3; c++)
                image.data[(y * 9 + x) * 3 + c] =
                    (uint8_t)((x * 37 + y * 91 + c * 53 + x * y * 13) % 256);
    return image;
}

static void test_bytes_are_those_of_pillow(void **state)
{
    (void)state;
    jsn_image in = picture();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jsn_image out;
        assert_ok(jsn_image_create(&out, rows[i].width, rows[i].height));
        assert_ok(jsn_image_resize(&in, NULL, rows[i].filter, &out));
        assert_memory_equal(out.data, rows[i].want, rows[i].width * rows[i].height * 3);
        jsn_image_release(&out);
    }
    jsn_image_release(&in);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_same_size_is_the_same_image(void **state)
{
    (void)state;
    jsn_image in = picture(), out;
    assert_ok(jsn_image_create(&out, 9, 7));
    for (int filter = 0; filter < 2; filter++) {
        memset(out.data, 0, 9 * 7 * 3);
        assert_ok(jsn_image_resize(&in, NULL, (jsn_filter)filter, &out));
        assert_memory_equal(in.data, out.data, 9 * 7 * 3);
    }
    jsn_image_release(&in);
    jsn_image_release(&out);
}

/* Weights sum to 1 but for rounding, so a constant image keeps its byte. */
static void test_constant_images_stay_constant(void **state)
{
    (void)state;
    for (size_t n = 1; n < 70; n += 4) {
        jsn_image in, out;
        assert_ok(jsn_image_create(&in, n, 71 - n));
        assert_ok(jsn_image_create(&out, 70 - n, 33));
        memset(in.data, (int)(n * 3), n * (71 - n) * 3);
        for (int filter = 0; filter < 2; filter++) {
            assert_ok(jsn_image_resize(&in, NULL, (jsn_filter)filter, &out));
            for (size_t i = 0; i < out.width * out.height * 3; i++)
                assert_int_equal(out.data[i], n * 3);
        }
        jsn_image_release(&in);
        jsn_image_release(&out);
    }
}

/* A box is the cropped image: pixels outside have no influence. */
static void test_box_is_the_cropped_image(void **state)
{
    (void)state;
    jsn_image in = picture(), part, a, b;
    const jsn_augment_box box = {2, 6, 1, 7};
    assert_ok(jsn_image_create(&part, 6, 4));
    for (size_t y = 0; y < 4; y++)
        memcpy(part.data + y * 18, in.data + ((y + 2) * 9 + 1) * 3, 18);
    assert_ok(jsn_image_create(&a, 10, 3));
    assert_ok(jsn_image_create(&b, 10, 3));
    assert_ok(jsn_image_resize(&in, &box, JSN_FILTER_BICUBIC, &a));
    assert_ok(jsn_image_resize(&part, NULL, JSN_FILTER_BICUBIC, &b));
    assert_memory_equal(a.data, b.data, 90);
    const jsn_augment_box empty = {2, 2, 1, 7}, wide = {0, 7, 0, 10};
    assert_fails(jsn_image_resize(&in, &empty, JSN_FILTER_BICUBIC, &a), JSN_ERR_RANGE,
                 "rows [2,2)");
    assert_fails(jsn_image_resize(&in, &wide, JSN_FILTER_BICUBIC, &a), JSN_ERR_RANGE,
                 "9x7");
    assert_fails(jsn_image_resize(&in, NULL, JSN_FILTER_BICUBIC, NULL),
                 JSN_ERR_ARGUMENT, "NULL");
    jsn_image_release(&in);
    jsn_image_release(&part);
    jsn_image_release(&a);
    jsn_image_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_those_of_pillow),
        cmocka_unit_test(test_same_size_is_the_same_image),
        cmocka_unit_test(test_constant_images_stay_constant),
        cmocka_unit_test(test_box_is_the_cropped_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
