/* data/folder_layout.c - see data/folder_layout.h. */
#include "data/folder_layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/progress.h"
#include "core/words.h"

/* A piece of a name. */
typedef struct part {
    const char *text;
    size_t length;
} part;

typedef struct item {
    part label;  /* class folder */
    part folder; /* everything before the file's own name */
    const char *base;
    size_t file;
    jsn_split split;
} item;

/* Images that are not used. */
typedef struct unused {
    size_t count;
    const char *first;
} unused;

typedef struct making {
    const char *where;
    size_t strip;
    bool splits;              /* the first folder names a split */
    part folders[JSN_SPLITS]; /* those of the splits; empty where there is none */
    item *items;
    size_t count;
    unused loose;            /* in no class folder */
    unused flat[JSN_SPLITS]; /* in a split's folder that has no class folders */
    unused bare;             /* class folders without images */
} making;

static part first_part(const char *name)
{
    return (part){name, strcspn(name, "/")};
}

static int compare(part a, part b)
{
    const size_t n = a.length < b.length ? a.length : b.length;
    const int order = memcmp(a.text, b.text, n);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_place(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (a->split != b->split)
        return a->split < b->split ? -1 : 1;
    int order = compare(a->label, b->label);
    if (order == 0)
        order = compare(a->folder, b->folder);
    return order != 0 ? order : strcmp(a->base, b->base);
}

/* The split that a folder is usually meant for by its name, in any case; else -1. */
static int split_meant(part name)
{
    static const struct {
        const char *name;
        jsn_split split;
    } usual[] = {{"train", JSN_SPLIT_TRAIN},    {"training", JSN_SPLIT_TRAIN},
                 {"val", JSN_SPLIT_VAL},        {"valid", JSN_SPLIT_VAL},
                 {"validation", JSN_SPLIT_VAL}, {"test", JSN_SPLIT_TEST},
                 {"testing", JSN_SPLIT_TEST}};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        size_t k = 0;
        while (k < name.length && (name.text[k] | 0x20) == usual[i].name[k])
            k++; /* stops at the end of the usual name, whose 0 is no letter */
        if (k == name.length && usual[i].name[k] == '\0')
            return (int)usual[i].split;
    }
    return -1;
}

/* The split that a folder is, or -1. */
static int split_of(const making *m, part name)
{
    for (int s = 0; s < JSN_SPLITS; s++)
        if (m->folders[s].length > 0 && compare(m->folders[s], name) == 0)
            return s;
    return -1;
}

/* The length of a single folder, with its slash, that everything lies in; else 0. */
static size_t common_folder(const jsni_listing *files)
{
    if (files->count == 0)
        return 0;
    const part top = first_part(jsni_listing_name(files, 0));
    bool folders = false; /* inside it; else it is the only class */
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i);
        const part other = first_part(name);
        if (compare(top, other) != 0 || name[other.length] != '/')
            return 0;
        folders = folders || strchr(name + other.length + 1, '/') != NULL;
    }
    return folders && split_meant(top) < 0 ? top.length + 1 : 0;
}

static jsn_status refuse_beside(const making *m, part split, part beside)
{
    return jsni_fail(JSN_ERR_DATA,
                     "%s: %.*s/ has class folders and so is a split, but there are "
                     "images in '%.*s' beside it; move that elsewhere, or into "
                     "%.*s/ if it is a class. If '%.*s' is a class itself, move its "
                     "images out of their folders, directly into it",
                     m->where, (int)split.length, split.text, (int)beside.length,
                     beside.text, (int)split.length, split.text, (int)split.length,
                     split.text);
}

