/* augment/image_resize.h - antialiased resizing with Pillow's bytes. */
#ifndef JSNI_AUGMENT_IMAGE_RESIZE_H
#define JSNI_AUGMENT_IMAGE_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/augment.h"

/* Memory that grows when asked for more and is kept for the next call. */
typedef struct jsni_buffer {
    uint8_t *data; /* owned */
    size_t size;
} jsni_buffer;

JSN_MUST_CHECK jsn_status jsni_buffer_reserve(jsni_buffer *buffer, size_t size);
void jsni_buffer_release(jsni_buffer *buffer);

typedef struct jsni_resize_room {
    jsni_buffer rows;    /* the image between the passes */
    jsni_buffer group;   /* rows of the input, on their way through the first pass */
    jsni_buffer weights; /* taps of every output column or row */
} jsni_resize_room;

void jsni_resize_room_release(jsni_resize_room *room);

/* What is resized: the rectangle at (left, top) of `across` x `down` pixels, in real
 * numbers, of an image of width x height. Beyond it nothing of the image is used but the
 * pixels that its edges cut. */
typedef struct jsni_resize_from {
    const uint8_t *data; /* [height] rows, `stride` bytes apart */
    size_t stride, width, height;
    double left, top, across, down;
} jsni_resize_from;

JSN_MUST_CHECK jsn_status jsni_resize_part(jsni_resize_room *room,
                                           const jsni_resize_from *from,
                                           jsn_filter filter, uint8_t *out,
                                           size_t out_width, size_t out_height);

#endif /* JSNI_AUGMENT_IMAGE_RESIZE_H */
