/* Pooling, element-wise operations, biases and changes of layout of any_kernels.h against
 * loops in double. */
#include <math.h>

#include "backend/cuda/any_kernels.h"
#include "cuda_host/host_support.h"
#include "support/support.h"

/* ---- pooling ---- */

typedef cudaError_t pool_fn(const jsni_any_pool *pool, cudaStream_t stream);

typedef struct pool_case {
    jsni_any_pool pool;
    pool_fn *forward, *back;
    bool maxima, adaptive;
    host_tensor x, y, dy, dx;
} pool_case;

static void run_pool(void *user)
{
    pool_case *c = user;
    (void)c->forward(&c->pool, NULL);
    (void)c->back(&c->pool, NULL);
}

/* The first and last inputs under output i of one axis. */
static void window(const pool_case *c, int i, bool rows, int *first, int *end)
{
    const jsni_any_pool *p = &c->pool;
    const int in = rows ? p->in_h : p->in_w, out = rows ? p->out_h : p->out_w;
    *first = c->adaptive ? i * in / out : i * p->stride_h - p->pad_h;
    *end = c->adaptive ? ((i + 1) * in + out - 1) / out : *first + p->kernel_h;
}

/* One output: its value into y, its gradient into dx. */
static void expect_output(const pool_case *c, size_t i, double *y, double *dx)
{
    const jsni_any_pool *p = &c->pool;
    const int channels = p->channels, channel = (int)i % channels;
    const int w = (int)i / channels % p->out_w,
              h = (int)i / channels / p->out_w % p->out_h;
    const int image = (int)i / channels / p->out_w / p->out_h;
    int y0, y1, x0, x1, count = 0;
    window(c, h, true, &y0, &y1);
    window(c, w, false, &x0, &x1);
    size_t best = SIZE_MAX, inside[64];
    double sum = 0.0;
    for (int a = y0; a < y1; a++)
        for (int b = x0; b < x1; b++)
            if (a >= 0 && a < p->in_h && b >= 0 && b < p->in_w) {
                const size_t at =
                    (size_t)(((image * p->in_h + a) * p->in_w + b) * channels +
                             channel);
                inside[count++] = at;
                sum += host_tensor_value(c->x, at);
                if (best == SIZE_MAX ||
                    host_tensor_value(c->x, at) > host_tensor_value(c->x, best))
                    best = at;
            }
    const int divisor = c->adaptive ? count : p->kernel_h * p->kernel_w;
    y[i] = c->maxima ? host_tensor_value(c->x, best) : sum / divisor;
    for (int k = 0; k < count; k++)
        if (!c->maxima || inside[k] == best)
            dx[inside[k]] += host_tensor_value(c->dy, i) / (c->maxima ? 1 : divisor);
}

static void check_pool(pool_case c, int channels, bool half)
{
    jsni_any_pool *p = &c.pool;
    p->images = 3;
    p->channels = channels;
    p->half_x = p->half_y = half;
    const size_t xs = (size_t)(3 * p->in_h * p->in_w * channels);
    const size_t ys = (size_t)(3 * p->out_h * p->out_w * channels);
    c.x = host_tensor_quarters(xs, half, 1);
    c.dy = host_tensor_quarters(ys, half, 2);
    c.y = host_tensor_zeros(ys, half);
    c.dx = host_tensor_zeros(xs, half);
    p->x = c.x.at;
    p->y = c.y.at;
    p->dy = c.dy.at;
    p->dx = c.dx.at;
    p->at = c.maxima ? host_array(ys) : NULL;
    const host_tensor results[] = {c.y, c.dx};
    host_in_orders(run_pool, &c, results, 2);
    double *y = calloc(ys, sizeof *y), *dx = calloc(xs, sizeof *dx);
    assert_true(y && dx);
    for (size_t i = 0; i < ys; i++)
        expect_output(&c, i, y, dx);
    const double unit = half ? 1.0 / 128 : 1e-6;
    assert_int_equal(host_tensor_off(c.y, y, c.maxima ? 0.0 : unit), 0);
    assert_int_equal(host_tensor_off(c.dx, dx, unit), 0);
    free(y);
    free(dx);
    host_reset();
}

