/* train/head.h - fine-tuning of the classifier alone (--finetune head). The body of the
 * network stays as the weights have it, so what it makes of an image is computed once: of
 * the image as it is, and of some augmented copies. The head then learns from these
 * features in seconds, as any other network does: the loaders hand out features in place of
 * images, views are copies, and the model is one linear layer.
 *
 * A run that was stopped finds its features in the cache (feature_cache.h), or computes them
 * again, with the same bits. The run folder keeps
 * the body as long as the run is not finished (body.safetensors), so
 * that it goes on also when the weights that it began with are gone.
 */
#ifndef JSNI_TRAIN_HEAD_H
#define JSNI_TRAIN_HEAD_H

#include "jensen/train.h"
#include "train/features.h"

enum { JSNI_HEAD_COPIES = 3 }; /* of a training image: as it is, and augmented ones */

struct jsni_run;

typedef struct jsni_head {
    size_t floats; /* features of an image */
    /* By pass, those of the training images first; values NULL: no such part. */
    jsni_features train, val, test;
    float *mean, *scale; /* [floats] features were made (x - mean) * scale */
} jsni_head;

/* Whether a run trains the head alone. */
bool jsni_head_alone(const jsn_train_config *config);

/* Computes the features of a run whose folder, augmentations and tally are open.
 *   JSN_ERR_ARGUMENT  the network's head is not one linear layer
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY, JSN_ERR_STOPPED */
JSN_MUST_CHECK jsn_status jsni_head_open(struct jsni_run *run);
void jsni_head_close(jsni_head *head); /* accepts NULL; frees it */

/* The whole network, the body with the present head, as a file of the run; its digest, too,
 * where `sha256` is not NULL. */
JSN_MUST_CHECK jsn_status jsni_head_save(struct jsni_run *run, const char *name,
                                         char sha256[65]);

/* Of a finished run: the body is in its model now. What cannot be removed stays. */
void jsni_head_remove_body(const struct jsni_run *run);

#endif /* JSNI_TRAIN_HEAD_H */
