/* study/study_evaluate.h - the networks of a study on other data than its own. */
#ifndef JSNI_STUDY_STUDY_EVALUATE_H
#define JSNI_STUDY_STUDY_EVALUATE_H

#include "jensen/log.h"
#include "jensen/sweep.h"

/* Evaluates the finished runs, as far as it has not been done on this data; their trials
 * keep the numbers as facts with these names. `device` and `threads` as in
 * jsn_classifier_open(); `logger` may be NULL. */
JSN_MUST_CHECK jsn_status jsni_study_evaluate(jsn_sweep *sweep, const char *data,
                                              const char *accuracy, const char *top5,
                                              const char *device, size_t threads,
                                              const jsn_logger *logger);

#endif /* JSNI_STUDY_STUDY_EVALUATE_H */
