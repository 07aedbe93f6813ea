/* data/class_alike.c - see class_alike.h. */
#include "data/class_alike.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/progress.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next letter of a name, in small, white space left out; 0 at its end. */
static int next_letter(const char **at)
{
    while (is_space(**at))
        (*at)++;
    const unsigned char c = (unsigned char)**at;
    if (c != '\0')
        (*at)++;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int compare_letters(const char *x, const char *y)
{
    int p = 0, q = 0;
    do {
        p = next_letter(&x);
        q = next_letter(&y);
    } while (p == q && p != 0);
    return p - q;
}

static int compare(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const int letters = compare_letters(x, y);
    return letters != 0 ? letters : strcmp(x, y);
}

void jsni_class_tell_alike(const jsn_dataset *data, const jsn_logger *logger)
{
    const size_t classes = jsn_dataset_about(data)->classes;
    if (logger == NULL || logger->message == NULL)
        return;
    const char **names = jsni_alloc(classes, sizeof *names);
    if (names == NULL)
        return; /* only a hint would be lost */
    for (size_t k = 0; k < classes; k++)
        names[k] = jsn_dataset_class(data, k);
    qsort(names, classes, sizeof *names, compare);
    for (size_t k = 1; k < classes; k++)
        if (strlen(names[k]) > 1 && compare_letters(names[k - 1], names[k]) == 0)
            jsni_say(logger, JSN_LOG_WARNING,
                     "%.100s: classes '%.100s' and '%.100s' differ only in case "
                     "or white space; are they one class?",
                     jsn_dataset_about(data)->spec, names[k - 1], names[k]);
    jsni_free(names);
}

size_t jsni_class_wnid(const char *name)
{
    enum { DIGITS = 8, LENGTH = 1 + DIGITS };
    const bool is =
        name[0] == 'n' && strspn(name + 1, "0123456789") == DIGITS &&
        (name[LENGTH] == '\0' || name[LENGTH] == ' ' || name[LENGTH] == '\t');
    return is ? LENGTH : 0;
}

bool jsni_class_same(const char *a, const char *b)
{
    const size_t id = jsni_class_wnid(a);
    return strcmp(a, b) == 0 ||
           (id > 0 && jsni_class_wnid(b) == id && strncmp(a, b, id) == 0);
}
