/* sweep/worker_process.h - the names of workers, and whether the process of one is gone. */
#ifndef JSNI_SWEEP_WORKER_PROCESS_H
#define JSNI_SWEEP_WORKER_PROCESS_H

#include <stdbool.h>

enum { JSNI_WORKER_NAME = 128 };

/* HOST-PID-TIME-PLACE-START, unlike any other worker's, also after a restart. PLACE stands for
 * the running system and its numbering of processes, START is when the process began. A
 * system that does not tell these has HOST-PID-TIME. */
void jsni_worker_name(char name[JSNI_WORKER_NAME]);

/* Whether the process of a worker has ended for sure: it ran in this place, and is not there any
 * more, or another one has its number. Of other places, such as other hosts, other containers
 * or before the last start of the system, nothing is known from here: false. */
bool jsni_worker_is_gone(const char *name);

#endif /* JSNI_SWEEP_WORKER_PROCESS_H */
