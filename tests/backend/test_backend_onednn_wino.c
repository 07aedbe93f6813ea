/* The own Winograd kernels, op by op, for every instruction set that runs here, against
 * plain loops in double. Shapes include images that are no multiple of the tile, one
 * pixel, channels that do not fill a block, chunks with parts of an image and with
 * several images. */
#include <math.h>

#include "backend/onednn/kernel_set.h"
#include "core/alloc.h"
#include "core/rng.h"
#include "support/support.h"

/* Tolerance. With unit-variance data the transforms have absolute row sums of at most
 * 10 (A^T), 1.4 (G) and 7.1 (B^T); in two dimensions and for independent roundings the
 * root mean square error is near 1e-6 of the largest result, the largest of 1e5 values 4
 * to 5 times that. 1e-5 of the maximum is what a layer is held to. */
static const double tolerance = 1e-5;

typedef struct problem {
    size_t images, ins, outs, height, width;
    float *x, *w, *g; /* plain: [n][c][h][w], [o][i][3][3] */
    float *mean, *scale, *shift, *bias, *residual;

} problem;

static float *random_floats(size_t count, uint32_t stream)
{
    jsni_rng rng = jsni_rng_stream(7, JSNI_RNG_INIT, stream, 0, 0);
    float *p = jsni_alloc_zero(count + 64, sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < count; i++)
        p[i] = (float)(3.4641016 * ((double)jsni_rng_u32(&rng) / 4294967296.0 - 0.5));
    return p;
}

static size_t rounded(size_t channels, size_t lanes)
{
    return (channels + lanes - 1) / lanes * lanes;
}

/* Zero the channels that fill the last block: they must have no effect. */
static void clear_fill(float *p, size_t channels)
{
    for (size_t i = channels; i < channels + 64; i++)
        p[i] = 0.0f;
}

static problem problem_create(size_t images, size_t ins, size_t outs, size_t height,
                              size_t width)
{
    problem p = {.images = images, .ins = ins, .outs = outs};
    p.height = height;
    p.width = width;
    p.x = random_floats(images * ins * height * width, 1);
    p.w = random_floats(outs * ins * 9, 2);
    p.g = random_floats(images * outs * height * width, 3);
    p.residual = random_floats(images * outs * height * width, 4);
    p.mean = random_floats(ins, 5);
    p.scale = random_floats(ins, 6);
    p.shift = random_floats(ins, 7);
    p.bias = random_floats(outs, 8);
    for (size_t c = 0; c < ins; c++)
        p.scale[c] += 1.0f;
    clear_fill(p.mean, ins);
    clear_fill(p.scale, ins);
    clear_fill(p.shift, ins);
    clear_fill(p.bias, outs);
    return p;
}

