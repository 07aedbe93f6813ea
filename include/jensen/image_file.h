/* jensen/image_file.h - image files in and out, as 8-bit RGB.
 *
 * Reads JPEG, PNG, WebP, PPM/PGM and BMP (as far as the build has the libraries; the
 * content decides, not the name). What is not RGB 8-bit is made so: EXIF orientation is
 * applied, grey replicated, alpha laid over white, 16 bits rounded to 8, CMYK converted.
 * JPEG pixels are those of libjpeg-turbo's defaults (slow integer DCT, fancy
 * upsampling). Files are untrusted: dimensions are checked before memory is taken.
 */
#ifndef JENSEN_IMAGE_FILE_H
#define JENSEN_IMAGE_FILE_H

#include <stddef.h>

#include "jensen/image.h"
#include "jensen/option.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file is called like an image (.jpg, .PNG, ...), which folders are searched
 * for; 1 also for formats that are not read (.tif, .gif, ...), so that they can be named. */
JSN_API int jsn_image_has_name(const char *name);

/* Adds `path` to `paths`, or, when it is a folder, the files below it that are called like
 * images, sorted by name in each folder. Hidden ones are left out, and so are the folders
 * of runs, whose pictures are no data: their paths are added to `runs`, when not NULL.
 *   JSN_ERR_DATA  a folder that cannot be read
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_find(jsn_texts *paths, const char *path,
                                                 jsn_texts *runs);

/* Reads an image file. *out is zeroed or made by jsn_image_create(); its memory is used
 * again when the size fits, and replaced otherwise. On failure it is unspecified but
 * still valid to release:
 *   JSN_ERR_DATA         missing, unreadable, empty, broken, too large, no image
 *   JSN_ERR_UNSUPPORTED  a format that this build cannot read
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_read(jsn_image *out, const char *path);

/* The same from memory. `name` stands for the file in error sentences. */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_decode(jsn_image *out, const void *bytes,
                                                   size_t length, const char *name);

/* Decoding many images: keeps the libraries' handles between calls, which small images
 * need to be fast. One thread uses a decoder at a time. Otherwise as
 * jsn_image_decode(). */
typedef struct jsni_image_decoder jsn_image_decoder;

/* On failure *out is NULL. JSN_ERR_ARGUMENT, JSN_ERR_MEMORY. */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_decoder_create(jsn_image_decoder **out);
JSN_API void jsn_image_decoder_destroy(jsn_image_decoder *decoder); /* accepts NULL */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_decoder_decode(jsn_image_decoder *decoder,
                                                           const void *bytes,
                                                           size_t length,
                                                           const char *name,
                                                           jsn_image *out);

/* Decodes what `fn` wants, which for JPEG is faster than all of it. With divisor 1 every
 * pixel is the one that the whole image has there; a larger divisor gives a JPEG of
 * fewer, averaged pixels. Damage outside the part may go unnoticed. part->image is
 * handed in as `out` of jsn_image_decode(). Statuses as there, JSN_ERR_RANGE (a part
 * that is empty or not inside, another divisor), and what `fn` returns. */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_decoder_part(
    jsn_image_decoder *decoder, const void *bytes, size_t length, const char *name,
    jsn_image_want_fn *fn, void *user, jsn_image_part *part);

/* Width and height as decoding would give them, from the header alone.
 *   JSN_ERR_DATA, JSN_ERR_UNSUPPORTED */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_measure(const void *bytes, size_t length,
                                                    const char *name, size_t *width,
                                                    size_t *height);

/* Writes an image in the format of the name's ending: .png, .jpg/.jpeg (quality 95,
 * 4:4:4), .ppm, .bmp. The file appears whole or not at all.
 *   JSN_ERR_ARGUMENT     another ending
 *   JSN_ERR_UNSUPPORTED  a format that this build cannot write
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_write(const char *path,
                                                  const jsn_image *image);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_IMAGE_FILE_H */
