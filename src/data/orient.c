/* data/orient.c - see data/orient.h. */
#include "data/orient.h"

#include <string.h>

#include "core/alloc.h"

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, ENTRY = 12 };

static uint32_t number(const uint8_t *p, size_t bytes, bool big)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)p[i] << 8 * (big ? bytes - 1 - i : i);
    return value;
}

int jsni_exif_orientation(const uint8_t *tiff, size_t length)
{
    if (length < 14)
        return 1;
    const bool big = tiff[0] == 'M';
    if (memcmp(tiff, big ? "MM\0*" : "II*\0", 4) != 0)
        return 1;
    const size_t folder = number(tiff + 4, 4, big);
    if (folder > length - 2)
        return 1;
    const size_t entries = number(tiff + folder, 2, big);
    for (size_t i = 0; i < entries && folder + 2 + (i + 1) * ENTRY <= length; i++) {
        const uint8_t *entry = tiff + folder + 2 + i * ENTRY;
        if (number(entry, 2, big) != TAG_ORIENTATION)
            continue;
        const uint32_t value = number(entry + 8, 2, big);
        return number(entry + 2, 2, big) == TYPE_SHORT && value >= 1 && value <= 8
                   ? (int)value
                   : 1;
    }
    return 1;
}

jsn_status jsni_image_orient(jsn_image *image, int orientation)
{
    if (orientation <= 1 || orientation > 8)
        return JSN_OK;
    const bool turns = jsni_orientation_turns(orientation);
    const size_t width = turns ? image->height : image->width;
    const size_t height = turns ? image->width : image->height;
    uint8_t *data = jsni_alloc(width * height, JSN_IMAGE_CHANNELS);
    JSNI_TRY_ALLOC(data);
    const bool flip_x = jsni_orientation_flips_x(orientation);
    const bool flip_y = jsni_orientation_flips_y(orientation);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t sx = turns ? y : x, sy = turns ? x : y;
            const size_t fx = flip_x ? image->width - 1 - sx : sx;
            const size_t fy = flip_y ? image->height - 1 - sy : sy;
            memcpy(data + (y * width + x) * 3,
                   image->data + (fy * image->width + fx) * 3, 3);
        }
    jsn_image_release(image);
    *image = (jsn_image){data, width, height};
    return JSN_OK;
}

void jsni_image_flatten(const uint8_t *rgba, uint8_t *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        const unsigned alpha = rgba[4 * i + 3];
        for (size_t c = 0; c < 3; c++)
            rgb[3 * i + c] =
                (uint8_t)((rgba[4 * i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}
