/* backend/onednn/wino_input.c - see wino_input.h. BatchNorm and ReLU are applied while a
 * block of channels is copied into a buffer with a zero border; reading the tiles from
 * there needs no case distinction. */
#include "backend/onednn/wino_input.h"

/* Image rows 4*from-1 .. 4*to of one block of channels, loaded, zero outside. */
static void fill_pad(const jsni_wino *w, const float *x, const loader *l, size_t from,
                     size_t to, float *pad)
{
    const size_t line = (4 * w->tile_cols + 2) * VEC;
    const vec zero = vec_zero();
    for (size_t r = 0; r < 4 * (to - from) + 2; r++, pad += line) {
        const size_t y = 4 * from + r; /* image row plus one */
        if (y == 0 || y > w->height) {
            for (size_t i = 0; i < line; i += VEC)
                vec_store(pad + i, zero);
            continue;
        }
        const float *row = x + (y - 1) * w->width * VEC;
        vec_store(pad, zero);
        for (size_t i = 0; i < w->width * VEC; i += VEC)
            vec_store(pad + VEC + i, loader_get(l, row + i));
        for (size_t i = (w->width + 1) * VEC; i < line; i += VEC)
            vec_store(pad + i, zero);
    }
}

VEC_INLINE void input_tile(const float *pad, size_t line, float *to, size_t plane)
{
    vec t[36];
    UNROLL
    for (int j = 0; j < 6; j++) {
        vec d[6];
        for (int i = 0; i < 6; i++)
            d[i] = vec_load(pad + (size_t)i * line + (size_t)j * VEC);
        wino_input_line(d, 1, t + j, 6);
    }
    UNROLL
    for (int j = 0; j < 6; j++) {
        vec u[6];
        wino_input_line(t + 6 * j, 1, u, 1);
        for (int i = 0; i < 6; i++)
            vec_store(to + (size_t)(6 * j + i) * plane, u[i]);
    }
}

void KERNEL(wino_input)(const jsni_wino *w, const float *x, const jsni_load *load,
                        size_t begin, size_t end, const jsni_wino_scratch *scratch)
{
    const size_t line = (4 * w->tile_cols + 2) * VEC;
    const size_t plane = wino_plane(w, w->in_blocks), channels = w->in_blocks * VEC;
    const size_t pixels = w->height * w->width;
    for (size_t row = begin; row < end;) {
        const wino_segment s = wino_next(w, begin, row, end);
        for (size_t b = 0; b < w->in_blocks; b++) {
            const loader l = loader_of(load, b);
            fill_pad(w, x + (s.image * w->in_blocks + b) * pixels * VEC, &l, s.from,
                     s.to, scratch->pad);
            float *to = scratch->input + s.tile * channels + b * VEC;
            for (size_t ty = 0; ty < s.to - s.from; ty++)
                for (size_t tx = 0; tx < w->tile_cols; tx++, to += channels)
                    input_tile(scratch->pad + ty * 4 * line + tx * 4 * VEC, line, to,
                               plane);
        }
        row += s.to - s.from;
    }
}
