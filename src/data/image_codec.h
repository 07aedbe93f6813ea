/* data/image_codec.h - what an image format's file implements: codec_<name>.c and its
 * row in codec_list.h. */
#ifndef JSNI_DATA_IMAGE_CODEC_H
#define JSNI_DATA_IMAGE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image_part.h"
#include "core/text.h"
#include "data/codec_list.h"
#include "data/image_decoder.h"

typedef struct jsni_codec {
    const char *name;    /* "JPEG" */
    const char *endings; /* of names to write, each followed by a space: "jpg jpeg " */
    bool (*detect)(const uint8_t *bytes, size_t length);
    /* `state` belongs to one decoder, starts as NULL and is the codec's to fill. */
    jsn_status (*measure)(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height);
    jsn_status (*decode)(void **state, const jsni_image_input *input, jsn_image *out);
    /* Fills *part, whose image comes in as `out` above; NULL when the format is decoded
     * whole. */
    jsn_status (*decode_part)(void **state, const jsni_image_input *input,
                              const jsni_image_want *want, jsni_image_part *part);
    void (*release)(void *state); /* NULL when there is no state */
    /* Appends the encoded file; NULL when the format is read only. */
    jsn_status (*encode)(const jsn_image *image, jsni_text *out);
} jsni_codec;

#define DECLARE(id) extern const jsni_codec jsni_codec_##id;
JSNI_CODEC_LIST(DECLARE)
#undef DECLARE

/* JSN_ERR_DATA with "name: not a valid JPEG: reason". */
jsn_status jsni_codec_fail(const jsni_image_input *input, const jsni_codec *codec,
                           const char *reason);

/* JSN_ERR_MEMORY with "name: no memory to read it": nothing is wrong with the image. */
jsn_status jsni_codec_no_memory(const jsni_image_input *input);

/* Refuses what the header says before memory is taken for it. */
JSN_MUST_CHECK jsn_status jsni_codec_check_size(const jsni_image_input *input,
                                                const jsni_codec *codec, uint64_t width,
                                                uint64_t height);

#endif /* JSNI_DATA_IMAGE_CODEC_H */
