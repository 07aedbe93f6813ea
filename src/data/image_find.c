/* data/image_find.c - see jsn_image_find() in jensen/image_file.h. Names are taken as
 * they are, whatever their encoding: they are only opened and printed. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/run_mark.h"
#include "data/image_decoder.h"
#include "jensen/image_file.h"

enum { DEEPEST = 32 }; /* links may lead in circles */

typedef struct finder {
    jsn_texts *paths, *runs;
} finder;

static jsn_status walk(const finder *f, const char *folder, int depth);

static jsn_status take(const finder *f, const char *folder,
                       const jsni_folder_entry *entry, int depth)
{
    if (entry->name[0] == '.' || (!entry->folder && !jsni_image_has_name(entry->name)))
        return JSN_OK;
    char *path = jsni_path_join(folder, entry->name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status =
        entry->folder ? walk(f, path, depth + 1) : jsn_texts_add(f->paths, path);
    jsni_free(path);
    return status;
}

static jsn_status walk(const finder *f, const char *folder, int depth)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    jsn_status status = JSN_OK;
    if (depth > DEEPEST)
        return JSN_OK;
    JSNI_TRY(jsni_folder_list(folder, &entries, &count));
    if (!jsni_run_mark_shown(entries, count) &&
        (depth == 0 || !jsni_audit_mark_shown(entries, count)))
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            status = take(f, folder, &entries[i], depth);
    else if (f->runs != NULL)
        status = jsn_texts_add(f->runs, folder);
    jsni_folder_free(entries, count);
    return status;
}

jsn_status jsn_image_find(jsn_texts *paths, const char *path, jsn_texts *runs)
{
    JSNI_NEED(paths);
    JSNI_NEED(path);
    const finder f = {paths, runs};
    bool folder = false;
    JSNI_TRY(jsni_folder_find(NULL, path, &folder));
    return folder ? walk(&f, path, 0) : jsn_texts_add(paths, path);
}
