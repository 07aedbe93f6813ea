/* augment/pixel_op_warp.c - operations that move pixels. Rows are copied where a row stays a
 * row; everything else reads a pixel at a time by 16.16 coordinates. */
#include <string.h>

#include "augment/pixel_op.h"

enum { C = 3 };

static void shift_row(const uint8_t *in, uint8_t *out, int64_t width, int64_t dx)
{
    const int64_t first = dx < 0 ? (-dx < width ? -dx : width) : 0;
    const int64_t end = dx > 0 ? (width - dx > 0 ? width - dx : 0) : width;
    memset(out, 0, (size_t)(first * C));
    if (end > first)
        memcpy(out + first * C, in + (first + dx) * C, (size_t)((end - first) * C));
    if (end < width && end >= first)
        memset(out + end * C, 0, (size_t)((width - end) * C));
}

static void shift(const uint8_t *in, uint8_t *out, int64_t width, int64_t height,
                  int64_t dx, int64_t dy)
{
    for (int64_t y = 0; y < height; y++) {
        if (y + dy < 0 || y + dy >= height)
            memset(out + y * width * C, 0, (size_t)(width * C));
        else
            shift_row(in + (y + dy) * width * C, out + y * width * C, width, dx);
    }
}

/* A translation whose sums in double drift over an integer: pixel by pixel. */
static void drift(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                  size_t width, size_t height)
{
    memset(out, 0, height * width * C);
    double v = op->shift_y + 0.5;
    for (size_t y = 0; y < height; y++) {
        double u = op->shift_x + 0.5;
        for (size_t x = 0; x < width; x++) {
            if (u >= 0.0 && v >= 0.0 && u < (double)width && v < (double)height)
                memcpy(out + (y * width + x) * C,
                       in + ((size_t)v * width + (size_t)u) * C, C);
            u += 1.0;
        }
        v += 1.0;
    }
}

static void sample(const jsni_warp *warp, const uint8_t *in, uint8_t *out,
                   int64_t width, int64_t height)
{
    for (int64_t y = 0; y < height; y++) {
        uint8_t *row = out + y * width * C;
        int64_t sx = warp->x0 + warp->xy * y, sy = warp->y0 + warp->yy * y;
        for (int64_t x = 0; x < width; x++, sx += warp->xx, sy += warp->yx) {
            const int64_t column = sx >> 16, line = sy >> 16;
            const bool inside =
                (uint64_t)column < (uint64_t)width && (uint64_t)line < (uint64_t)height;
            const uint8_t *from = in + (inside ? (line * width + column) * C : 0);
            const uint8_t mask = inside ? 255 : 0;
            row[x * C] = from[0] & mask;
            row[x * C + 1] = from[1] & mask;
            row[x * C + 2] = from[2] & mask;
        }
    }
}

void jsni_warp_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                   size_t width, size_t height)
{
    if (!jsni_pixel_op_is_plain(op, width, height))
        drift(op, in, out, width, height);
    else if (op->shift_x != 0.0 || op->shift_y != 0.0)
        shift(in, out, (int64_t)width, (int64_t)height, op->warp.x0 / 65536,
              op->warp.y0 / 65536);
    else
        sample(&op->warp, in, out, (int64_t)width, (int64_t)height);
}
