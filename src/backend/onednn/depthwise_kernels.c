/* backend/onednn/depthwise_kernels.c - depthwise convolution and its gradients.
 *
 * A block of channels is one vector, so every channel has its own lane and a tap is one
 * multiply-add of a vector of pixels with a vector of weights. What a row of results reads
 * lies in a ring of padded rows: each row is read once through BatchNorm and ReLU, and the
 * inner loops have no edges. */
#include "backend/onednn/kernel_impl.h"

enum {
    PIXELS = 8, /* of a row that are summed side by side */
    RUN = 64    /* products that are summed in float before the sum goes on in double */
};

/* Some rows of one plane (a block of an image), each with zeros around it. */
typedef struct ring {
    float *rows; /* [slots + 1][width], the last one all zero */
    size_t slots, width;
    const float *plane;
    size_t height, columns; /* of the plane */
    size_t left;            /* zero columns before it */
    size_t next;            /* row of the plane that is read next */
} ring;

/* Columns that the windows of a row span. */
static size_t span_of(size_t outs, size_t stride, size_t kernel)
{
    return (outs - 1) * stride + kernel;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t forward_width(const jsni_pool_shape *p)
{
    return most(span_of(p->out_w, p->stride_w, p->kernel_w), p->pad_w + p->in_w);
}

/* Zeros ahead of a row of gradients: what the last tap of input 0 reaches back. */
static size_t back_left(const jsni_pool_shape *p)
{
    return p->kernel_w - 1 > p->pad_w
               ? (p->kernel_w - 1 - p->pad_w + p->stride_w - 1) / p->stride_w
               : 0;
}

static size_t back_width(const jsni_pool_shape *p)
{
    return back_left(p) + most(p->out_w, (p->in_w - 1 + p->pad_w) / p->stride_w + 1);
}

size_t KERNEL(depthwise_need)(const jsni_pool_shape *p)
{
    return (p->kernel_h + 1) * most(forward_width(p), back_width(p)) * VEC;
}

static ring ring_of(float *scratch, size_t slots, size_t width, size_t left,
                    size_t height, size_t columns)
{
    memset(scratch, 0, (slots + 1) * width * VEC * sizeof *scratch);
    return (ring){.rows = scratch,
                  .slots = slots,
                  .width = width,
                  .height = height,
                  .columns = columns,
                  .left = left};
}

static void ring_begin(ring *r, const float *plane)
{
    r->plane = plane;
    r->next = 0;
}

/* Row `row` of the plane, counted from its first zero column; a zero row outside. Rows
 * are asked for in order, and `slots` of them stay. */
static const float *ring_row(ring *r, ptrdiff_t row, const loader *l)
{
    if (row < 0 || row >= (ptrdiff_t)r->height)
        return r->rows + r->slots * r->width * VEC;
    for (; r->next <= (size_t)row; r->next++) {
        if (r->next + r->slots <= (size_t)row)
            continue; /* nobody asked for it */
        const float *from = r->plane + r->next * r->columns * VEC;
        float *to = r->rows + (r->next % r->slots * r->width + r->left) * VEC;
        for (size_t i = 0; i < r->columns * VEC; i += VEC)
            vec_store(to + i,
                      l == NULL ? vec_load(from + i) : loader_get6(l, from + i));
    }
    return r->rows + (size_t)row % r->slots * r->width * VEC;
}

/* What one result is a sum of: taps side by side, each with where it reads and its weight. */
typedef struct taps {
    size_t count;
    const float *from[JSNI_DEPTHWISE_TAPS], *weight[JSNI_DEPTHWISE_TAPS];
} taps;

/* out[i * out_step] = start + sum of taps at i * step, for `n` results, n a constant; as
 * `finish` reads them, if not NULL. */
VEC_INLINE void sum_pixels(const taps *t, size_t n, size_t at, size_t step, vec start,
                           const float *add, const loader *finish, float *out,
                           size_t out_step)
{
    vec sum[PIXELS];
    UNROLL
    for (size_t i = 0; i < n; i++)
        sum[i] = add == NULL ? start : vec_load(add + i * out_step);
    for (size_t k = 0; k < t->count; k++) {
        const vec w = vec_load(t->weight[k]);
        const float *from = t->from[k] + at;
        UNROLL
        for (size_t i = 0; i < n; i++)
            sum[i] = vec_fma(vec_load(from + i * step), w, sum[i]);
    }
    if (finish != NULL) {
        UNROLL
        for (size_t i = 0; i < n; i++)
            sum[i] = loader_apply6(finish, sum[i]);
    }
    UNROLL
    for (size_t i = 0; i < n; i++)
        vec_store(out + i * out_step, sum[i]);
}

/* The same for any number. Every result is summed in the same order. */
static void sum_row(const taps *t, size_t count, size_t step, vec start,
                    const float *add, const loader *finish, float *out, size_t out_step)
{
    size_t i = 0;
#define SUM(n)                                                                      \
    sum_pixels(t, n, i *step, step, start, add == NULL ? NULL : add + i * out_step, \
               finish, out + i * out_step, out_step)
    for (; i + PIXELS <= count; i += PIXELS)
        SUM(PIXELS);
    switch (count - i) {
    case 7:
        SUM(7);
        break;
    case 6:
        SUM(6);
        break;
    case 5:
        SUM(5);
        break;
    case 4:
        SUM(4);
        break;
    case 3:
        SUM(3);
        break;
    case 2:
        SUM(2);
        break;
    case 1:
        SUM(1);
        break;
    default:
        break;
    }
#undef SUM
}

static void forward_plane(const jsni_pool_shape *p, ring *r, const loader *l,
                          const float *weights, vec bias, const loader *finish,
                          float *out)
{
    taps t = {.count = p->kernel_h * p->kernel_w};
    for (size_t k = 0; k < t.count; k++)
        t.weight[k] = weights + k * VEC;
    for (size_t y = 0; y < p->out_h; y++) {
        for (size_t k = 0; k < p->kernel_h; k++) {
            const ptrdiff_t row =
                (ptrdiff_t)(y * p->stride_h + k) - (ptrdiff_t)p->pad_h;
            const float *line = ring_row(r, row, l);
            for (size_t i = 0; i < p->kernel_w; i++)
                t.from[k * p->kernel_w + i] = line + i * VEC;
        }
        sum_row(&t, p->out_w, p->stride_w * VEC, bias, NULL, finish,
                out + y * p->out_w * VEC, VEC);
    }
}

void KERNEL(depthwise)(const jsni_pool_shape *p, const jsni_depthwise_call *call,
                       float *scratch)
{
    const size_t inputs = p->in_h * p->in_w * VEC, outputs = p->out_h * p->out_w;
    const size_t area = p->kernel_h * p->kernel_w;
    ring r =
        ring_of(scratch, p->kernel_h, forward_width(p), p->pad_w, p->in_h, p->in_w);
    for (size_t k = 0; k < call->images * p->blocks; k++) {
        const size_t b = k % p->blocks;
        const loader l = loader_of(&call->load, b);
        const loader finish = loader_of(call->finish, b);
        float *out = call->out + k * outputs * VEC;
        ring_begin(&r, call->x + k * inputs);
        forward_plane(p, &r, &l, call->weights + b * area * VEC,
                      call->bias == NULL ? vec_zero() : vec_load(call->bias + b * VEC),
                      call->finish == NULL ? NULL : &finish, out);
        if (call->sums == NULL)
            continue;
        const jsni_sums sums = {call->sums->first + b * VEC,
                                call->sums->second + b * VEC,
                                call->sums->origin + b * VEC};
        KERNEL(sums)
        ((jsni_extent){1, 1, outputs}, out, &sums, call->first && k < p->blocks);
    }
}

/* (at + pad - tap) / stride where that is a whole number. */
static bool whole(size_t at, size_t pad, size_t tap, size_t stride, ptrdiff_t *out)
{
    const ptrdiff_t distance = (ptrdiff_t)(at + pad) - (ptrdiff_t)tap;
    *out = distance / (ptrdiff_t)stride;
    return distance % (ptrdiff_t)stride == 0;
}

/* The inputs of row y whose column is `phase` above a multiple of the stride: they see
 * the same taps. lines[k] is the row of gradients that tap row k reads, or NULL. */
static void back_phase(const jsni_pool_shape *p, size_t phase,
                       const float *const *lines, const float *weights,
                       const float *add, float *out)
{
    taps t = {0};
    for (size_t k = 0; k < p->kernel_h; k++)
        for (size_t i = 0; i < p->kernel_w && lines[k] != NULL; i++) {
            ptrdiff_t column = 0;
            if (!whole(phase, p->pad_w, i, p->stride_w, &column))
                continue;
            t.from[t.count] = lines[k] + (column + (ptrdiff_t)back_left(p)) * VEC;
            t.weight[t.count++] = weights + (k * p->kernel_w + i) * VEC;
        }
    sum_row(&t, (p->in_w - phase + p->stride_w - 1) / p->stride_w, VEC, vec_zero(),
            add == NULL ? NULL : add + phase * VEC, NULL, out + phase * VEC,
            p->stride_w * VEC);
}

void KERNEL(depthwise_back)(const jsni_pool_shape *p, size_t images, const float *g,
                            const float *weights, const float *add, float *out,
                            float *scratch)
{
    const size_t outputs = p->out_h * p->out_w * VEC;
    const size_t area = p->kernel_h * p->kernel_w, line = p->in_w * VEC;
    ring r =
        ring_of(scratch, p->kernel_h, back_width(p), back_left(p), p->out_h, p->out_w);
    for (size_t k = 0; k < images * p->blocks; k++) {
        ring_begin(&r, g + k * outputs);
        for (size_t y = 0; y < p->in_h; y++) {
            const float *lines[JSNI_DEPTHWISE_TAPS];
            /* the last tap reads the first row: in order */
            for (size_t i = p->kernel_h; i-- > 0;) {
                ptrdiff_t row = 0;
                lines[i] = whole(y, p->pad_h, i, p->stride_h, &row)
                               ? ring_row(&r, row, NULL)
                               : NULL;
            }
            const size_t at = (k * p->in_h + y) * line;
            for (size_t phase = 0; phase < p->stride_w && phase < p->in_w; phase++)
                back_phase(p, phase, lines, weights + k % p->blocks * area * VEC,
                           add == NULL ? NULL : add + at, out + at);
        }
    }
}

/* sum[i] += products of a row of gradients with the inputs of tap i of `n`, n a
 * constant. */
VEC_INLINE void dot_row(const float *g, const float *from, size_t n, size_t count,
                        size_t step, float *sums)
{
    vec sum[2][PIXELS];
    UNROLL
    for (size_t i = 0; i < n; i++) {
        sum[0][i] = vec_load(sums + i * VEC);
        sum[1][i] = vec_zero();
    }
    size_t x = 0;
    for (; x + 2 <= count; x += 2) {
        const vec a = vec_load(g + x * VEC), b = vec_load(g + (x + 1) * VEC);
        UNROLL
        for (size_t i = 0; i < n; i++) {
            sum[0][i] = vec_fma(a, vec_load(from + x * step + i * VEC), sum[0][i]);
            sum[1][i] =
                vec_fma(b, vec_load(from + (x + 1) * step + i * VEC), sum[1][i]);
        }
    }
    for (; x < count; x++) {
        const vec a = vec_load(g + x * VEC);
        UNROLL
        for (size_t i = 0; i < n; i++)
            sum[0][i] = vec_fma(a, vec_load(from + x * step + i * VEC), sum[0][i]);
    }
    UNROLL
    for (size_t i = 0; i < n; i++)
        vec_store(sums + i * VEC, vec_add(sum[0][i], sum[1][i]));
}

/* The taps of one row of the kernel. */
static void dot_taps(const jsni_pool_shape *p, const float *g, const float *from,
                     float *sums)
{
    const size_t step = p->stride_w * VEC;
    size_t i = 0;
    if (p->kernel_w == 3) {
        dot_row(g, from, 3, p->out_w, step, sums);
        return;
    }
    for (; i + 5 <= p->kernel_w; i += 5)
        dot_row(g, from + i * VEC, 5, p->out_w, step, sums + i * VEC);
    for (; i < p->kernel_w; i++)
        dot_row(g, from + i * VEC, 1, p->out_w, step, sums + i * VEC);
}

static void flush(float *sums, size_t area, double *total)
{
    for (size_t i = 0; i < area; i++)
        vec_add_double(total + i * VEC, vec_load(sums + i * VEC));
    memset(sums, 0, area * VEC * sizeof *sums);
}

static void gradient_plane(const jsni_pool_shape *p, ring *r, const loader *l,
                           const float *g, float *sums, double *total)
{
    size_t terms = 0;
    for (size_t y = 0; y < p->out_h; y++) {
        for (size_t k = 0; k < p->kernel_h; k++) {
            const ptrdiff_t row =
                (ptrdiff_t)(y * p->stride_h + k) - (ptrdiff_t)p->pad_h;
            dot_taps(p, g + y * p->out_w * VEC, ring_row(r, row, l),
                     sums + k * p->kernel_w * VEC);
        }
        terms += p->out_w;
        if (terms >= RUN || y + 1 == p->out_h) {
            flush(sums, p->kernel_h * p->kernel_w, total);
            terms = 0;
        }
    }
}

void KERNEL(depthwise_gradient)(const jsni_pool_shape *p, size_t images, const float *x,
                                const jsni_load *load, const float *g, bool first,
                                float *to, float *scratch)
{
    _Alignas(64) float sums[JSNI_DEPTHWISE_TAPS * VEC] = {0};
    _Alignas(64) double total[JSNI_DEPTHWISE_TAPS * VEC];
    const size_t inputs = p->in_h * p->in_w * VEC, outputs = p->out_h * p->out_w * VEC;
    const size_t area = p->kernel_h * p->kernel_w;
    ring r =
        ring_of(scratch, p->kernel_h, forward_width(p), p->pad_w, p->in_h, p->in_w);
    for (size_t b = 0; b < p->blocks; b++, to += area * VEC) {
        const loader l = loader_of(load, b);
        memset(total, 0, area * VEC * sizeof *total);
        for (size_t n = 0; n < images; n++) {
            ring_begin(&r, x + (n * p->blocks + b) * inputs);
            gradient_plane(p, &r, &l, g + (n * p->blocks + b) * outputs, sums, total);
        }
        for (size_t i = 0; i < area * VEC; i++)
            to[i] = (float)(total[i] + (first ? 0.0 : (double)to[i]));
    }
}

void KERNEL(depthwise_weights)(const float *weights, size_t channels, size_t area,
                               float *to)
{
    const size_t full = (channels + VEC - 1) / VEC * VEC;
    for (size_t c = 0; c < full; c++)
        for (size_t i = 0; i < area; i++)
            to[(c / VEC * area + i) * VEC + c % VEC] =
                c < channels ? weights[c * area + i] : 0.0f;
}
