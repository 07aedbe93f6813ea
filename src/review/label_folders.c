/* review/label_folders.c - see label_folders.h. A path of the data ends in CLASS/NAME; its new
 * one has another class there. Nothing is written over, no link is followed, and what a move
 * will do is on the disk, in undo.csv, before the first file is moved. */
#define _DEFAULT_SOURCE /* flock() */
#include "review/label_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_place.h"
#include "core/folder.h"
#include "core/limit.h"
#include "data/sample_file.h"
#include "format/csv.h"
#include "review/label_moves.h"
#include "review/name_index.h"

typedef struct relabelling {
    jsni_audited audited;
    const char *root; /* of the data */
    char *found;      /* the same, owned, where the data was not opened */
    jsni_name_index classes;
} relabelling;

static void close_data(relabelling *r)
{
    jsni_name_index_release(&r->classes);
    jsni_audited_close(&r->audited);
    jsni_free(r->found);
}

static jsn_status open_data(relabelling *r, const char *folder, const char *data)
{
    *r = (relabelling){0};
    JSNI_TRY(jsni_audited_open_folder(&r->audited, folder, data, NULL));
    r->root = jsni_sample_root(r->audited.data, r->audited.split);
    jsn_status status = JSN_OK;
    if (r->root == NULL)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: the images are not separate files; write a table of "
                           "labels instead (--out)",
                           r->audited.spec);
    if (status == JSN_OK)
        status =
            jsni_name_index_make(&r->classes, r->audited.names, r->audited.classes);
    if (status != JSN_OK)
        close_data(r);
    return status;
}

/* The same for the rows of undo.csv, which need the root alone. */
static jsn_status open_root(relabelling *r, const char *folder, const char *data)
{
    *r = (relabelling){0};
    JSNI_TRY(jsni_audited_find_root(folder, data, &r->found));
    r->root = r->found;
    return r->root != NULL ? JSN_OK : open_data(r, folder, data);
}

static bool is_folder_name(const char *name)
{
    return *name != '\0' && *name != '.' && strchr(name, '/') == NULL;
}

/* [begin, end) of the class in a path. */
static jsn_status find_class(const relabelling *r, const char *path, size_t *begin,
                             size_t *end)
{
    const char *name = strrchr(path, '/');
    *end = name == NULL ? 0 : (size_t)(name - path);
    *begin = *end;
    while (*begin > 0 && path[*begin - 1] != '/')
        (*begin)--;
    char *class_name = jsni_text_copy_n(path + *begin, *end - *begin);
    JSNI_TRY_ALLOC(class_name);
    const bool known = jsni_name_index_find(&r->classes, class_name) >= 0;
    jsni_free(class_name);
    return known ? JSN_OK
                 : jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: not in a folder of its class; write a table of "
                             "labels instead (--out)",
                             path);
}

/* Where an image belongs, below the root; an owned text. Names repeat from class to class, so
 * one that changes its class has the old one before its name. */
static jsn_status new_path(const relabelling *r, const jsni_corrected *c, char **out)
{
    size_t begin = 0, end = 0;
    jsni_text path = {0};
    JSNI_TRY(find_class(r, c->path, &begin, &end));
    if (c->label == NULL) {
        jsni_text_format(&path, "%s/%s", JSNI_REMOVED_PLACE, c->path);
        return jsni_text_take(&path, out);
    }
    if (!is_folder_name(c->label) || jsni_name_index_find(&r->classes, c->label) < 0)
        return jsni_fail(JSN_ERR_DATA, "%s: the data has no class '%.60s'", c->path,
                         c->label);
    jsni_text_add_n(&path, c->path, begin);
    jsni_text_add(&path, c->label);
    jsni_text_add(&path, "/");
    if (strlen(c->label) != end - begin ||
        strncmp(c->label, c->path + begin, end - begin) != 0) {
        jsni_text_add_n(&path, c->path + begin, end - begin);
        jsni_text_add(&path, "-");
    }
    jsni_text_add(&path, c->path + end + 1);
    return jsni_text_take(&path, out);
}

static jsn_status copy_file(const relabelling *r, const char *to, const char *from,
                            const char *path)
{
    char *bytes = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_make_way(to, path));
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_MEMBER, r->root, from, &bytes, &length));
    const jsn_status status = jsni_file_write_unsynced(to, path, bytes, length);
    jsni_free(bytes);
    return status;
}

/* What a copy makes is listed here before it is made, and the list goes last. Where it is, a
 * copy was killed: the same command removes what is listed and begins again. */
#define COPYING ".copying.csv"

/* Removes a file of a copy and the folders that are empty then; nothing is reached through a
 * link, or above the folder. */
