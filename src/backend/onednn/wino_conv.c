/* backend/onednn/wino_conv.c - the convolution: transformed inputs times transformed
 * weights in each of the 36 planes, transformed back. Forward, and backward-data with
 * turned weights.
 *
 * A chunk of tiles goes through all three steps while it is in the second-level cache.
 * Bias, residual and the sums that the next BatchNorm needs are taken from registers on
 * the way out. */
#include "backend/onednn/wino_input.h"

/* TILE_ROWS tiles times `cols` blocks of out channels. */
VEC_INLINE void product_tile(const float *v, size_t in, const float *u, size_t cols,
                             float *m, size_t out)
{
    vec acc[TILE_ROWS][TILE_COLS];
    UNROLL
    for (int r = 0; r < TILE_ROWS; r++)
        for (size_t c = 0; c < cols; c++)
            acc[r][c] = vec_zero();
    for (size_t k = 0; k < in; k++) {
        vec weights[TILE_COLS];
        for (size_t c = 0; c < cols; c++)
            weights[c] = vec_load(u + (k * cols + c) * VEC);
        UNROLL
        for (int r = 0; r < TILE_ROWS; r++) {
            const vec value = vec_set(v[(size_t)r * in + k]);
            for (size_t c = 0; c < cols; c++)
                acc[r][c] = vec_fma(value, weights[c], acc[r][c]);
        }
    }
    UNROLL
    for (int r = 0; r < TILE_ROWS; r++)
        for (size_t c = 0; c < cols; c++)
            vec_store(m + (size_t)r * out + c * VEC, acc[r][c]);
}

/* Where the products go: over their inputs, when the registers hold all out channels of
 * some tiles, so that a chunk takes half as much of the cache. */
static float *results(const jsni_wino *w, const jsni_wino_scratch *scratch)
{
    return w->in_blocks == w->out_blocks && w->out_blocks <= TILE_COLS
               ? scratch->input
               : scratch->output;
}

/* Memory that a chunk of tile rows needs behind its products: its own residual and
 * result, the next chunk's input. It is fetched into the second-level cache during the
 * products, which leave the way to memory idle. */
typedef struct stream {
    const float *from;
    size_t pieces, step; /* one every `step` floats */
    size_t lines;        /* of a piece; 0: nothing */
} stream;

enum { STREAMS = 4, LINE = 16 };

/* Part `part` of WINO_PLANES of all streams. Inlined always: gcc takes a function that
 * only fetches for one without effect, and drops the calls. */
VEC_INLINE void fetch(const stream streams[STREAMS], size_t part)
{
    for (size_t i = 0; i < STREAMS; i++) {
        const stream s = streams[i];
        const size_t end = s.pieces * s.lines * (part + 1) / WINO_PLANES;
        for (size_t k = s.pieces * s.lines * part / WINO_PLANES; k < end; k++)
            vec_fetch(s.from + k / s.lines * s.step + k % s.lines * LINE);
    }
}

VEC_INLINE void product_planes(const jsni_wino *w, size_t tiles, size_t in,
                               const float *weights, const stream *streams,
                               const jsni_wino_scratch *scratch)
{
    const size_t out = w->out_blocks * VEC;
    const size_t from = wino_plane(w, w->in_blocks), to = wino_plane(w, w->out_blocks);
    for (size_t e = 0; e < WINO_PLANES; e++) {
        fetch(streams, e);
        for (size_t b = 0; b < w->out_blocks; b += TILE_COLS) {
            const float *u = weights + e * in * out + b * VEC * in;
            const float *v = scratch->input + e * from;
            float *m = results(w, scratch) + e * to + b * VEC;
            if (b + TILE_COLS <= w->out_blocks)
                for (size_t t = 0; t < tiles; t += TILE_ROWS)
                    product_tile(v + t * in, in, u, TILE_COLS, m + t * out, out);
            else
                for (size_t t = 0; t < tiles; t += TILE_ROWS)
                    product_tile(v + t * in, in, u, 1, m + t * out, out);
        }
    }
}

/* The usual widths as constants: fixed distances between the rows save registers. */
static void product(const jsni_wino *w, size_t tiles, const float *weights,
                    const stream *streams, const jsni_wino_scratch *scratch)
{
    switch (w->in_blocks * VEC) {
    case 32:
        product_planes(w, tiles, 32, weights, streams, scratch);
        break;
    case 64:
        product_planes(w, tiles, 64, weights, streams, scratch);
        break;
    case 128:
        product_planes(w, tiles, 128, weights, streams, scratch);
        break;
    case 256:
        product_planes(w, tiles, 256, weights, streams, scratch);
        break;
    default:
        product_planes(w, tiles, w->in_blocks * VEC, weights, streams, scratch);
    }
}

