/* BatchNorm of norm_kernels.h against formulas in double: its own sums, exact sums, the
 * statistics that it keeps, and gradients. And coefficients that a convolution makes of
 * exact sums have the bits of those that finish and back_finish make. */
#include <math.h>

#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/step_kernels.h"
#include "cuda_host/host_support.h"
#include "support/support.h"

enum { VIEWS = 2, KINDS = 8 /* of coefficients */ };

typedef struct norm_case {
    jsni_norm_args args;
    host_tensor x, dy, skip, y, dx, coefs, weight, bias, weight_grad, bias_grad, mean,
        var;
    host_tensor first_mean, first_var;
    bool exact;
} norm_case;

static float *kind(const norm_case *c, size_t i)
{
    return (float *)c->coefs.at + i * VIEWS * (size_t)c->args.channels;
}

static norm_case create(int channels, int pixels, bool half)
{
    norm_case c = {0};
    const size_t n = (size_t)channels, count = (size_t)pixels * n * VIEWS;
    c.x = host_tensor_quarters(count, half, 1);
    c.dy = host_tensor_quarters(count, half, 2);
    c.skip = host_tensor_quarters(count, half, 3);
    c.y = host_tensor_zeros(count, half);
    c.dx = host_tensor_zeros(count, half);
    c.coefs = host_tensor_zeros(KINDS * VIEWS * n, false);
    c.weight = host_tensor_quarters(n, false, 4);
    c.bias = host_tensor_quarters(n, false, 5);
    for (size_t i = 0; i < n; i++) { /* so that no value lies at an end of the ReLU */
        ((float *)c.weight.at)[i] += 0.013f;
        ((float *)c.bias.at)[i] += 0.0071f;
    }
    c.weight_grad = host_tensor_zeros(n, false);
    c.bias_grad = host_tensor_zeros(n, false);
    c.first_mean = host_tensor_quarters(n, false, 6);
    c.first_var = host_tensor_quarters(n, false, 7);
    c.mean = host_tensor_zeros(n, false);
    c.var = host_tensor_zeros(n, false);
    jsni_norm_args *a = &c.args;
    a->channels = channels;
    a->views = VIEWS;
    a->pixels = pixels;
    a->half = half;
    a->groups = jsni_norm_groups(channels, VIEWS, pixels, half);
    a->x = c.x.at;
    a->dy = c.dy.at;
    a->skip = c.skip.at;
    a->y = c.y.at;
    a->part = host_array((size_t)(VIEWS * a->groups * 2 * channels) * sizeof(float));
    return c;
}

/* The addresses of the tensors, which a run may change, and constants. */
static void fill(norm_case *c)
{
    jsni_norm_args *a = &c->args;
    a->k = (jsni_norm_coefs){kind(c, 0), kind(c, 1), kind(c, 2), kind(c, 3),
                             kind(c, 4), kind(c, 5), kind(c, 6), kind(c, 7)};
    a->weight = c->weight.at;
    a->bias = c->bias.at;
    a->weight_grad = c->weight_grad.at;
    a->bias_grad = c->bias_grad.at;
    a->running_mean = c->mean.at;
    a->running_var = c->var.at;
    a->epsilon = 1e-5;
    a->momentum = 0.1;
    a->relu = true;
    a->top = 1.5f;
    a->shifted = !a->exact;
}

static void start_running(norm_case *c)
{
    memcpy(c->mean.at, c->first_mean.at, c->mean.count * sizeof(float));
    memcpy(c->var.at, c->first_var.at, c->var.count * sizeof(float));
}

static void run_norm(void *user)
{
    norm_case *c = user;
    jsni_norm_args *a = &c->args;
    start_running(c);
    a->y = c->y.at;
    (void)jsni_norm_sums(a, NULL);
    (void)jsni_norm_finish(a, true, NULL);
    (void)jsni_norm_apply(a, NULL);
    a->y = c->dx.at;
    (void)jsni_norm_back_sums(a, NULL);
    (void)jsni_norm_back_finish(a, true, NULL);
    (void)jsni_norm_back_apply(a, false, NULL);
}

/* The expected values of a channel: y and dx of all views, and what it keeps. */
typedef struct channel_sums {
    double mean, var, rstd, bias_grad, weight_grad;
} channel_sums;

static double at_of(host_tensor t, const norm_case *c, size_t v, size_t p, size_t ch)
{
    return host_tensor_value(
        t, (v * (size_t)c->args.pixels + p) * (size_t)c->args.channels + ch);
}

static bool is_open(double normal)
{
    return normal > 0.0 && normal < 1.5;
}

