/* The bf16 convolutions of conv_kernels.h (all but those for wgmma) with what rides along,
 * against loops in double. Coefficients are such that what a prologue makes has few digits:
 * products and sums are exact, and each result is rounded once. */
#include <math.h>

#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/step_kernels.h"
#include "cuda_host/host_support.h"
#include "support/support.h"

enum { VIEWS = 2 };

typedef struct fused_case {
    jsni_conv_args args;
    int channels, side, prologue, epilogue;
    size_t words;                       /* of the exact sums */
    host_tensor x, x2, x3, e, y, xo, w; /* w [co][ci][3][3] float */
    host_tensor pa, pb, pd, ea, eb;     /* [views][channels] */
    double *in, *weights, *expected;
} fused_case;

static bool goes_back(int prologue)
{
    return prologue == JSNI_CONV_NORM_BACK || prologue == JSNI_CONV_SKIP_BACK;
}

/* 0.5, 1 and 1.5 by turns, of both signs where `signs`. */
static host_tensor make_coefs(size_t count, bool signs)
{
    const host_tensor t = host_tensor_zeros(count, false);
    for (size_t i = 0; i < count; i++)
        host_tensor_set(t, i, (double)(i % 3 + 1) / 2 * (signs && i % 5 == 2 ? -1 : 1));
    return t;
}

static void *pack_weights(host_tensor w, int channels, bool back)
{
    jsni_pack *pack = host_array(sizeof *pack);
    pack->from = w.at;
    pack->kind = back ? JSNI_PACK_MMA_BACK : JSNI_PACK_MMA;
    pack->out_channels = pack->in_channels = channels;
    pack->taps = 9;
    pack->to = host_array(jsni_pack_bytes(pack));
    assert_int_equal(jsni_end_step(pack, 1, jsni_pack_blocks(pack), NULL, NULL),
                     cudaSuccess);
    return pack->to;
}

static fused_case create(int channels, int view_images, int prologue, int epilogue)
{
    fused_case c = {.channels = channels,
                    .side = 1024 / channels,
                    .prologue = prologue,
                    .epilogue = epilogue};
    const size_t per_view = (size_t)VIEWS * (size_t)channels;
    const size_t count =
        (size_t)(VIEWS * view_images * c.side * c.side) * (size_t)channels;
    const bool back = prologue != JSNI_CONV_NORM_RELU;
    host_tensor *of[] = {&c.x, &c.x2, &c.x3, &c.e};
    for (uint32_t i = 0; i < 4; i++)
        *of[i] = host_tensor_quarters(count, true, i + 1);
    c.y = host_tensor_zeros(count, true);
    c.xo = host_tensor_zeros(count, true);
    if (channels == 128) /* two blocks share the images */
        host_write_again(c.xo.at);
    c.w = host_tensor_quarters((size_t)channels * (size_t)channels * 9, false, 9);
    c.pa = make_coefs(per_view, true);
    c.pb = host_tensor_quarters(per_view, false, 5);
    c.pd = host_tensor_quarters(per_view, false, 6);
    c.ea = make_coefs(per_view, true);
    c.eb = host_tensor_quarters(per_view, false, 8);
    c.words = per_view * 2 * JSNI_EXACT_WORDS;
    c.args = (jsni_conv_args){
        .x = c.x.at,
        .x2 = c.x2.at,
        .x3 = c.x3.at,
        .y = c.y.at,
        .e = c.e.at,
        .xo = goes_back(prologue) ? c.xo.at : NULL,
        .pa = c.pa.at,
        .pb = c.pb.at,
        .pd = c.pd.at,
        .ea = c.ea.at,
        .eb = c.eb.at,
        .sums = host_array(c.words * sizeof(jsni_exact_word)),
        .images = VIEWS * view_images,
        .view_images = view_images,
        .w = pack_weights(c.w, channels, back),
    };
    c.in = calloc(count, sizeof(double));
    c.expected = calloc(count, sizeof(double));
    c.weights = calloc(c.w.count, sizeof(double));
    assert_true(c.in && c.expected && c.weights);
    return c;
}

