/* core/progress.h - telling a logger what happens, and how far work is. `logger` may be NULL,
 * and its functions, too. */
#ifndef JSNI_CORE_PROGRESS_H
#define JSNI_CORE_PROGRESS_H

#include "core/fail.h"
#include "jensen/log.h"

/* One line, formatted as jsni_format() does, of 1200 bytes at most. */
void jsni_say(const jsn_logger *logger, jsn_log_level level, const char *format, ...)
    JSNI_PRINTF(3, 4);

/* `done` of `total` units of `what`, and nothing more to say. */
void jsni_progress(const jsn_logger *logger, const char *what, uint64_t done,
                   uint64_t total);

#endif /* JSNI_CORE_PROGRESS_H */
