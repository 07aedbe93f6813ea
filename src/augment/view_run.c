/* augment/view_run.c - a plan in as few passes as it allows: operations that are tables
 * are merged with the normalisation, so that crop, flip, table, normalisation and Cutout
 * are one pass from bytes to floats; other operations write one image of bytes first.
 */
#include <string.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { C = 3 };

typedef float normal_table[C][256];

/* table(next(x)) for every byte x: `table` becomes "first `next`, then `table`". */
static void compose(normal_table table, const uint8_t next[C][256])
{
    for (int c = 0; c < C; c++) {
        float merged[256];
        for (int i = 0; i < 256; i++)
            merged[i] = table[c][next[c][i]];
        memcpy(table[c], merged, sizeof merged);
    }
}

/* Columns [begin, end) of an output row; `from` is the image's pixel under column
 * `begin`, and `step` (3 or -3) leads to that of the next column. */
static void convert(const normal_table normal, const uint8_t *from, ptrdiff_t step,
                    size_t begin, size_t end, float *r, float *g, float *b)
{
    for (size_t x = begin; x < end; x++, from += step) {
        r[x] = normal[0][from[0]];
        g[x] = normal[1][from[1]];
        b[x] = normal[2][from[2]];
    }
}

static void fill(float *to, size_t begin, size_t end, float value)
{
    for (size_t x = begin; x < end; x++)
        to[x] = value;
}

/* The part of an output row that shows the image: columns [begin, end). */
typedef struct window {
    size_t begin, end;
    ptrdiff_t first; /* image column under output column `begin` */
    ptrdiff_t step;  /* 1, or -1 when mirrored */
} window;

static window window_of(const jsni_recipe *recipe, const jsni_view_plan *plan)
{
    const ptrdiff_t width = (ptrdiff_t)recipe->width;
    const ptrdiff_t shift =
        (ptrdiff_t)plan->left - (ptrdiff_t)(recipe->crop ? recipe->pad : 0);
    /* Before mirroring, column x shows image column x + shift. */
    ptrdiff_t begin = shift < 0 ? -shift : 0, end = shift > 0 ? width - shift : width;
    begin = begin < width ? begin : width;
    end = end > begin ? end : begin;
    window w = {(size_t)begin, (size_t)end, begin + shift, 1};
    if (plan->flip) {
        w.begin = (size_t)(width - end);
        w.end = (size_t)(width - begin);
        w.first = end - 1 + shift;
        w.step = -1;
    }
    return w;
}

static void render(const jsni_recipe *recipe, const jsni_view_plan *plan,
                   const normal_table normal, const float black[C], const uint8_t *in,
                   float *out)
{
    const size_t width = recipe->width, height = recipe->height;
    const size_t plane = width * height;
    const window w = window_of(recipe, plan);
    const ptrdiff_t shift =
        (ptrdiff_t)plan->top - (ptrdiff_t)(recipe->crop ? recipe->pad : 0);
    for (size_t y = 0; y < height; y++) {
        const ptrdiff_t row = (ptrdiff_t)y + shift;
        float *to[C];
        for (size_t c = 0; c < C; c++)
            to[c] = out + c * plane + y * width;
        const bool inside = row >= 0 && row < (ptrdiff_t)height;
        const size_t begin = inside ? w.begin : width, end = inside ? w.end : width;
        for (int c = 0; c < C; c++) {
            fill(to[c], 0, begin, black[c]);
            fill(to[c], end, width, black[c]);
        }
        if (end > begin)
            convert(normal, in + (row * (ptrdiff_t)width + w.first) * C, w.step * C,
                    begin, end, to[0], to[1], to[2]);
    }
    for (size_t c = 0; c < C; c++)
        for (size_t y = plan->cut_y0; y < plan->cut_y1; y++)
            memset(out + c * plane + y * width + plan->cut_x0, 0,
                   (plan->cut_x1 - plan->cut_x0) * sizeof(float));
}

jsn_status jsni_view_run(const jsni_recipe *recipe, const jsni_view_plan *plan,
                         const uint8_t *in, jsn_augment_scratch *scratch, float *out)
{
    const size_t width = recipe->width, height = recipe->height;
    const uint8_t *image = in;
    normal_table normal;
    const normal_table *final = &recipe->normal;
    for (uint32_t i = 0; i < plan->ops; i++) {
        uint8_t table[C][256];
        const jsni_pixel_op *op = &plan->op[i];
        if (i + 1 == plan->ops &&
            jsni_pixel_op_table(op, image, width * height, table)) {
            memcpy(normal, recipe->normal, sizeof normal);
            compose(normal, (const uint8_t(*)[256])table);
            final = (const normal_table *)&normal;
            break;
        }
        jsni_buffer *next = &scratch->image[image == scratch->image[0].data ? 1 : 0];
        JSNI_TRY(jsni_buffer_reserve(next, width * height * C));
        jsni_pixel_op_run(op, image, next->data, width, height);
        image = next->data;
    }
    const float black[C] = {recipe->normal[0][0], recipe->normal[1][0],
                            recipe->normal[2][0]};
    render(recipe, plan, *final, black, image, out);
    return JSN_OK;
}
