/* core/names.c - see core/names.h, and jensen/option.h for what is near. */
#include "core/names.h"

#include <stdarg.h>
#include <string.h>

#include "jensen/option.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool begins(const char *name, const char *word)
{
    while (*word != '\0' && lower(*word) == lower(*name)) {
        word++;
        name++;
    }
    return *word == '\0' && *name != '-'; /* 'loss-noisy' is not a long 'loss' */
}

size_t jsni_name_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    if (a == NULL || b == NULL)
        return LONGEST;
    size_t rows[3][LONGEST + 1]; /* of the letters of `a`: the one before last, ... */
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    const size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(last[j - 1] + (x != y), least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[n];
}

bool jsni_name_nearer(const char *word, const char *name, size_t *best)
{
    if (word == NULL || name == NULL || best == NULL)
        return false;
    /* A letter in three may be wrong; of a single one nothing would be left. */
    const size_t length = strlen(word);
    const size_t most = length < 3 ? 1 : length / 3;
    size_t distance = jsni_name_distance(word, name);
    if (length >= 3 && distance > most && begins(name, word))
        distance = most; /* 'net' may well be 'network' */
    if (distance > most || distance >= length || distance >= *best)
        return false;
    /* Nor of two, unless they are swapped: 'lr' is not meant to be 'l1'. */
    if (length < 3 && distance > 0 && strlen(name) == length &&
        lower(word[0]) != lower(name[1]))
        return false;
    *best = distance;
    return true;
}

void jsni_names_begin(jsni_names *names, const char *spec, const char *lister)
{
    names->nearest[0] = '\0';
    names->best = SIZE_MAX;
    names->lister = lister;
    names->list = jsni_text_in(names->known, sizeof names->known);
    jsni_text word = jsni_text_in(names->word, sizeof names->word);
    jsni_text_add_n(&word, spec, strcspn(spec, ":"));
}

void jsni_names_add(jsni_names *names, const char *name)
{
    if (jsni_name_nearer(names->word, name, &names->best)) {
        jsni_text nearest = jsni_text_in(names->nearest, sizeof names->nearest);
        jsni_text_add(&nearest, name);
    }
    jsni_text_item(&names->list, name);
}

jsn_status jsni_names_fail(const jsni_names *names, jsn_status status,
                           const char *format, ...)
{
    char sentence[300];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(sentence, sizeof sentence, format, args);
    va_end(args);
    if (names->nearest[0] != '\0')
        return jsni_fail(status, "%s; did you mean '%s'?", sentence, names->nearest);
    if (names->lister != NULL)
        return jsni_fail(status, "%s; %s lists them", sentence, names->lister);
    return jsni_fail(
        status, "%s (%s%s)", sentence,
        names->list.length == 0 ? "there are none" : "there are: ", names->known);
}
