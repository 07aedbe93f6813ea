/* data/image_decoder.h - decoding image files again and again, with the library's
 * handles kept between calls. */
#ifndef JSNI_DATA_IMAGE_DECODER_H
#define JSNI_DATA_IMAGE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image_part.h"
#include "core/text.h"
#include "jensen/image.h"
#include "jensen/status.h"

/* An encoded image. */
typedef struct jsni_image_input {
    const uint8_t *bytes;
    size_t length;
    const char *name; /* for error sentences */
} jsni_image_input;

/* One thread uses a decoder at a time. */
typedef struct jsni_image_decoder jsni_image_decoder;

JSN_MUST_CHECK jsn_status jsni_image_decoder_create(jsni_image_decoder **out);
void jsni_image_decoder_destroy(jsni_image_decoder *decoder); /* accepts NULL */

/* As jsni_image_decode(). */
JSN_MUST_CHECK jsn_status jsni_image_decoder_run(jsni_image_decoder *decoder,
                                                 const jsni_image_input *input,
                                                 jsn_image *out);

/* As jsn_image_read(). */
JSN_MUST_CHECK jsn_status jsni_image_decoder_read(jsni_image_decoder *decoder,
                                                  const char *path, jsn_image *out);

/* Decodes at least `want`, which lies inside the image. */
JSN_MUST_CHECK jsn_status jsni_image_decoder_run_part(jsni_image_decoder *decoder,
                                                      const jsni_image_input *input,
                                                      const jsni_image_want *want,
                                                      jsni_image_part *part);

/* Whether the format of an image is decoded at reduced size where that is allowed. */
bool jsni_image_divides(const jsni_image_input *input);

/* A jsni_image_want_fn: all of an image, as coarse as leaves *(const size_t *)user pixels
 * of its shorter side. */
jsn_status jsni_image_want_coarse(void *user, size_t width, size_t height,
                                  jsni_image_want *want);

/* What fn wants of an image of this size, checked. */
JSN_MUST_CHECK jsn_status jsni_image_ask(jsni_image_want_fn *fn, void *user,
                                         const char *name, size_t width, size_t height,
                                         jsni_image_want *want);

/* As jsni_image_measure(). */
JSN_MUST_CHECK jsn_status jsni_image_decoder_measure(jsni_image_decoder *decoder,
                                                     const jsni_image_input *input,
                                                     size_t *width, size_t *height);

/* Decoders lent to threads: take hands out an idle one or makes one. */
typedef struct jsni_decoder_pool jsni_decoder_pool;

JSN_MUST_CHECK jsn_status jsni_decoder_pool_create(jsni_decoder_pool **out);
void jsni_decoder_pool_destroy(jsni_decoder_pool *pool); /* accepts NULL */
JSN_MUST_CHECK jsn_status jsni_decoder_pool_take(jsni_decoder_pool *pool,
                                                 jsni_image_decoder **out);
void jsni_decoder_pool_give(jsni_decoder_pool *pool, jsni_image_decoder *decoder);

/* Appends the image as a file of the format that the name's ending says. Statuses as
 * jsn_image_write(). */
JSN_MUST_CHECK jsn_status jsni_image_encode(const char *name, const jsn_image *image,
                                            jsni_text *out);

/* jsn_image_write() of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_image_write_in(const char *folder, const char *name,
                                              const jsn_image *image);

/* Makes *image one of this size, with its memory used again when it fits. */
JSN_MUST_CHECK jsn_status jsni_image_reserve(jsn_image *image, size_t width,
                                             size_t height, const char *name);

/* Whether a file is called like an image (.jpg, .PNG, ...), which folders are searched
 * for; 1 also for formats that are not read (.tif, .gif, ...), so that they can be named. */
int jsni_image_has_name(const char *name);

/* The same from memory. `name` stands for the file in error sentences. */
JSN_MUST_CHECK jsn_status jsni_image_decode(jsn_image *out, const void *bytes,
                                            size_t length, const char *name);

/* Decodes what `fn` wants, which for JPEG is faster than all of it. With divisor 1 every
 * pixel is the one that the whole image has there; a larger divisor gives a JPEG of
 * fewer, averaged pixels. Damage outside the part may go unnoticed. part->image is
 * handed in as `out` of jsni_image_decode(). Statuses as there, JSN_ERR_RANGE (a part
 * that is empty or not inside, another divisor), and what `fn` returns. */
JSN_MUST_CHECK jsn_status jsni_image_decoder_part(jsni_image_decoder *decoder,
                                                  const void *bytes, size_t length,
                                                  const char *name,
                                                  jsni_image_want_fn *fn, void *user,
                                                  jsni_image_part *part);

/* Width and height as decoding would give them, from the header alone.
 *   JSN_ERR_DATA, JSN_ERR_UNSUPPORTED */
JSN_MUST_CHECK jsn_status jsni_image_measure(const void *bytes, size_t length,
                                             const char *name, size_t *width,
                                             size_t *height);

#endif /* JSNI_DATA_IMAGE_DECODER_H */