static void destroy(fused_case *c)
{
    free(c->in);
    free(c->expected);
    free(c->weights);
    host_reset();
}

static size_t coef_of(const fused_case *c, size_t i)
{
    const size_t channels = (size_t)c->channels;
    return i / (c->x.count / VIEWS) * channels + i % channels;
}

/* What the prologue makes. */
static void expect_input(fused_case *c)
{
    for (size_t i = 0; i < c->x.count; i++) {
        const size_t k = coef_of(c, i);
        const double x = host_tensor_value(c->x, i), a = host_tensor_value(c->pa, k);
        const double b = host_tensor_value(c->pb, k);
        double v = x;
        if (c->prologue == JSNI_CONV_NORM_RELU)
            v = fmax(a * x + b, 0.0);
        if (goes_back(c->prologue))
            v = a * x + b * host_tensor_value(c->x2, i) + host_tensor_value(c->pd, k);
        if (c->prologue == JSNI_CONV_SKIP_BACK)
            v += host_tensor_value(c->x3, i);
        c->in[i] = v;
    }
}

/* The results of a pixel of an image, for one tap. */
static void add_tap(fused_case *c, size_t to, size_t from, size_t tap, bool back)
{
    const size_t channels = (size_t)c->channels;
    for (size_t o = 0; o < channels; o++) {
        double sum = 0.0;
        for (size_t i = 0; i < channels; i++)
            sum += c->in[from * channels + i] *
                   c->weights[((back ? i : o) * channels + (back ? o : i)) * 9 + tap];
        c->expected[to * channels + o] += sum;
    }
}

static void expect_products(fused_case *c)
{
    const bool back = c->prologue != JSNI_CONV_NORM_RELU;
    const int side = c->side;
    for (size_t i = 0; i < c->w.count; i++)
        c->weights[i] = host_tensor_value(c->w, i);
    for (int p = 0; p < c->args.images * side * side; p++)
        for (int tap = 0; tap < 9; tap++) {
            const int down = (tap / 3 - 1) * (back ? -1 : 1);
            const int right = (tap % 3 - 1) * (back ? -1 : 1);
            const int y = p / side % side + down, x = p % side + right;
            if (y >= 0 && y < side && x >= 0 && x < side)
                add_tap(c, (size_t)p, (size_t)(p + down * side + right), (size_t)tap,
                        back);
        }
}

static void expect_epilogue(fused_case *c)
{
    for (size_t i = 0; i < c->x.count; i++) {
        const size_t k = coef_of(c, i);
        const double e = host_tensor_value(c->e, i);
        if (c->epilogue == JSNI_CONV_RESIDUAL)
            c->expected[i] += e;
        if (c->epilogue == JSNI_CONV_MASK &&
            !(host_tensor_value(c->ea, k) * e + host_tensor_value(c->eb, k) > 0.0))
            c->expected[i] = 0.0;
    }
}

static double read_sum(const fused_case *c, size_t view, size_t sum, size_t channel)
{
    jsni_exact_word words[JSNI_EXACT_WORDS];
    for (size_t i = 0; i < JSNI_EXACT_WORDS; i++)
        words[i] =
            c->args
                .sums[((view * 2 + sum) * JSNI_EXACT_WORDS + i) * (size_t)c->channels +
                      channel];
    return jsni_exact_value(words);
}

/* Sums of what was stored; a block's are floats, so of 10,000 terms 16 bits are left. */
static size_t sums_off(const fused_case *c)
{
    const size_t channels = (size_t)c->channels;
    const size_t pixels = c->x.count / VIEWS / channels;
    size_t off = 0;
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t ch = 0; ch < channels; ch++) {
            double sums[2] = {0}, sizes[2] = {0};
            for (size_t p = v * pixels; p < (v + 1) * pixels; p++) {
                const double y = host_tensor_value(c->y, p * channels + ch);
                const double e = c->epilogue == JSNI_CONV_MASK
                                     ? host_tensor_value(c->e, p * channels + ch)
                                     : y;
                sums[0] += y;
                sums[1] += y * e;
                sizes[0] += fabs(y);
                sizes[1] += fabs(y * e);
            }
            for (size_t s = 0; s < 2; s++)
                off += !(fabs(read_sum(c, v, s, ch) - sums[s]) <= 1e-5 * sizes[s]);
        }
    return off;
}