static channel_sums sums_of(const norm_case *c, size_t v, size_t ch)
{
    const size_t n = (size_t)c->args.pixels;
    channel_sums s = {0};
    for (size_t p = 0; p < n; p++)
        s.mean += at_of(c->x, c, v, p, ch) / (double)n;
    for (size_t p = 0; p < n; p++)
        s.var += pow(at_of(c->x, c, v, p, ch) - s.mean, 2) / (double)n;
    s.rstd = 1.0 / sqrt(s.var + 1e-5);
    const double w = host_tensor_value(c->weight, ch),
                 b = host_tensor_value(c->bias, ch);
    for (size_t p = 0; p < n; p++) {
        const double unit = (at_of(c->x, c, v, p, ch) - s.mean) * s.rstd;
        const double g = is_open(w * unit + b) ? at_of(c->dy, c, v, p, ch) : 0.0;
        s.bias_grad += g;
        s.weight_grad += g * unit;
    }
    return s;
}

static void expect_view(const norm_case *c, size_t v, size_t ch, const channel_sums *s,
                        double *y, double *dx)
{
    const size_t n = (size_t)c->args.pixels;
    const double w = host_tensor_value(c->weight, ch),
                 b = host_tensor_value(c->bias, ch);
    for (size_t p = 0; p < n; p++) {
        const size_t at = (v * n + p) * (size_t)c->args.channels + ch;
        const double unit = (host_tensor_value(c->x, at) - s->mean) * s->rstd;
        const double skip = host_tensor_value(c->skip, at);
        const double normal = w * unit + b,
                     g = is_open(normal) ? host_tensor_value(c->dy, at) : 0.0;
        y[at] = fmin(fmax(normal + skip, 0.0), 1.5);
        dx[at] =
            w * s->rstd *
                (g - s->bias_grad / (double)n - unit * s->weight_grad / (double)n) +
            skip;
    }
}

/* float sums of some hundred terms, bf16 results: a few units in the last place. */
static void check_norm(int channels, int pixels, bool half)
{
    norm_case c = create(channels, pixels, half);
    fill(&c);
    const host_tensor results[] = {c.y,     c.dx,   c.weight_grad, c.bias_grad,
                                   c.coefs, c.mean, c.var};
    host_in_orders(run_norm, &c, results, 7);
    const size_t n = (size_t)channels;
    double *y = calloc(c.y.count, sizeof *y), *dx = calloc(c.y.count, sizeof *dx);
    double *kept = calloc(4 * n, sizeof *kept); /* mean, var, both gradients */
    assert_true(y && dx && kept);
    for (size_t ch = 0; ch < n; ch++) {
        kept[ch] = host_tensor_value(c.first_mean, ch);
        kept[n + ch] = host_tensor_value(c.first_var, ch);
        for (size_t v = 0; v < VIEWS; v++) {
            const channel_sums s = sums_of(&c, v, ch);
            kept[ch] += 0.1 * (s.mean - kept[ch]);
            kept[n + ch] += 0.1 * (s.var * pixels / (pixels - 1) - kept[n + ch]);
            kept[2 * n + ch] += s.weight_grad;
            kept[3 * n + ch] += s.bias_grad;
            expect_view(&c, v, ch, &s, y, dx);
        }
    }
    const double unit = half ? 1.0 / 128 : 2e-6;
    assert_int_equal(host_tensor_off(c.y, y, unit), 0);
    assert_int_equal(host_tensor_off(c.dx, dx, unit), 0);
    assert_int_equal(host_tensor_off(c.mean, kept, 1e-6), 0);
    assert_int_equal(host_tensor_off(c.var, kept + n, 1e-6), 0);
    assert_int_equal(host_tensor_off(c.weight_grad, kept + 2 * n, 1e-5), 0);
    assert_int_equal(host_tensor_off(c.bias_grad, kept + 3 * n, 1e-5), 0);
    free(y);
    free(dx);
    free(kept);
    host_reset();
}

static void test_norm(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        check_norm(32, 200, half);
        check_norm(13, 77, half);
        check_norm(40, 35, half);
    }
}

/* ---- through a convolution ---- */

static void add_exactly(jsni_exact_word *sums, size_t channels, size_t at, double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    const jsni_exact_parts parts = jsni_exact_split(bits);
    sums[at + (size_t)parts.first * channels] += parts.below;
    sums[at + (size_t)(parts.first + 1) * channels] += parts.above;
}