/* A^T m for the six columns of a tile. */
VEC_INLINE void output_columns(const float *m, size_t plane, vec t[24])
{
    UNROLL
    for (int j = 0; j < 6; j++) {
        vec d[6];
        for (int i = 0; i < 6; i++)
            d[i] = vec_load(m + (size_t)(6 * i + j) * plane);
        wino_output_line(d, 1, t + j, 6);
    }
}

/* What is summed on the way out. */
typedef enum output_sums { SUM_NOTHING, SUM_FORWARD, SUM_BACKWARD } output_sums;

/* One block of channels of one segment. */
typedef struct output_job {
    const float *m; /* its first tile in the planes */
    size_t plane;
    bool biased;
    vec bias, origin;
    loader back;           /* how back_x is read */
    const float *back_x;   /* [pixels][VEC] of the image: input of the BatchNorm */
    bool relu;             /* of `back` */
    const float *residual; /* [pixels][VEC] of the image, or NULL */
    float *out;
    size_t from, to; /* tile rows */
} output_job;

/* One result at `p`. `sums` is a constant wherever this is inlined. */
VEC_INLINE void output_pixel(const output_job *job, size_t p, vec v, output_sums sums,
                             vec *sum, vec *square)
{
    if (job->biased)
        v = vec_add(v, job->bias);
    if (job->residual != NULL)
        v = vec_add(v, vec_load(job->residual + p));
    vec_store(job->out + p, v);
    if (sums == SUM_FORWARD) {
        const vec d = vec_sub(v, job->origin);
        *sum = vec_add(*sum, d);
        *square = vec_fma(d, d, *square);
    } else if (sums == SUM_BACKWARD) {
        const vec d = vec_sub(vec_load(job->back_x + p), job->back.mean);
        const vec y = vec_fma(d, job->back.scale, job->back.shift);
        const vec g = job->relu ? vec_keep(vec_greater(y, vec_zero()), v) : v;
        *sum = vec_add(*sum, g);
        *square = vec_fma(g, d, *square);
    }
}

/* Tiles that lie wholly inside the image need no limits; `whole` is a constant, too. Row
 * by row, so that no more than the 24 half-transformed vectors are alive. */
VEC_INLINE void output_one(const jsni_wino *w, const output_job *job, size_t ty,
                           size_t tx, const float *m, bool whole, output_sums sums,
                           vec *sum, vec *square)
{
    vec t[24];
    output_columns(m, job->plane, t);
    const size_t rows = whole ? 4 : w->height - 4 * ty;
    const size_t cols = whole ? 4 : w->width - 4 * tx;
    const size_t at = (4 * ty * w->width + 4 * tx) * VEC;
    UNROLL
    for (size_t j = 0; j < 4; j++) {
        vec y[4];
        wino_output_line(t + 6 * j, 1, y, 1);
        for (size_t i = 0; i < 4; i++)
            if (whole || (j < rows && i < cols))
                output_pixel(job, at + (j * w->width + i) * VEC, y[i], sums,
                             &sum[i & 1], &square[i & 1]);
    }
}

VEC_INLINE void output_rows(const jsni_wino *w, const output_job *job, output_sums kind,
                            const jsni_sums *sums, size_t block)
{
    const float *m = job->m;
    for (size_t ty = job->from; ty < job->to; ty++) {
        vec sum[2] = {vec_zero(), vec_zero()}, square[2] = {vec_zero(), vec_zero()};
        for (size_t tx = 0; tx < w->tile_cols; tx++, m += w->out_blocks * VEC)
            if (4 * ty + 4 <= w->height && 4 * tx + 4 <= w->width)
                output_one(w, job, ty, tx, m, true, kind, sum, square);
            else
                output_one(w, job, ty, tx, m, false, kind, sum, square);
        if (kind == SUM_NOTHING)
            continue;
        vec_add_double(sums->first + block * VEC, vec_add(sum[0], sum[1]));
        vec_add_double(sums->second + block * VEC, vec_add(square[0], square[1]));
    }
}

static void output_segment(const jsni_wino *w, const output_job *job,
                           const jsni_sums *sums, size_t block)
{
    if (sums == NULL)
        output_rows(w, job, SUM_NOTHING, sums, block);
    else if (job->back_x == NULL)
        output_rows(w, job, SUM_FORWARD, sums, block);
    else
        output_rows(w, job, SUM_BACKWARD, sums, block);
}

