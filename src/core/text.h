/* core/text.h - texts that are put together from pieces, the one way it is done.
 *
 * A growing text is what JSON, SVG, HTML, CSV and help are written into before they go to
 * a file in one piece. The first failed allocation sticks, so a writer appends without
 * checks and asks once at the end. A bounded text lives in an array of the caller's and is
 * cut where that ends: values from files may be as long as they like. */
#ifndef JSNI_CORE_TEXT_H
#define JSNI_CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
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
    bool bounded;      /* data is the caller's array; see jsni_text_in() */
} jsni_text;           /* zero-initialise */

/* A text in an array of `size` >= 1 bytes, for sentences and names: what does not fit is
 * cut off, between two characters of UTF-8, and nothing is added behind a cut. It needs
 * no memory, never fails, is not taken and needs no release.
 *
 *     char known[200];
 *     jsni_text list = jsni_text_in(known, sizeof known);
 *     for (...)
 *         jsni_text_item(&list, name);
 *     return jsni_fail(..., "there are: %s", known); */
jsni_text jsni_text_in(char *array, size_t size);

void jsni_text_add(jsni_text *text, const char *piece);
void jsni_text_add_n(jsni_text *text, const char *piece, size_t length);
void jsni_text_format(jsni_text *text, const char *format, ...) JSNI_PRINTF(2, 3);
void jsni_text_item(jsni_text *text,
                    const char *item); /* behind ", " but for the first */

/* Hands over the data ("" when nothing was added), which the caller jsni_free()s, and
 * empties the text; or returns the failure and frees everything. */
JSN_MUST_CHECK jsn_status jsni_text_take(jsni_text *text, char **out);

void jsni_text_release(jsni_text *text);

/* Length of the UTF-8 sequence at `at` (1 to 4), 0 when it is none (RFC 3629:
 * no surrogates, no overlong forms, nothing above U+10FFFF). */
size_t jsni_utf8_length(const char *at, const char *end);

#endif /* JSNI_CORE_TEXT_H */
