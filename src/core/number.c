/* core/number.c - see core/number.h. strtod() does the conversion; the checks before
 * it keep out what it would accept beyond plain decimal numbers. */
#include "core/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { LONGEST = 400 };

/* Copies a number for strtod(), which wants the decimal point of the locale that a host
 * program may have chosen: a comma, or several bytes. */
static bool copy_number(const char *text, size_t length, char copy[LONGEST + 1])
{
    const char *point = localeconv()->decimal_point;
    const size_t point_length = strlen(point);
    size_t used = 0;
    bool pointed = false;
    for (size_t i = 0; i < length; i++) {
        const bool is_point = text[i] == '.';
        const size_t more = is_point ? point_length : 1;
        if (text[i] == '\0' || strchr("0123456789+-.eE", text[i]) == NULL ||
            (is_point && pointed) || used + more > LONGEST)
            return false;
        memcpy(copy + used, is_point ? point : text + i, more);
        used += more;
        pointed = pointed || is_point;
    }
    copy[used] = '\0';
    return used > 0;
}

bool jsni_number_real(const char *text, size_t length, double *out)
{
    char copy[LONGEST + 1], *end = NULL;
    if (length > LONGEST || !copy_number(text, length, copy))
        return false;
    const double value = strtod(copy, &end);
    if (*end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}

bool jsni_number_int(const char *text, size_t length, int64_t *out)
{
    /* Plain digits go through strtoll() so that all 64 bits survive. */
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    bool plain = i < length && length <= 20;
    for (; i < length; i++)
        plain = plain && text[i] >= '0' && text[i] <= '9';
    if (plain) {
        char copy[24];
        memcpy(copy, text, length);
        copy[length] = '\0';
        errno = 0;
        const long long value = strtoll(copy, NULL, 10);
        if (errno == ERANGE)
            return false;
        *out = (int64_t)value;
        return true;
    }
    double value = 0.0;
    if (!jsni_number_real(text, length, &value) || value != floor(value) ||
        fabs(value) > 9007199254740992.0)
        return false;
    *out = (int64_t)value;
    return true;
}

void jsni_number_format(double value, char text[JSNI_NUMBER_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        double back = 0.0;
        (void)jsni_format(text, JSNI_NUMBER_TEXT, "%.*g", digits, value);
        if (jsni_number_real(text, strlen(text), &back) && back == value)
            break;
    }
    /* Few digits make "6e+01" of 60, which readers of whole numbers refuse. */
    if (fabs(value) >= 10.0 && fabs(value) < 1e15 && strchr(text, 'e') != NULL)
        (void)jsni_format(text, JSNI_NUMBER_TEXT, "%.15g", value);
}
