/* data/kept_image.c - see kept_image.h. A list only ever grows at its head, so that a
 * reader needs no lock. */
#include "data/kept_image.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"
#include "data/image_decoder.h"

/* A header and its pixels in one allocation. */
struct jsni_kept_image {
    jsni_kept_image *next;
    jsni_image_part part; /* all of the image; its data is `pixels` */
    bool divides;
    uint8_t pixels[];
};

void jsni_kept_release(jsni_kept_list *list)
{
    jsni_kept_image *at = atomic_load(list);
    while (at != NULL) {
        jsni_kept_image *next = at->next;
        jsni_free(at);
        at = next;
    }
}

bool jsni_kept_measure(const jsni_kept_list *list, size_t *width, size_t *height)
{
    const jsni_kept_image *first = atomic_load(list);
    if (first == NULL)
        return false;
    *width = first->part.width;
    *height = first->part.height;
    return true;
}

const jsni_kept_image *jsni_kept_find(const jsni_kept_list *list, unsigned divisor)
{
    const jsni_kept_image *at = atomic_load(list);
    while (at != NULL && at->divides && at->part.divisor != divisor)
        at = at->next;
    return at;
}

static size_t bytes_of(size_t width, size_t height)
{
    return sizeof(jsni_kept_image) + width * height * JSN_IMAGE_CHANNELS;
}

bool jsni_kept_fits(const atomic_size_t *left, size_t width, size_t height,
                    unsigned divisor)
{
    return bytes_of((width + divisor - 1) / divisor,
                    (height + divisor - 1) / divisor) <= atomic_load(left);
}

void jsni_kept_add(jsni_kept_list *list, atomic_size_t *left,
                   const jsni_image_part *part, bool divides)
{
    const jsn_image *image = &part->image;
    const size_t need = bytes_of(image->width, image->height);
    size_t now = atomic_load(left);
    do {
        if (now < need)
            return;
    } while (!atomic_compare_exchange_weak(left, &now, now - need));
    jsni_kept_image *added = jsni_alloc(1, need);
    if (added != NULL) {
        added->part = *part;
        added->divides = divides;
        added->part.image.data = added->pixels;
        memcpy(added->pixels, image->data, need - sizeof *added);
        added->next = atomic_load(list);
        /* Another thread may have been faster. */
        while (jsni_kept_find(list, part->divisor) == NULL)
            if (atomic_compare_exchange_weak(list, &added->next, added))
                return;
    }
    jsni_free(added);
    atomic_fetch_add(left, need);
}

/* The pixels of a row that `length` of the whole image's from `at` on cut, where pixel 0
 * begins at `origin`. */
static void hull(size_t at, size_t length, ptrdiff_t origin, unsigned divisor,
                 size_t *first, size_t *count)
{
    const size_t from = (size_t)((ptrdiff_t)at - origin);
    *first = from / divisor;
    *count = (from + length + divisor - 1) / divisor - *first;
}

jsn_status jsni_part_copy(const jsni_image_part *whole, const jsni_image_want *want,
                          const char *name, jsni_image_part *part)
{
    size_t x = 0, y = 0, width = 0, height = 0;
    const unsigned d = whole->divisor;
    hull(want->left, want->width, whole->left, d, &x, &width);
    hull(want->top, want->height, whole->top, d, &y, &height);
    jsn_image *to = &part->image;
    JSNI_TRY(jsni_image_reserve(to, width, height, name));
    const size_t stride = whole->image.width * JSN_IMAGE_CHANNELS;
    const size_t row = width * JSN_IMAGE_CHANNELS;
    const uint8_t *from = whole->image.data + y * stride + x * JSN_IMAGE_CHANNELS;
    for (size_t i = 0; i < height; i++)
        memcpy(to->data + i * row, from + i * stride, row);
    *part = (jsni_image_part){*to,
                              whole->width,
                              whole->height,
                              whole->left + (ptrdiff_t)(x * d),
                              whole->top + (ptrdiff_t)(y * d),
                              d};
    return JSN_OK;
}

jsn_status jsni_kept_copy(const jsni_kept_image *from, const jsni_image_want *want,
                          const char *name, jsni_image_part *part)
{
    return jsni_part_copy(&from->part, want, name, part);
}
