/* train/test_views.c - see test_views.h. */
#include "train/test_views.h"

#include <stdbool.h>

/* The image and its mirror image, then the corners by turns with theirs: any number of
 * views from the first on is nearly balanced. */
static const struct {
    bool mirror;
    int right, down; /* sixteenths of the side */
} views[JSNI_TEST_VIEWS] = {
    {false, 0, 0},  {true, 0, 0},   {false, -1, -1}, {true, 1, 1},   {false, 1, 1},
    {true, -1, -1}, {false, -1, 1}, {true, 1, -1},   {false, 1, -1}, {true, -1, 1}};

/* Where pixel `at` of a view comes from: `by` pixels before it, inside the image. */
static size_t source(size_t at, long by, size_t size)
{
    const long from = (long)at - by;
    if (from < 0)
        return 0;
    return (size_t)from < size ? (size_t)from : size - 1;
}

void jsni_test_view(const float *in, size_t count, size_t size, size_t view, float *out)
{
    const long unit = size >= 16 ? (long)(size / 16) : 1;
    const long right = views[view].right * unit, down = views[view].down * unit;
    for (size_t plane = 0; plane < count * 3; plane++, in += size * size)
        for (size_t y = 0; y < size; y++) {
            const float *row = in + source(y, down, size) * size;
            for (size_t x = 0; x < size; x++) {
                const size_t from = source(x, right, size);
                *out++ = row[views[view].mirror ? size - 1 - from : from];
            }
        }
}
