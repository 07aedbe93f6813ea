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
    jsni_buffer rows;  /* the image between the passes */
    jsni_buffer group; /* rows of the input, on their way through the first pass */
    jsni_buffer columns, lines; /* taps of every output column and row */
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

/* What it becomes, width x height pixels, and the rectangle of them that is made. */
typedef struct jsni_resize_to {
    size_t width, height;
    size_t left, top, across, down;
} jsni_resize_to;

/* out: [to->down][to->across][3]. Every pixel is the one that all of the result has there. */
JSN_MUST_CHECK jsn_status jsni_resize_part(jsni_resize_room *room,
                                           const jsni_resize_from *from,
                                           jsn_filter filter, const jsni_resize_to *to,
                                           uint8_t *out);

#endif /* JSNI_AUGMENT_IMAGE_RESIZE_H */
