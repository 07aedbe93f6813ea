/* train/choose_look.h - what choose.c goes by: sizes and colours of some of the images. */
#ifndef JSNI_TRAIN_CHOOSE_LOOK_H
#define JSNI_TRAIN_CHOOSE_LOOK_H

#include "train/problem.h"
#include "weights/weight_match.h"

/* The image looked at with the least or the largest width or height. */
enum { JSNI_NARROWEST, JSNI_LOWEST, JSNI_WIDEST, JSNI_HIGHEST, JSNI_EXTREMES };
typedef struct jsni_extreme {
    size_t width, height; /* 0: nothing could be read */
    size_t position;      /* in the part */
} jsni_extreme;

typedef struct jsni_look {
    size_t side; /* median of the shorter sides; 0: nothing could be read */
    bool same;   /* all images have one size */
    bool square;
    bool grey;    /* all looked at are grey */
    bool divides; /* most can be decoded at reduced size */
    double bytes; /* of pixels, the mean of an image */
    bool gpu;
    bool earlier; /* choose as the first version did, for runs that it began */
    /* Of the weights to start from: their network (empty: not known) and the side of
     * their input (0: not known). */
    char init_network[JSNI_NETWORK_SPEC];
    size_t init_size;
    jsni_extreme at[JSNI_EXTREMES];
} jsni_look;

/* Looks at 48 images, spread over the part. Broken ones are passed over; the loader names
 * them. Other failures are those of jsni_dataset_image_part(). */
JSN_MUST_CHECK jsn_status jsni_look_at(const jsni_part *part, jsni_look *out);

#endif /* JSNI_TRAIN_CHOOSE_LOOK_H */
