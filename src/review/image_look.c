/* review/image_look.c - see image_look.h. */
#include "review/image_look.h"

#include <math.h>

#include "data/copies.h"

/* BT.601, in 1/256. */
static unsigned grey_at(const jsn_image *image, size_t x, size_t y)
{
    const uint8_t *p = image->data + (y * image->width + x) * JSN_IMAGE_CHANNELS;
    return (77u * p[0] + 150u * p[1] + 29u * p[2]) >> 8;
}

/* Mean, deviation and brightest, from a histogram. */
static void count_greys(const jsn_image *image, jsni_look *look)
{
    size_t histogram[256] = {0};
    const double pixels = (double)image->width * (double)image->height;
    double sum = 0.0, squares = 0.0, above = 0.0;
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++)
            histogram[grey_at(image, x, y)]++;
    int level = 255;
    while (level > 0 && (above += (double)histogram[level]) < pixels / 50.0)
        level--;
    for (int g = 0; g < 256; g++) {
        sum += g * (double)histogram[g];
        squares += (double)g * g * (double)histogram[g];
    }
    const double mean = sum / pixels;
    look->mean = (float)mean;
    look->deviation = (float)sqrt(fmax(0.0, squares / pixels - mean * mean));
    look->brightest = (float)level;
}

/* The second differences of a sharp image are as large as its contrasts; blur takes them. */
static void measure_sharpness(const jsn_image *image, jsni_look *look)
{
    double squares = 0.0;
    size_t count = 0;
    for (size_t y = 1; y + 1 < image->height; y++)
        for (size_t x = 1; x + 1 < image->width; x++, count++) {
            const double d = 4.0 * grey_at(image, x, y) - grey_at(image, x - 1, y) -
                             grey_at(image, x + 1, y) - grey_at(image, x, y - 1) -
                             grey_at(image, x, y + 1);
            squares += d * d;
        }
    look->sharpness = count == 0 || look->deviation < 1.0f
                          ? 1.0f
                          : (float)(sqrt(squares / (double)count) / look->deviation);
}

/* Mean grey value of cell (u, v) of a grid of `columns` x JSNI_LOOK_SIDE. */
static double cell_mean(const jsn_image *image, size_t u, size_t v, size_t columns)
{
    const size_t left = u * image->width / columns,
                 top = v * image->height / JSNI_LOOK_SIDE;
    size_t right = (u + 1) * image->width / columns;
    size_t bottom = (v + 1) * image->height / JSNI_LOOK_SIDE;
    right = right > left ? right : left + 1;
    bottom = bottom > top ? bottom : top + 1;
    double sum = 0.0;
    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++)
            sum += grey_at(image, x, y);
    return sum / (double)((right - left) * (bottom - top));
}

static void shrink(const jsn_image *image, jsni_look *look)
{
    for (size_t v = 0; v < JSNI_LOOK_SIDE; v++) {
        double before = cell_mean(image, 0, v, JSNI_LOOK_SIDE + 1);
        for (size_t u = 0; u < JSNI_LOOK_SIDE; u++) {
            const double after = cell_mean(image, u + 1, v, JSNI_LOOK_SIDE + 1);
            look->slopes = look->slopes << 1 | (before > after);
            look->small[v * JSNI_LOOK_SIDE + u] =
                (uint8_t)cell_mean(image, u, v, JSNI_LOOK_SIDE);
            before = after;
        }
    }
}

jsni_look jsni_image_look(const jsn_image *image)
{
    jsni_look look = {.read = true,
                      .width = (uint32_t)image->width,
                      .height = (uint32_t)image->height,
                      .print = jsni_image_print(image)};
    count_greys(image, &look);
    measure_sharpness(image, &look);
    shrink(image, &look);
    return look;
}