static void remove_copied(const char *root, const char *path)
{
    char *name = jsni_text_copy(path);
    if (name == NULL)
        return;
    (void)jsni_place_remove(root, name, false);
    for (char *slash = strrchr(name, '/'); slash != NULL; slash = strrchr(name, '/')) {
        *slash = '\0';
        jsni_file_remove_left(root, name);
        if (!jsni_place_remove(root, name, true) && errno != ENOENT)
            break;
    }
    jsni_free(name);
}

/* Removes what a copy has made. */
static void take_back(const char *root, const jsn_texts *made)
{
    for (size_t i = made->count; i > 0; i--)
        remove_copied(root, made->items[i - 1]);
    (void)jsni_place_remove(root, COPYING, false);
    (void)rmdir(root);
}

/* Removes what a killed copy has left in a folder, and the folder, when that is all there is. */
static jsn_status take_back_killed(const char *root)
{
    bool there = false;
    jsni_csv *csv = NULL;
    JSNI_TRY(jsni_folder_find(NULL, root, &there));
    if (!there)
        return JSN_OK;
    jsni_file_remove_left(root, ".");
    JSNI_TRY(jsni_file_find(root, COPYING, &there));
    if (there) {
        JSNI_TRY(jsni_csv_read_in(&csv, root, COPYING));
        for (size_t i = jsni_csv_rows(csv); i > 0; i--)
            remove_copied(root, jsni_csv_cell(csv, i - 1, 0));
        jsni_csv_destroy(csv);
        (void)jsni_place_remove(root, COPYING, false);
    }
    (void)rmdir(root); /* one that holds something else stays, and is said to exist */
    return JSN_OK;
}

/* One more row of the list. Each is whole, also when the process is killed. */
static jsn_status list_copy(const char *root, const char *path)
{
    jsni_csv_writer row = {0};
    jsni_csv_add(&row, path);
    jsni_csv_end_row(&row);
    jsn_status status = row.text.status;
    if (status == JSN_OK)
        status = jsni_file_append(root, COPYING, row.text.data, row.text.length);
    jsni_text_release(&row.text);
    return status;
}

static jsn_status copy_each(const relabelling *r, const jsn_labels_job *job,
                            const jsni_corrected *list, size_t count, jsn_texts *made)
{
    for (size_t i = 0; i < count; i++) {
        char *path = NULL;
        if (list[i].label == NULL)
            continue;
        JSNI_TRY(new_path(r, &list[i], &path));
        jsn_status status = jsni_free_name(job->copy, &path);
        if (status == JSN_OK)
            status = list_copy(job->copy, path);
        if (status == JSN_OK)
            status = copy_file(r, job->copy, list[i].path, path);
        /* A full disk leaves the folders of the file. */
        if (status == JSN_OK || status == JSN_ERR_IO) {
            const jsn_status kept = jsn_texts_add(made, path);
            status = status == JSN_OK ? kept : status;
        }
        jsni_free(path);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

static jsn_status copy_all(const relabelling *r, const jsn_labels_job *job,
                           const jsni_corrected *list, size_t count)
{
    jsn_texts made = {0};
    JSNI_TRY(take_back_killed(job->copy));
    if (jsni_folder_exists(job->copy) || jsni_file_exists(job->copy))
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: exists already; name a new folder",
                         job->copy);
    if (jsni_path_inside(job->copy, r->root))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: lies inside the data; name a folder outside %s",
                         job->copy, r->root);
    JSNI_TRY(jsni_folder_create(job->copy));
    jsn_status status = jsni_file_write_in(job->copy, COPYING, "path\n", 5);
    if (status == JSN_OK)
        status = copy_each(r, job, list, count, &made);
    if (status == JSN_OK && !jsni_place_remove(job->copy, COPYING, false))
        status = jsni_fail(JSN_ERR_IO, "%s/%s: cannot be removed: %s", job->copy,
                           COPYING, strerror(errno));
    if (status != JSN_OK) {
        char words[600];
        (void)snprintf(words, sizeof words, "%s", jsn_last_error());
        take_back(job->copy, &made);
        if (status == JSN_ERR_IO)
            status = jsni_fail(status,
                               "%s; what was copied is removed, and the same command "
                               "begins again",
                               words);
    }
    jsn_texts_release(&made);
    return status;
}

