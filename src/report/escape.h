/* report/escape.h - text into XML and HTML. */
#ifndef JSNI_REPORT_ESCAPE_H
#define JSNI_REPORT_ESCAPE_H

#include <stdbool.h>

#include "core/text.h"

/* Appends `piece` with & < > " ' as entities. Control characters that XML forbids and
 * bytes that are not UTF-8 become U+FFFD, so the result is well-formed whatever comes
 * in, and it may stand between tags as well as in a quoted attribute. */
void jsni_escape_xml(jsni_text *text, const char *piece);

/* The length in bytes (1 to 4) of the UTF-8 sequence at `piece`, its code point in
 * *point; 0 when it is no valid sequence. */
size_t jsni_utf8_next(const char *piece, unsigned *point);

/* Whether an address can do no more than lead somewhere: a path, http or https. */
bool jsni_address_is_harmless(const char *address);

/* A text for LaTeX: what it reads as something else is written so that it does not. */
void jsni_escape_latex(jsni_text *out, const char *text);

#endif /* JSNI_REPORT_ESCAPE_H */
