/* jensen/log.h - how long work reports what it does. The library never prints: a
 * caller that wants to hear passes a jsn_logger. */
#ifndef JENSEN_LOG_H
#define JENSEN_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jsn_log_level {
    JSN_LOG_DEBUG,
    JSN_LOG_INFO,
    JSN_LOG_WARNING
} jsn_log_level;

/* Both functions may be NULL. They are called on the thread that called the library,
 * with the library's locks released. */
typedef struct jsn_logger {
    void *user; /* borrowed; handed back in every call */
    /* One line without a newline. */
    void (*message)(void *user, jsn_log_level level, const char *text);
    /* `done` of `total` units of `what` ("epoch 3/60", "downloading"); done == total ends
     * it. `detail` may be empty, or is short parts with two spaces between them, the most
     * telling first: a narrow display drops the last ones. Where `what` is a part of
     * longer work, the first part is the time left of all of it, as jsni_time_left()
     * writes it ("12:34 left  run 8%  loss 0.41"). */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total,
                     const char *detail);
} jsn_logger;

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LOG_H */