/* What is to be moved: from,to. */
static jsn_status plan_moves(const relabelling *r, const jsni_corrected *list,
                             size_t count, jsni_csv_writer *plan)
{
    jsni_csv_add(plan, "from");
    jsni_csv_add(plan, "to");
    jsni_csv_end_row(plan);
    for (size_t i = 0; i < count; i++) {
        char *path = NULL;
        JSNI_TRY(new_path(r, &list[i], &path));
        jsn_status status = JSN_OK;
        if (strcmp(path, list[i].path) != 0) {
            status = jsni_free_name(r->root, &path);
            jsni_csv_add(plan, list[i].path);
            jsni_csv_add(plan, path);
            jsni_csv_end_row(plan);
        }
        jsni_free(path);
        JSNI_TRY(status);
    }
    return plan->text.status;
}

/* There is an undo.csv: goes on with a move that was stopped; one that was not is not done
 * again. */
static jsn_status move_on(const jsn_labels_job *job)
{
    relabelling r;
    size_t moved = 0;
    if (job->copy == NULL) {
        JSNI_TRY(open_root(&r, job->folder, job->data));
        const jsn_status status =
            jsni_moves_run(r.root, job->folder, JSNI_MOVES_ON, &moved);
        close_data(&r);
        JSNI_TRY(status);
    }
    return moved > 0 ? JSN_OK
                     : jsni_fail(JSN_ERR_ARGUMENT,
                                 "%s: the images were moved already; --undo moves them "
                                 "back",
                                 job->folder);
}

static jsn_status move_all(const relabelling *r, const jsn_labels_job *job,
                           const jsni_corrected *list, size_t count)
{
    jsni_csv_writer plan = {0};
    size_t moved = 0;
    jsn_status status = plan_moves(r, list, count, &plan);
    if (status == JSN_OK)
        status = jsni_file_write_in(job->folder, JSNI_AUDIT_UNDO, plan.text.data,
                                    plan.text.length);
    jsni_text_release(&plan.text);
    return status == JSN_OK
               ? jsni_moves_run(r->root, job->folder, JSNI_MOVES_FORTH, &moved)
               : status;
}

/* One process at a time moves the images of an audit: what it will do rests on where they
 * are. The lock goes with the descriptor. */
static jsn_status lock_moves(const char *folder, int *fd)
{
    *fd = -1;
    JSNI_TRY(jsni_file_open(fd, folder, JSNI_AUDIT_SCORES, O_RDONLY));
    int failed = 0;
    do
        failed = flock(*fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (failed == EINTR);
    if (failed != EWOULDBLOCK) /* where there are no locks it goes without */
        return JSN_OK;
    (void)close(*fd);
    return jsni_fail(JSN_ERR_BUSY,
                     "%s: another process is moving the images; wait for it", folder);
}

static jsn_status to_folders(const jsn_labels_job *job, const jsni_corrected *list,
                             size_t count)
{
    relabelling r;
    bool there = false;
    JSNI_TRY(jsni_file_find(job->folder, JSNI_AUDIT_UNDO, &there));
    if (there)
        return move_on(job);
    jsni_file_remove_left(job->folder, ".");
    JSNI_TRY(open_data(&r, job->folder, job->data));
    jsn_status status = JSN_OK;
    if (count != r.audited.samples)
        status =
            jsni_fail(JSN_ERR_DATA, "%s: %zu images were audited, the data has %zu",
                      job->folder, count, r.audited.samples);
    if (status == JSN_OK)
        status = job->copy != NULL ? copy_all(&r, job, list, count)
                                   : move_all(&r, job, list, count);
    close_data(&r);
    return status;
}

jsn_status jsni_labels_to_folders(const jsn_labels_job *job, const jsni_corrected *list,
                                  size_t count)
{
    int lock = -1;
    if (job->copy != NULL)
        return to_folders(job, list, count);
    JSNI_TRY(lock_moves(job->folder, &lock));
    const jsn_status status = to_folders(job, list, count);
    (void)close(lock);
    return status;
}

static jsn_status undo(const char *folder, const char *data, size_t *moved)
{
    relabelling r;
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, JSNI_AUDIT_UNDO, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: there is nothing to move back (no " JSNI_AUDIT_UNDO
                         "): nothing was moved, or all of it is back",
                         folder);
    JSNI_TRY(open_root(&r, folder, data));
    jsn_status status = jsni_moves_run(r.root, folder, JSNI_MOVES_BACK, moved);
    if (status == JSN_OK)
        status = jsni_file_rename(folder, JSNI_AUDIT_UNDO, "undone.csv");
    close_data(&r);
    return status;
}

jsn_status jsn_labels_undo(const char *folder, const char *data, size_t *moved)
{
    JSNI_NEED(folder);
    JSNI_NEED(moved);
    int lock = -1;
    *moved = 0;
    JSNI_TRY(jsni_audit_need(folder, JSNI_AUDIT_SCORES));
    JSNI_TRY(lock_moves(folder, &lock));
    const jsn_status status = undo(folder, data, moved);
    (void)close(lock);
    return status;
}