static void run_fused(void *user)
{
    fused_case *c = user;
    memset(c->args.sums, 0, c->words * sizeof(jsni_exact_word));
    (void)jsni_conv3x3(&c->args, c->channels, (jsni_conv_prologue)c->prologue,
                       (jsni_conv_epilogue)c->epilogue, false, NULL);
}

static void check_fused(int channels, int prologue, int epilogue)
{
    fused_case c = create(channels, channels == 128 ? 4 : 1, prologue, epilogue);
    const host_tensor sums = {c.args.sums, c.words * 2, false};
    const host_tensor results[] = {c.y, sums, c.xo};
    host_in_orders(run_fused, &c, results, c.args.xo ? 3 : 2);
    expect_input(&c);
    expect_products(&c);
    expect_epilogue(&c);
    const size_t off = host_tensor_off(c.y, c.expected, 0.0), bad = sums_off(&c);
    const size_t xo = c.args.xo ? host_tensor_off(c.xo, c.in, 0.0) : 0;
    if (off || bad || xo)
        fail_msg("%d channels, prologue %d, epilogue %d: %zu of y, %zu sums, %zu of xo "
                 "are off",
                 channels, prologue, epilogue, off, bad, xo);
    destroy(&c);
}

static void test_fused(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2) {
        check_fused(channels, JSNI_CONV_NORM_RELU, JSNI_CONV_SUMS);
        check_fused(channels, JSNI_CONV_NORM_RELU, JSNI_CONV_RESIDUAL);
        check_fused(channels, JSNI_CONV_PLAIN, JSNI_CONV_MASK);
        check_fused(channels, JSNI_CONV_NORM_BACK, JSNI_CONV_MASK);
        check_fused(channels, JSNI_CONV_SKIP_BACK, JSNI_CONV_MASK);
    }
}

/* ---- gradients of the weights ---- */

typedef struct weights_case {
    jsni_conv_weight_args args;
    jsni_conv_final *final;
    int channels, blocks;
    host_tensor gradient;
} weights_case;

static void run_weights(void *user)
{
    weights_case *c = user;
    (void)jsni_conv3x3_weights(&c->args, c->channels, false, NULL);
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

static void test_weights(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2) {
        fused_case f = create(channels, channels == 128 ? 8 : 2, JSNI_CONV_NORM_RELU,
                              JSNI_CONV_SUMS);
        weights_case c = {.channels = channels,
                          .blocks = jsni_conv_final_blocks(channels),
                          .gradient = host_tensor_zeros(f.w.count, false)};
        c.args = (jsni_conv_weight_args){.x = f.x.at,
                                         .dy = f.e.at,
                                         .xa = f.pa.at,
                                         .xb = f.pb.at,
                                         .part = host_array(jsni_conv3x3_weight_bytes(
                                             channels, f.args.images, false)),
                                         .images = f.args.images,
                                         .view_images = f.args.view_images};
        c.final = host_array(sizeof *c.final);
        *c.final = (jsni_conv_final){
            .part = c.args.part,
            .gradient = c.gradient.at,
            .channels = channels,
            .parts = jsni_conv3x3_weight_parts(channels, f.args.images, false)};
        host_in_orders(run_weights, &c, &c.gradient, 1);
        expect_input(&f);
        expect_gradient(&f, f.weights);
        assert_int_equal(host_tensor_off(c.gradient, f.weights, 0.0), 0);
        destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_fused, host_reset_after),
        cmocka_unit_test_teardown(test_weights, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