/* Whether there are splits, and no images beside them. */
static jsn_status find_splits(making *m, const jsni_listing *files)
{
    part beside = {NULL, 0}, split = {NULL, 0}, flat = {NULL, 0};
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i) + m->strip;
        const part top = first_part(name);
        if (name[top.length] != '/')
            continue;
        const int meant = split_meant(top);
        if (meant < 0) {
            beside = top;
        } else if (strchr(name + top.length + 1, '/') == NULL) {
            flat = top;
        } else if (m->folders[meant].length == 0) {
            split = m->folders[meant] = top;
        } else if (compare(m->folders[meant], top) != 0) {
            return jsni_fail(
                JSN_ERR_DATA,
                "%s: holds both %.*s/ and %.*s/, which mean the same split", m->where,
                (int)m->folders[meant].length, m->folders[meant].text, (int)top.length,
                top.text);
        }
    }
    m->splits = split.length > 0;
    if (m->splits && beside.length > 0)
        return refuse_beside(m, split, beside);
    /* Beside other classes such a folder is one, too. */
    if (!m->splits && flat.length > 0 && beside.length == 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: no images in class folders: those in %.*s/ lie directly "
                         "in it, not in %.*s/<class>/",
                         m->where, (int)flat.length, flat.text, (int)flat.length,
                         flat.text);
    return JSN_OK;
}

/* The class folder in a name, behind the split; false when there is none. */
static bool class_part(const making *m, const char *name, part *out, jsn_split *split)
{
    *split = JSN_SPLIT_TRAIN;
    if (m->splits) {
        const part top = first_part(name);
        const int found = split_of(m, top);
        if (found < 0 || name[top.length] != '/')
            return false;
        *split = (jsn_split)found;
        name += top.length + 1;
    }
    *out = first_part(name);
    return out->length > 0;
}

static void note_unused(making *m, const char *name)
{
    const part top = first_part(name);
    const int meant = name[top.length] == '/' ? split_meant(top) : -1;
    unused *to = meant >= 0 && split_of(m, top) < 0 ? &m->flat[meant] : &m->loose;
    to->first = to->count++ == 0 ? name : to->first;
}

static jsn_status collect(making *m, const jsni_listing *files)
{
    m->items = jsni_alloc(files->count, sizeof *m->items);
    JSNI_TRY_ALLOC(m->items);
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i) + m->strip;
        item *to = &m->items[m->count];
        if (!class_part(m, name, &to->label, &to->split) ||
            to->label.text[to->label.length] != '/') {
            note_unused(m, name);
            continue;
        }
        to->base = strrchr(name, '/') + 1;
        to->folder = (part){name, (size_t)(to->base - name) - 1};
        to->file = i;
        m->count++;
    }
    if (m->count == 0)
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: no images in class folders (such as cat/1.jpg, dog/2.jpg)", m->where);
    qsort(m->items, m->count, sizeof *m->items, by_place);
    return JSN_OK;
}

