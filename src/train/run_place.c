/* train/run_place.c - see run.h: whether a folder may become that of a run. A run replaces
 * files of its own names, and its folder is passed by when data is looked for; so neither
 * somebody's tables nor a folder of images may be taken for one by mistake. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/run_mark.h"
#include "data/listing.h"
#include "store/run_files.h"
#include "train/run.h"

static bool is_named(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Whether a folder holds images, or for a split's those of its classes. */
static bool holds_images(const char *path, bool split)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    bool found = false;
    if (jsni_folder_list(path, &entries, &count) != JSN_OK)
        return false;
    for (size_t i = 0; i < count && !found; i++) {
        if (entries[i].name[0] == '.')
            continue;
        if (!entries[i].folder) {
            found = jsni_is_image_name(entries[i].name);
        } else if (split) {
            char *below = jsni_path_join(path, entries[i].name);
            found = below != NULL && holds_images(below, false);
            jsni_free(below);
        }
    }
    jsni_folder_free(entries, count);
    return found;
}

/* Logs, notes, a configuration to read and folders without images may be there, as those
 * who start jobs leave them. */
static bool is_in_the_way(const char *folder, const jsni_folder_entry *entry)
{
    static const char *const splits[] = {"train", "val", "validation", "test"};
    if (entry->name[0] == '.')
        return false;
    if (!entry->folder)
        return jsni_is_image_name(entry->name) ||
               (jsni_run_file_find(entry->name) != NULL &&
                strcmp(entry->name, JSNI_RUN_CONFIG) != 0);
    char *path = jsni_path_join(folder, entry->name);
    const bool images =
        path != NULL &&
        holds_images(path, is_named(entry->name, splits, JSNI_COUNT_OF(splits)));
    jsni_free(path);
    return images;
}

jsn_status jsni_run_place_check(const char *folder)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, i = 0;
    bool there = false;
    JSNI_TRY(jsni_folder_find(NULL, folder, &there));
    if (!there)
        return JSN_OK;
    jsn_status status = jsni_folder_list(folder, &entries, &count);
    if (status == JSN_ERR_DATA)
        return JSN_OK; /* who opens it will say what is wrong */
    JSNI_TRY(status);
    while (i < count && !is_in_the_way(folder, &entries[i]))
        i++;
    if (i < count && jsni_run_mark_of(entries, count) == JSNI_RUN_NO_MARK)
        status = jsni_fail(
            JSN_ERR_ARGUMENT,
            "%s: not a run folder, and not empty (it holds '%s'); choose another --out",
            folder, entries[i].name);
    jsni_folder_free(entries, count);
    return status;
}
