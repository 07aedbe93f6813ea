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
     * longer work, the first part is the time left of all of it, as jsn_time_left()
     * writes it ("12:34 left  run 8%  loss 0.41"). */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total,
                     const char *detail);
} jsn_logger;

/* The form of a noun (or verb) that fits a count in a message: `one` for 1, else `many`,
 * as in "%zu %s", n, jsn_noun(n, "image", "images"). */
JSN_API const char *jsn_noun(uint64_t count, const char *one, const char *many);

/* Hands a text to `put` in pieces, with everything in visible form that a terminal would
 * obey or a reader be deceived by. Control characters (U+0000 to U+001F, U+007F to U+009F)
 * and those that turn the direction of reading (U+202A to U+202E, U+2066 to U+2069) become
 * \u and four digits, as in JSON; bytes that are not UTF-8 become \x and two.
 * Tabs stay, and with `lines` line feeds. Fails never and needs no memory. */
JSN_API void jsn_text_visible(const char *text, size_t length, bool lines,
                              void (*put)(void *user, const char *piece, size_t length),
                              void *user);

/* "0:42 left", "1:02:33 left", "5 days left"; empty when `seconds` is no time (NaN). */
JSN_API void jsn_time_left(double seconds, char *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LOG_H */
