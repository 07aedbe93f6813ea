/* train/head.h - fine-tuning of the classifier alone (--finetune head), and what it shares
 * with that of the last blocks (tail.h). The body of the
 * network stays as the weights have it, so what it makes of an image is computed once: of
 * the image as it is, and of some augmented copies. The head then learns from these
 * features in seconds, as any other network does: the loaders hand out features in place of
 * images, views are copies, and the model is one linear layer.
 *
 * A run that was stopped finds its features in the cache (feature_cache.h), or computes them
 * again, with the same bits. The run folder keeps the body as long as the run is not finished, so
 * that it goes on also when the weights that it began with are gone. The body counts only beside
 * the config.yaml of its run, which is written before it.
 */
#ifndef JSNI_TRAIN_HEAD_H
#define JSNI_TRAIN_HEAD_H

#include "jensen/model.h"
#include "jensen/train.h"
#include "store/run_folder.h"
#include "train/features.h"
#include "train/group.h"

enum { JSNI_HEAD_COPIES = 3 }; /* of a training image: as it is, and augmented ones */

#define JSNI_HEAD_BODY "body.safetensors"

#define JSNI_HEAD_EPOCHS "20"
#define JSNI_HEAD_RATE   "0.003"

struct jsni_run;

typedef struct jsni_head {
    size_t floats; /* features of an image */
    size_t cut; /* the node that makes them, of a tail; 0: what the last layer reads */
    /* By pass, those of the training images first; values NULL: no such part. */
    jsni_features train, val, test;
    /* [floats] features were made (x - mean) * scale; NULL: a tail reads them as they are */
    float *mean, *scale;
} jsni_head;

/* Whether a run trains the head alone. */
bool jsni_head_alone(const jsn_train_config *config);

/* A network with the options of a run, for evaluation. */
JSN_MUST_CHECK jsn_status jsni_head_whole(const jsn_train_config *config,
                                          size_t classes, jsn_model **out);

/* Keeps what was chosen for a run that takes long before its first step, model.json and
 * config.yaml, so that the same command goes on with it however soon it is killed. */
JSN_MUST_CHECK jsn_status jsni_head_keep_choice(const jsni_run_folder *folder,
                                                const jsni_job *job);

/* Whether the folder has the body of a run with just these options. */
JSN_MUST_CHECK jsn_status jsni_head_body_kept(const char *folder,
                                              const jsn_train_config *config,
                                              bool *out);

/* Computes the features of a run whose folder, augmentations and tally are open.
 *   JSN_ERR_ARGUMENT  the network's head is not one linear layer
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY, JSN_ERR_STOPPED */
JSN_MUST_CHECK jsn_status jsni_head_open(struct jsni_run *run);
void jsni_head_close(jsni_head *head); /* accepts NULL; frees it */

/* The weights that the model of the run begins with: those of the tail. A linear layer needs
 * none. */
JSN_MUST_CHECK jsn_status jsni_head_first_weights(struct jsni_run *run);

/* The whole network, the body with the present head, as a file of the run; its digest, too,
 * where `sha256` is not NULL. */
JSN_MUST_CHECK jsn_status jsni_head_save(struct jsni_run *run, const char *name,
                                         char sha256[65]);

/* Of a finished run: the body is in its model now. What cannot be removed stays. */
void jsni_head_remove_body(const struct jsni_run *run);

#endif /* JSNI_TRAIN_HEAD_H */
