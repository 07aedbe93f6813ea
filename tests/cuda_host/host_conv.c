/* cuda_host/host_conv.c - see host_conv.h. */
#include "cuda_host/host_conv.h"

#include <math.h>

#include "support/support.h"

static jsni_any_conv make_conv(const conv_shape *s)
{
    jsni_any_conv c = {0};
    c.images = s->images;
    c.in_channels = s->in_channels;
    c.out_channels = s->out_channels;
    c.in_h = s->in_h;
    c.in_w = s->in_w;
    c.kernel_h = c.kernel_w = s->kernel;
    c.stride_h = c.stride_w = s->stride;
    c.pad_h = c.pad_w = s->pad;
    c.out_h = (s->in_h + 2 * s->pad - s->kernel) / s->stride + 1;
    c.out_w = (s->in_w + 2 * s->pad - s->kernel) / s->stride + 1;
    c.half_x = c.half_y = s->half;
    c.half_w = s->half && !s->depthwise;
    c.tf32 = s->tf32;
    c.depthwise = s->depthwise;
    c.plain = s->plain;
    return c;
}

conv_case conv_case_create(const conv_shape *s)
{
    conv_case c = {.conv = make_conv(s), .views = s->views};
    jsni_any_conv *conv = &c.conv;
    const size_t images = (size_t)s->images;
    const size_t weights = (size_t)conv->out_channels *
                           (size_t)jsni_any_conv_sees(conv) *
                           (size_t)(conv->kernel_h * conv->kernel_w);
    const size_t xs = images * (size_t)(conv->in_h * conv->in_w * conv->in_channels);
    const size_t ys = images * (size_t)(conv->out_h * conv->out_w * conv->out_channels);
    c.x = host_tensor_quarters(xs, s->half, 1);
    c.w = host_tensor_quarters(weights, conv->half_w, 2);
    c.y = host_tensor_zeros(ys, s->half);
    c.dx = host_tensor_zeros(xs, s->half);
    c.bias = host_tensor_quarters((size_t)conv->out_channels, false, 3);
    conv->splits = jsni_any_conv_splits(conv);
    c.part = host_tensor_zeros(weights * (size_t)conv->splits, false);
    c.gradient = host_tensor_zeros(weights, false);
    conv->x = c.x.at;
    conv->w = c.w.at;
    conv->y = c.y.at;
    conv->dx = c.dx.at;
    conv->bias = s->biased ? c.bias.at : NULL;
    conv->part = c.part.at;
    if (s->views) {
        c.sums = (size_t)(s->views * 2 * JSNI_EXACT_WORDS * conv->out_channels);
        conv->sums = host_array(c.sums * sizeof(jsni_exact_word));
        conv->view_pixels = s->images / s->views * conv->out_h * conv->out_w;
    }
    c.y_expected = calloc(ys, sizeof(double));
    c.dx_expected = calloc(xs, sizeof(double));
    c.gradient_expected = calloc(weights, sizeof(double));
    assert_true(c.y_expected && c.dx_expected && c.gradient_expected);
    return c;
}

void conv_case_destroy(conv_case *c)
{
    free(c->y_expected);
    free(c->dx_expected);
    free(c->gradient_expected);
    host_reset();
}

/* Visits every product: places in y, x and w, and of the gradient. */
typedef void visit_fn(conv_case *c, size_t y, size_t x, size_t w, size_t gradient);

/* The products of output pixel `pixel` under one tap, whose input is at pixel `from`. */
static void visit_channels(conv_case *c, size_t pixel, size_t from, size_t tap,
                           visit_fn *visit)
{
    const size_t ci = (size_t)c->conv.in_channels, co = (size_t)c->conv.out_channels;
    const size_t taps = (size_t)(c->conv.kernel_h * c->conv.kernel_w);
    for (size_t o = 0; o < co; o++) {
        if (c->conv.depthwise) {
            visit(c, pixel * co + o, from * ci + o, o * taps + tap, o * taps + tap);
            continue;
        }
        for (size_t i = 0; i < ci; i++)
            visit(c, pixel * co + o, from * ci + i, (o * taps + tap) * ci + i,
                  (o * ci + i) * taps + tap);
    }
}

static void visit_products(conv_case *c, visit_fn *visit)
{
    const jsni_any_conv *v = &c->conv;
    const int pixels = (int)v->images * v->out_h * v->out_w;
    for (int p = 0; p < pixels; p++) {
        const int image = p / (v->out_h * v->out_w), w = p % v->out_w;
        const int h = p / v->out_w % v->out_h;
        for (int tap = 0; tap < v->kernel_h * v->kernel_w; tap++) {
            const int y = h * v->stride_h - v->pad_h + tap / v->kernel_w;
            const int x = w * v->stride_w - v->pad_w + tap % v->kernel_w;
            if (y >= 0 && y < v->in_h && x >= 0 && x < v->in_w)
                visit_channels(c, (size_t)p,
                               (size_t)((image * v->in_h + y) * v->in_w + x),
                               (size_t)tap, visit);
        }
    }
}

static void add_forward(conv_case *c, size_t y, size_t x, size_t w, size_t gradient)
{
    (void)gradient;
    c->y_expected[y] += host_tensor_value(c->x, x) * host_tensor_value(c->w, w);
}

static void add_back(conv_case *c, size_t y, size_t x, size_t w, size_t gradient)
{
    const double dy = host_tensor_value(c->y, y);
    c->dx_expected[x] += dy * host_tensor_value(c->w, w);
    c->gradient_expected[gradient] += dy * host_tensor_value(c->x, x);
}

void conv_case_expect_forward(conv_case *c)
{
    for (size_t i = 0; i < c->y.count; i++)
        c->y_expected[i] =
            c->conv.bias ? host_tensor_value(c->bias, i % (size_t)c->conv.out_channels)
                         : 0.0;
    visit_products(c, add_forward);
}

void conv_case_expect_back(conv_case *c)
{
    visit_products(c, add_back);
}

size_t conv_case_sums_off(const conv_case *c)
{
    const size_t channels = (size_t)c->conv.out_channels;
    const size_t pixels = (size_t)c->conv.view_pixels;
    size_t off = 0;
    for (size_t v = 0; v < (size_t)c->views; v++)
        for (size_t ch = 0; ch < channels; ch++)
            for (size_t sum = 0; sum < 2; sum++) {
                double expected = 0.0;
                for (size_t p = v * pixels; p < (v + 1) * pixels; p++) {
                    const double y = host_tensor_value(c->y, p * channels + ch);
                    expected += sum ? y * y : y;
                }
                jsni_exact_word words[JSNI_EXACT_WORDS];
                for (size_t k = 0; k < JSNI_EXACT_WORDS; k++)
                    words[k] =
                        c->conv.sums[((v * 2 + sum) * JSNI_EXACT_WORDS + k) * channels +
                                     ch];
                const double got = jsni_exact_value(words);
                off += !(fabs(got - expected) <= 1e-6 * (1.0 + fabs(expected)));
            }
    return off;
}
