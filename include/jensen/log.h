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

/* How far work is. The texts are borrowed for the call. */
typedef struct jsn_progress {
    size_t size;          /* of this struct */
    const char *what;     /* the unit of work: "epoch 3/60", "downloading" */
    uint64_t done, total; /* done == total ends it */
    double
        left; /* seconds until all work is done of which this may be a part; NaN: unknown */
    /* Short texts about it, the most telling first ("run 8%", "loss 0.41"): a narrow
     * display drops the last ones. */
    const char *const *parts;
    size_t part_count;
} jsn_progress;

/* Both functions may be NULL. They are called on the thread that called the library,
 * with the library's locks released. */
typedef struct jsn_logger {
    void *user; /* borrowed; handed back in every call */
    /* One line without a newline. */
    void (*message)(void *user, jsn_log_level level, const char *text);
    void (*progress)(void *user, const jsn_progress *progress);
} jsn_logger;

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LOG_H */
