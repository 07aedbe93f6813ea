/* core/number.h - numbers from text, parsed whole: no leading or trailing characters,
 * no locale, no hexadecimal, no infinity or NaN. */
#ifndef JSNI_CORE_NUMBER_H
#define JSNI_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether text[0..length) is a finite decimal number; *out is set only then. */
bool jsni_number_real(const char *text, size_t length, double *out);

/* The same for an integer; "1e3" and "4.0" are integers, too. */
bool jsni_number_int(const char *text, size_t length, int64_t *out);

enum { JSNI_NUMBER_TEXT = 32 };

/* The shortest decimal text that reads back to the same double; whole numbers below 1e15
 * in digits alone. */
void jsni_number_format(double value, char text[JSNI_NUMBER_TEXT]);

#endif /* JSNI_CORE_NUMBER_H */
