/* data/archive_link.c - see data/archive_link.h. */
#include "data/archive_link.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/limit.h"
#include "core/progress.h"
#include "core/words.h"
#include "data/dataset_impl.h"
#include "data/listing.h"

enum { MOST_STEPS = 16 }; /* from link to link; ends a circle */

typedef struct member {
    const char *name;
    size_t number;
} member;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const member *)left)->name, ((const member *)right)->name);
}

static member *sorted(const jsni_listing *list)
{
    member *all = jsni_alloc(list->count, sizeof *all);
    for (size_t i = 0; all != NULL && i < list->count; i++)
        all[i] = (member){jsni_listing_name(list, i), i};
    if (all != NULL && list->count > 0)
        qsort(all, list->count, sizeof *all, by_name);
    return all;
}

static const member *find(const member *all, size_t count, const char *name)
{
    const member wanted = {name, 0};
    return count == 0 ? NULL : bsearch(&wanted, all, count, sizeof *all, by_name);
}

/* Whether a member lies below `folder`. */
static bool is_folder(const member *all, size_t count, const char *folder)
{
    const size_t length = strlen(folder);
    size_t low = 0, high = count; /* the first that is not before "folder/" */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strncmp(all[middle].name, folder, length);
        if (order < 0 || (order == 0 && all[middle].name[length] < '/'))
            low = middle + 1;
        else
            high = middle;
    }
    return length > 0 && low < count && strncmp(all[low].name, folder, length) == 0 &&
           all[low].name[length] == '/';
}

jsn_status jsni_links_add(jsni_links *links, const char *name, const char *target)
{
    JSNI_TRY(jsni_listing_add(&links->names, name));
    return jsni_listing_add(&links->targets, target);
}

jsn_status jsni_links_follow(jsni_links *links, const jsni_listing *files,
                             bool (*wants)(void *user, const char *name), void *user)
{
    const size_t count = links->names.count;
    if (count == 0)
        return JSN_OK;
    member *members = sorted(files), *others = sorted(&links->names);
    jsn_status status = JSN_ERR_MEMORY;
    links->to = jsni_alloc(count, sizeof *links->to);
    if (members == NULL || others == NULL || links->to == NULL)
        goto done;
    for (size_t i = 0; i < count; i++) {
        const char *target = jsni_listing_name(&links->targets, i);
        const bool wanted = wants(user, jsni_listing_name(&links->names, i));
        size_t *to = &links->to[i];
        *to = JSNI_LINK_NOWHERE;
        for (int step = 0; step < MOST_STEPS; step++) {
            const member *found = find(members, files->count, target);
            const member *other = find(others, count, target);
            if (found != NULL)
                *to = found->number;
            else if (is_folder(members, files->count, target))
                *to = JSNI_LINK_FOLDER;
            if (*to != JSNI_LINK_NOWHERE || other == NULL)
                break;
            target = jsni_listing_name(&links->targets, other->number);
        }
        if (!wanted && *to != JSNI_LINK_FOLDER)
            *to = JSNI_LINK_UNUSED;
    }
    status = JSN_OK;
done:
    jsni_free(others);
    jsni_free(members);
    return status;
}

void jsni_links_tell(const jsni_links *links, const char *where,
                     const jsn_logger *logger)
{
    size_t lost = 0, first = 0;
    for (size_t i = 0; i < links->names.count; i++)
        if (links->to[i] == JSNI_LINK_NOWHERE || links->to[i] == JSNI_LINK_FOLDER)
            first = lost++ == 0 ? i : first;
    if (lost > 0)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%s: %zu %s to no file in the archive, such as '%.100s'", where, lost,
                 jsni_noun(lost, "link leads", "links lead"),
                 jsni_listing_name(&links->names, first));
}

jsn_status jsni_links_list(const jsni_links *links, jsni_listing *files,
                           size_t **source)
{
    const size_t stored = files->count;
    *source = jsni_alloc(stored + links->names.count, sizeof **source);
    JSNI_TRY_ALLOC(*source);
    for (size_t i = 0; i < stored; i++)
        (*source)[i] = i;
    for (size_t i = 0; i < links->names.count; i++) {
        if (links->to[i] >= stored)
            continue;
        (*source)[files->count] = links->to[i];
        JSNI_TRY(jsni_listing_add(files, jsni_listing_name(&links->names, i)));
        if (files->count > jsni_limit(JSNI_LIMIT_ROWS))
            return jsni_limit_fail(JSNI_LIMIT_ROWS, "an archive");
    }
    return JSN_OK;
}

void jsni_links_release(jsni_links *links)
{
    jsni_listing_release(&links->names);
    jsni_listing_release(&links->targets);
    jsni_free(links->to);
    links->to = NULL;
}

bool jsni_link_target(const char *name, const char *target, char *to)
{
    const char *slash = strrchr(name, '/');
    size_t used = slash != NULL ? (size_t)(slash - name) : 0;
    to[0] = '\0';
    if (target[0] == '/')
        return false;
    memcpy(to, name, used);
    for (const char *at = target; *at != '\0';) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && memcmp(at, "..", 2) == 0) {
            if (used == 0)
                goto outside;
            while (used > 0 && to[used - 1] != '/')
                used--;
            used -= used > 0; /* the slash */
        } else if (length > 0 && !(length == 1 && at[0] == '.')) {
            if (!jsni_path_add(to, &used, at, length))
                goto outside;
        }
        at += length + (at[length] == '/');
    }
    to[used] = '\0';
    return true;
outside:
    to[0] = '\0';
    return false;
}
