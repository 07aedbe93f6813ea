/* train/doubtful.h - the labels that a trained network contradicts: the list to work
 * through when labels are to be put right. */
#ifndef JSNI_TRAIN_DOUBTFUL_H
#define JSNI_TRAIN_DOUBTFUL_H

#include "core/json.h"
#include "train/run.h"

/* A part whose labels are judged, and what the network says of its images. */
typedef struct jsni_judged {
    const jsni_part *part;
    const jsni_predictions *seen;
    const char *split; /* "train", "val" */
} jsni_judged;

typedef struct jsni_doubt {
    float label_probability, confidence;
    uint32_t judged, position; /* which part, and where in it */
} jsni_doubt;

/* Contradicted labels, the least probable one first. */
typedef struct jsni_doubtful {
    const jsni_judged *judged; /* [judged_count], borrowed */
    size_t judged_count;
    jsni_doubt *doubt; /* [count], owned */
    size_t count;
} jsni_doubtful;

JSN_MUST_CHECK jsn_status jsni_doubtful_rank(jsni_doubtful *out,
                                             const jsni_judged *judged, size_t count);
void jsni_doubtful_release(jsni_doubtful *list); /* a zeroed one is fine */

/* The first ones into evaluation.json, with thumbnails in the run folder. */
JSN_MUST_CHECK jsn_status jsni_doubtful_put(const jsni_run *run,
                                            const jsni_doubtful *list,
                                            jsni_json_writer *w);

/* All of them into doubtful.csv, and a line that says so. */
JSN_MUST_CHECK jsn_status jsni_doubtful_write(const jsni_run *run,
                                              const jsni_doubtful *list);

#endif /* JSNI_TRAIN_DOUBTFUL_H */
