/* store/run_repeat.c - see run_repeat.h. */
#include "store/run_repeat.h"

#include <string.h>

static bool same(const jsni_run_identity *a, const jsni_run_identity *b)
{
    return a->group == b->group && a->seed != NULL && b->seed != NULL &&
           strcmp(a->seed, b->seed) == 0;
}

/* Whether `a` counts rather than `b`, which comes before it in the list. */
static bool replaces(const jsni_run_identity *a, const jsni_run_identity *b)
{
    return a->complete != b->complete ? a->complete : !(a->time < b->time);
}

/* The first run that is the same as run `i`, perhaps itself. */
static size_t first_of(const jsni_run_identity *runs, size_t i)
{
    size_t first = 0;
    while (first < i && !same(&runs[first], &runs[i]))
        first++;
    return first;
}

void jsni_run_repeats(const jsni_run_identity *runs, size_t count, size_t *counted)
{
    /* The first of the same ones knows which has counted so far. */
    for (size_t i = 0; i < count; i++) {
        const size_t first = first_of(runs, i);
        if (first == i || replaces(&runs[i], &runs[counted[first]]))
            counted[first] = i;
    }
    for (size_t i = 0; i < count; i++)
        counted[i] = counted[first_of(runs, i)];
}
