/* train/verdict.h - what a list of doubtful labels is worth, and what an accuracy on labels
 * that may be wrong says; docs/reports.md explains both to users. */
#ifndef JSNI_TRAIN_VERDICT_H
#define JSNI_TRAIN_VERDICT_H

#include "core/json.h"
#include "jensen/log.h"
#include "train/evaluate.h"

typedef enum jsni_trust {
    JSNI_TRUST_FAIR,
    JSNI_TRUST_WEAK, /* the network contradicts more labels than it confirms */
    JSNI_TRUST_NONE  /* it finds labels no better than by naming one class always */
} jsni_trust;

/* How often predictions agree with labels. */
typedef struct jsni_agreement {
    const char *images_of; /* "training", "validation", "test" */
    uint64_t images;
    double share;  /* of them, that agree; NaN: no images */
    double chance; /* what the most frequent class alone would reach */
} jsni_agreement;

/* Of an evaluation, by its confusion; of a part, with the labels that it is used with. */
jsni_agreement jsni_agreement_of_evaluation(const jsni_evaluation *evaluation,
                                            const char *images_of);
JSN_MUST_CHECK jsn_status jsni_agreement_of_part(const jsni_part *part,
                                                 const jsni_predictions *seen,
                                                 size_t classes, jsni_agreement *out);

/* `held_out` may have no images: the training images decide alone then. *by is what
 * decided. */
jsni_trust jsni_trust_of(jsni_agreement train, jsni_agreement held_out,
                         jsni_agreement *by);

/* A share with a 95% interval. */
typedef struct jsni_estimate {
    double value, low, high;
} jsni_estimate;

/* Of an accuracy on labels as noisy as those trained on. Assumes that the network is right
 * where it is surest; that wrong labels are spread evenly over the other classes; and that
 * it errs as often on images with wrong labels as on others. */
typedef struct jsni_noisy_accuracy {
    uint64_t sure; /* images that the network is surest of: a quarter; 0: too few */
    jsni_estimate noise; /* wrong labels among them */
    jsni_estimate clean; /* the accuracy against right labels */
} jsni_noisy_accuracy;

JSN_MUST_CHECK jsn_status jsni_noisy_accuracy_of(const jsni_part *part,
                                                 const jsni_predictions *seen,
                                                 size_t classes,
                                                 jsni_noisy_accuracy *out);

/* All of it, for the report. */
typedef struct jsni_verdict {
    jsni_trust trust;
    jsni_agreement by; /* what decided */
    bool val_noisy; /* the validation part was split off, and nobody knows its labels to
                     * be right */
    jsni_noisy_accuracy estimate; /* only when the list can be trusted */
} jsni_verdict;

/* As the objects "verdict" and, where it applies, "val_labels". */
void jsni_verdict_put(const jsni_verdict *verdict, jsni_json_writer *w);

/* A warning when the list is worth little. */
void jsni_verdict_tell(const jsni_verdict *verdict, const jsn_logger *logger);

/* The share `part` / `whole` with Wilson's interval. */
jsni_estimate jsni_estimate_share(uint64_t part, uint64_t whole);

/* The accuracy against right labels of a network that agrees with the share `agreement` of
 * labels of which `noise` are wrong, within [0, 1]. NaN where noise leaves nothing. */
double jsni_clean_accuracy(double agreement, double noise, size_t classes);

#endif /* JSNI_TRAIN_VERDICT_H */
