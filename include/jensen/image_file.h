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
