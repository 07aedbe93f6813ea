/* core/text.h - a growing text: what JSON, SVG, HTML, CSV and help are written into
 * before they go to a file in one piece. The first failed allocation sticks, so a
 * writer appends without checks and asks once at the end. */
#ifndef JSNI_CORE_TEXT_H
#define JSNI_CORE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "core/fail.h"

/* snprintf() and vsnprintf() with a decimal point, whatever locale the host program has
 * chosen: what is written is read by programs. */
int jsni_format(char *out, size_t size, const char *format, ...) JSNI_PRINTF(3, 4);
int jsni_format_list(char *out, size_t size, const char *format, va_list args)
    JSNI_PRINTF(3, 0);

typedef struct jsni_text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t length;
    size_t capacity;
    jsn_status status; /* JSN_OK or JSN_ERR_MEMORY */
} jsni_text;           /* zero-initialise */

void jsni_text_add(jsni_text *text, const char *piece);
void jsni_text_add_n(jsni_text *text, const char *piece, size_t length);
void jsni_text_format(jsni_text *text, const char *format, ...) JSNI_PRINTF(2, 3);

/* Hands over the data ("" when nothing was added), which the caller jsni_free()s, and
 * empties the text; or returns the failure and frees everything. */
JSN_MUST_CHECK jsn_status jsni_text_take(jsni_text *text, char **out);

void jsni_text_release(jsni_text *text);

#endif /* JSNI_CORE_TEXT_H */
