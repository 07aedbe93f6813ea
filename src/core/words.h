/* core/words.h - the words of messages: nouns that fit their count, times that people read,
 * texts that a terminal may be shown. */
#ifndef JSNI_CORE_WORDS_H
#define JSNI_CORE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a noun (or verb) that fits a count in a message: `one` for 1, else `many`,
 * as in "%zu %s", n, jsni_noun(n, "image", "images"). */
const char *jsni_noun(uint64_t count, const char *one, const char *many);

/* Hands a text to `put` in pieces, with everything in visible form that a terminal would
 * obey or a reader be deceived by. Control characters (U+0000 to U+001F, U+007F to U+009F)
 * and those that turn the direction of reading (U+202A to U+202E, U+2066 to U+2069) become
 * \u and four digits, as in JSON; bytes that are not UTF-8 become \x and two.
 * Tabs stay, and with `lines` line feeds. Fails never and needs no memory. */
void jsni_text_visible(const char *text, size_t length, bool lines,
                       void (*put)(void *user, const char *piece, size_t length),
                       void *user);

/* "0:42 left", "1:02:33 left", "5 days left"; empty when `seconds` is no time (NaN). */
void jsni_time_left(double seconds, char *out, size_t room);

#endif /* JSNI_CORE_WORDS_H */
