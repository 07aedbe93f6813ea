/* review/label_export.c - labels for other programs, by a format of the table. Knows no format by
 * name. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/names.h"
#include "review/label_format.h"

#define FORMAT_ROW(id) &jsni_label_format_##id,
static const jsni_label_format *const table[] = {JSNI_LABEL_FORMAT_LIST(FORMAT_ROW)};
#undef FORMAT_ROW

jsn_entry jsni_label_format_entry(size_t index)
{
    if (index >= JSNI_COUNT_OF(table))
        return (jsn_entry){0};
    return (jsn_entry){.name = table[index]->info.name,
                       .summary = table[index]->info.summary};
}

jsn_status jsni_label_format_find(const char *name, const jsni_label_format **out)
{
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++) {
        jsni_names_add(&names, table[i]->info.name);
        if (strcmp(name, table[i]->info.name) == 0) {
            *out = table[i];
            return JSN_OK;
        }
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "labels: no format '%s'",
                           names.word);
}

jsn_status jsni_label_file_write(const jsni_label_sheet *sheet, const char *file,
                                 const char *text, size_t length)
{
    const char *folder = sheet->session->folder, *name = strrchr(file, '/');
    size_t above = name == NULL ? 0 : (size_t)(name - file), own = strlen(folder);
    while (above > 1 && file[above - 1] == '/')
        above--;
    while (own > 1 && folder[own - 1] == '/')
        own--;
    return name != NULL && above == own && strncmp(file, folder, own) == 0
               ? jsni_file_write_in(folder, name + 1, text, length)
               : jsni_file_write(file, text, length);
}

jsn_status jsni_label_json_write(const jsni_label_sheet *sheet, const char *file,
                                 jsni_json_writer *writer)
{
    char *text = NULL;
    jsn_status status = jsni_json_writer_take(writer, &text);
    jsni_json_writer_destroy(writer);
    if (status == JSN_OK)
        status = jsni_label_file_write(sheet, file, text, strlen(text));
    jsni_free(text);
    return status;
}

/* Of a path without the last dot and what follows it; a name that begins with its only dot
 * has no ending. */
static size_t bare_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name ? strlen(path) : (size_t)(dot - path);
}

jsn_status jsni_bare_names_make(jsni_bare_names *out, const char *const *paths,
                                size_t count)
{
    jsn_status status = JSN_OK;
    *out = (jsni_bare_names){0};
    out->names = jsni_alloc_zero(count, sizeof *out->names);
    JSNI_TRY_ALLOC(out->names);
    for (; status == JSN_OK && out->count < count; out->count++) {
        const char *path = paths[out->count];
        out->names[out->count] = jsni_text_copy_n(path, bare_length(path));
        if (out->names[out->count] == NULL)
            status = JSN_ERR_MEMORY;
    }
    if (status == JSN_OK)
        status =
            jsni_name_index_make(&out->index, (const char *const *)out->names, count);
    for (size_t i = 1; status == JSN_OK && i < count; i++)
        if (strcmp(out->index.list[i - 1].name, out->index.list[i].name) == 0)
            status = jsni_fail(JSN_ERR_DATA,
                               "'%.200s' and '%.200s': this format names images "
                               "without their endings, and cannot tell them apart",
                               paths[out->index.list[i - 1].at],
                               paths[out->index.list[i].at]);
    if (status != JSN_OK)
        jsni_bare_names_release(out);
    return status;
}

void jsni_bare_names_release(jsni_bare_names *names)
{
    for (size_t i = 0; names->names != NULL && i < names->count; i++)
        jsni_free(names->names[i]);
    jsni_free(names->names);
    jsni_name_index_release(&names->index);
    *names = (jsni_bare_names){0};
}

/* How the image stands: false when it was removed. Locked. */
static bool make_item(const jsni_session *s, uint32_t sample, jsni_label_item *out)
{
    const jsni_audited *a = &s->audited;
    *out = (jsni_label_item){.sample = sample,
                             .path = a->paths[sample],
                             .given = a->names[a->labels[sample]],
                             .suggested = "",
                             .kind = jsn_audit_kind_name(JSN_AUDIT_NONE)};
    out->label = out->given;
    if (!jsni_session_is_decided(s, sample))
        return true;
    const jsni_decided_row *row = &s->rows[s->latest[sample] - 1];
    if (row->what == JSNI_DECISION_RELABEL)
        out->label = a->names[row->label];
    out->answered = true;
    out->unsure = row->what == JSNI_DECISION_UNSURE;
    return row->what != JSNI_DECISION_REMOVE;
}

/* The suspects, the worst first; with `all` the other images behind them. Locked. */
static size_t list_items(const jsni_session *s, bool all, bool *listed,
                         jsni_label_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const jsni_suspect *suspect = &s->suspects[i];
        jsni_label_item *item = &items[count];
        if (listed[suspect->sample]) /* a suspect label on an image that is at fault */
            continue;
        listed[suspect->sample] = true;
        if (!make_item(s, suspect->sample, item))
            continue;
        item->score = (double)suspect->score;
        item->kind = suspect->kind;
        if (suspect->suggested >= 0)
            item->suggested = s->audited.names[suspect->suggested];
        count++;
    }
    for (uint32_t i = 0; all && i < s->audited.samples; i++)
        if (!listed[i] && make_item(s, i, &items[count]))
            count++;
    return count;
}

static jsn_status write_sheet(jsni_session *s, const jsn_labels_exchange *job,
                              const jsni_label_format *format, size_t *images)
{
    bool *listed = jsni_alloc_zero(s->audited.samples, sizeof *listed);
    jsni_label_item *items = jsni_alloc(s->audited.samples, sizeof *items);
    jsn_status status = JSN_ERR_MEMORY;
    if (listed != NULL && items != NULL) {
        jsni_session_lock(s);
        *images = list_items(s, job->all, listed, items);
        jsni_session_unlock(s);
        const jsni_label_sheet sheet = {s, items, *images, job->prefix};
        status = format->write(&sheet, job->file);
    }
    jsni_free(items);
    jsni_free(listed);
    return status;
}

void jsn_labels_exchange_init(jsn_labels_exchange *job)
{
    if (job != NULL)
        *job = (jsn_labels_exchange){.prefix = "/data/local-files/?d="};
}

jsn_status jsn_labels_export(const jsn_labels_exchange *job, size_t *images)
{
    JSNI_NEED(job);
    JSNI_NEED(job->folder);
    JSNI_NEED(job->file);
    JSNI_NEED(job->format);
    JSNI_NEED(job->prefix);
    JSNI_NEED(images);
    const jsni_label_format *format = NULL;
    jsni_session *session = NULL;
    JSNI_TRY(jsni_label_format_find(job->format, &format));
    JSNI_TRY(jsni_session_open(&session, job->folder, job->data, job->logger));
    const jsn_status status = write_sheet(session, job, format, images);
    jsni_session_close(session);
    return status;
}
