/* train/run_feed.h - where the images of a run come from on the host: a loader for the steps, one
 * for each evaluation pass, and the broken images that they met. Where the head alone is
 * trained, features take the place of images. On a device that keeps the data it is the
 * resident_feed.h that feeds. */
#ifndef JSNI_TRAIN_RUN_FEED_H
#define JSNI_TRAIN_RUN_FEED_H

#include "train/bad_images.h"
#include "train/head.h"
#include "train/loader.h"

struct jsni_run;

/* Evaluation passes over a part of the data. */
typedef enum jsni_pass_kind {
    JSNI_PASS_VAL,
    JSNI_PASS_TEST,
    JSNI_PASS_CLEAN, /* the training images as they are */
    JSNI_PASS_COPY,  /* one augmented copy of each, for the consistency metric */
    JSNI_PASSES
} jsni_pass_kind;

typedef struct jsni_run_feed {
    jsni_head *head;       /* owned; NULL: the whole network is trained */
    jsni_bad_tally *tally; /* owned: shared by the loaders that follow */
    jsni_loader *train;
    jsni_loader *passes[JSNI_PASSES]; /* made when first needed */
    jsni_bad_images bad;
} jsni_run_feed; /* zero-initialise */

/* Of a run whose folder is open: features, and the loader for the steps, whose number the
 * members of a group share. What was made is released also after a failure.
 *   JSN_ERR_UNSUPPORTED  another member has another number of steps */
JSN_MUST_CHECK jsn_status jsni_run_feed_open(struct jsni_run *run);
void jsni_run_feed_release(jsni_run_feed *feed);

/* Makes the loader of a pass, unless it is there. */
JSN_MUST_CHECK jsn_status jsni_run_feed_pass(struct jsni_run *run, jsni_pass_kind kind);

/* The part that a pass goes over. */
const jsni_part *jsni_run_part(const struct jsni_run *run, jsni_pass_kind kind);

#endif /* JSNI_TRAIN_RUN_FEED_H */
