/* review/image_look.h - a few numbers that an image is judged by. */
#ifndef JSNI_REVIEW_IMAGE_LOOK_H
#define JSNI_REVIEW_IMAGE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/image.h"

enum { JSNI_LOOK_SIDE = 8 };

typedef struct jsni_look {
    bool read;              /* else nothing below is known */
    uint32_t width, height; /* of the image */
    float mean, deviation;  /* of the grey values, 0 to 255 */
    float brightest;        /* the grey value that one in fifty pixels exceeds */
    float sharpness; /* deviation of the second differences over that of the values */
    uint64_t print;  /* of all pixels; see data/copies.h */
    /* The image as 8 x 8 grey values, and which of them is brighter than its right
     * neighbour: what is left of an image that was saved anew. */
    uint8_t small[JSNI_LOOK_SIDE * JSNI_LOOK_SIDE];
    uint64_t slopes;
} jsni_look;

jsni_look jsni_image_look(const jsn_image *image);

#endif /* JSNI_REVIEW_IMAGE_LOOK_H */
