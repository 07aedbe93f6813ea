/* Every image operation against results of Pillow: tests/golden/augment.json lists the
 * cases, augment.safetensors has the images. Bytes must be equal, pipeline tensors, too.
 */
#include "support/support.h"

#include "augment/augment_impl.h"
#include "augment/operation.h"
#include "augment/pipeline.h"
#include "core/alloc.h"
#include "core/json.h"
#include "format/safetensors.h"
#include "jensen/augment.h"

static jsni_json *doc;
static jsni_safetensors *tensors;

static int open_golden(void **state)
{
    (void)state;
    assert_ok(jsni_json_read(&doc, JSN_TEST_GOLDEN "/augment.json"));
    assert_ok(jsni_safetensors_open(&tensors, JSN_TEST_GOLDEN "/augment.safetensors"));
    return 0;
}

static int close_golden(void **state)
{
    (void)state;
    jsni_json_destroy(doc);
    jsni_safetensors_close(tensors);
    assert_int_equal(jsni_alloc_live(), 0);
    return 0;
}

static const char *text(const jsni_json *c, const char *key)
{
    return jsni_json_text(jsni_json_get(c, key));
}

static double real(const jsni_json *c, const char *key)
{
    return jsni_json_real(jsni_json_get(c, key));
}

static size_t whole(const jsni_json *c, const char *key)
{
    const jsni_json *value = jsni_json_get(c, key);
    assert_true(jsni_json_is_int(value));
    return (size_t)jsni_json_int(value);
}

static const jsni_safetensor *tensor(const jsni_json *c, const char *key)
{
    const jsni_safetensor *t = jsni_safetensors_find(tensors, text(c, key));
    if (t == NULL)
        fail_msg("%s: no tensor '%s'", text(c, "name"), text(c, key));
    return t;
}

/* A copy of the case's image. */
static jsn_image input(const jsni_json *c)
{
    const jsni_safetensor *t = tensor(c, "image");
    jsn_image image;
    assert_ok(jsn_image_create(&image, t->shape[1], t->shape[0]));
    assert_int_equal(t->bytes, t->shape[0] * t->shape[1] * 3);
    memcpy(image.data, t->data, t->bytes);
    return image;
}

/* Index of the first byte that differs; -1: none. */
static long first_difference(const void *a, const void *b, size_t bytes)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return (long)i;
    return -1;
}

static void expect(const jsni_json *c, const void *got, size_t bytes)
{
    const jsni_safetensor *want = tensor(c, "output");
    assert_int_equal(want->bytes, bytes);
    const long at = first_difference(got, want->data, bytes);
    if (at >= 0)
        fail_msg("%s: byte %ld is %d, not %d", text(c, "name"), at,
                 ((const uint8_t *)got)[at], ((const uint8_t *)want->data)[at]);
}

static void run_operation(const jsni_json *c, const char *name, double value, double x,
                          double y)
{
    jsn_image in = input(c), out;
    assert_ok(jsn_augment_operation(&in, name, value, x, y, &out));
    assert_true(out.width == in.width && out.height == in.height);
    expect(c, out.data, out.width * out.height * 3);
    jsn_image_release(&in);
    jsn_image_release(&out);
}

static void check_convert(const jsni_json *c)
{
    const char *name = text(c, "op");
    /* A value is ignored. */
    if (strcmp(name, "gray") != 0) {
        run_operation(c, name, 0.7, 0, 0);
        return;
    }
    jsn_image in = input(c), out;
    const size_t pixels = in.width * in.height;
    assert_ok(jsn_augment_operation(&in, name, 0.7, 0, 0, &out));
    for (size_t channel = 0; channel < 3; channel++) {
        for (size_t i = 0; i < pixels; i++)
            in.data[i] = out.data[3 * i + channel];
        expect(c, in.data, pixels);
    }
    jsn_image_release(&in);
    jsn_image_release(&out);
}

static void check_randaugment(const jsni_json *c)
{
    const double sign = real(c, "sign") < 0 ? -1.0 : 1.0;
    run_operation(c, text(c, "op"), sign * real(c, "value"), real(c, "x_draw"),
                  real(c, "y_draw"));
}

/* A recipe and plan with the case's window and mirror, without operations. */
static void plan_window(const jsni_json *c, jsni_recipe *recipe, jsni_view_plan *plan)
{
    recipe->crop = 1;
    recipe->pad = (uint32_t)whole(c, "padding");
    *plan = (jsni_view_plan){.top = (uint32_t)whole(c, "top"),
                             .left = (uint32_t)whole(c, "left"),
                             .flip = jsni_json_bool(jsni_json_get(c, "flip"))};
}

static void check_crop_flip(const jsni_json *c)
{
    static jsni_recipe recipe;
    jsni_view_plan plan;
    jsn_image in = input(c);
    recipe = (jsni_recipe){.height = 32, .width = 32};
    for (int i = 0; i < 256; i++)
        recipe.normal[0][i] = recipe.normal[1][i] = recipe.normal[2][i] = (float)i;
    plan_window(c, &recipe, &plan);
    float planes[3][1024];
    uint8_t bytes[1024 * 3];
    jsn_augment_scratch scratch = {0};
    assert_ok(jsni_view_run(&recipe, &plan, in.data, &scratch, planes[0]));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)planes[i % 3][i / 3];
    expect(c, bytes, sizeof bytes);
    jsn_image_release(&in);
}

