/* data/listing.c - see data/listing.h. */
#define _POSIX_C_SOURCE 200809L
#include "data/listing.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/run_mark.h"
#include "data/dataset_impl.h"
#include "data/image_decoder.h"
#include "jensen/image_file.h"

/* Deep enough for any layout; ends a walk around a circle of links. A class folder may be a link;
 * folders that have links to one another have as many ways through them as there are orders. */
enum { DEEPEST = 12, MOST_LINKS = 100000 };

jsn_status jsni_listing_add(jsni_listing *list, const char *name)
{
    const size_t length = strlen(name) + 1;
    if (list->count == list->count_room) {
        const size_t wanted = list->count_room == 0 ? 256 : list->count_room * 2;
        size_t *larger = jsni_realloc(list->at, wanted, sizeof *larger);
        JSNI_TRY_ALLOC(larger);
        list->at = larger;
        list->count_room = wanted;
    }
    if (list->room - list->length < length) {
        const size_t wanted = list->room * 2 + length + 4096;
        char *larger = jsni_realloc(list->text, wanted, 1);
        JSNI_TRY_ALLOC(larger);
        list->text = larger;
        list->room = wanted;
    }
    memcpy(list->text + list->length, name, length);
    list->at[list->count++] = list->length;
    list->length += length;
    return JSN_OK;
}

const char *jsni_listing_name(const jsni_listing *list, size_t index)
{
    return list->text + list->at[index];
}

void jsni_listing_release(jsni_listing *list)
{
    jsni_free(list->text);
    jsni_free(list->at);
    *list = (jsni_listing){0};
}

typedef struct entry {
    const char *name;
    size_t number;
} entry;

/* Where names first differ, a '/' or the end comes before all else. */
static int by_folder(const void *left, const void *right)
{
    const char *a = ((const entry *)left)->name, *b = ((const entry *)right)->name;
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    const int x = *a == '/' ? 1 : (unsigned char)*a;
    const int y = *b == '/' ? 1 : (unsigned char)*b;
    return x - y;
}

jsn_status jsni_listing_sort(jsni_listing *list, const char *where, size_t *order)
{
    jsni_listing sorted = {0};
    jsn_status status = JSN_OK;
    entry *entries = jsni_alloc(list->count, sizeof *entries);
    JSNI_TRY_ALLOC(entries);
    for (size_t i = 0; i < list->count; i++)
        entries[i] = (entry){jsni_listing_name(list, i), i};
    if (list->count > 0)
        qsort(entries, list->count, sizeof *entries, by_folder);
    for (size_t i = 0; status == JSN_OK && i < list->count; i++) {
        order[i] = entries[i].number;
        if (i > 0 && strcmp(entries[i - 1].name, entries[i].name) == 0)
            status =
                jsni_fail(JSN_ERR_DATA, "%s: holds '%s' twice", where, entries[i].name);
        else
            status = jsni_listing_add(&sorted, entries[i].name);
    }
    jsni_free(entries);
    if (status != JSN_OK) {
        jsni_listing_release(&sorted);
        return status;
    }
    jsni_listing_release(list);
    *list = sorted;
    return JSN_OK;
}

bool jsni_is_utf8(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != 0;) {
        const unsigned char c = *p++;
        const int more = c < 0x80   ? 0
                         : c < 0xc2 ? -1
                         : c < 0xe0 ? 1
                         : c < 0xf0 ? 2
                         : c < 0xf5 ? 3
                                    : -1;
        if (more < 0)
            return false;
        /* Too long forms, halves of pairs, and beyond the last character. */
        if ((c == 0xe0 && *p < 0xa0) || (c == 0xed && *p > 0x9f) ||
            (c == 0xf0 && *p < 0x90) || (c == 0xf4 && *p > 0x8f))
            return false;
        for (int i = 0; i < more; i++, p++)
            if ((*p & 0xc0) != 0x80)
                return false;
    }
    return true;
}

bool jsni_is_image_name(const char *name)
{
    return jsni_image_has_name(name) != 0;
}

typedef struct walker {
    jsni_listing *files, *folders, *lost;
    const char *root;
    bool (*wants)(const char *name);
    size_t runs;  /* folders of runs and audits, passed by */
    size_t links; /* folders that were reached through one */
} walker;

static jsn_status walk(walker *w, const char *below, int depth);

static jsn_status walk_entry(walker *w, const char *below,
                             const jsni_folder_entry *found, int depth)
{
    char name[JSNI_DATASET_MAX_NAME];
    const int length = snprintf(name, sizeof name, "%s%s%s", below,
                                below[0] != '\0' ? "/" : "", found->name);
    if (length < 0 || (size_t)length >= sizeof name)
        return jsni_fail(JSN_ERR_DATA, "%s/%.60s: a path has more than %zu bytes",
                         w->root, below, sizeof name);
    if (!found->folder && !w->wants(name))
        return found->lost && jsni_is_utf8(name) ? jsni_listing_add(w->lost, name)
                                                 : JSN_OK;
    if (!jsni_is_utf8(name))
        return jsni_fail(JSN_ERR_DATA, "%s/%s: the name '%s' is not UTF-8", w->root,
                         below, found->name);
    if (!found->folder)
        return jsni_listing_add(w->files, name);
    const jsni_listing folders = *w->folders;
    const size_t files = w->files->count, runs = w->runs;
    JSNI_TRY(jsni_listing_add(w->folders, name));
    JSNI_TRY(walk(w, name, depth + 1));
    if (w->runs > runs && w->files->count == files) { /* nothing but runs */
        w->folders->count = folders.count;
        w->folders->length = folders.length;
    }
    return JSN_OK;
}

