/* train/run_place.c - see run.h: whether a folder may become that of a run. A run replaces
 * files of its own names, and its folder is passed by when data is looked for; so neither
 * somebody's tables nor a folder of images may be taken for one by mistake. */
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "data/listing.h"
#include "train/run.h"

static bool is_named(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_run(const jsni_folder_entry *entries, size_t count)
{
    size_t marks = 0, locks = 0;
    for (size_t i = 0; i < count; i++) {
        marks += strcmp(entries[i].name, JSNI_RUN_CONFIG) == 0 ||
                 strcmp(entries[i].name, JSNI_RUN_ENVIRONMENT) == 0;
        locks += strcmp(entries[i].name, JSNI_RUN_LOCK) == 0;
    }
    return marks == 2 || locks == 1;
}

/* Logs and notes may be there, as those who start jobs leave them. */
static bool is_in_the_way(const jsni_folder_entry *entry)
{
    static const char *const own[] = {
        JSNI_RUN_CONFIG,     JSNI_RUN_ENVIRONMENT, JSNI_RUN_METRICS,
        JSNI_RUN_CHECKPOINT, JSNI_RUN_METRICS_CSV, JSNI_RUN_PREVIOUS,
        JSNI_RUN_MODEL,      JSNI_RUN_CARD,        JSNI_RUN_BEST,
        JSNI_RUN_LABELS,     JSNI_RUN_BAD_IMAGES,  JSNI_RUN_DOUBTFUL,
        JSNI_RUN_POSTERIORS, JSNI_RUN_EVALUATION,  JSNI_RUN_RESULT,
        JSNI_RUN_REPORT};
    if (entry->name[0] == '.')
        return false;
    return entry->folder || jsni_is_image_name(entry->name) ||
           is_named(entry->name, own, sizeof own / sizeof own[0]);
}

jsn_status jsni_run_place_check(const char *folder)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, i = 0;
    if (!jsni_folder_exists(folder))
        return JSN_OK;
    jsn_status status = jsni_folder_list(folder, &entries, &count);
    if (status == JSN_ERR_DATA)
        return JSN_OK; /* who opens it will say what is wrong */
    JSNI_TRY(status);
    while (i < count && !is_in_the_way(&entries[i]))
        i++;
    if (i < count && !is_run(entries, count))
        status =
            jsni_fail(JSN_ERR_ARGUMENT,
                      "%s: this folder is no run's and has other things in it, such "
                      "as '%s'; choose another --out",
                      folder, entries[i].name);
    jsni_folder_free(entries, count);
    return status;
}
