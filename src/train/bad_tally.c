/* train/bad_tally.c - see bad_tally.h. */
#include "train/bad_tally.h"

#include <pthread.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { PARTS = 3 };

struct jsni_bad_tally {
    pthread_mutex_t mutex;
    size_t count;
    const jsni_part *parts[PARTS]; /* borrowed; NULL: not met yet */
    uint8_t *met[PARTS];           /* [part->count] */
};

jsn_status jsni_bad_tally_create(jsni_bad_tally **out)
{
    *out = jsni_alloc_zero(1, sizeof **out);
    JSNI_TRY_ALLOC(*out);
    pthread_mutex_init(&(*out)->mutex, NULL);
    return JSN_OK;
}

void jsni_bad_tally_destroy(jsni_bad_tally *tally)
{
    if (tally == NULL)
        return;
    for (size_t i = 0; i < PARTS; i++)
        jsni_free(tally->met[i]);
    pthread_mutex_destroy(&tally->mutex);
    jsni_free(tally);
}

/* The marks of a part; NULL when there is no memory, and its images count each time. */
static uint8_t *marks_of(jsni_bad_tally *tally, const jsni_part *part)
{
    size_t i = 0;
    while (i + 1 < PARTS && tally->parts[i] != NULL && tally->parts[i] != part)
        i++;
    if (tally->met[i] == NULL)
        tally->met[i] = jsni_alloc_zero(part->count, 1);
    tally->parts[i] = part;
    return tally->met[i];
}

bool jsni_bad_tally_add(jsni_bad_tally *tally, const jsni_part *part, uint32_t position,
                        size_t most)
{
    pthread_mutex_lock(&tally->mutex);
    uint8_t *met = marks_of(tally, part);
    const bool counted = met != NULL && met[position] != 0;
    const bool room = counted || tally->count < most;
    if (room && !counted) {
        tally->count++;
        if (met != NULL)
            met[position] = 1;
    }
    pthread_mutex_unlock(&tally->mutex);
    return room;
}
