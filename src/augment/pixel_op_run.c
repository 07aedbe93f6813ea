/* augment/pixel_op_run.c - runs operations on whole images, by their form. */
#include <string.h>

#include "augment/operation.h"
#include "augment/pixel_op.h"
#include "augment/pixelkernel.h"

enum { C = 3 };

static void identity(uint8_t table[3][256])
{
    for (int c = 0; c < C; c++)
        for (int i = 0; i < 256; i++)
            table[c][i] = (uint8_t)i;
}

static uint8_t gray_mean(const uint8_t *in, size_t pixels)
{
    enum { MOST = 65536 }; /* pixels whose sum surely fits 32 bits */
    uint64_t sum = 0;
    for (size_t at = 0; at < pixels; at += MOST)
        sum += jsni_pixelkernel_best()->gray_sum(
            in + at * C, pixels - at < MOST ? pixels - at : MOST);
    return jsni_gray_mean(sum, pixels);
}

/* Channels that share their statistics share their table. */
static void fill_alike(const jsni_operation *operation, const jsni_pixel_op *op,
                       const jsni_byte_stats *stats, uint8_t table[C][256])
{
    operation->fill(op, stats, NULL, table[0]);
    memcpy(table[1], table[0], 256);
    memcpy(table[2], table[0], 256);
}

static void fill_by_range(const jsni_operation *operation, const jsni_pixel_op *op,
                          const uint8_t *in, size_t pixels, uint8_t table[C][256])
{
    uint8_t low[C], high[C];
    jsni_pixelkernel_best()->ranges(in, pixels, low, high);
    for (int c = 0; c < C; c++) {
        const jsni_byte_stats stats = {.low = low[c], .high = high[c]};
        operation->fill(op, &stats, NULL, table[c]);
    }
}

static void fill_by_histogram(const jsni_operation *operation, const jsni_pixel_op *op,
                              const uint8_t *in, size_t pixels, uint8_t table[C][256])
{
    uint32_t histogram[C][256] = {{0}};
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < C; c++)
            histogram[c][in[i * C + (size_t)c]]++;
    for (int c = 0; c < C; c++) {
        int highest = 255;
        while (highest > 0 && histogram[c][highest] == 0)
            highest--;
        const jsni_byte_stats stats = {.pixels = (uint32_t)pixels,
                                       .at_highest = histogram[c][highest]};
        operation->fill(op, &stats, histogram[c], table[c]);
    }
}

bool jsni_pixel_op_table(const jsni_pixel_op *op, const uint8_t *in, size_t pixels,
                         uint8_t table[3][256])
{
    const jsni_operation *operation = jsni_operation_at((size_t)op->kind);
    jsni_byte_stats stats = {0};
    if (operation->form != JSNI_FORM_TABLE) {
        identity(table);
        return false;
    }
    switch (operation->needs) {
    case JSNI_NEEDS_RANGE:
        fill_by_range(operation, op, in, pixels, table);
        break;
    case JSNI_NEEDS_HISTOGRAM:
        fill_by_histogram(operation, op, in, pixels, table);
        break;
    case JSNI_NEEDS_GRAY:
        stats.gray = gray_mean(in, pixels);
        fill_alike(operation, op, &stats, table);
        break;
    case JSNI_NEEDS_NOTHING:
        fill_alike(operation, op, &stats, table);
        break;
    }
    return true;
}

static void run_table(const uint8_t table[3][256], const uint8_t *in, uint8_t *out,
                      size_t pixels)
{
    for (size_t i = 0; i < pixels * C; i += C) {
        out[i] = table[0][in[i]];
        out[i + 1] = table[1][in[i + 1]];
        out[i + 2] = table[2][in[i + 2]];
    }
}

void jsni_sharpen(const uint8_t *in, uint8_t *out, size_t width, size_t height,
                  float factor)
{
    const size_t stride = width * C;
    memcpy(out, in, stride * height);
    if (width < 3)
        return;
    for (size_t y = 1; y + 1 < height; y++) {
        const uint8_t *row = in + y * stride;
        jsni_pixelkernel_best()->sharpen(row - stride, row, row + stride,
                                         out + y * stride, stride, factor);
    }
}

void jsni_pixel_op_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                       size_t width, size_t height)
{
    const jsni_operation *operation = jsni_operation_at((size_t)op->kind);
    uint8_t table[C][256];
    if (operation->blends) {
        const int base =
            operation->needs == JSNI_NEEDS_GRAY ? gray_mean(in, width * height) : 0;
        jsni_pixelkernel_best()->blend(in, out, width * height * C, base, op->factor);
    } else if (operation->form == JSNI_FORM_TABLE) {
        (void)jsni_pixel_op_table(op, in, width * height, table);
        run_table((const uint8_t(*)[256])table, in, out, width * height);
    } else if (operation->form == JSNI_FORM_WARP) {
        jsni_warp_run(op, in, out, width, height);
    } else if (operation->run != NULL) {
        operation->run(op, in, out, width, height);
    } else {
        operation->each(op, in, out, width, height);
    }
}
