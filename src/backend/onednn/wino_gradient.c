/* backend/onednn/wino_gradient.c - the gradient of the weights: the transformed
 * gradients A g A^T times the transformed inputs, summed over tiles in each plane, and
 * at the end G^T ... G. */
#include "backend/onednn/wino_input.h"

VEC_INLINE void store_planes(const vec g[16], float *to, size_t plane)
{
    vec t[24];
    UNROLL
    for (int j = 0; j < 4; j++)
        wino_gradient_line(g + j, 4, t + j, 4);
    UNROLL
    for (int j = 0; j < 6; j++) {
        vec u[6];
        wino_gradient_line(t + 4 * j, 1, u, 1);
        for (int i = 0; i < 6; i++)
            vec_store(to + (size_t)(6 * j + i) * plane, u[i]);
    }
}

/* One 4x4 tile of g at `at`, of which rows x cols lie inside the image. */
static void gradient_tile(const float *at, size_t line, size_t rows, size_t cols,
                          float *to, size_t plane)
{
    vec g[16];
    if (rows >= 4 && cols >= 4) {
        UNROLL
        for (size_t j = 0; j < 4; j++)
            for (size_t i = 0; i < 4; i++)
                g[4 * j + i] = vec_load(at + j * line + i * VEC);
    } else {
        for (size_t j = 0; j < 4; j++)
            for (size_t i = 0; i < 4; i++)
                g[4 * j + i] = j < rows && i < cols ? vec_load(at + j * line + i * VEC)
                                                    : vec_zero();
    }
    store_planes(g, to, plane);
}

static void transform_gradient(const jsni_wino *w, const float *g, size_t begin,
                               size_t end, const jsni_wino_scratch *scratch)
{
    const size_t channels = w->out_blocks * VEC, line = w->width * VEC;
    const size_t plane = wino_plane(w, w->out_blocks);
    for (size_t row = begin; row < end;) {
        const wino_segment s = wino_next(w, begin, row, end);
        for (size_t b = 0; b < w->out_blocks; b++) {
            const float *image = g + (s.image * w->out_blocks + b) * w->height * line;
            float *to = scratch->output + s.tile * channels + b * VEC;
            for (size_t ty = s.from; ty < s.to; ty++)
                for (size_t tx = 0; tx < w->tile_cols; tx++, to += channels)
                    gradient_tile(image + 4 * ty * line + 4 * tx * VEC, line,
                                  w->height - 4 * ty, w->width - 4 * tx, to, plane);
        }
        row += s.to - s.from;
    }
}

/* GRADIENT_ROWS in channels times `cols` blocks of out channels, over all tiles. */
VEC_INLINE void sum_tile(const float *v, size_t in, const float *m, size_t out,
                         size_t tiles, size_t cols, bool first, float *d)
{
    vec acc[GRADIENT_ROWS][TILE_COLS];
    UNROLL
    for (int r = 0; r < GRADIENT_ROWS; r++)
        for (size_t c = 0; c < cols; c++)
            acc[r][c] = first ? vec_zero() : vec_load(d + (size_t)r * out + c * VEC);
    for (size_t t = 0; t < tiles; t++) {
        vec g[TILE_COLS];
        for (size_t c = 0; c < cols; c++)
            g[c] = vec_load(m + t * out + c * VEC);
        UNROLL
        for (int r = 0; r < GRADIENT_ROWS; r++) {
            const vec value = vec_set(v[t * in + (size_t)r]);
            for (size_t c = 0; c < cols; c++)
                acc[r][c] = vec_fma(value, g[c], acc[r][c]);
        }
    }
    UNROLL
    for (int r = 0; r < GRADIENT_ROWS; r++)
        for (size_t c = 0; c < cols; c++)
            vec_store(d + (size_t)r * out + c * VEC, acc[r][c]);
}

VEC_INLINE void sum_planes_of(const jsni_wino *w, size_t tiles, bool first, size_t in,
                              size_t out, const jsni_wino_scratch *scratch)
{
    const size_t v_plane = wino_plane(w, w->in_blocks),
                 m_plane = wino_plane(w, w->out_blocks);
    for (size_t e = 0; e < WINO_PLANES; e++)
        for (size_t b = 0; b < w->out_blocks; b += TILE_COLS)
            for (size_t i = 0; i < in; i += GRADIENT_ROWS) {
                const float *v = scratch->input + e * v_plane + i;
                const float *m = scratch->output + e * m_plane + b * VEC;
                float *d =
                    scratch->gradient + e * (in * out + WINO_GAP) + i * out + b * VEC;
                if (b + TILE_COLS <= w->out_blocks)
                    sum_tile(v, in, m, out, tiles, TILE_COLS, first, d);
                else
                    sum_tile(v, in, m, out, tiles, 1, first, d);
            }
}

/* The usual widths as constants, as in wino_conv.c. */
static void sum_planes(const jsni_wino *w, size_t tiles, bool first,
                       const jsni_wino_scratch *scratch)
{
    const size_t in = w->in_blocks * VEC, out = w->out_blocks * VEC;
    if (in == 32 && out == 32)
        sum_planes_of(w, tiles, first, 32, 32, scratch);
    else if (in == 64 && out == 64)
        sum_planes_of(w, tiles, first, 64, 64, scratch);
    else if (in == 128 && out == 128)
        sum_planes_of(w, tiles, first, 128, 128, scratch);
    else if (in == 256 && out == 256)
        sum_planes_of(w, tiles, first, 256, 256, scratch);
    else
        sum_planes_of(w, tiles, first, in, out, scratch);
}

void KERNEL(wino_gradient)(const jsni_wino *w, const float *x, const jsni_load *load,
                           const float *g, size_t images, bool first,
                           const jsni_wino_scratch *scratch)
{
    const size_t rows = images * w->tile_rows;
    for (size_t begin = 0; begin < rows; begin += w->chunk) {
        const size_t end = begin + w->chunk < rows ? begin + w->chunk : rows;
        KERNEL(wino_input)(w, x, load, begin, end, scratch);
        transform_gradient(w, g, begin, end, scratch);
        sum_planes(w, (end - begin) * w->tile_cols, first && begin == 0, scratch);
    }
}

/* G^T d G for one in channel and a block of out channels. */
static void gradient_end_one(const float *d, size_t plane, float *to)
{
    vec t[3][6];
    for (int b = 0; b < 6; b++)
        for (int y = 0; y < 3; y++) {
            t[y][b] = vec_mul(vec_set(wino_g[0][y]), vec_load(d + (size_t)b * plane));
            for (int a = 1; a < 6; a++)
                t[y][b] = vec_fma(vec_set(wino_g[a][y]),
                                  vec_load(d + (size_t)(6 * a + b) * plane), t[y][b]);
        }
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) {
            vec r = vec_mul(vec_set(wino_g[0][x]), t[y][0]);
            for (int b = 1; b < 6; b++)
                r = vec_fma(vec_set(wino_g[b][x]), t[y][b], r);
            vec_store(to + (y * 3 + x) * VEC * VEC, r);
        }
}

void KERNEL(wino_gradient_end)(const jsni_wino *w, const jsni_wino_scratch *scratch,
                               float *to)
{
    const size_t in = w->in_blocks * VEC, out = w->out_blocks * VEC;
    const size_t plane = in * out + WINO_GAP;
    for (size_t b = 0; b < w->out_blocks; b++)
        for (size_t i = 0; i < in; i++)
            gradient_end_one(scratch->gradient + i * out + b * VEC, plane,
                             to + (b * w->in_blocks + i / VEC) * 9 * VEC * VEC +
                                 i % VEC * VEC);
}