static void problem_destroy(problem *p)
{
    float *all[] = {p->x,    p->w,     p->g,     p->residual,
                    p->mean, p->scale, p->shift, p->bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        jsni_free(all[i]);
}

static float *to_blocked(const float *x, size_t images, size_t channels, size_t pixels,
                         size_t lanes)
{
    const size_t full = rounded(channels, lanes);
    float *r = jsni_alloc_zero(images * full * pixels, sizeof *r);
    assert_non_null(r);
    for (size_t n = 0; n < images; n++)
        for (size_t c = 0; c < channels; c++)
            for (size_t p = 0; p < pixels; p++)
                r[((n * full / lanes + c / lanes) * pixels + p) * lanes + c % lanes] =
                    x[(n * channels + c) * pixels + p];
    return r;
}

static double loaded(const problem *p, size_t n, size_t c, long y, long x)
{
    if (y < 0 || x < 0 || y >= (long)p->height || x >= (long)p->width)
        return 0.0;
    const float v =
        p->x[((n * p->ins + c) * p->height + (size_t)y) * p->width + (size_t)x];
    const double t =
        ((double)v - (double)p->mean[c]) * (double)p->scale[c] + (double)p->shift[c];
    return t > 0.0 ? t : 0.0;
}

static double gradient_at(const problem *p, size_t n, size_t o, long y, long x)
{
    if (y < 0 || x < 0 || y >= (long)p->height || x >= (long)p->width)
        return 0.0;
    return (double)
        p->g[((n * p->outs + o) * p->height + (size_t)y) * p->width + (size_t)x];
}

static double forward_at(const problem *p, size_t n, size_t o, size_t y, size_t x)
{
    double sum =
        (double)p->bias[o] +
        (double)p->residual[((n * p->outs + o) * p->height + y) * p->width + x];
    for (size_t i = 0; i < p->ins; i++)
        for (int k = 0; k < 9; k++)
            sum += loaded(p, n, i, (long)y + k / 3 - 1, (long)x + k % 3 - 1) *
                   (double)p->w[(o * p->ins + i) * 9 + (size_t)k];
    return sum;
}

static double backward_at(const problem *p, size_t n, size_t i, size_t y, size_t x)
{
    double sum = 0.0;
    for (size_t o = 0; o < p->outs; o++)
        for (int k = 0; k < 9; k++)
            sum += gradient_at(p, n, o, (long)y - k / 3 + 1, (long)x - k % 3 + 1) *
                   (double)p->w[(o * p->ins + i) * 9 + (size_t)k];
    return sum;
}

static double weight_at(const problem *p, size_t o, size_t i, int k)
{
    double sum = 0.0;
    for (size_t n = 0; n < p->images; n++)
        for (long y = 0; y < (long)p->height; y++)
            for (long x = 0; x < (long)p->width; x++)
                sum += gradient_at(p, n, o, y, x) *
                       loaded(p, n, i, y + k / 3 - 1, x + k % 3 - 1);
    return sum;
}

/* The largest difference relative to the largest value; NaN counts as infinite. */
typedef struct deviation {
    double difference, largest;
} deviation;

static void deviation_add(deviation *d, double got, double want)
{
    const double difference = fabs(got - want);
    if (!(difference <= d->difference))
        d->difference = isnan(difference) ? INFINITY : difference;
    if (fabs(want) > d->largest)
        d->largest = fabs(want);
}

#define assert_deviation(d, what)                                                 \
    do {                                                                          \
        if (!((d).difference <= tolerance * (d).largest))                         \
            fail_msg("%s: off by %g of %g", (what), (d).difference, (d).largest); \
    } while (0)

static jsni_wino_scratch scratch_create(const jsni_kernel_set *set, const jsni_wino *w)
{
    const jsni_wino_need need = set->wino_need(w);
    jsni_wino_scratch s = {
        jsni_alloc_zero(need.pad, sizeof(float)),
        jsni_alloc_zero(need.input, sizeof(float)),
        jsni_alloc_zero(need.output, sizeof(float)),
        jsni_alloc_zero(need.gradient, sizeof(float)),
    };
    assert_non_null(s.pad);
    assert_non_null(s.gradient);
    return s;
}

static void scratch_destroy(jsni_wino_scratch *s)
{
    jsni_free(s->pad);
    jsni_free(s->input);
    jsni_free(s->output);
    jsni_free(s->gradient);
}

static float *weights_create(const jsni_kernel_set *set, const jsni_wino *w,
                             const problem *p, bool turned)
{
    float *u = jsni_alloc_zero(set->wino_need(w).weights, sizeof *u);
    assert_non_null(u);
    const size_t blocks = w->out_blocks, half = blocks / 2;
    set->wino_weights(p->w, p->outs, p->ins, turned, half, blocks, u);
    set->wino_weights(p->w, p->outs, p->ins, turned, 0, half, u);
    return u;
}

static void check_forward(const jsni_kernel_set *set, const problem *p, size_t chunk)
{
    const size_t lanes = set->lanes, pixels = p->height * p->width;
    jsni_wino w = jsni_wino_geometry(lanes, p->ins, p->outs, p->height, p->width);
    w.chunk = chunk != 0 ? chunk : w.chunk;
    jsni_wino_scratch scratch = scratch_create(set, &w);
    float *u = weights_create(set, &w, p, false);
    float *x = to_blocked(p->x, p->images, p->ins, pixels, lanes);
    float *out = to_blocked(p->residual, p->images, p->outs, pixels, lanes);
    const size_t full = rounded(p->outs, lanes);
    double *sums = jsni_alloc_zero(2 * full, sizeof *sums);
    float *origin = jsni_alloc_zero(full, sizeof *origin);
    const jsni_sums to = {sums, sums + full, origin};
    jsni_wino_call call = {.x = x,
                           .load = {p->mean, p->scale, p->shift, true},
                           .weights = u,
                           .bias = p->bias,
                           .residual = out,
                           .out = out,
                           .sums = &to,
                           .first = true,
                           .images = p->images};
    set->wino_conv(&w, &call, &scratch);

    deviation d = {0, 0};
    for (size_t o = 0; o < p->outs; o++) {
        double sum = 0.0, square = 0.0;
        for (size_t n = 0; n < p->images; n++)
            for (size_t q = 0; q < pixels; q++) {
                const double got =
                    (double)out[((n * full / lanes + o / lanes) * pixels + q) * lanes +
                                o % lanes];
                deviation_add(&d, got, forward_at(p, n, o, q / p->width, q % p->width));
                sum += got - (double)origin[o];
                square += (got - (double)origin[o]) * (got - (double)origin[o]);
            }
        /* float sums of up to 1024 values an image: 1e-5 of the sum of squares */
        assert_close(sums[o], sum, 1e-5 * (square + 1.0), 0.0);
        assert_close(sums[full + o], square, 1e-5, 1e-5);
    }
    assert_deviation(d, "forward");
    scratch_destroy(&scratch);
    jsni_free(u);
    jsni_free(x);
    jsni_free(out);
    jsni_free(sums);
    jsni_free(origin);
}

static void check_backward(const jsni_kernel_set *set, const problem *p, size_t chunk)
{
    const size_t lanes = set->lanes, pixels = p->height * p->width;
    jsni_wino w = jsni_wino_geometry(lanes, p->outs, p->ins, p->height, p->width);
    w.chunk = chunk != 0 ? chunk : w.chunk;
    jsni_wino_scratch scratch = scratch_create(set, &w);
    float *u = weights_create(set, &w, p, true);
    float *g = to_blocked(p->g, p->images, p->outs, pixels, lanes);
    const size_t full = rounded(p->ins, lanes);
    float *out = jsni_alloc_zero(p->images * full * pixels, sizeof *out);
    jsni_wino_call call = {.x = g, .weights = u, .out = out, .images = p->images};
    set->wino_conv(&w, &call, &scratch);
    deviation d = {0, 0};
    for (size_t n = 0; n < p->images; n++)
        for (size_t c = 0; c < p->ins; c++)
            for (size_t q = 0; q < pixels; q++)
                deviation_add(
                    &d,
                    (double)out[((n * full / lanes + c / lanes) * pixels + q) * lanes +
                                c % lanes],
                    backward_at(p, n, c, q / p->width, q % p->width));
    assert_deviation(d, "backward data");
    scratch_destroy(&scratch);
    jsni_free(u);
    jsni_free(g);
    jsni_free(out);
}

/* Two parts, as two shards would make them, through wino_gradient_end and reduce. */
static void check_weights(const jsni_kernel_set *set, const problem *p, size_t chunk)
{
    const size_t lanes = set->lanes, pixels = p->height * p->width;
    jsni_wino w = jsni_wino_geometry(lanes, p->ins, p->outs, p->height, p->width);
    w.chunk = chunk != 0 ? chunk : w.chunk;
    jsni_wino_scratch scratch = scratch_create(set, &w);
    float *x = to_blocked(p->x, p->images, p->ins, pixels, lanes);
    float *g = to_blocked(p->g, p->images, p->outs, pixels, lanes);
    const size_t stride = w.in_blocks * w.out_blocks * lanes * lanes * 9;
    float *parts = jsni_alloc_zero(3 * stride, sizeof *parts);
    float *dw = jsni_alloc_zero(p->outs * p->ins * 9, sizeof *dw);
    const jsni_load load = {p->mean, p->scale, p->shift, true, false};
    const size_t cut[] = {0, p->images / 3, p->images / 2, p->images};
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        const size_t from = cut[k], to = cut[k + 1], middle = (from + to) / 2;
        if (from == to)
            continue;
        const size_t xi = w.in_blocks * lanes * pixels,
                     gi = w.out_blocks * lanes * pixels;
        if (middle > from)
            set->wino_gradient(&w, x + from * xi, &load, g + from * gi, middle - from,
                               true, &scratch);
        set->wino_gradient(&w, x + middle * xi, &load, g + middle * gi, to - middle,
                           middle == from, &scratch);
        set->wino_gradient_end(&w, &scratch, parts + count++ * stride);
    }
    for (size_t b = 0; b < w.out_blocks; b++)
        set->reduce_weights(parts, count, stride, p->outs, p->ins, 9, b, b + 1, dw);
    deviation d = {0, 0};
    for (size_t o = 0; o < p->outs; o++)
        for (size_t i = 0; i < p->ins; i++)
            for (int k = 0; k < 9; k++)
                deviation_add(&d, (double)dw[(o * p->ins + i) * 9 + (size_t)k],
                              weight_at(p, o, i, k));
    assert_deviation(d, "backward weights");
    scratch_destroy(&scratch);
    jsni_free(x);
    jsni_free(g);
    jsni_free(parts);
    jsni_free(dw);
}

