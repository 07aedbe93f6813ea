/* backend/onednn/wino_weights.c - G w G^T of the weights, and the buffer sizes.
 *
 * Transformed weights are [36][panels][in channels][panel width]: a panel is what the
 * product holds in registers, TILE_COLS blocks of out channels (fewer in the last). */
#include "backend/onednn/wino_input.h"

jsni_wino_need KERNEL(wino_need)(const jsni_wino *w)
{
    const size_t in = w->in_blocks * VEC, out = w->out_blocks * VEC;
    return (jsni_wino_need){
        .pad = (4 * w->chunk + 2) * (4 * w->tile_cols + 2) * VEC,
        .input = WINO_PLANES * wino_plane(w, w->in_blocks),
        .output = WINO_PLANES * wino_plane(w, w->out_blocks),
        .gradient = WINO_PLANES * (in * out + WINO_GAP),
        .weights = WINO_PLANES * in * out,
    };
}

/* The nine weights of a block of out channels and one in channel, zero beyond the
 * real channels. */
static void gather(const float *weights, size_t outs, size_t ins, bool turned,
                   size_t block, size_t in, float to[9][VEC])
{
    memset(to, 0, 9 * VEC * sizeof(float));
    for (size_t l = 0; l < VEC; l++) {
        const size_t out = block * VEC + l;
        if (turned ? out >= ins || in >= outs : out >= outs || in >= ins)
            continue;
        const float *from = weights + (turned ? in * ins + out : out * ins + in) * 9;
        for (int k = 0; k < 9; k++)
            to[turned ? 8 - k : k][l] = from[k];
    }
}

static void transform(float w[9][VEC], float *to, size_t plane)
{
    vec t[6][3];
    for (int a = 0; a < 6; a++)
        for (int x = 0; x < 3; x++)
            t[a][x] = vec_fma(vec_set(wino_g[a][2]), vec_load(w[6 + x]),
                              vec_fma(vec_set(wino_g[a][1]), vec_load(w[3 + x]),
                                      vec_mul(vec_set(wino_g[a][0]), vec_load(w[x]))));
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            vec_store(to + (size_t)(6 * a + b) * plane,
                      vec_fma(vec_set(wino_g[b][2]), t[a][2],
                              vec_fma(vec_set(wino_g[b][1]), t[a][1],
                                      vec_mul(vec_set(wino_g[b][0]), t[a][0]))));
}

void KERNEL(wino_weights)(const float *weights, size_t outs, size_t ins, bool turned,
                          size_t from, size_t to, float *to_planes)
{
    const size_t out_blocks = ((turned ? ins : outs) + VEC - 1) / VEC;
    const size_t in = ((turned ? outs : ins) + VEC - 1) / VEC * VEC;
    const size_t plane = out_blocks * VEC * in;
    _Alignas(64) float nine[9][VEC];
    for (size_t b = from; b < to; b++) {
        const size_t panel = b / TILE_COLS, left = out_blocks - panel * TILE_COLS;
        const size_t width = (left < TILE_COLS ? left : TILE_COLS) * VEC;
        float *at = to_planes + panel * TILE_COLS * VEC * in + b % TILE_COLS * VEC;
        for (size_t i = 0; i < in; i++) {
            gather(weights, outs, ins, turned, b, i, nine);
            transform(nine, at + i * width, plane);
        }
    }
}
