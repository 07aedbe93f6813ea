/* backend/onednn/wino_input.h - B^T d B of a run of tile rows, for the forward, the
 * backward-data and the backward-weights convolution. */
#ifndef JSNI_BACKEND_ONEDNN_WINO_INPUT_H
#define JSNI_BACKEND_ONEDNN_WINO_INPUT_H

#include "backend/onednn/kernel_impl.h"
#include "backend/onednn/wino_tile.h"

/* Rows of the products of a chunk, a multiple of the register tile. */
static inline size_t wino_tiles(const jsni_wino *w)
{
    const size_t tiles = w->chunk * w->tile_cols;
    return (tiles + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
}

/* Floats from one plane of transformed inputs (outputs) to the next. */
static inline size_t wino_plane(const jsni_wino *w, size_t blocks)
{
    return wino_tiles(w) * blocks * VEC + WINO_GAP;
}

/* Tile rows [from, to) of one image. Tile rows are numbered through all images, so that
 * a chunk may hold several small images or a part of a large one. */
typedef struct wino_segment {
    size_t image, from, to;
    size_t tile; /* number of its first tile in the chunk */
} wino_segment;

/* The next segment of the chunk [begin, end) at tile row `row`. */
static inline wino_segment wino_next(const jsni_wino *w, size_t begin, size_t row,
                                     size_t end)
{
    wino_segment s;
    s.image = row / w->tile_rows;
    s.from = row % w->tile_rows;
    s.to = s.from + (end - row);
    if (s.to > w->tile_rows)
        s.to = w->tile_rows;
    s.tile = (row - begin) * w->tile_cols;
    return s;
}

/* Transforms tile rows [begin, end) of x, read through `load`, into scratch->input. */
void KERNEL(wino_input)(const jsni_wino *w, const float *x, const jsni_load *load,
                        size_t begin, size_t end, const jsni_wino_scratch *scratch);

#endif /* JSNI_BACKEND_ONEDNN_WINO_INPUT_H */
