/* core/progress.h - telling a logger how far work is. */
#ifndef JSNI_CORE_PROGRESS_H
#define JSNI_CORE_PROGRESS_H

#include "jensen/log.h"

/* `done` of `total` units of `what`, and nothing more to say. `logger` may be NULL, and its
 * function, too. */
void jsni_progress(const jsn_logger *logger, const char *what, uint64_t done,
                   uint64_t total);

#endif /* JSNI_CORE_PROGRESS_H */
