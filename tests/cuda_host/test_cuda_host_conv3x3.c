/* The bf16 3x3 convolutions on mma.sync with what rides along, and the gradients of their
 * weights, with clusters and without, against loops in double. */
#include "backend/cuda/conv_kernels.h"
#include "cuda_host/host_fused.h"
#include "support/support.h"

enum { VIEWS = 2 };

static void test_fused(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2)
        fused_check_pairs(channels, VIEWS, channels == 128 ? 4 : 1, false);
}

/* ---- gradients of the weights ---- */

typedef struct weights_case {
    jsni_conv_weight_args args;
    jsni_conv_final *final;
    int channels, blocks;
    bool clusters;
    host_tensor gradient, part;
} weights_case;

static void run_weights(void *user)
{
    weights_case *c = user;
    (void)jsni_conv3x3_weights(&c->args, c->channels, c->clusters, NULL);
    (void)jsni_conv_final_sums(c->final, 1, c->blocks, NULL);
}

/* [co][ci][3][3] of relu(xa*x + xb), in f.in, and dy = f.e. */
static void expect_gradient(const fused_case *f, double *gradient)
{
    const size_t channels = (size_t)f->channels;
    const int side = f->side;
    for (int p = 0; p < f->args.images * side * side; p++)
        for (int tap = 0; tap < 9; tap++) {
            const int y = p / side % side + tap / 3 - 1, x = p % side + tap % 3 - 1;
            if (y < 0 || y >= side || x < 0 || x >= side)
                continue;
            const double *in =
                f->in + (size_t)(p + (tap / 3 - 1) * side + tap % 3 - 1) * channels;
            for (size_t o = 0; o < channels; o++) {
                const double dy = host_tensor_value(f->e, (size_t)p * channels + o);
                for (size_t i = 0; i < channels && dy != 0.0; i++)
                    gradient[(o * channels + i) * 9 + (size_t)tap] += dy * in[i];
            }
        }
}

static weights_case make_weights(const fused_case *f, int turns, bool clusters)
{
    const int images = f->args.images, channels = f->channels;
    weights_case c = {.channels = channels,
                      .blocks = jsni_conv_final_blocks(channels),
                      .clusters = clusters,
                      .gradient = host_tensor_zeros(f->w.count, false)};
    c.part = host_tensor_zeros(
        jsni_conv3x3_weight_bytes(channels, images, clusters) / sizeof(float), false);
    c.args = (jsni_conv_weight_args){.x = f->x.at,
                                     .dy = f->e.at,
                                     .xa = f->pa.at,
                                     .xb = f->pb.at,
                                     .part = c.part.at,
                                     .images = images,
                                     .view_images = f->args.view_images,
                                     .turns = turns};
    c.final = host_array(sizeof *c.final);
    *c.final = (jsni_conv_final){
        .part = c.args.part,
        .gradient = c.gradient.at,
        .channels = channels,
        .parts = jsni_conv3x3_weight_parts(channels, images, turns, clusters)};
    return c;
}

/* The partial sum of two blocks is that of both, to the last bit. */
static void check_pairs(const weights_case *one, const weights_case *two)
{
    const size_t tiles = one->channels == 128 ? 4 : 1;
    const size_t n = (size_t)one->channels / (tiles == 4 ? 2 : 1);
    const size_t size = n * n * 9, parts = (size_t)two->final->parts;
    assert_int_equal(one->final->parts, two->final->parts * 2);
    const float *apart = one->part.at, *sums = two->part.at;
    for (size_t p = 0; p < tiles * parts; p++)
        for (size_t i = 0; i < size; i++)
            assert_true(sums[p * size + i] ==
                        apart[2 * p * size + i] + apart[(2 * p + 1) * size + i]);
}

/* Views of as few images as fill `blocks` blocks. */
static void check_weights(int channels, int turns, int blocks)
{
    const fused_shape shape = {.channels = channels,
                               .views = VIEWS,
                               .view_images =
                                   blocks * turns * (channels == 128 ? 8 : 2),
                               .prologue = JSNI_CONV_NORM_RELU,
                               .epilogue = JSNI_CONV_SUMS};
    fused_case f = fused_create(&shape);
    double *expected = calloc(f.w.count, sizeof *expected);
    assert_non_null(expected);
    fused_expect_input(&f);
    expect_gradient(&f, expected);
    weights_case c[2]; /* without clusters, with them */
    for (int clusters = 0; clusters < 2; clusters++) {
        c[clusters] = make_weights(&f, turns, clusters);
        host_in_orders(run_weights, &c[clusters], &c[clusters].gradient, 1);
        assert_int_equal(host_tensor_off(c[clusters].gradient, expected, 0.0), 0);
    }
    assert_int_equal(c[0].final->parts, VIEWS * blocks);
    if (channels > 32)
        check_pairs(&c[0], &c[1]);
    free(expected);
    fused_destroy(&f);
}

static void test_weights(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2)
        for (int turns = 1; turns <= 2; turns++)
            check_weights(channels, turns, channels == 64 && turns == 1 ? 2 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_fused, host_reset_after),
        cmocka_unit_test_teardown(test_weights, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
