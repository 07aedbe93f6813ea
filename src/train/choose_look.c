/* train/choose_look.c - see choose_look.h. */
#include "train/choose_look.h"

#include <stdlib.h>

#include "core/image_part.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"

enum {
    PROBES = 48, /* images looked at */
    GLANCE = 256 /* pixels a side that suffice for that */
};

static bool is_grey(const jsn_image *image)
{
    const size_t pixels = image->width * image->height;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *p = image->data + 3 * i;
        if (p[0] != p[1] || p[1] != p[2])
            return false;
    }
    return true;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void note_extremes(jsni_look *seen, const jsni_image_part *image,
                          size_t position)
{
    const jsni_extreme now = {image->width, image->height, position};
    jsni_extreme *at = seen->at;
    if (at[JSNI_NARROWEST].width == 0 || now.width < at[JSNI_NARROWEST].width)
        at[JSNI_NARROWEST] = now;
    if (at[JSNI_LOWEST].height == 0 || now.height < at[JSNI_LOWEST].height)
        at[JSNI_LOWEST] = now;
    if (now.width > at[JSNI_WIDEST].width)
        at[JSNI_WIDEST] = now;
    if (now.height > at[JSNI_HIGHEST].height)
        at[JSNI_HIGHEST] = now;
}

jsn_status jsni_look_at(const jsni_part *part, jsni_look *out)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(part->data);
    jsni_look seen = {.grey = true,
                      .same = traits->width > 0,
                      .square = traits->width == traits->height};
    size_t sides[PROBES], found = 0, coarse = 0, enough = GLANCE;
    jsni_image_part image = {0};
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < PROBES && i < part->count; i++) {
        const size_t at = part->count <= PROBES ? i : i * (part->count / PROBES);
        status = jsni_dataset_image_part(part->data, part->split, part->index[at],
                                         jsni_image_want_coarse, &enough, &image);
        if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED) {
            status = JSN_OK;
            continue;
        }
        if (status != JSN_OK)
            break;
        sides[found++] = image.width < image.height ? image.width : image.height;
        coarse += image.divisor > 1;
        seen.bytes += (double)(image.width * image.height * JSN_IMAGE_CHANNELS);
        seen.square = seen.square && image.width == image.height;
        note_extremes(&seen, &image, at);
        seen.grey = seen.grey && is_grey(&image.image);
    }
    jsn_image_release(&image.image);
    if (found > 0) {
        qsort(sides, found, sizeof sides[0], compare_sizes);
        seen.side = sides[found / 2];
        seen.bytes /= (double)found;
    }
    seen.divides = 2 * coarse > found;
    seen.grey = seen.grey && found > 0;
    *out = seen;
    return status;
}
