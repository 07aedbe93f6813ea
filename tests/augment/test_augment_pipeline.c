/* Pipelines: specs, sizes, keys, the fused path against the stages one by one. */
#include "support/support.h"

#include "augment/pipeline.h"
#include "core/alloc.h"
#include "jensen/augment.h"
#include "jensen/option.h"

enum { S = 32, PLANES = 3 * S * S };

static const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
static const float std[3] = {0.2023f, 0.1994f, 0.2010f};

static jsn_image picture(size_t width, size_t height, uint32_t number)
{
    jsn_image image;
    assert_ok(jsn_image_create(&image, width, height));
    jsni_rng rng = jsni_rng_stream(11, JSNI_RNG_TEST, number, 0, 0);
    const uint32_t span = 1 + jsni_rng_below(&rng, 256);
    for (size_t i = 0; i < width * height * 3; i++)
        image.data[i] = (uint8_t)jsni_rng_below(&rng, span);
    return image;
}

static void test_fused_path_equals_the_stages(void **state)
{
    (void)state;
    static const char *const specs[] = {"strong",
                                        "weak",
                                        "strong-nocutout",
                                        "strong-norandaugment",
                                        "none",
                                        "flip",
                                        "randaugment:n=3,m=14+cutout:size=7",
                                        "randaugment:n=2,m=30+crop:pad=40+flip",
                                        "randaugment:n=1,m=0",
                                        "crop:pad=0+cutout:size=64"};
    static float a[PLANES], b[PLANES];
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        jsn_augment *p = NULL;
        assert_ok(jsn_augment_create(&p, specs[i], S, S, mean, std));
        assert_non_null(jsni_augment_recipe(p));
        for (uint32_t k = 0; k < 200; k++) {
            jsn_image image = picture(S, S, k);
            const jsn_augment_key key = {i, 3, k, k % 2, 0};
            assert_ok(jsn_augment_apply(p, scratch, &image, &key, a));
            assert_ok(jsni_augment_staged(p, scratch, &image, &key, b));
            assert_memory_equal(a, b, sizeof a);
            jsn_image_release(&image);
        }
        jsn_augment_destroy(p);
    }
    jsn_augment_scratch_destroy(scratch);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_none_normalises_each_channel(void **state)
{
    (void)state;
    jsn_augment *p = NULL;
    jsn_augment_scratch *scratch = NULL;
    float out[3 * 2];
    uint8_t bytes[6] = {0, 1, 2, 128, 200, 255};
    const jsn_image image = {bytes, 2, 1};
    const jsn_augment_key key = {0};
    assert_ok(jsn_augment_create(&p, "none", 1, 2, mean, std));
    assert_ok(jsn_augment_scratch_create(&scratch));
    assert_ok(jsn_augment_apply(p, scratch, &image, &key, out));
    for (int c = 0; c < 3; c++)
        for (int x = 0; x < 2; x++)
            assert_close(out[c * 2 + x],
                         (bytes[x * 3 + c] / 255.0 - (double)mean[c]) / (double)std[c],
                         1e-6, 1e-6);
    jsn_augment_destroy(p);
    jsn_augment_scratch_destroy(scratch);
}

static void test_every_pipeline_runs_on_a_photo(void **state)
{
    (void)state;
    static const char *const specs[] = {"jitter",
                                        "food101n",
                                        "fit+strong",
                                        "resize+centercrop",
                                        "fit:filter=bicubic+weak",
                                        "fit+none",
                                        "resize:size=64+crop:pad=0"};
    static float out[3 * 48 * 48];
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_scratch_create(&scratch));
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        jsn_augment *p = NULL;
        assert_ok(jsn_augment_create(&p, specs[i], 48, 48, mean, std));
        assert_null(jsni_augment_recipe(p));
        for (uint32_t k = 0; k < 20; k++) {
            jsn_image image = picture(40 + 11 * k, 230 - 9 * k, k);
            const jsn_augment_key key = {1, 2, k, 0, 0};
            assert_ok(jsn_augment_apply(p, scratch, &image, &key, out));
            for (size_t j = 0; j < 3 * 48 * 48; j++)
                assert_true(out[j] > -3.0f && out[j] < 3.0f);
            jsn_image_release(&image);
        }
        jsn_augment_destroy(p);
    }
    jsn_augment_scratch_destroy(scratch);
}

static void test_key_names_the_choices(void **state)
{
    (void)state;
    static float a[PLANES], b[PLANES];
    const jsn_augment_key keys[] = {{1, 2, 3, 0, 0}, {2, 2, 3, 0, 0}, {1, 3, 3, 0, 0},
                                    {1, 2, 4, 0, 0}, {1, 2, 3, 1, 0}, {1, 2, 3, 0, 1}};
    jsn_augment *p = NULL;
    jsn_augment_scratch *scratch = NULL;
    jsn_image image = picture(S, S, 0);
    assert_ok(jsn_augment_create(&p, "strong", S, S, mean, std));
    assert_ok(jsn_augment_scratch_create(&scratch));
    assert_ok(jsn_augment_apply(p, scratch, &image, &keys[0], a));
    for (size_t i = 0; i < 6; i++) {
        assert_ok(jsn_augment_apply(p, scratch, &image, &keys[i], b));
        assert_int_equal(memcmp(a, b, sizeof a) == 0, i == 0);
    }
    jsn_augment_destroy(p);
    jsn_augment_scratch_destroy(scratch);
    jsn_image_release(&image);
}

