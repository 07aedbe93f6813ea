/* review/decisions.c - see decisions.h. */
#include "review/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_log.h"
#include "core/limit.h"
#include "review/review_impl.h"

#define NAME_ENTRY(code, name) name,
static const char *const names[] = {JSNI_DECISION_LIST(NAME_ENTRY)};
#undef NAME_ENTRY

const char *jsni_decision_name(jsni_decision decision)
{
    return names[decision];
}

jsni_decision jsni_decision_find(const char *name)
{
    int found = 0;
    while (found < JSNI_DECISION_KINDS && strcmp(names[found], name) != 0)
        found++;
    return (jsni_decision)found;
}

static jsn_status list_rows(jsni_decisions *out)
{
    size_t path = 0, what = 0, label = 0, when = 0;
    JSNI_TRY(jsni_csv_find(out->csv, "path", &path));
    JSNI_TRY(jsni_csv_find(out->csv, "decision", &what));
    JSNI_TRY(jsni_csv_find(out->csv, "label", &label));
    const bool timed = jsni_csv_has(out->csv, "time", &when);
    const size_t rows = jsni_csv_rows(out->csv);
    JSNI_TRY_ALLOC(out->list = jsni_alloc(rows, sizeof *out->list));
    for (size_t i = 0; i < rows; i++) {
        const char *name = jsni_csv_cell(out->csv, i, what);
        const jsni_decided d = {
            jsni_csv_cell(out->csv, i, path), jsni_csv_cell(out->csv, i, label),
            timed ? jsni_csv_cell(out->csv, i, when) : "", jsni_decision_find(name), i};
        if (d.what == JSNI_DECISION_KINDS)
            return jsni_fail(
                JSN_ERR_DATA,
                "%s:%zu: no decision '%.40s'; keep, relabel, unsure, remove or undo",
                JSNI_AUDIT_DECISIONS, jsni_csv_line(out->csv, i), name);
        out->list[out->count++] = d;
    }
    return JSN_OK;
}

jsn_status jsni_decisions_parse(jsni_decisions *out, const char *text, size_t length)
{
    *out = (jsni_decisions){0};
    const size_t whole = jsni_file_log_whole(text, length, JSNI_DECISIONS_CELLS);
    jsn_status status =
        jsni_csv_parse(&out->csv, JSNI_AUDIT_DECISIONS, text, whole, ',');
    if (status == JSN_OK)
        status = list_rows(out);
    if (status != JSN_OK)
        jsni_decisions_release(out);
    return status;
}

static int by_path(const void *left, const void *right)
{
    const jsni_decided *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->row < b->row ? -1 : 1);
}

/* Leaves the last row of each path. */
static void keep_last(jsni_decisions *d)
{
    size_t kept = 0;
    if (d->count > 1) /* without rows there is no list */
        qsort(d->list, d->count, sizeof *d->list, by_path);
    for (size_t i = 0; i < d->count; i++)
        if ((i + 1 == d->count || strcmp(d->list[i].path, d->list[i + 1].path) != 0) &&
            d->list[i].what != JSNI_DECISION_UNDO)
            d->list[kept++] = d->list[i];
    d->count = kept;
}

jsn_status jsni_decisions_read(jsni_decisions *out, const char *folder)
{
    char *text = NULL;
    size_t length = 0;
    bool there = false;
    *out = (jsni_decisions){0};
    JSNI_TRY(jsni_file_find(folder, JSNI_AUDIT_DECISIONS, &there));
    if (!there)
        return JSN_OK;
    JSNI_TRY(
        jsni_limit_read(JSNI_LIMIT_FILE, folder, JSNI_AUDIT_DECISIONS, &text, &length));
    jsn_status status = JSN_OK;
    if (length > 0) /* else it was made, and nothing was decided */
        status = jsni_decisions_parse(out, text, length);
    jsni_free(text);
    if (status == JSN_OK)
        keep_last(out);
    return status;
}

void jsni_decisions_release(jsni_decisions *decisions)
{
    jsni_free(decisions->list);
    jsni_csv_destroy(decisions->csv);
    *decisions = (jsni_decisions){0};
}

static int path_order(const void *key, const void *entry)
{
    return strcmp(key, ((const jsni_decided *)entry)->path);
}

const jsni_decided *jsni_decisions_of(const jsni_decisions *decisions, const char *path)
{
    return decisions->count == 0 ? NULL
                                 : bsearch(path, decisions->list, decisions->count,
                                           sizeof *decisions->list, path_order);
}
