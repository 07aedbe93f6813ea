/* cuda_host/host_fused.c - see host_fused.h. Coefficients are such that what a prologue makes
 * has few digits: products and sums are exact, and each result is rounded once. */
#include "cuda_host/host_fused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/step_kernels.h"
#include "support/support.h"

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

static void *pack_weights(host_tensor w, int channels, bool back, bool wide)
{
    jsni_pack *pack = host_array(sizeof *pack);
    pack->from = w.at;
    pack->kind = wide   ? back ? JSNI_PACK_WIDE_BACK : JSNI_PACK_WIDE
                 : back ? JSNI_PACK_MMA_BACK
                        : JSNI_PACK_MMA;
    pack->out_channels = pack->in_channels = channels;
    pack->taps = 9;
    pack->to = host_array(jsni_pack_bytes(pack));
    assert_int_equal(jsni_end_step(pack, 1, jsni_pack_blocks(pack), NULL, NULL),
                     cudaSuccess);
    return pack->to;
}

fused_case fused_create(const fused_shape *s)
{
    const int channels = s->channels, views = s->views, view_images = s->view_images;
    const int prologue = s->prologue, epilogue = s->epilogue;
    fused_case c = {.channels = channels,
                    .views = views,
                    .wide = s->wide,
                    .side = 1024 / channels,
                    .prologue = prologue,
                    .epilogue = epilogue};
    const size_t per_view = (size_t)views * (size_t)channels;
    const size_t count =
        (size_t)(views * view_images * c.side * c.side) * (size_t)channels;
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
        .images = views * view_images,
        .view_images = view_images,
        .w = pack_weights(c.w, channels, back, s->wide),
    };
    c.in = calloc(count, sizeof(double));
    c.expected = calloc(count, sizeof(double));
    assert_true(c.in && c.expected);
    return c;
}

void fused_destroy(fused_case *c)
{
    free(c->in);
    free(c->expected);
    host_reset();
}

static size_t coef_of(const fused_case *c, size_t i)
{
    const size_t channels = (size_t)c->channels;
    return i / (c->x.count / (size_t)c->views) * channels + i % channels;
}

void fused_expect_input(fused_case *c)
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

/* The weights of each tap, from input to output channels. */
static double *tap_weights(const fused_case *c, bool back)
{
    const size_t n = (size_t)c->channels;
    double *taps = malloc(9 * n * n * sizeof *taps);
    assert_non_null(taps);
    for (size_t tap = 0; tap < 9; tap++)
        for (size_t i = 0; i < n; i++)
            for (size_t o = 0; o < n; o++)
                taps[(tap * n + i) * n + o] = host_tensor_value(
                    c->w, ((back ? i : o) * n + (back ? o : i)) * 9 + tap);
    return taps;
}

/* What a pixel is to another one under a tap. */
static void add_tap(double *restrict to, const double *from, const double *weights,
                    size_t channels)
{
    for (size_t i = 0; i < channels; i++)
        for (size_t o = 0; o < channels && from[i] != 0.0; o++)
            to[o] += from[i] * weights[i * channels + o];
}

static void expect_products(fused_case *c)
{
    const bool back = c->prologue != JSNI_CONV_NORM_RELU;
    const int side = c->side;
    const size_t channels = (size_t)c->channels;
    double *taps = tap_weights(c, back);
    for (int p = 0; p < c->args.images * side * side; p++)
        for (int tap = 0; tap < 9; tap++) {
            const int down = (tap / 3 - 1) * (back ? -1 : 1);
            const int right = (tap % 3 - 1) * (back ? -1 : 1);
            const int y = p / side % side + down, x = p % side + right;
            if (y >= 0 && y < side && x >= 0 && x < side)
                add_tap(c->expected + (size_t)p * channels,
                        c->in + (size_t)(p + down * side + right) * channels,
                        taps + (size_t)tap * channels * channels, channels);
        }
    free(taps);
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
    const size_t pixels = c->x.count / (size_t)c->views / channels;
    size_t off = 0;
    for (size_t v = 0; v < (size_t)c->views; v++)
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

static void run(void *user)
{
    fused_case *c = user;
    memset(c->args.sums, 0, c->words * sizeof(jsni_exact_word));
    (void)jsni_conv3x3(&c->args, c->channels, (jsni_conv_prologue)c->prologue,
                       (jsni_conv_epilogue)c->epilogue, c->wide, NULL);
}

/* Again with several turns a block: the same sums to the last bit. The rest is compared with
 * what is expected, to the last bit, too. */
static void compare_turns(fused_case *c, int turns)
{
    const size_t bytes = c->words * sizeof(jsni_exact_word);
    jsni_exact_word *one = malloc(bytes);
    assert_non_null(one);
    memcpy(one, c->args.sums, bytes);
    const host_tensor sums = {c->args.sums, c->words * 2, false};
    const host_tensor results[] = {c->y, sums, c->xo};
    memset(c->y.at, 0, c->y.count * 2);
    c->args.turns = turns;
    host_in_orders(run, c, results, c->args.xo ? 3 : 2);
    assert_memory_equal(one, c->args.sums, bytes);
    free(one);
}

void fused_check(const fused_shape *shape)
{
    fused_case c = fused_create(shape);
    const host_tensor sums = {c.args.sums, c.words * 2, false};
    const host_tensor results[] = {c.y, sums, c.xo};
    host_in_orders(run, &c, results, c.args.xo ? 3 : 2);
    if (shape->turns)
        compare_turns(&c, shape->turns);
    fused_expect_input(&c);
    expect_products(&c);
    expect_epilogue(&c);
    const size_t off = host_tensor_off(c.y, c.expected, 0.0), bad = sums_off(&c);
    const size_t xo = c.args.xo ? host_tensor_off(c.xo, c.in, 0.0) : 0;
    if (off || bad || xo)
        fail_msg("%d channels, %d views of %d images, prologue %d, epilogue %d: %zu of "
                 "y, %zu sums, %zu of xo are off",
                 c.channels, c.views, c.args.view_images, c.prologue, c.epilogue, off,
                 bad, xo);
    fused_destroy(&c);
}

static void check_pairs(fused_shape shape)
{
    static const int pairs[][2] = {{JSNI_CONV_NORM_RELU, JSNI_CONV_SUMS},
                                   {JSNI_CONV_NORM_RELU, JSNI_CONV_RESIDUAL},
                                   {JSNI_CONV_PLAIN, JSNI_CONV_MASK},
                                   {JSNI_CONV_NORM_BACK, JSNI_CONV_MASK},
                                   {JSNI_CONV_SKIP_BACK, JSNI_CONV_MASK}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        shape.prologue = pairs[i][0];
        shape.epilogue = pairs[i][1];
        fused_check(&shape);
    }
}

void fused_check_pairs(int channels, int views, int view_images, bool wide)
{
    check_pairs((fused_shape){channels, views, view_images, .wide = wide});
}

void fused_check_turns(int channels, int views, int view_images, int turns)
{
    check_pairs(
        (fused_shape){channels, views, view_images, .wide = true, .turns = turns});
}
