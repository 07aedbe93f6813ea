/* review/fold_ear.h - what is passed on of the training of a fold. The folds are alike, so the
 * choices are told of the first one alone, and an epoch when some seconds have gone by. The
 * rest is JSN_LOG_DEBUG; warnings and progress pass.
 *
 *     jsni_fold_ear ear = jsni_fold_ear_of(job->logger, job->stop, job->user, is_first);
 *     const jsn_logger logger = jsni_fold_ear_logger(&ear);
 *     const jsn_watcher watcher = jsni_fold_ear_watcher(&ear);
 */
#ifndef JSNI_REVIEW_FOLD_EAR_H
#define JSNI_REVIEW_FOLD_EAR_H

#include "jensen/log.h"
#include "jensen/train.h"

typedef struct jsni_fold_ear {
    const jsn_logger *out; /* borrowed, or NULL */
    int (*stop)(void *user);
    void *user;
    bool first, trained; /* the first fold; an epoch is behind it */
    double said;         /* when the last epoch was told */
} jsni_fold_ear;

jsni_fold_ear jsni_fold_ear_of(const jsn_logger *out, int (*stop)(void *user),
                               void *user, bool first);

/* Both last as long as the ear. */
jsn_logger jsni_fold_ear_logger(jsni_fold_ear *ear);
jsn_watcher jsni_fold_ear_watcher(jsni_fold_ear *ear);

#endif /* JSNI_REVIEW_FOLD_EAR_H */
