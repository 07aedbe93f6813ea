/* Batches from resident images, by gather_kernels.h: the bytes of the host's augmentation, for
 * every view; mixup and one-hot targets. */
#include <math.h>

#include "backend/cuda/gather_kernels.h"
#include "core/rng.h"
#include "cuda_host/host_support.h"
#include "jensen/augment.h"
#include "support/support.h"

enum { IMAGES = 12, SAMPLES = 8, VIEWS = 2, SIDE = 32, PIXELS = SIDE * SIDE };

static const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
static const float deviation[3] = {0.247f, 0.243f, 0.261f};

typedef struct gather_case {
    jsni_gather_args args;
    jsn_augment *pipeline;
    uint8_t *images;
    uint32_t epoch;
    host_tensor out;
} gather_case;

static void run_gather(void *user)
{
    gather_case *c = user;
    (void)jsni_gather(&c->args, NULL);
}

/* Some images with few colours, so that statistics differ. */
static uint8_t *make_images(void)
{
    uint8_t *images = host_array(IMAGES * PIXELS * 3);
    jsni_rng rng = jsni_rng_stream(11, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < IMAGES * PIXELS * 3; i++) {
        const size_t image = i / (PIXELS * 3);
        const uint32_t span = image % 4 == 0 ? 20 : image % 4 == 1 ? 1 : 216;
        images[i] = (uint8_t)(jsni_rng_below(&rng, span) + image);
    }
    return images;
}

/* Views of samples that are not what the host makes of them. */
static size_t count_different(const gather_case *c, const uint32_t *order)
{
    static float want[3 * PIXELS];
    jsn_augment_scratch *scratch = NULL;
    size_t different = 0;
    assert_ok(jsn_augment_scratch_create(&scratch));
    for (uint32_t at = 0; at < VIEWS * SAMPLES; at++) {
        const uint32_t sample = order[at % SAMPLES];
        const jsn_augment_key key = {77, c->epoch, sample, at / SAMPLES, 0};
        const jsn_image image = {c->images + (size_t)sample * PIXELS * 3, SIDE, SIDE};
        assert_ok(jsn_augment_apply(c->pipeline, scratch, &image, &key, want));
        bool same = true;
        for (size_t k = 0; k < 3 * PIXELS; k++) {
            float expected = want[k % 3 * PIXELS + k / 3];
            host_tensor one = {&expected, 1, false};
            uint16_t half = host_round_bf16(expected);
            if (c->out.half)
                one = (host_tensor){&half, 1, true};
            same = same && host_tensor_value(c->out, at * 3 * PIXELS + k) ==
                               host_tensor_value(one, 0);
        }
        different += !same;
    }
    jsn_augment_scratch_destroy(scratch);
    return different;
}

static void check_gather(const char *spec, uint32_t epoch, bool half)
{
    gather_case c = {.epoch = epoch, .images = make_images()};
    assert_ok(jsn_augment_create(&c.pipeline, spec, SIDE, SIDE, mean, deviation));
    const void *recipe = jsni_gather_recipe(c.pipeline, SIDE, SIDE);
    assert_non_null(recipe);
    uint32_t *order = host_array(SAMPLES * sizeof *order);
    int32_t *labels = host_array(IMAGES * sizeof *labels);
    jsni_gather_key *key = host_array(sizeof *key);
    *key = (jsni_gather_key){77, epoch, JSNI_RNG_AUGMENT};
    for (uint32_t i = 0; i < SAMPLES; i++)
        order[i] = i * 5 % IMAGES;
    for (int32_t i = 0; i < IMAGES; i++)
        labels[i] = i + 3;
    const size_t bytes = jsni_gather_recipe_bytes();
    c.out = host_tensor_zeros((size_t)VIEWS * SAMPLES * PIXELS * 3, half);
    const host_tensor got = host_tensor_zeros(SAMPLES, false);
    c.args = (jsni_gather_args){.images = c.images,
                                .order = order,
                                .key = key,
                                .recipe = memcpy(host_array(bytes), recipe, bytes),
                                .out = c.out.at,
                                .labels_from = labels,
                                .labels = got.at,
                                .count = SAMPLES,
                                .views = VIEWS,
                                .samples = SAMPLES,
                                .height = SIDE,
                                .width = SIDE,
                                .half = half};
    const host_tensor results[] = {c.out, got};
    host_in_orders(run_gather, &c, results, 2);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(((const int32_t *)got.at)[i], order[i] + 3);
    const size_t different = count_different(&c, order);
    if (different)
        fail_msg("%s: %zu of %d views differ in epoch %u", spec, different,
                 VIEWS * SAMPLES, (unsigned)epoch);
    jsn_augment_destroy(c.pipeline);
    host_reset();
}

static void test_augmentation(void **state)
{
    (void)state;
    static const char *const specs[] = {"none", "weak", "strong",
                                        "randaugment:n=1,m=10+crop:pad=4+flip",
                                        "randaugment:n=1,m=20"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (uint32_t epoch = 0; epoch < 3; epoch++)
            check_gather(specs[i], epoch, epoch == 1);
}

static void test_one_hot(void **state)
{
    (void)state;
    enum { COUNT = 300, CLASSES = 7 };
    int32_t *labels = host_array(COUNT * sizeof *labels);
    const host_tensor targets = host_tensor_zeros(COUNT * CLASSES, false);
    for (int32_t i = 0; i < COUNT; i++)
        labels[i] = i * 3 % CLASSES;
    host_tensor_spoil(targets);
    assert_int_equal(jsni_one_hot(labels, targets.at, COUNT, CLASSES, NULL),
                     cudaSuccess);
    for (size_t i = 0; i < COUNT * CLASSES; i++)
        assert_true(host_tensor_value(targets, i) ==
                    (labels[i / CLASSES] == (int32_t)(i % CLASSES) ? 1.0 : 0.0));
    host_reset();
}

/* Sample `walk[j]` is mixed with the next of its cycle, the last with the first. */
static void test_mixup(void **state)
{
    (void)state;
    enum { VALUES = 333, COUNT = 5 };
    static const uint32_t cycles[COUNT] = {3, 0, 4 | JSNI_MIXUP_LAST, 1,
                                           2 | JSNI_MIXUP_LAST};
    static const size_t partner[COUNT] = {4, 2, 1, 0, 3};
    for (int half = 0; half < 2; half++) {
        const size_t all = (size_t)VIEWS * COUNT * VALUES;
        const host_tensor x = host_tensor_quarters(all, half, 5);
        const host_tensor first = host_tensor_quarters(all, half, 5);
        uint32_t *walk = host_array(sizeof cycles), *step = host_array(sizeof *step);
        float *share = host_array(sizeof *share);
        memcpy(walk, cycles, sizeof cycles);
        *share = 0.75f;
        const jsni_mixup_args args = {x.at,  walk,  share,  step,
                                      VIEWS, COUNT, VALUES, half};
        assert_int_equal(jsni_mixup(&args, NULL), cudaSuccess);
        for (size_t i = 0; i < all; i++) {
            const size_t sample = i / VALUES % COUNT;
            const size_t other = i - sample * VALUES + partner[sample] * VALUES;
            assert_true(host_tensor_value(x, i) ==
                        0.75 * host_tensor_value(first, i) +
                            0.25 * host_tensor_value(first, other));
        }
        host_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_augmentation, host_reset_after),
        cmocka_unit_test_teardown(test_one_hot, host_reset_after),
        cmocka_unit_test_teardown(test_mixup, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
