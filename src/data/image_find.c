/* data/image_find.c - see jsn_image_find() in jensen/image_file.h. Names are taken as
 * they are, whatever their encoding: they are only opened and printed. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/run_mark.h"
#include "data/image_decoder.h"
#include "jensen/image_file.h"

/* Folders that link to one another have as many ways through them as there are orders. */
enum { DEEPEST = 32, MOST_LINKS = 100000 };

/* A folder, and the one that it was found in. */
typedef struct level {
    const struct level *above;
    struct stat is;
    int depth;
} level;

typedef struct finder {
    jsn_texts *paths, *runs;
    size_t links; /* folders that were reached through one */
} finder;

static jsn_status walk(finder *f, const char *folder, const level *above);

/* Whether the way to a folder leads around in a circle: it has been gone through above. */
static bool is_above(const level *above, const struct stat *is)
{
    while (above != NULL &&
           (above->is.st_ino != is->st_ino || above->is.st_dev != is->st_dev))
        above = above->above;
    return above != NULL;
}

static jsn_status take_folder(finder *f, const char *path, const level *above)
{
    struct stat is;
    if (lstat(path, &is) == 0 && S_ISLNK(is.st_mode)) {
        if (stat(path, &is) == 0 && is_above(above, &is))
            return JSN_OK; /* its images are found already */
        if (++f->links > MOST_LINKS)
            return jsni_fail(
                JSN_ERR_DATA,
                "%.200s: more than %d links to folders are on the way; they "
                "lead to one another",
                path, (int)MOST_LINKS);
    }
    return walk(f, path, above);
}

static jsn_status take(finder *f, const char *folder, const jsni_folder_entry *entry,
                       const level *at)
{
    if (entry->name[0] == '.' || (!entry->folder && !jsni_image_has_name(entry->name)))
        return JSN_OK;
    char *path = jsni_path_join(folder, entry->name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status =
        entry->folder ? take_folder(f, path, at) : jsn_texts_add(f->paths, path);
    jsni_free(path);
    return status;
}

static jsn_status walk(finder *f, const char *folder, const level *above)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    jsn_status status = JSN_OK;
    level at = {.above = above, .depth = above == NULL ? 0 : above->depth + 1};
    if (at.depth > DEEPEST)
        return JSN_OK;
    (void)stat(folder, &at.is); /* what cannot be looked at cannot be listed */
    JSNI_TRY(jsni_folder_list(folder, &entries, &count));
    if (!jsni_run_mark_shown(entries, count) &&
        (at.depth == 0 || !jsni_audit_mark_shown(entries, count)))
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            status = take(f, folder, &entries[i], &at);
    else if (f->runs != NULL)
        status = jsn_texts_add(f->runs, folder);
    jsni_folder_free(entries, count);
    return status;
}

jsn_status jsn_image_find(jsn_texts *paths, const char *path, jsn_texts *runs)
{
    JSNI_NEED(paths);
    JSNI_NEED(path);
    finder f = {paths, runs, 0};
    bool folder = false;
    JSNI_TRY(jsni_folder_find(NULL, path, &folder));
    return folder ? walk(&f, path, NULL) : jsn_texts_add(paths, path);
}
