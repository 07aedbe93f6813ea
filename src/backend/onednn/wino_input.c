/* backend/onednn/wino_input.c - see wino_input.h. BatchNorm and ReLU are applied while a
 * block of channels is copied into a buffer with a zero border; reading the tiles from
 * there needs no case distinction. */
#include "backend/onednn/wino_input.h"

/* Zeroes what lies outside the image in the buffer of a segment. */
static void clear_border(const jsni_wino *w, const wino_segment *s, float *pad)
{
    const size_t line = (4 * w->tile_cols + 2) * VEC;
    const vec zero = vec_zero();
    for (size_t r = 0; r < 4 * (s->to - s->from) + 2; r++, pad += line) {
        const size_t y = 4 * s->from + r; /* image row plus one */
        const size_t inside = y == 0 || y > w->height ? 0 : w->width * VEC;
        vec_store(pad, zero);
        for (size_t i = VEC + inside; i < line; i += VEC)
            vec_store(pad + i, zero);
    }
}

/* The part of one block of channels that lies inside, loaded. `as_is` is a constant in
 * both calls. */
VEC_INLINE void fill_pad(const jsni_wino *w, const float *x, const loader *l,
                         bool as_is, const wino_segment *s, float *pad)
{
    const size_t line = (4 * w->tile_cols + 2) * VEC, row = w->width * VEC;
    const size_t last = 4 * s->to + 1 < w->height ? 4 * s->to + 1 : w->height;
    const size_t first =
        s->from == 0 ? 0 : 4 * s->from - 1; /* image rows [first, last) */
    pad += (first + 1 - 4 * s->from) * line + VEC;
    x += first * row;
    for (size_t y = first; y < last; y++, pad += line, x += row)
        for (size_t i = 0; i < row; i += VEC)
            vec_store(pad + i, as_is ? vec_load(x + i) : loader_get(l, x + i));
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
        clear_border(w, &s, scratch->pad);
        for (size_t b = 0; b < w->in_blocks; b++) {
            const loader l = loader_of(load, b);
            const float *image = x + (s.image * w->in_blocks + b) * pixels * VEC;
            if (load->mean == NULL && !load->relu)
                fill_pad(w, image, &l, true, &s, scratch->pad);
            else
                fill_pad(w, image, &l, false, &s, scratch->pad);
            float *to = scratch->input + s.tile * channels + b * VEC;
            for (size_t ty = 0; ty < s.to - s.from; ty++)
                for (size_t tx = 0; tx < w->tile_cols; tx++, to += channels)
                    input_tile(scratch->pad + ty * 4 * line + tx * 4 * VEC, line, to,
                               plane);
        }
        row += s.to - s.from;
    }
}