static void test_pools(void **state)
{
    (void)state;
    const jsni_any_pool strided = {.in_h = 9,
                                   .in_w = 7,
                                   .out_h = 5,
                                   .out_w = 4,
                                   .kernel_h = 3,
                                   .kernel_w = 3,
                                   .stride_h = 2,
                                   .stride_w = 2,
                                   .pad_h = 1,
                                   .pad_w = 1};
    const jsni_any_pool cells = {.in_h = 7, .in_w = 7, .out_h = 3, .out_w = 3};
    const jsni_any_pool one = {.in_h = 7, .in_w = 5, .out_h = 1, .out_w = 1};
    const pool_case cases[] = {
        {strided, jsni_any_max_pool, jsni_any_max_pool_back, .maxima = true},
        {strided, jsni_any_avg_pool, jsni_any_avg_pool_back, .maxima = false},
        {cells, jsni_any_adaptive, jsni_any_adaptive_back, .adaptive = true},
        {one, jsni_any_adaptive, jsni_any_adaptive_back, .adaptive = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int half = 0; half < 2; half++) {
            check_pool(cases[i], 16, half);
            check_pool(cases[i], 5, half);
        }
}

/* ---- the fused pool of the head ---- */

enum { HEAD_VIEWS = 2, HEAD_IMAGES = 4, HEAD_CHANNELS = 96, HEAD_SIDE = 4 };
enum { HEAD_PIXELS = HEAD_SIDE * HEAD_SIDE };

static void run_head(void *user)
{
    const jsni_any_pool *pool = user;
    (void)jsni_head_pool(pool, NULL);
    (void)jsni_head_pool_back(pool, NULL);
}

/* Means of relu(a*x + b), dy / pixels where that is open, and the sums of it and of its
 * products with x, by image. */
static void test_head(void **state)
{
    (void)state;
    const size_t n = HEAD_CHANNELS, rows = (size_t)HEAD_IMAGES * n;
    const host_tensor x = host_tensor_quarters(rows * HEAD_PIXELS, true, 1);
    const host_tensor a = host_tensor_quarters(HEAD_VIEWS * n, false, 2);
    const host_tensor b = host_tensor_quarters(HEAD_VIEWS * n, false, 3);
    const host_tensor dy = host_tensor_quarters(rows, false, 4);
    const host_tensor y = host_tensor_zeros(rows, false);
    const host_tensor dx = host_tensor_zeros(rows * HEAD_PIXELS, true);
    const host_tensor part = host_tensor_zeros(2 * rows, false);
    jsni_any_pool pool = {.x = x.at,
                          .y = y.at,
                          .dy = dy.at,
                          .dx = dx.at,
                          .a = a.at,
                          .b = b.at,
                          .part = part.at,
                          .images = HEAD_IMAGES,
                          .view_images = HEAD_IMAGES / HEAD_VIEWS,
                          .channels = HEAD_CHANNELS,
                          .in_h = HEAD_SIDE,
                          .in_w = HEAD_SIDE,
                          .out_h = 1,
                          .out_w = 1,
                          .half_x = true};
    const host_tensor results[] = {y, dx, part};
    host_in_orders(run_head, &pool, results, 3);
    double *means = calloc(rows, sizeof *means), *sums = calloc(2 * rows, sizeof *sums);
    double *back = calloc(rows * HEAD_PIXELS, sizeof *back);
    assert_true(means && sums && back);
    for (size_t i = 0; i < rows * HEAD_PIXELS; i++) {
        const size_t c = i % n, image = i / n / HEAD_PIXELS;
        const size_t k = image / (HEAD_IMAGES / HEAD_VIEWS) * n + c;
        const double v = host_tensor_value(x, i);
        const double normal = host_tensor_value(a, k) * v + host_tensor_value(b, k);
        means[image * n + c] += fmax(normal, 0.0) / HEAD_PIXELS;
        if (normal > 0.0)
            back[i] = host_tensor_value(dy, image * n + c) / HEAD_PIXELS;
        sums[image * 2 * n + c] += back[i];
        sums[(image * 2 + 1) * n + c] += back[i] * v;
    }
    assert_int_equal(host_tensor_off(y, means, 1e-6), 0);
    assert_int_equal(host_tensor_off(dx, back, 0.0), 0);
    assert_int_equal(host_tensor_off(part, sums, 1e-6), 0);
    free(means);
    free(sums);
    free(back);
    host_reset();
}

/* ---- element-wise ---- */

typedef struct each_case {
    host_tensor x, z, y, relu, relu6, relu_back, relu6_back, sum;
    bool half;
} each_case;

static void run_each(void *user)
{
    each_case *c = user;
    const long long n = (long long)c->x.count;
    (void)jsni_any_relu(c->x.at, c->relu.at, n, c->half, NULL);
    (void)jsni_any_relu6(c->x.at, c->relu6.at, n, c->half, NULL);
    (void)jsni_any_relu_back(c->x.at, c->z.at, c->relu_back.at, n, c->half, false,
                             NULL);
    (void)jsni_any_relu6_back(c->x.at, c->z.at, c->relu6_back.at, n, c->half, NULL);
    (void)jsni_any_add(c->x.at, c->z.at, c->sum.at, n, c->half, NULL);
}

static void check_each(size_t count, bool half)
{
    each_case c = {.x = host_tensor_quarters(count, half, 1),
                   .z = host_tensor_quarters(count, half, 2),
                   .half = half};
    host_tensor *of[] = {&c.relu, &c.relu6, &c.relu_back, &c.relu6_back, &c.sum};
    double *expected[5];
    host_tensor results[5];
    for (size_t k = 0; k < 5; k++) {
        results[k] = *of[k] = host_tensor_zeros(count, half);
        expected[k] = calloc(count, sizeof(double));
        assert_non_null(expected[k]);
    }
    for (size_t i = 0; i < count; i++) {
        host_tensor_set(c.x, i, 8.0 * host_tensor_value(c.x, i));
        const double x = host_tensor_value(c.x, i), z = host_tensor_value(c.z, i);
        expected[0][i] = fmax(x, 0.0);
        expected[1][i] = fmin(fmax(x, 0.0), 6.0);
        expected[2][i] = x > 0.0 ? z : 0.0;
        expected[3][i] = x > 0.0 && x < 6.0 ? z : 0.0;
        expected[4][i] = x + z;
    }
    host_in_orders(run_each, &c, results, 5);
    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(host_tensor_off(results[k], expected[k], 0.0), 0);
        free(expected[k]);
    }
    host_reset();
}