/* The mean of the first tile, which lies in the image's corner: near enough to the mean
 * of the channel for the sums to be taken around it. */
static vec first_values(const jsni_wino *w, const output_job *job)
{
    vec t[24], sum = vec_zero();
    size_t count = 0;
    output_columns(job->m, job->plane, t);
    for (size_t j = 0; j < 4 && j < w->height; j++) {
        vec y[4];
        wino_output_line(t + 6 * j, 1, y, 1);
        for (size_t i = 0; i < 4 && i < w->width; i++, count++) {
            sum = vec_add(sum, y[i]);
            if (job->residual != NULL)
                sum = vec_add(sum, vec_load(job->residual + (j * w->width + i) * VEC));
        }
    }
    return vec_fma(sum, vec_set(1.0f / (float)count), job->bias);
}

static void output_chunk(const jsni_wino *w, const jsni_wino_call *call, size_t begin,
                         size_t end, const jsni_wino_scratch *scratch)
{
    const size_t channels = w->out_blocks * VEC, pixels = w->height * w->width;
    const size_t plane = wino_plane(w, w->out_blocks);
    for (size_t row = begin; row < end;) {
        const wino_segment s = wino_next(w, begin, row, end);
        for (size_t b = 0; b < w->out_blocks; b++) {
            const size_t at = (s.image * w->out_blocks + b) * pixels * VEC;
            output_job job = {
                .m = results(w, scratch) + s.tile * channels + b * VEC,
                .plane = plane,
                .biased = call->bias != NULL,
                .bias =
                    call->bias != NULL ? vec_load(call->bias + b * VEC) : vec_zero(),
                .origin = vec_zero(),
                .back = loader_of(&call->back_load, b),
                .back_x = call->back_x != NULL ? call->back_x + at : NULL,
                .relu = call->back_load.relu,
                .residual = call->residual != NULL ? call->residual + at : NULL,
                .out = call->out + at,
                .from = s.from,
                .to = s.to,
            };
            const bool forward = call->sums != NULL && call->back_x == NULL;
            if (forward && call->first && row == 0)
                vec_store(call->sums->origin + b * VEC, first_values(w, &job));
            if (forward)
                job.origin = vec_load(call->sums->origin + b * VEC);
            output_segment(w, &job, call->sums, b);
        }
        row += s.to - s.from;
    }
}

/* What tile rows [begin, end) read or write of a tensor: whole images, or some lines of
 * one image in each of its blocks. Rows that go from one image into the next: nothing. */
static stream rows_of(const jsni_wino *w, const float *tensor, size_t blocks,
                      size_t begin, size_t end)
{
    const size_t block = w->height * w->width * VEC, image = blocks * block;
    const size_t number = begin / w->tile_rows, from = begin % w->tile_rows;
    const size_t to = from + (end - begin);
    if (tensor == NULL || begin == end)
        return (stream){0};
    if (from == 0 && end % w->tile_rows == 0)
        return (stream){tensor + number * image, 1, 0,
                        (end - begin) / w->tile_rows * image / LINE};
    if (to > w->tile_rows)
        return (stream){0};
    const size_t last = 4 * to < w->height ? 4 * to : w->height;
    return (stream){tensor + number * image + 4 * from * w->width * VEC, blocks, block,
                    (last - 4 * from) * w->width * VEC / LINE};
}

void KERNEL(wino_conv)(const jsni_wino *w, const jsni_wino_call *call,
                       const jsni_wino_scratch *scratch)
{
    const size_t rows = call->images * w->tile_rows;
    for (size_t begin = 0; begin < rows; begin += w->chunk) {
        const size_t end = begin + w->chunk < rows ? begin + w->chunk : rows;
        const size_t next = end + w->chunk < rows ? end + w->chunk : rows;
        const stream streams[STREAMS] = {
            rows_of(w, call->residual, w->out_blocks, begin, end),
            rows_of(w, call->back_x, w->out_blocks, begin, end),
            rows_of(w, call->out, w->out_blocks, begin, end),
            rows_of(w, call->x, w->in_blocks, end, next),
        };
        KERNEL(wino_input)(w, call->x, &call->load, begin, end, scratch);
        product(w, (end - begin) * w->tile_cols, call->weights, streams, scratch);
        output_chunk(w, call, begin, end, scratch);
    }
}