static const size_t shapes[][5] = {
    /* images, in, out, height, width */
    {1, 1, 1, 1, 1},    {2, 16, 32, 4, 4}, {3, 32, 32, 8, 8},   {2, 6, 12, 9, 7},
    {1, 48, 16, 5, 13}, {5, 40, 24, 8, 8}, {1, 16, 16, 30, 33}, {2, 3, 70, 6, 2},
};

static void walk(void (*check)(const jsni_kernel_set *, const problem *, size_t))
{
    for (size_t k = 0; jsni_kernel_set_at(k) != NULL; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t chunk = 0; chunk < 4; chunk += 3) {
                const size_t *v = shapes[s];
                problem p = problem_create(v[0], v[1], v[2], v[3], v[4]);
                check(jsni_kernel_set_at(k), &p, chunk);
                problem_destroy(&p);
            }
}

static void test_forward_matches_plain_loops(void **state)
{
    (void)state;
    walk(check_forward);
}

static void test_backward_data_matches_plain_loops(void **state)
{
    (void)state;
    walk(check_backward);
}

static void test_backward_weights_match_plain_loops(void **state)
{
    (void)state;
    walk(check_weights);
}

static void test_comparison_rejects_a_wrong_value(void **state)
{
    (void)state;
    deviation d = {0, 0};
    deviation_add(&d, 1.0, 1.0);
    assert_true(d.difference <= tolerance * d.largest);
    deviation_add(&d, 1.0, -1.0);
    assert_false(d.difference <= tolerance * d.largest);
    deviation e = {0, 0};
    deviation_add(&e, NAN, 1.0);
    assert_false(e.difference <= tolerance * e.largest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_matches_plain_loops),
        cmocka_unit_test(test_backward_data_matches_plain_loops),
        cmocka_unit_test(test_backward_weights_match_plain_loops),
        cmocka_unit_test(test_comparison_rejects_a_wrong_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