/* The number of the class, or -1. The classes of `data` are sorted. */
static int32_t find_class(const jsn_dataset *data, part name)
{
    size_t low = 0, high = data->traits.classes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *text = data->classes[middle];
        const int order = compare((part){text, strlen(text)}, name);
        if (order == 0)
            return (int32_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* Classes are those of the first split that has any images: train, where it exists. */
static jsn_status add_classes(const making *m, jsn_dataset *data)
{
    for (size_t i = 0; i < m->count && m->items[i].split == m->items[0].split; i++) {
        const part label = m->items[i].label;
        if (i > 0 && compare(m->items[i - 1].label, label) == 0)
            continue;
        char *name = jsni_text_copy_n(label.text, label.length);
        JSNI_TRY_ALLOC(name);
        const jsn_status status = jsni_dataset_add_class(data, name);
        jsni_free(name);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

/* A class folder in which there is no image is no class, which is told; a folder for
 * training without any, beside other splits, is a mistake. */
static jsn_status check_folders(making *m, const jsni_listing *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        const char *full = jsni_listing_name(folders, i);
        part label;
        jsn_split split;
        if (m->splits && m->folders[JSN_SPLIT_TRAIN].length == 0 &&
            m->flat[JSN_SPLIT_TRAIN].count == 0 && strlen(full) > m->strip &&
            split_meant((part){full + m->strip, strlen(full + m->strip)}) ==
                JSN_SPLIT_TRAIN)
            return jsni_fail(JSN_ERR_DATA, "%s: the folder '%s' holds no images",
                             m->where, full + m->strip);
        if (strlen(full) <= m->strip ||
            !class_part(m, full + m->strip, &label, &split) ||
            label.text[label.length] != '\0')
            continue; /* not at the level of classes */
        const item wanted = {label, {"", 0}, "", 0, split};
        size_t low = 0, high = m->count; /* the first item not before `wanted` */
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (by_place(&m->items[middle], &wanted) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == m->count || m->items[low].split != split ||
            compare(m->items[low].label, label) != 0)
            m->bare.first = m->bare.count++ == 0 ? full + m->strip : m->bare.first;
    }
    return JSN_OK;
}

static jsn_status fill_rows(const making *m, const jsn_dataset *data, bool fixed,
                            jsni_folder_layout *out)
{
    out->rows = jsni_alloc(m->count, sizeof *out->rows);
    JSNI_TRY_ALLOC(out->rows);
    for (size_t i = 0; i < m->count; i++) {
        const item *from = &m->items[i];
        const int32_t label = find_class(data, from->label);
        if (label < 0)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: the %s folder '%.*s' is not a class of %s", m->where,
                             m->splits ? jsn_split_name(from->split) : "class",
                             (int)from->label.length, from->label.text,
                             fixed ? data->traits.kind : "the training split");
        out->rows[i] = (jsni_layout_row){from->file, from->split, label};
    }
    out->count = m->count;
    out->strip = m->strip;
    return JSN_OK;
}

/* Class folders without images: what the first one holds instead tells why. */
static void tell_bare(const making *m, bool archived, const jsn_logger *logger)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, i = 0;
    if (m->bare.count == 0)
        return;
    char *path = archived ? NULL : jsni_path_join(m->where, m->bare.first);
    if (path != NULL && jsni_folder_list(path, &entries, &count) != JSN_OK)
        count = 0;
    while (i < count && (entries[i].folder || entries[i].name[0] == '.'))
        i++;
    jsni_say(logger, JSN_LOG_WARNING,
             "%s: %zu %s no images and %s skipped, such as '%.100s'%s%.100s%s",
             m->where, m->bare.count,
             jsni_noun(m->bare.count, "class folder holds", "class folders hold"),
             jsni_noun(m->bare.count, "is", "are"), m->bare.first,
             i < count ? " (it holds '" : "", i < count ? entries[i].name : "",
             i < count ? "', which is not read)" : "");
    jsni_folder_free(entries, count);
    jsni_free(path);
}

static void tell_unused(const making *m, const jsn_logger *logger)
{
    for (int s = 0; s < JSN_SPLITS; s++) {
        const unused *flat = &m->flat[s];
        const int length = flat->count > 0 ? (int)first_part(flat->first).length : 0;
        if (flat->count > 0)
            jsni_say(logger, JSN_LOG_WARNING,
                     "%s: %.*s/ is not used, because it has no class folders; "
                     "it holds %zu %s, such as '%.100s'",
                     m->where, length, flat->first, flat->count,
                     jsni_noun(flat->count, "image", "images"), flat->first);
    }
    if (m->loose.count > 0)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%s: %zu %s outside the class folders and not used, such as "
                 "'%.100s'",
                 m->where, m->loose.count,
                 jsni_noun(m->loose.count, "image is", "images are"), m->loose.first);
}

/* A folder around the data set that was not meant to be a class. */
static void tell_wrapped(const making *m, const jsn_dataset *data,
                         const jsn_logger *logger)
{
    for (size_t i = 0; i < m->count; i++) {
        const part label = m->items[i].label, folder = m->items[i].folder;
        if (folder.text + folder.length == label.text + label.length)
            return; /* an image directly in a class */
    }
    if (data->traits.classes == 1 && !m->splits)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%s: all images are in folders below '%s', the only class; "
                 "if those are the classes, name %s/%s",
                 m->where, data->classes[0], m->where, data->classes[0]);
}

/* Whether a name has a word that people give to parts and versions of data. */
static bool names_part(part name)
{
    static const char *const words[] = {
        "train",      "training", "test",    "testing",  "val",  "valid",
        "validation", "held",     "heldout", "holdout",  "dev",  "eval",
        "split",      "fold",     "raw",     "original", "orig", "clean",
        "noisy",      "copy",     "backup",  "old",      "new"};
    for (size_t at = 0, n = 0; at < name.length; at += n + 1) {
        const char *word = name.text + at;
        for (n = 0; at + n < name.length && isalpha((unsigned char)word[n]);)
            n++;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strlen(words[i]) == n && strncasecmp(words[i], word, n) == 0)
                return true;
    }
    return false;
}

