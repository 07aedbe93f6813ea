/* train/bad_images.h - the broken images of a run, of all its parts and from its first call
 * on: the list is kept in bad_images.csv whenever a checkpoint is, so that an image which
 * was met before the run was stopped is on it at the end. */
#ifndef JSNI_TRAIN_BAD_IMAGES_H
#define JSNI_TRAIN_BAD_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

struct jsni_run;

typedef struct jsni_bad_image {
    char *path, *reason; /* owned */
    int part;            /* number of the part; -1: of an earlier call, not met again */
} jsni_bad_image;

typedef struct jsni_bad_images {
    jsni_bad_image *rows; /* [count], by path; owned */
    size_t count, room;
    size_t written;    /* rows on disk */
    bool said_classes; /* those without a readable image were told of */
} jsni_bad_images;     /* zero-initialise */

void jsni_bad_images_release(jsni_bad_images *list);

/* What earlier calls left in the run folder; a table that cannot be read counts as none. */
JSN_MUST_CHECK jsn_status jsni_bad_images_read(struct jsni_run *run);

/* Adds what the loaders of the run have met, and writes the table when it has grown. */
JSN_MUST_CHECK jsn_status jsni_bad_images_keep(struct jsni_run *run);

/* Warns of each class of which no training image could be read, once a call; those whose
 * headers tell were named before.
 *   JSN_ERR_DATA  less than two classes are left */
JSN_MUST_CHECK jsn_status jsni_bad_images_check_classes(struct jsni_run *run);

#endif /* JSNI_TRAIN_BAD_IMAGES_H */
