/* data/image_decoder.h - decoding image files again and again, with the library's
 * handles kept between calls. */
#ifndef JSNI_DATA_IMAGE_DECODER_H
#define JSNI_DATA_IMAGE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* As jsn_image_decode(). */
JSN_MUST_CHECK jsn_status jsni_image_decoder_run(jsni_image_decoder *decoder,
                                                 const jsni_image_input *input,
                                                 jsn_image *out);

/* Decodes at least `want`, which lies inside the image. */
JSN_MUST_CHECK jsn_status jsni_image_decoder_run_part(jsni_image_decoder *decoder,
                                                      const jsni_image_input *input,
                                                      const jsn_image_want *want,
                                                      jsn_image_part *part);

/* Whether the format of an image is decoded at reduced size where that is allowed. */
bool jsni_image_divides(const jsni_image_input *input);

/* A jsn_image_want_fn: all of an image, as coarse as leaves *(const size_t *)user pixels
 * of its shorter side. */
jsn_status jsni_image_want_coarse(void *user, size_t width, size_t height,
                                  jsn_image_want *want);

/* What fn wants of an image of this size, checked. */
JSN_MUST_CHECK jsn_status jsni_image_ask(jsn_image_want_fn *fn, void *user,
                                         const char *name, size_t width, size_t height,
                                         jsn_image_want *want);

/* As jsn_image_measure(). */
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

/* jsn_image_write() of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_image_write_in(const char *folder, const char *name,
                                              const jsn_image *image);

/* Makes *image one of this size, with its memory used again when it fits. */
JSN_MUST_CHECK jsn_status jsni_image_reserve(jsn_image *image, size_t width,
                                             size_t height, const char *name);

#endif /* JSNI_DATA_IMAGE_DECODER_H */