enum { MOST_SETS = 8, MOST_BELOW = 512 };

/* A class folder and the folders that are in it. */
typedef struct data_set {
    part name, below[MOST_BELOW];
    size_t count;
} data_set;

static bool has_below(const data_set *set, part name)
{
    for (size_t i = 0; i < set->count; i++)
        if (compare(set->below[i], name) == 0)
            return true;
    return false;
}

/* The class folders of training with what is in them; 0: there are many, or one has images
 * of its own. */
static size_t list_sets(const making *m, data_set sets[MOST_SETS])
{
    size_t count = 0;
    for (size_t i = 0; i < m->count && m->items[i].split == m->items[0].split; i++) {
        const part label = m->items[i].label, folder = m->items[i].folder;
        const char *end = label.text + label.length;
        if (folder.text + folder.length == end)
            return 0;
        if (count == 0 || compare(sets[count - 1].name, label) != 0) {
            if (count == MOST_SETS)
                return 0;
            sets[count].name = label;
            sets[count++].count = 0;
        }
        data_set *set = &sets[count - 1];
        const part below = first_part(end + 1);
        if (!has_below(set, below) && set->count == MOST_BELOW)
            return 0;
        if (!has_below(set, below))
            set->below[set->count++] = below;
    }
    return count;
}

/* Classes that are rather data sets: they share the names of most folders in them, have no
 * images of their own, and one is called as parts of data are. */
static jsn_status tell_above(const making *m, const jsn_logger *logger)
{
    data_set *sets = jsni_alloc(MOST_SETS, sizeof *sets);
    JSNI_TRY_ALLOC(sets);
    const size_t count = list_sets(m, sets);
    for (size_t a = 0; a + 1 < count; a++) {
        const data_set *x = &sets[a], *y = &sets[a + 1];
        size_t shared = 0, at = 0;
        for (size_t i = 0; i < x->count; i++)
            if (has_below(y, x->below[i]))
                at = shared++ == 0 ? i : at;
        const size_t fewer = x->count < y->count ? x->count : y->count;
        if (shared < 2 || 2 * shared < fewer ||
            !(names_part(x->name) || names_part(y->name)))
            continue;
        const part data = names_part(x->name) ? y->name : x->name;
        jsni_say(logger, JSN_LOG_WARNING,
                 "%s: its classes look like data sets: '%.*s' and '%.*s' have the same "
                 "folders in them, such as '%.*s'; if those are the classes, name "
                 "%s/%.*s",
                 m->where, (int)x->name.length, x->name.text, (int)y->name.length,
                 y->name.text, (int)x->below[at].length, x->below[at].text, m->where,
                 (int)data.length, data.text);
        break;
    }
    jsni_free(sets);
    return JSN_OK;
}

jsn_status jsni_folder_layout_make(jsni_folder_layout *out, jsn_dataset *data,
                                   const char *where, const jsni_listing *files,
                                   const jsni_listing *folders, bool archived,
                                   const jsn_logger *logger)
{
    *out = (jsni_folder_layout){0};
    const bool fixed = data->traits.classes > 0;
    making m = {.where = where, .strip = archived ? common_folder(files) : 0};
    jsn_status status = find_splits(&m, files);
    if (status == JSN_OK)
        status = collect(&m, files);
    if (status == JSN_OK)
        status = check_folders(&m, folders);
    if (status == JSN_OK && !fixed)
        status = add_classes(&m, data);
    if (status == JSN_OK)
        status = fill_rows(&m, data, fixed, out);
    if (status == JSN_OK) {
        tell_bare(&m, archived, logger);
        tell_unused(&m, logger);
        tell_wrapped(&m, data, logger);
        status = fixed || m.splits ? JSN_OK : tell_above(&m, logger);
    }
    if (status != JSN_OK)
        jsni_folder_layout_release(out);
    jsni_free(m.items);
    return status;
}

void jsni_folder_layout_release(jsni_folder_layout *layout)
{
    jsni_free(layout->rows);
    *layout = (jsni_folder_layout){0};
}
