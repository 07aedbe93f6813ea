/* backend/onednn/dnnl_tensor.c - see dnnl_tensor.h. */
#include "backend/onednn/dnnl_tensor.h"

static size_t blocks_of(jsni_shape shape, size_t lanes)
{
    return (shape.channels + lanes - 1) / lanes;
}

void jsni_to_blocked(const float *from, size_t images, jsni_shape shape, size_t lanes,
                     float *to)
{
    const size_t pixels = shape.height * shape.width, blocks = blocks_of(shape, lanes);
    for (size_t n = 0; n < images; n++)
        for (size_t c = 0; c < blocks * lanes; c++) {
            float *at = to + (n * blocks + c / lanes) * pixels * lanes + c % lanes;
            const float *x = from + (n * shape.channels + c) * pixels;
            for (size_t p = 0; p < pixels; p++)
                at[p * lanes] = c < shape.channels ? x[p] : 0.0f;
        }
}

void jsni_from_blocked(const float *from, size_t images, jsni_shape shape, size_t lanes,
                       float *to)
{
    const size_t pixels = shape.height * shape.width, blocks = blocks_of(shape, lanes);
    for (size_t n = 0; n < images; n++)
        for (size_t c = 0; c < shape.channels; c++) {
            const float *at =
                from + (n * blocks + c / lanes) * pixels * lanes + c % lanes;
            for (size_t p = 0; p < pixels; p++)
                *to++ = at[p * lanes];
        }
}

void jsni_clear_fill(float *x, size_t images, jsni_shape shape, size_t lanes)
{
    const size_t pixels = shape.height * shape.width, blocks = blocks_of(shape, lanes);
    for (size_t n = 0; n < images; n++)
        for (size_t c = shape.channels; c < blocks * lanes; c++)
            for (size_t p = 0; p < pixels; p++)
                x[((n * blocks + c / lanes) * pixels + p) * lanes + c % lanes] = 0.0f;
}
