/* review/label_moves.c - see label_moves.h. Nothing is written over, and no link is followed. */
#include "review/label_moves.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "format/csv.h"
#include "review/label_folders.h"

enum { MOST_NAMES = 10000 };

jsn_status jsni_make_way(const char *root, const char *path)
{
    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
        char *part = jsni_text_copy_n(path, (size_t)(at - path));
        JSNI_TRY_ALLOC(part);
        const jsn_status status = jsni_folder_create_in(root, part);
        jsni_free(part);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

/* The n-th name of a file: "7.jpg", "7-2.jpg", ... */
static jsn_status number_name(const char *path, int n, char **out)
{
    jsni_text name = {0};
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const size_t stem =
        dot != NULL && dot > slash ? (size_t)(dot - path) : strlen(path);
    jsni_text_add_n(&name, path, stem);
    if (n > 1)
        jsni_text_format(&name, "-%d", n);
    jsni_text_add(&name, path + stem);
    return jsni_text_take(&name, out);
}

jsn_status jsni_free_name(const char *root, char **path)
{
    bool there = true;
    for (int n = 1; n < MOST_NAMES; n++) {
        char *name = NULL;
        JSNI_TRY(number_name(*path, n, &name));
        const jsn_status status = jsni_file_find(root, name, &there);
        if (status == JSN_OK && !there) {
            jsni_free(*path);
            *path = name;
            return JSN_OK;
        }
        jsni_free(name);
        JSNI_TRY(status);
    }
    return jsni_fail(JSN_ERR_DATA, "%s: too many images of this name", *path);
}

typedef struct moving {
    const char *root, *folder;
    jsni_moves how;
    jsni_csv *csv;
    size_t from;  /* the column of the places that are left */
    jsn_texts to; /* the places to go to, of each row */
} moving;

static jsn_status open_list(moving *m)
{
    const bool back = m->how == JSNI_MOVES_BACK;
    size_t to = 0;
    JSNI_TRY(jsni_csv_read_in(&m->csv, m->folder, JSNI_AUDIT_UNDO));
    JSNI_TRY(jsni_csv_find(m->csv, back ? "to" : "from", &m->from));
    JSNI_TRY(jsni_csv_find(m->csv, back ? "from" : "to", &to));
    for (size_t i = 0; i < jsni_csv_rows(m->csv); i++)
        JSNI_TRY(jsn_texts_add(&m->to, jsni_csv_cell(m->csv, i, to)));
    return JSN_OK;
}

static jsn_status write_list(const moving *m)
{
    jsni_csv_writer list = {0};
    jsni_csv_add(&list, "from");
    jsni_csv_add(&list, "to");
    jsni_csv_end_row(&list);
    for (size_t i = 0; i < m->to.count; i++) {
        jsni_csv_add(&list, jsni_csv_cell(m->csv, i, m->from));
        jsni_csv_add(&list, m->to.items[i]);
        jsni_csv_end_row(&list);
    }
    jsn_status status = list.text.status;
    if (status == JSN_OK)
        status = jsni_file_write_in(m->folder, JSNI_AUDIT_UNDO, list.text.data,
                                    list.text.length);
    jsni_text_release(&list.text);
    return status;
}

/* The place of a row was free when it was chosen, and is not any more: another one, which is in
 * the list before the file is there. */
static jsn_status move_elsewhere(moving *m, size_t row)
{
    const char *from = jsni_csv_cell(m->csv, row, m->from);
    char **to = &m->to.items[row], *first = jsni_text_copy(*to);
    jsn_status status = first == NULL ? JSN_ERR_MEMORY : JSN_OK;
    bool taken = true;
    for (int n = 2; status == JSN_OK && taken; n++) {
        char *name = NULL;
        if (n == MOST_NAMES)
            status = jsni_fail(JSN_ERR_DATA, "%s: too many images of this name", first);
        if (status == JSN_OK)
            status = number_name(first, n, &name);
        if (status != JSN_OK)
            break;
        jsni_free(*to);
        *to = name;
        status = write_list(m);
        if (status == JSN_OK)
            status = jsni_file_move(m->root, from, name, &taken);
        else
            taken = false;
        if (taken)
            status = JSN_OK;
    }
    jsni_free(first);
    return status;
}

/* Moves the file of a row unless that is done. A file with the name of one that is in its new
 * place is another one, and stays where it is. */
static jsn_status move_row(moving *m, size_t row, size_t *moved)
{
    const char *from = jsni_csv_cell(m->csv, row, m->from), *to = m->to.items[row];
    bool there = false, done = false, taken = false;
    JSNI_TRY(jsni_file_find(m->root, from, &there));
    if (there && m->how == JSNI_MOVES_ON)
        JSNI_TRY(jsni_file_find(m->root, to, &done));
    if (!there)
        return JSN_OK;
    JSNI_TRY(jsni_make_way(m->root, to));
    jsn_status status = jsni_file_move(m->root, from, to, &taken);
    if (taken && done)
        return JSN_OK;
    if (taken && m->how != JSNI_MOVES_BACK)
        status = move_elsewhere(m, row);
    *moved += status == JSN_OK;
    return status;
}

jsn_status jsni_moves_run(const char *root, const char *folder, jsni_moves how,
                          size_t *moved)
{
    moving m = {.root = root, .folder = folder, .how = how};
    jsn_status status = open_list(&m);
    for (size_t i = 0; status == JSN_OK && i < m.to.count; i++)
        status = move_row(&m, i, moved);
    jsni_csv_destroy(m.csv);
    jsn_texts_release(&m.to);
    return status;
}
