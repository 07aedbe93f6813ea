/* train/run_space.h - whether the disk has room for what a run will write. */
#ifndef JSNI_TRAIN_RUN_SPACE_H
#define JSNI_TRAIN_RUN_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

struct jsni_run;

/* Bytes that a run has on disk at most; a checkpoint is written beside two others. */
typedef struct jsni_run_space {
    uint64_t checkpoints, weights, posteriors;
    uint64_t there; /* of all this, what is in its folder */
} jsni_run_space;

/* The sentence for a disk with `free_bytes` in the folder, "" when they suffice. */
void jsni_run_space_text(const jsni_run_space *space, uint64_t free_bytes,
                         const char *folder, char *text, size_t size);

/* Warns, with numbers, when the disk has less room than the run needs. The run goes on: room may
 * be made while it does, and what is written before stays. */
void jsni_run_space_tell(struct jsni_run *run);

#endif /* JSNI_TRAIN_RUN_SPACE_H */