static void test_specs_expand_and_evaluate(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"strong", "none"},
        {"weak", "none"},
        {"none", "none"},
        {"jitter", "resize+centercrop"},
        {"food101n", "resize:size=256,filter=bicubic,nearest=1+centercrop"},
        {"fit+strong", "fit"},
        {"resize:size=40+crop:pad=0+flip", "resize:size=40+centercrop"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        assert_ok(jsn_augment_evaluation(rows[i][0], &text));
        assert_string_equal(text, rows[i][1]);
        jsn_text_release(text);
    }
    jsn_augment *p = NULL;
    assert_ok(jsn_augment_create(&p, "fit+weak", S, S, mean, std));
    assert_string_equal(jsn_augment_text(p), "fit+crop:pad=4+flip");
    jsn_augment_destroy(p);
}

static void test_bad_specs_and_images_are_refused(void **state)
{
    (void)state;
    static float out[PLANES];
    jsn_augment *p = NULL;
    jsn_augment_scratch *scratch = NULL;
    const float zero[3] = {0, 0, 0};
#define BAD(spec, status, words) \
    assert_fails(jsn_augment_create(&p, spec, S, S, mean, std), status, words)
    BAD("stronk", JSN_ERR_UNKNOWN_NAME, "strong");
    BAD("", JSN_ERR_UNKNOWN_NAME, "no pipeline");
    BAD("crop+", JSN_ERR_UNKNOWN_NAME, "no pipeline");
    BAD("crop:pad=-1", JSN_ERR_RANGE, "pad");
    BAD("crop:pad=x", JSN_ERR_ARGUMENT, "pad");
    BAD("randaugment:n=9", JSN_ERR_RANGE, "n must");
    BAD("randaugment:k=1", JSN_ERR_UNKNOWN_NAME, "'k'");
    BAD("cutout+flip", JSN_ERR_ARGUMENT, "last");
    BAD("fit:filter=lanczos", JSN_ERR_ARGUMENT, "bicubic");
    BAD("flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+flip+"
        "flip+flip",
        JSN_ERR_RANGE, "16");
#undef BAD
    assert_fails(jsn_augment_create(&p, "none", 0, S, mean, std), JSN_ERR_RANGE, "0");
    assert_fails(jsn_augment_create(&p, "none", S, S, mean, zero), JSN_ERR_ARGUMENT,
                 "std 0");
    assert_null(p);
    assert_ok(jsn_augment_scratch_create(&scratch));
    jsn_image image = picture(20, 20, 1);
    const jsn_augment_key key = {0};
    assert_ok(jsn_augment_create(&p, "weak", S, S, mean, std));
    assert_fails(jsn_augment_apply(p, scratch, &image, &key, out), JSN_ERR_DATA,
                 "20x20");
    jsn_augment_destroy(p);
    assert_ok(jsn_augment_create(&p, "none", S, S, mean, std));
    assert_fails(jsn_augment_apply(p, scratch, &image, &key, out), JSN_ERR_DATA, "fit");
    assert_fails(jsn_augment_apply(p, NULL, &image, &key, out), JSN_ERR_ARGUMENT,
                 "NULL");
    jsn_augment_destroy(p);
    jsn_augment_scratch_destroy(scratch);
    jsn_image_release(&image);
}

static jsn_status whole(void *user)
{
    float out[PLANES];
    uint8_t bytes[40 * 50 * 3] = {0};
    const jsn_image image = {bytes, 40, 50};
    const jsn_augment_key key = {0};
    jsn_augment *p = NULL;
    jsn_augment_scratch *scratch = NULL;
    jsn_status status = jsn_augment_create(&p, user, S, S, mean, std);
    if (status == JSN_OK)
        status = jsn_augment_scratch_create(&scratch);
    if (status == JSN_OK)
        status = jsn_augment_apply(p, scratch, &image, &key, out);
    jsn_augment_destroy(p);
    jsn_augment_scratch_destroy(scratch);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char spec[] = "resize:size=36+strong";
    support_walk_allocations(whole, spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_path_equals_the_stages),
        cmocka_unit_test(test_none_normalises_each_channel),
        cmocka_unit_test(test_every_pipeline_runs_on_a_photo),
        cmocka_unit_test(test_key_names_the_choices),
        cmocka_unit_test(test_specs_expand_and_evaluate),
        cmocka_unit_test(test_bad_specs_and_images_are_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
