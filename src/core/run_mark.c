/* core/run_mark.c - see core/run_mark.h. */
#include "core/run_mark.h"

#include <string.h>

jsni_run_mark jsni_run_mark_of(const jsni_folder_entry *entries, size_t count)
{
    bool config = false, environment = false, lock = false;
    for (size_t i = 0; i < count; i++) {
        config = config || strcmp(entries[i].name, JSNI_RUN_CONFIG) == 0;
        environment = environment || strcmp(entries[i].name, JSNI_RUN_ENVIRONMENT) == 0;
        lock = lock || strcmp(entries[i].name, JSNI_RUN_LOCK) == 0;
    }
    return config && environment ? JSNI_RUN_MARKED
           : lock                ? JSNI_RUN_LOCKED
                                 : JSNI_RUN_NO_MARK;
}

bool jsni_run_mark_shown(const jsni_folder_entry *entries, size_t count)
{
    const jsni_run_mark mark = jsni_run_mark_of(entries, count);
    return mark == JSNI_RUN_MARKED || (mark == JSNI_RUN_LOCKED && count == 1);
}

bool jsni_audit_mark_shown(const jsni_folder_entry *entries, size_t count)
{
    bool json = false, scores = false;
    for (size_t i = 0; i < count; i++) {
        json = json || strcmp(entries[i].name, JSNI_AUDIT_JSON) == 0;
        scores = scores || strcmp(entries[i].name, JSNI_AUDIT_SCORES) == 0;
    }
    return json && scores;
}