/* Whether the folder at the end of a path is one of those that it lies in. */
static bool leads_up(char *path)
{
    char *slash = strrchr(path, '/'), *real = NULL, *above = NULL;
    bool up = jsni_path_real(path, &real) == JSN_OK;
    *slash = '\0';
    up = up && jsni_path_real(path, &above) == JSN_OK;
    *slash = '/';
    const size_t length = up ? strlen(real) : 0;
    up = up && strncmp(real, above, length) == 0 &&
         (above[length] == '\0' || above[length] == '/' || length == 1);
    jsni_free(above);
    jsni_free(real);
    return up;
}

/* The usual cause is a link to a folder above itself, which is named then. */
static jsn_status too_deep(const walker *w, char *path)
{
    for (char *end = path + strlen(w->root); *end != '\0';) {
        end += 1 + strcspn(end + 1, "/");
        const char kept = *end;
        *end = '\0';
        if (leads_up(path))
            return jsni_fail(JSN_ERR_DATA,
                             "%s: a link to a folder that contains it, so the folders "
                             "never end; remove the link",
                             path);
        *end = kept;
    }
    return jsni_fail(JSN_ERR_DATA, "%s: folders are nested more than %d deep", path,
                     DEEPEST);
}

static jsn_status walk(walker *w, const char *below, int depth)
{
    char path[2 * JSNI_DATASET_MAX_NAME];
    (void)snprintf(path, sizeof path, "%s%s%s", w->root, below[0] != '\0' ? "/" : "",
                   below);
    struct stat is;
    if (depth > DEEPEST)
        return too_deep(w, path);
    if (depth > 0 && lstat(path, &is) == 0 && S_ISLNK(is.st_mode) &&
        ++w->links > MOST_LINKS)
        return jsni_fail(JSN_ERR_DATA,
                         "%.200s: more than %d links to folders are on the way; they "
                         "lead to one another",
                         path, (int)MOST_LINKS);
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    JSNI_TRY(jsni_folder_list(path, &entries, &count));
    jsn_status status = JSN_OK;
    const bool run = jsni_run_mark_shown(entries, count) ||
                     (depth > 0 && jsni_audit_mark_shown(entries, count));
    w->runs += run;
    for (size_t i = 0; status == JSN_OK && !run && i < count; i++)
        if (entries[i].name[0] != '.' && strcmp(entries[i].name, "__MACOSX") != 0)
            status = walk_entry(w, below, &entries[i], depth);
    jsni_folder_free(entries, count);
    return status;
}

jsn_status jsni_listing_walk(jsni_listing *files, jsni_listing *folders,
                             jsni_listing *lost, const char *root,
                             bool (*wants)(const char *name))
{
    if (strlen(root) >= JSNI_DATASET_MAX_NAME)
        return jsni_fail(JSN_ERR_DATA, "%.60s...: the path is too long", root);
    walker w = {files, folders, lost, root, wants, 0, 0};
    return walk(&w, "", 0);
}

bool jsni_path_add(char *to, size_t *used, const char *part, size_t length)
{
    if (*used + length + 2 > JSNI_DATASET_MAX_NAME)
        return false;
    if (*used > 0)
        to[(*used)++] = '/';
    memcpy(to + *used, part, length);
    *used += length;
    return true;
}

jsn_status jsni_path_plain(const char *where, const char *path, char *to)
{
    size_t used = 0;
    if (path[0] == '/' || path[0] == '\\')
        return jsni_fail(JSN_ERR_DATA, "%s: '%.100s' is an absolute path", where, path);
    if (!jsni_is_utf8(path))
        return jsni_fail(JSN_ERR_DATA, "%s: the name '%.100s' is not UTF-8", where,
                         path);
    for (const char *at = path; *at != '\0';) {
        const size_t length = strcspn(at, "/");
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f)
                return jsni_fail(JSN_ERR_DATA,
                                 "%s: a name holds the control character %d", where,
                                 at[i]);
        if (length == 2 && memcmp(at, "..", 2) == 0)
            return jsni_fail(JSN_ERR_DATA, "%s: '%.100s' leads outside", where, path);
        if (length > 0 && !(length == 1 && at[0] == '.')) {
            if (!jsni_path_add(to, &used, at, length))
                return jsni_fail(JSN_ERR_DATA,
                                 "%s: a name of more than %d bytes: %.60s", where,
                                 (int)JSNI_DATASET_MAX_NAME, path);
        }
        at += length + (at[length] == '/');
    }
    to[used] = '\0';
    return JSN_OK;
}