/* The exact sums of x and of x times x or x2, pixel by pixel. */
static jsni_exact_word *make_exact(const norm_case *c, host_tensor other)
{
    const size_t n = (size_t)c->args.channels;
    jsni_exact_word *sums = host_array(VIEWS * 2 * JSNI_EXACT_WORDS * n * sizeof *sums);
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t p = 0; p < (size_t)c->args.pixels; p++)
            for (size_t ch = 0; ch < n; ch++) {
                const double x = at_of(c->x, c, v, p, ch);
                const size_t at = v * 2 * JSNI_EXACT_WORDS * n + ch;
                add_exactly(sums, n, at, x);
                add_exactly(sums, n, at + JSNI_EXACT_WORDS * n,
                            x * at_of(other, c, v, p, ch));
            }
    return sums;
}

typedef struct conv_run {
    host_tensor y, coefs, weight_grad, bias_grad, mean, var;
} conv_run;

/* The convolution with the BatchNorm inside, or behind finish. */
static conv_run run_conv(norm_case *c, const jsni_conv_args *given, bool back,
                         bool wide, bool inside)
{
    const size_t n = (size_t)c->args.channels, bytes = c->coefs.count * sizeof(float);
    c->coefs.at = memcpy(host_array(bytes), c->coefs.at, bytes);
    c->weight_grad = host_tensor_zeros(n, false);
    c->bias_grad = host_tensor_zeros(n, false);
    c->mean = host_tensor_zeros(n, false);
    c->var = host_tensor_zeros(n, false);
    start_running(c);
    fill(c);
    jsni_conv_args a = *given;
    const host_tensor y = host_tensor_zeros(c->x.count, true);
    a.y = y.at;
    if (inside) {
        a.through = c->args;
    } else {
        if (back)
            assert_int_equal(jsni_norm_back_finish(&c->args, false, NULL), cudaSuccess);
        else
            assert_int_equal(jsni_norm_finish(&c->args, true, NULL), cudaSuccess);
        a.pa = back ? c->args.k.ga : c->args.k.a;
        a.pb = back ? c->args.k.gb : c->args.k.b;
        a.pd = c->args.k.gd;
    }
    (void)jsni_conv3x3(&a, c->args.channels,
                       back ? JSNI_CONV_NORM_BACK : JSNI_CONV_NORM_RELU,
                       back ? JSNI_CONV_MASK : JSNI_CONV_SUMS, wide, NULL);
    if (host_fault())
        fail_msg("%s", host_fault());
    return (conv_run){y, c->coefs, c->weight_grad, c->bias_grad, c->mean, c->var};
}

static void assert_same(host_tensor a, host_tensor b, size_t count)
{
    assert_memory_equal(a.at, b.at, count * (a.half ? 2 : 4));
}

static void check_through(int channels, bool back, bool wide)
{
    const int side = 1024 / channels, images = channels == 128 ? 4 : 1;
    const size_t n = (size_t)channels;
    norm_case c = create(channels, images * side * side, true);
    for (size_t i = 0; i < c.coefs.count; i++)
        ((float *)c.coefs.at)[i] = 0.25f + (float)(i % 7) / 8.0f;
    fill(&c);
    c.args.exact = make_exact(&c, back ? c.dy : c.x);
    const size_t taps = wide && channels == 32 ? 15 : 9; /* some rows lie there twice */
    const host_tensor w = host_tensor_quarters(n * n * taps, true, 11);
    const jsni_conv_args given = {.x = c.x.at,
                                  .x2 = c.dy.at,
                                  .w = w.at,
                                  .e = c.skip.at,
                                  .ea = kind(&c, 0),
                                  .eb = kind(&c, 1),
                                  .images = VIEWS * images,
                                  .view_images = images};
    conv_run run[2];
    for (int inside = 0; inside < 2; inside++)
        run[inside] = run_conv(&c, &given, back, wide, inside);
    assert_same(run[0].y, run[1].y, c.x.count);
    if (back) {
        assert_same(run[0].weight_grad, run[1].weight_grad, n);
        assert_same(run[0].bias_grad, run[1].bias_grad, n);
    } else {
        assert_same(run[0].coefs, run[1].coefs, 4 * VIEWS * n); /* a, b, mean, rstd */
        assert_same(run[0].mean, run[1].mean, n);
        assert_same(run[0].var, run[1].var, n);
        const channel_sums s = sums_of(&c, 1, 3);
        assert_close((double)((float *)run[1].coefs.at)[(2 * VIEWS + 1) * n + 3],
                     s.mean, 1e-6, 0);
        assert_close((double)((float *)run[1].coefs.at)[(3 * VIEWS + 1) * n + 3],
                     s.rstd, 0, 1e-5);
    }
    host_reset();
}

static void test_through(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2)
        for (int back = 0; back < 2; back++)
            for (int wide = 0; wide < 2; wide++)
                check_through(channels, back, wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_norm, host_reset_after),
        cmocka_unit_test_teardown(test_through, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
