/* data/jpeg_part.h - a rectangle of a JPEG without the work for the rest of it. One of
 * jpeg_part_libjpeg.c and jpeg_part_none.c is compiled. */
#ifndef JSNI_DATA_JPEG_PART_H
#define JSNI_DATA_JPEG_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/image_decoder.h"

/* Columns [x0, x1), rows [y0, y1) of the image whose sides are divided by `divisor` (1,
 * 2, 4, 8) and rounded up, as the file stores it. */
typedef struct jsni_jpeg_box {
    size_t x0, y0, x1, y1;
    unsigned divisor;
} jsni_jpeg_box;

/* One thread uses a reader at a time. */
typedef struct jsni_jpeg_reader jsni_jpeg_reader;

/* Whether this build can; if not, the functions below are not called. */
bool jsni_jpeg_reads_boxes(void);

JSN_MUST_CHECK jsn_status jsni_jpeg_reader_create(jsni_jpeg_reader **out);
void jsni_jpeg_reader_destroy(jsni_jpeg_reader *reader); /* accepts NULL */

/* The box of a file with 1 or 3 components, as RGB: to is [y1 - y0][x1 - x0][3]. Its
 * pixels are those of the whole image. */
JSN_MUST_CHECK jsn_status jsni_jpeg_read_box(jsni_jpeg_reader *reader,
                                             const jsni_image_input *input,
                                             const jsni_jpeg_box *box, uint8_t *to);

/* Whether a warning of the library leaves an image whole or nearly so. */
bool jsni_jpeg_is_harmless(const char *warning);

/* The failure that the library calls `reason`: of the image, or of memory. */
jsn_status jsni_jpeg_failed(const jsni_image_input *input, const char *reason);

#endif /* JSNI_DATA_JPEG_PART_H */
