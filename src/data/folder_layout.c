/* data/folder_layout.c - see data/folder_layout.h. */
#include "data/folder_layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

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

typedef struct making {
    const char *where;
    size_t strip;
    bool splits; /* the first folder names a split */
    item *items;
    size_t count;
} making;

static part first_part(const char *name)
{
    return (part){name, strcspn(name, "/")};
}

static bool same(part a, const char *text)
{
    return a.length == strlen(text) && memcmp(a.text, text, a.length) == 0;
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

/* -1 when the folder names no split. */
static int split_of(part name)
{
    return same(name, "train")                             ? JSN_SPLIT_TRAIN
           : same(name, "val") || same(name, "validation") ? JSN_SPLIT_VAL
           : same(name, "test")                            ? JSN_SPLIT_TEST
                                                           : -1;
}

/* The length of a single folder, with its slash, that everything lies in; else 0. */
static size_t common_folder(const jsni_listing *files)
{
    if (files->count == 0)
        return 0;
    const part top = first_part(jsni_listing_name(files, 0));
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i);
        const part other = first_part(name);
        /* Another folder must follow, or this one would be the only class. */
        if (compare(top, other) != 0 || name[other.length] != '/' ||
            strchr(name + other.length + 1, '/') == NULL)
            return 0;
    }
    return split_of(top) >= 0 ? 0 : top.length + 1;
}

/* Whether there are splits, and no images beside them. */
static jsn_status find_splits(making *m, const jsni_listing *files)
{
    const char *beside = NULL, *val = NULL, *validation = NULL;
    bool train_or_test = false;
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i) + m->strip;
        const part top = first_part(name);
        if (name[top.length] != '/')
            continue;
        const int split = split_of(top);
        if (split < 0)
            beside = name;
        else if (split != JSN_SPLIT_VAL)
            train_or_test = true;
        val = same(top, "val") ? name : val;
        validation = same(top, "validation") ? name : validation;
    }
    /* Without train/ or test/, a folder "val" is a class like any other. */
    m->splits = train_or_test;
    if (m->splits && beside != NULL)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: beside train/, val/, test/ there are images in '%.*s'",
                         m->where, (int)first_part(beside).length, beside);
    if (m->splits && val != NULL && validation != NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: holds both val/ and validation/", m->where);
    return JSN_OK;
}

/* The class folder in a name, behind the split; false when there is none. */
static bool class_part(const making *m, const char *name, part *out, jsn_split *split)
{
    *split = JSN_SPLIT_TRAIN;
    if (m->splits) {
        const part top = first_part(name);
        const int found = split_of(top);
        if (found < 0 || name[top.length] != '/')
            return false;
        *split = (jsn_split)found;
        name += top.length + 1;
    }
    *out = first_part(name);
    return out->length > 0;
}

static jsn_status collect(making *m, const jsni_listing *files)
{
    m->items = jsni_alloc(files->count, sizeof *m->items);
    JSNI_TRY_ALLOC(m->items);
    for (size_t i = 0; i < files->count; i++) {
        const char *name = jsni_listing_name(files, i) + m->strip;
        item *to = &m->items[m->count];
        if (!class_part(m, name, &to->label, &to->split) ||
            to->label.text[to->label.length] != '/')
            continue; /* an image outside any class */
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

/* A class folder in which there is no image is a mistake that should be heard of. */
static jsn_status check_folders(const making *m, const jsni_listing *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        const char *full = jsni_listing_name(folders, i);
        part label;
        jsn_split split;
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
            return jsni_fail(JSN_ERR_DATA, "%s: the class folder '%s' holds no images",
                             m->where, full + m->strip);
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
            return jsni_fail(JSN_ERR_DATA, "%s: the %s folder '%.*s' is no class of %s",
                             m->where,
                             m->splits ? jsn_split_name(from->split) : "class",
                             (int)from->label.length, from->label.text,
                             fixed ? data->traits.kind : "the training split");
        out->rows[i] = (jsni_layout_row){from->file, from->split, label};
    }
    out->count = m->count;
    out->strip = m->strip;
    return JSN_OK;
}

jsn_status jsni_folder_layout_make(jsni_folder_layout *out, jsn_dataset *data,
                                   const char *where, const jsni_listing *files,
                                   const jsni_listing *folders, bool archived)
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