static void check_cutout_mask(const jsni_json *c)
{
    uint8_t mask[1024];
    uint32_t y0, y1, x0, x1;
    assert_true(whole(c, "height") == 32 && whole(c, "width") == 32);
    jsni_cutout_range((uint32_t)whole(c, "y"), (uint32_t)whole(c, "length"), 32, &y0,
                      &y1);
    jsni_cutout_range((uint32_t)whole(c, "x"), (uint32_t)whole(c, "length"), 32, &x0,
                      &x1);
    for (uint32_t i = 0; i < 1024; i++)
        mask[i] = !(i / 32 >= y0 && i / 32 < y1 && i % 32 >= x0 && i % 32 < x1);
    expect(c, mask, sizeof mask);
}

static void check_jitter_chain(const jsni_json *c)
{
    const jsni_json *steps = jsni_json_get(c, "steps");
    jsn_image image = input(c);
    for (size_t i = 0; i < jsni_json_count(steps); i++) {
        const jsni_json *step = jsni_json_at(steps, i);
        jsn_image next;
        assert_ok(jsn_augment_operation(&image, jsni_json_text(jsni_json_at(step, 0)),
                                        jsni_json_real(jsni_json_at(step, 1)), 0, 0,
                                        &next));
        jsn_image_release(&image);
        image = next;
    }
    expect(c, image.data, image.width * image.height * 3);
    jsn_image_release(&image);
}

static void check_resized_crop(const jsni_json *c)
{
    const jsni_json *size = jsni_json_get(c, "size");
    const uint32_t top = (uint32_t)whole(c, "top"), left = (uint32_t)whole(c, "left");
    const jsn_augment_box box = {top, top + (uint32_t)whole(c, "height"), left,
                                 left + (uint32_t)whole(c, "width")};
    jsn_image in = input(c), out;
    assert_ok(jsn_image_create(&out, (size_t)jsni_json_int(jsni_json_at(size, 1)),
                               (size_t)jsni_json_int(jsni_json_at(size, 0))));
    assert_ok(jsn_image_resize(&in, &box, JSN_FILTER_BILINEAR, &out));
    expect(c, out.data, out.width * out.height * 3);
    jsn_image_release(&in);
    jsn_image_release(&out);
}

static jsn_image transposed(const jsn_image *in)
{
    jsn_image out;
    assert_ok(jsn_image_create(&out, in->height, in->width));
    for (size_t y = 0; y < in->height; y++)
        for (size_t x = 0; x < in->width; x++)
            memcpy(out.data + (x * in->height + y) * 3,
                   in->data + (y * in->width + x) * 3, 3);
    return out;
}

static void check_eval_resize(const jsni_json *c)
{
    const float mean[3] = {0, 0, 0}, std[3] = {1, 1, 1};
    const size_t crop = whole(c, "crop");
    const jsn_augment_key key = {0};
    char spec[64];
    jsn_image in = input(c);
    if (jsni_json_bool(jsni_json_get(c, "transposed"))) {
        jsn_image turned = transposed(&in);
        jsn_image_release(&in);
        in = turned;
    }
    jsn_augment *pipeline = NULL;
    jsn_augment_scratch *scratch = NULL;
    (void)snprintf(spec, sizeof spec, "resize:size=%zu+centercrop",
                   whole(c, "shorter_edge"));
    assert_ok(jsn_augment_create(&pipeline, spec, crop, crop, mean, std));
    assert_ok(jsn_augment_scratch_create(&scratch));
    uint8_t *out = test_malloc(crop * crop * 3);
    assert_ok(jsn_augment_bytes(pipeline, scratch, &in, &key, out, NULL, 0, NULL));
    expect(c, out, crop * crop * 3);
    test_free(out);
    jsn_augment_scratch_destroy(scratch);
    jsn_augment_destroy(pipeline);
    jsn_image_release(&in);
}

static int kind_of(const char *name)
{
    for (int i = 0; i < JSNI_PIXEL_DRAWN; i++)
        if (strcmp(jsn_operation_describe((size_t)i)->name, name) == 0)
            return i;
    fail_msg("no operation '%s'", name);
    return -1;
}