static void test_each(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        check_each(4096, half);
        check_each(1003, half);
    }
}

/* ---- biases and layouts ---- */

typedef struct rows_case {
    host_tensor x, bias, gradient, planes, rows;
    void *y, *room;
    long long count;
    int channels;
    bool half;
} rows_case;

static void run_rows(void *user)
{
    rows_case *c = user;
    const size_t bytes = c->x.count * (c->half ? 2 : 4);
    memcpy(c->y, c->x.at, bytes);
    (void)jsni_any_bias_add(c->y, c->half, c->bias.at, c->count, c->channels, NULL);
    (void)jsni_any_bias_sum(c->x.at, c->half, c->room, c->gradient.at, c->count,
                            c->channels, NULL);
    (void)jsni_any_to_planes(c->x.at, c->planes.at, 1, c->channels, (int)c->count,
                             c->half, NULL);
    (void)jsni_any_from_planes(c->planes.at, c->rows.at, 1, c->channels, (int)c->count,
                               c->half, NULL);
}

static void check_rows(long long count, int channels, bool half)
{
    const size_t n = (size_t)channels, all = (size_t)count * n;
    rows_case c = {.x = host_tensor_quarters(all, half, 1),
                   .bias = host_tensor_quarters(n, false, 2),
                   .gradient = host_tensor_zeros(n, false),
                   .planes = host_tensor_zeros(all, false),
                   .rows = host_tensor_zeros(all, half),
                   .count = count,
                   .channels = channels,
                   .half = half};
    const host_tensor y = host_tensor_zeros(all, half);
    c.y = y.at;
    c.room = host_array(jsni_any_bias_room(count, channels, half));
    const host_tensor results[] = {y, c.gradient, c.planes, c.rows};
    host_in_orders(run_rows, &c, results, 4);
    double *added = calloc(all, sizeof *added), *sums = calloc(n, sizeof *sums);
    assert_true(added && sums);
    for (size_t i = 0; i < all; i++) {
        const double x = host_tensor_value(c.x, i);
        added[i] = x + host_tensor_value(c.bias, i % n);
        sums[i % n] += x;
        assert_true(host_tensor_value(c.rows, i) == x);
        assert_true(host_tensor_value(c.planes, i % n * (size_t)count + i / n) == x);
    }
    assert_int_equal(host_tensor_off(y, added, 0.0), 0);
    assert_int_equal(host_tensor_off(c.gradient, sums, 0.0), 0);
    free(added);
    free(sums);
    host_reset();
}

static void test_rows(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        check_rows(700, 64, half);
        check_rows(300, 10, half);
        check_rows(5, 7, half);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_pools, host_reset_after),
        cmocka_unit_test_teardown(test_head, host_reset_after),
        cmocka_unit_test_teardown(test_each, host_reset_after),
        cmocka_unit_test_teardown(test_rows, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
