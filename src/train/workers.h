/* train/workers.h - how many threads load the images of a run where nobody says it. */
#ifndef JSNI_TRAIN_WORKERS_H
#define JSNI_TRAIN_WORKERS_H

#include "jensen/train.h"
#include "train/problem.h"

/* What they are chosen by. */
typedef struct jsni_workers_machine {
    bool gpu;        /* the device is one */
    size_t cores;    /* that this process may use */
    uint64_t memory; /* bytes that are free; 0: unknown */
} jsni_workers_machine;

/* Bytes of the batches that the loaders of such a run have, those of its evaluation as well. */
double jsni_workers_bytes(const jsn_train_config *config, const jsni_problem *problem,
                          size_t workers);

/* As many as the device wants and the machine has cores for, at most. Their batches take a
 * quarter of the free memory, unless one worker's take more. */
size_t jsni_workers_wanted(const jsn_train_config *config,
                           const jsni_workers_machine *machine);
size_t jsni_workers_for(const jsn_train_config *config, const jsni_problem *problem,
                        const jsni_workers_machine *machine);

/* Fills `workers` unless it is set, and says so where memory leaves room for fewer. After
 * all other choices. */
JSN_MUST_CHECK jsn_status jsni_workers_choose(jsn_train_config *config,
                                              const jsni_problem *problem,
                                              const jsn_logger *logger);

#endif /* JSNI_TRAIN_WORKERS_H */
