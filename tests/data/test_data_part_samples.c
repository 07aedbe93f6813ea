/* tests/data/test_data_part_samples.c - parts of the images of data sets: read again, kept, and
 * damaged. */
#define _POSIX_C_SOURCE 200809L
#include "support/support.h"

#include <turbojpeg.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "data/dataset_part.h"
#include "data/fixture.h"
#include "data/image_decoder.h"
#include "data/part_fixture.h"

/* A data set's samples: the same pixels on the first reading and later, kept or not; a
 * file that is cut short is refused whatever is wanted of it, every time. */
static void test_samples_have_the_same_parts_every_time(void **state)
{
    (void)state;
    char folder[256], spec[300];
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    (void)snprintf(spec, sizeof spec, "folder:%s", folder);
    static uint8_t pixels[160 * 120 * 3];
    part_fill(pixels, sizeof pixels, 4);
    jpeg_file file = part_encode(pixels, 160, 120, TJSAMP_420, 0, 1);
    fixture_file(folder, "a/cut.jpg", file.bytes, file.length * 3 / 4);
    fixture_file(folder, "a/good.jpg", file.bytes, file.length);
    fixture_file(folder, "b/good.jpg", file.bytes, file.length);
    free(file.bytes);
    for (size_t memory = 1; memory <= (size_t)1 << 24; memory += ((size_t)1 << 24) - 1)
        for (unsigned d = 1; d <= 2; d++) {
            jsn_dataset_options how;
            jsn_dataset_options_init(&how);
            how.memory = memory;
            jsn_dataset *data = NULL;
            assert_ok(jsn_dataset_open(&data, spec, &how));
            jsni_image_part whole = {0}, part = {0};
            jsni_image_want want = {20, 10, 60, 25, d};
            for (int again = 0; again < 3; again++) {
                assert_fails(jsni_dataset_image_part(data, JSN_SPLIT_TRAIN, 0,
                                                     part_give, &want, &part),
                             JSN_ERR_DATA, "cut.jpg");
                /* The middle time, the full size is read as well and may be kept. */
                if (again == 1)
                    assert_ok(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 1, &part.image));
                assert_ok(jsni_dataset_image_part(data, JSN_SPLIT_TRAIN, 1, part_give,
                                                  &want, &part));
                assert_true(part_holds(&part, &want));
                if (again == 0)
                    assert_ok(jsni_dataset_image_part(data, JSN_SPLIT_TRAIN, 2,
                                                      part_all_at, &d, &whole));
                assert_true(part_agrees(&part, &whole));
                /* What was decoded whole at first comes as a part afterwards. */
                if (again == 2)
                    assert_true(part.image.width < whole.image.width);
            }
            jsn_image_release(&whole.image);
            jsn_image_release(&part.image);
            jsn_dataset_close(data);
        }
    support_remove_folder(folder);
    assert_int_equal(jsni_alloc_live(), 0);
}

/* Turned images on an odd grid, at every divisor: the parts of a kept copy are those of
 * the file. It is there no more when they are asked for again. */
static void test_kept_copies_give_the_parts_of_the_file(void **state)
{
    (void)state;
    char folder[256], spec[300], name[24];
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    (void)snprintf(spec, sizeof spec, "folder:%s", folder);
    static uint8_t pixels[131 * 75 * 3];
    jpeg_file files[8];
    part_fill(pixels, sizeof pixels, 5);
    for (int o = 1; o <= 8; o++) {
        files[o - 1] = part_encode(pixels, 131, 75, TJSAMP_420, 0, o);
        (void)snprintf(name, sizeof name, "a/%d.jpg", o);
        fixture_file(folder, name, files[o - 1].bytes, files[o - 1].length);
    }
    jsn_dataset *data = NULL, *once = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    assert_ok(jsn_dataset_open(&data, spec, &how));
    how.once = true;
    assert_ok(jsn_dataset_open(&once, spec, &how));
    jsni_image_decoder *decoder = NULL;
    jsni_rng rng = jsni_rng_stream(3, JSNI_RNG_AUGMENT, 0, 0, 0);
    assert_ok(jsni_image_decoder_create(&decoder));
    jsni_image_part part = {0}, whole = {0};
    unsigned divisor = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < 8 * 4 * 20; i++) {
            const size_t n = i % 8, d = (size_t)1 << i / 8 % 4;
            const size_t width = n >= 4 ? 75 : 131, height = n >= 4 ? 131 : 75;
            jsni_image_want want = {part_below(&rng, width), part_below(&rng, height),
                                    0, 0, (unsigned)d};
            want.width = 1 + part_below(&rng, width - want.left);
            want.height = 1 + part_below(&rng, height - want.top);
            divisor = want.divisor;
            assert_ok(jsni_image_decoder_part(decoder, files[n].bytes, files[n].length,
                                              "w.jpg", part_all_at, &divisor, &whole));
            assert_ok(jsni_dataset_image_part(data, JSN_SPLIT_TRAIN, n, part_give,
                                              &want, &part));
            assert_true(part_holds(&part, &want) && part_agrees(&part, &whole));
            if (pass == 0)
                assert_ok(jsni_dataset_image_part(once, JSN_SPLIT_TRAIN, n, part_give,
                                                  &want, &part));
        }
        support_remove_folder(folder);
    }
    assert_fails(jsn_dataset_image(once, JSN_SPLIT_TRAIN, 0, &part.image), JSN_ERR_DATA,
                 "1.jpg");
    for (size_t n = 0; n < 8; n++)
        free(files[n].bytes);
    jsn_image_release(&whole.image);
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    jsn_dataset_close(once);
    jsn_dataset_close(data);
    assert_int_equal(jsni_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_have_the_same_parts_every_time),
        cmocka_unit_test(test_kept_copies_give_the_parts_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