static void check_pipeline(const jsni_json *c)
{
    static jsni_recipe recipe;
    const jsni_json *steps = jsni_json_get(c, "steps"),
                    *cut = jsni_json_get(c, "cutout");
    float mean[3], std[3];
    for (size_t i = 0; i < 3; i++) {
        mean[i] = (float)jsni_json_real(jsni_json_at(jsni_json_get(c, "mean"), i));
        std[i] = (float)jsni_json_real(jsni_json_at(jsni_json_get(c, "std"), i));
    }
    jsn_augment *pipeline = NULL;
    assert_ok(jsn_augment_create(&pipeline, "strong", 32, 32, mean, std));
    recipe = *jsni_augment_recipe(pipeline);
    jsni_view_plan plan;
    plan_window(c, &recipe, &plan);
    plan.ops = (uint32_t)jsni_json_count(steps);
    for (size_t i = 0; i < plan.ops; i++) {
        const jsni_json *s = jsni_json_at(steps, i);
        jsni_pixel_op_resolve(&plan.op[i], kind_of(text(s, "op")), real(s, "value"),
                              real(s, "sign") < 0 ? -1 : 1, 32, 32, real(s, "x_draw"),
                              real(s, "y_draw"));
    }
    jsni_cutout_range((uint32_t)whole(cut, "y"), (uint32_t)whole(cut, "length"), 32,
                      &plan.cut_y0, &plan.cut_y1);
    jsni_cutout_range((uint32_t)whole(cut, "x"), (uint32_t)whole(cut, "length"), 32,
                      &plan.cut_x0, &plan.cut_x1);
    jsn_image in = input(c);
    jsn_augment_scratch *scratch = NULL;
    float out[3 * 1024];
    assert_ok(jsn_augment_scratch_create(&scratch));
    assert_ok(jsni_view_run(&recipe, &plan, in.data, scratch, out));
    expect(c, out, sizeof out);
    jsn_augment_scratch_destroy(scratch);
    jsn_augment_destroy(pipeline);
    jsn_image_release(&in);
}

static void check_jitter(const jsni_json *c)
{
    run_operation(c, text(c, "op"), real(c, "factor"), 0, 0);
}

static void test_every_case_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        void (*check)(const jsni_json *c);
    } rows[] = {{"convert", check_convert},
                {"randaugment", check_randaugment},
                {"crop_flip", check_crop_flip},
                {"cutout_mask", check_cutout_mask},
                {"jitter", check_jitter},
                {"jitter_chain", check_jitter_chain},
                {"resized_crop", check_resized_crop},
                {"eval_resize", check_eval_resize},
                {"pipeline", check_pipeline}};
    const jsni_json *cases = jsni_json_get(doc, "cases");
    size_t seen = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        size_t count = 0;
        for (size_t i = 0; i < jsni_json_count(cases); i++) {
            const jsni_json *c = jsni_json_at(cases, i);
            if (strcmp(text(c, "kind"), rows[r].kind) != 0)
                continue;
            rows[r].check(c);
            count++;
        }
        assert_int_equal(count, whole(jsni_json_get(doc, "counts"), rows[r].kind));
        seen += count;
    }
    assert_int_equal(seen, jsni_json_count(cases));
    assert_int_equal(seen, 473);
}

static void test_the_ranges_are_those_of_the_golden_file(void **state)
{
    (void)state;
    const jsni_json *ranges = jsni_json_get(doc, "ranges");
    assert_int_equal(jsni_json_count(ranges), JSNI_PIXEL_DRAWN);
    for (size_t i = 0; i < JSNI_PIXEL_DRAWN; i++) {
        const jsni_json *row = jsni_json_at(ranges, i);
        const jsn_operation_info *info = jsn_operation_describe(i);
        assert_string_equal(jsni_json_text(jsni_json_at(row, 0)), info->name);
        assert_true(jsni_json_real(jsni_json_at(row, 1)) == info->low);
        assert_true(jsni_json_real(jsni_json_at(row, 2)) == info->high);
        assert_int_equal(info->randaugment, 1);
        assert_int_equal(info->is_signed,
                         (jsni_operation_at(i)->draws & JSNI_DRAWS_SIGN) != 0);
    }
}

/* The magnitudes of a pipeline must give the stored values to the last digit. */
static void test_magnitudes_give_the_stored_values(void **state)
{
    (void)state;
    const float mean[3] = {0, 0, 0}, std[3] = {1, 1, 1};
    const jsni_json *cases = jsni_json_get(doc, "cases");
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *c = jsni_json_at(cases, i);
        if (jsni_json_get(c, "M") == NULL || jsni_json_get(c, "value") == NULL)
            continue;
        char spec[64];
        jsn_augment *pipeline = NULL;
        (void)snprintf(spec, sizeof spec, "randaugment:m=%zu", whole(c, "M"));
        assert_ok(jsn_augment_create(&pipeline, spec, 32, 32, mean, std));
        assert_true(
            jsni_augment_recipe(pipeline)->op[kind_of(text(c, "op"))][0].value ==
            real(c, "value"));
        jsn_augment_destroy(pipeline);
    }
}

static void test_the_comparison_notices_a_wrong_byte(void **state)
{
    (void)state;
    uint8_t a[64] = {0}, b[64] = {0};
    assert_int_equal(first_difference(a, b, 64), -1);
    b[63] = 1;
    assert_int_equal(first_difference(a, b, 64), 63);
    assert_int_equal(first_difference(b, a, 64), 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case_is_exact),
        cmocka_unit_test(test_the_ranges_are_those_of_the_golden_file),
        cmocka_unit_test(test_magnitudes_give_the_stored_values),
        cmocka_unit_test(test_the_comparison_notices_a_wrong_byte),
    };
    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
