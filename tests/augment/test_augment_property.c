/* What holds for every operation and pipeline: sizes, determinism, independence of
 * threads, and the distributions of the random choices. */
#include "support/support.h"

#include <math.h>

#include "augment/augment_impl.h"
#include "core/alloc.h"
#include "core/pool.h"
#include "jensen/augment.h"

enum { S = 32, PLANES = 3 * S * S, SAMPLES = 300 };

static const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
static const float std[3] = {0.2023f, 0.1994f, 0.2010f};

static jsn_image picture(size_t width, size_t height, uint32_t number)
{
    jsn_image image;
    assert_ok(jsn_image_create(&image, width, height));
    jsni_rng rng = jsni_rng_stream(23, JSNI_RNG_TEST, number, 0, 0);
    for (size_t i = 0; i < width * height * 3; i++)
        image.data[i] = (uint8_t)jsni_rng_below(&rng, 256);
    return image;
}

static void test_operations_keep_the_size_and_repeat(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {2, 5}, {5, 2}, {3, 3}, {33, 17}};
    static const double values[] = {0, 0.3, 1, 4, 25.6, -0.3, -7, 110, 1e6, -1e6};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t o = 0; jsn_operation_describe(o) != NULL; o++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                const char *name = jsn_operation_describe(o)->name;
                jsn_image in = picture(sizes[s][0], sizes[s][1], (uint32_t)s), a, b;
                assert_ok(jsn_augment_operation(&in, name, values[v], 1.5, 0.5, &a));
                assert_ok(jsn_augment_operation(&in, name, values[v], 1.5, 0.5, &b));
                assert_true(a.width == in.width && a.height == in.height);
                assert_memory_equal(a.data, b.data, a.width * a.height * 3);
                jsn_image_release(&in);
                jsn_image_release(&a);
                jsn_image_release(&b);
            }
    jsn_image in = picture(4, 4, 1), out;
    assert_fails(jsn_augment_operation(&in, "Rotate", NAN, 0, 0, &out), JSN_ERR_RANGE,
                 "Rotate");
    assert_fails(jsn_augment_operation(&in, "Rotate", 1e7, 0, 0, &out), JSN_ERR_RANGE,
                 "1e+07");
    assert_fails(jsn_augment_operation(&in, "Spin", 1, 0, 0, &out),
                 JSN_ERR_UNKNOWN_NAME, "AutoContrast");
    jsn_image_release(&in);
    assert_int_equal(jsni_alloc_live(), 0);
}

/* Sums of doubles that drift over an integer: Pillow's own rule, pixel by pixel. */
static void test_translations_follow_sums_in_double(void **state)
{
    (void)state;
    static const double values[] = {
        9.499999999999998, -9.500000000000002, 0.5, -0.5, 3.3333333333333335, 31.5, 100,
        14.500000000000002};
    jsn_image in = picture(40, 30, 2);
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        jsn_image out;
        assert_ok(jsn_augment_operation(&in, "TranslateXabs", values[v], 0, 0, &out));
        double u = values[v] + 0.5;
        for (size_t x = 0; x < 40; x++, u += 1.0)
            for (size_t y = 0; y < 30; y++) {
                const uint8_t black[3] = {0, 0, 0};
                const uint8_t *want =
                    u < 0.0 || u >= 40.0 ? black : in.data + (y * 40 + (size_t)u) * 3;
                assert_memory_equal(out.data + (y * 40 + x) * 3, want, 3);
            }
        jsn_image_release(&out);
    }
    jsn_image_release(&in);
}

typedef struct batch {
    const jsn_augment *pipeline;
    jsn_augment_scratch *scratch[8];
    const jsn_image *image;
    float *out; /* [SAMPLES][PLANES] */
    jsn_status status[SAMPLES];
} batch;

static void augment_one(void *user, size_t index, size_t worker)
{
    batch *b = user;
    const jsn_augment_key key = {5, 1, (uint32_t)index, 1, 0};
    b->status[index] = jsn_augment_apply(b->pipeline, b->scratch[worker], b->image,
                                         &key, b->out + index * PLANES);
}

static void test_results_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const specs[] = {"strong", "fit+colorjitter+strong"};
    static const size_t threads[] = {1, 2, 8};
    float *out[3];
    jsn_image image = picture(S, S, 3);
    for (size_t s = 0; s < 2; s++) {
        for (size_t t = 0; t < 3; t++) {
            batch b = {.image = &image};
            jsn_augment *pipeline = NULL;
            jsni_pool *pool = NULL;
            out[t] = b.out = test_malloc(SAMPLES * PLANES * sizeof(float));
            assert_ok(jsn_augment_create(&pipeline, specs[s], S, S, mean, std));
            assert_ok(jsni_pool_create(&pool, threads[t]));
            b.pipeline = pipeline;
            for (size_t w = 0; w < 8; w++)
                assert_ok(jsn_augment_scratch_create(&b.scratch[w]));
            jsni_pool_run(pool, SAMPLES, augment_one, &b);
            for (size_t i = 0; i < SAMPLES; i++)
                assert_int_equal(b.status[i], JSN_OK);
            for (size_t w = 0; w < 8; w++)
                jsn_augment_scratch_destroy(b.scratch[w]);
            jsni_pool_destroy(pool);
            jsn_augment_destroy(pipeline);
        }
        for (size_t t = 1; t < 3; t++)
            assert_memory_equal(out[0], out[t], SAMPLES * PLANES * sizeof(float));
        for (size_t t = 0; t < 3; t++)
            test_free(out[t]);
    }
    jsn_image_release(&image);
}

/* Whether counts[0..bins) of `draws` draws fit a uniform distribution: chi-square within
 * five deviations of its mean. */
