/* core/number.c - see core/number.h. strtod() does the conversion; the checks before
 * it keep out what it would accept beyond plain decimal numbers. */
#include "core/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 };

/* A host program may have chosen a locale whose decimal point is a comma; strtod() and
 * snprintf() follow it. */
static void replace_point(char *text, char from, char to)
{
    char *point = from == to ? NULL : strchr(text, from);
    if (point != NULL)
        *point = to;
}

bool jsni_number_real(const char *text, size_t length, double *out)
{
    char copy[LONGEST + 1];
    if (length == 0 || length > LONGEST)
        return false;
    for (size_t i = 0; i < length; i++)
        if (strchr("0123456789+-.eE", text[i]) == NULL || text[i] == '\0')
            return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    replace_point(copy, '.', localeconv()->decimal_point[0]);
    char *end = NULL;
    const double value = strtod(copy, &end);
    if (end != copy + length || !isfinite(value))
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
        (void)snprintf(text, JSNI_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    /* Few digits make "6e+01" of 60, which readers of whole numbers refuse. */
    if (fabs(value) >= 10.0 && fabs(value) < 1e15 && strchr(text, 'e') != NULL)
        (void)snprintf(text, JSNI_NUMBER_TEXT, "%.15g", value);
    replace_point(text, localeconv()->decimal_point[0], '.');
}