static int is_uniform(const size_t *counts, size_t bins, size_t draws)
{
    const double expected = (double)draws / (double)bins;
    double chi = 0.0;
    for (size_t i = 0; i < bins; i++)
        chi += pow((double)counts[i] - expected, 2) / expected;
    const double freedom = (double)bins - 1.0;
    return fabs(chi - freedom) < 5.0 * sqrt(2.0 * freedom);
}

static void test_choices_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    jsn_augment *pipeline = NULL;
    size_t ops[JSNI_PIXEL_DRAWN] = {0}, signs[2] = {0}, top[9] = {0}, left[9] = {0},
           flip[2] = {0};
    size_t corner[33] = {0}, cutouts = 0, height[17] = {0};
    assert_ok(jsn_augment_create(&pipeline, "strong", S, S, mean, std));
    for (uint32_t i = 0; i < DRAWS; i++) {
        const jsn_augment_key key = {1, i % 7, i, i % 2, 0};
        jsni_rng rng = jsni_augment_stream(&key);
        const jsni_view_plan plan = jsni_view_draw(jsni_augment_recipe(pipeline), &rng);
        assert_int_equal(plan.ops, 1);
        ops[plan.op[0].kind]++;
        if (plan.op[0].kind == JSNI_OPERATION_rotate ||
            plan.op[0].kind == JSNI_OPERATION_shear_x)
            signs[plan.op[0].sign < 0]++;
        top[plan.top]++;
        left[plan.left]++;
        flip[plan.flip]++;
        height[plan.cut_y1 - plan.cut_y0]++;
        if (plan.op[0].kind == JSNI_OPERATION_cutout_abs) {
            const jsni_pixel_box *box = &plan.op[0].box;
            assert_true(box->x0 >= 0 && box->x0 <= 30 && box->x1 - box->x0 <= 4);
            corner[box->x0]++;
            cutouts++;
        }
    }
    assert_true(is_uniform(ops, JSNI_PIXEL_DRAWN, DRAWS));
    assert_true(is_uniform(signs, 2, signs[0] + signs[1]));
    assert_true(is_uniform(top, 9, DRAWS) && is_uniform(left, 9, DRAWS));
    assert_true(is_uniform(flip, 2, DRAWS));
    /* The centre of CutoutAbs is uniform on (1, 32], its corner 2 to the left and cut at
     * 0: a corner k > 0 has probability 1/31, corner 0 has 2/31, corner 30 none. */
    assert_true(is_uniform(corner + 1, 29, cutouts - corner[0] - corner[30]));
    assert_close((double)corner[0] / (double)cutouts, 2.0 / 31.0, 0.02, 0);
    /* Cutout 16: rows from centre-8 to centre+8 within 32: 8 rows for the first centre,
     * 16 for the 17 centres in the middle. */
    assert_close((double)height[16] / DRAWS, 17.0 / 32.0, 0.0125, 0);
    assert_close((double)height[8] / DRAWS, 1.0 / 32.0, 0.005, 0);
    jsn_augment_destroy(pipeline);
    const size_t skewed[4] = {900, 1100, 1000, 1000};
    assert_false(is_uniform(skewed, 4, 4000));
}

/* Random resized crops of a ramp: the crop's left edge and width show in the output. */
static void test_resized_crops_have_the_asked_areas(void **state)
{
    (void)state;
    enum { W = 250, H = 200, DRAWS = 2000 };
    jsn_image image;
    assert_ok(jsn_image_create(&image, W, H));
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++) {
            image.data[(y * W + x) * 3] = (uint8_t)x;
            image.data[(y * W + x) * 3 + 1] = (uint8_t)y;
            image.data[(y * W + x) * 3 + 2] = 0;
        }
    jsn_augment *pipeline = NULL;
    jsn_augment_scratch *scratch = NULL;
    static uint8_t out[S * S * 3];
    double shares = 0.0, ratios = 0.0, least = 1.0, most = 0.0;
    assert_ok(jsn_augment_create(&pipeline, "resizedcrop", S, S, mean, std));
    assert_ok(jsn_augment_scratch_create(&scratch));
    for (uint32_t i = 0; i < DRAWS; i++) {
        const jsn_augment_key key = {3, 0, i, 0, 0};
        assert_ok(
            jsn_augment_bytes(pipeline, scratch, &image, &key, out, NULL, 0, NULL));
        /* Centres of the second and the last but one pixel are 29 steps apart. */
        const double w = (out[(S * S - 2) * 3] - out[(S * S - S + 1) * 3]) / 29.0 * S;
        const double h = (out[(S - 2) * S * 3 + 1] - out[S * 3 + 1]) / 29.0 * S;
        const double share = w * h / (W * H);
        shares += share;
        ratios += log(w / h);
        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    /* Large crops that do not fit are drawn again, so the mean is a little below 0.54;
     * edges are read from bytes, hence the tolerances. */
    assert_true(shares / DRAWS > 0.40 && shares / DRAWS < 0.56);
    assert_close(ratios / DRAWS, 0.0, 0.05, 0);
    assert_true(least > 0.06 && least < 0.12 && most > 0.85 && most < 1.1);
    jsn_augment_destroy(pipeline);
    jsn_augment_scratch_destroy(scratch);
    jsn_image_release(&image);
    assert_int_equal(jsni_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_keep_the_size_and_repeat),
        cmocka_unit_test(test_translations_follow_sums_in_double),
        cmocka_unit_test(test_results_do_not_depend_on_threads),
        cmocka_unit_test(test_choices_are_uniform),
        cmocka_unit_test(test_resized_crops_have_the_asked_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
