/* review/label_format_csv.c - a table, for a spreadsheet or for 'jensen train --labels'. An
 * image whose label is made empty is removed. */
#include "core/fail.h"
#include "review/label_format.h"

static jsn_status write_sheet(const jsni_label_sheet *sheet, const char *file)
{
    static const char *const columns[] = {"path",      "label", "given",
                                          "suggested", "score", "kind"};
    jsni_csv_writer csv = {0};
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        jsni_csv_add(&csv, columns[c]);
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < sheet->count; i++) {
        const jsni_label_item *item = &sheet->items[i];
        jsni_csv_add(&csv, item->path);
        jsni_csv_add(&csv, item->label);
        jsni_csv_add(&csv, item->given);
        jsni_csv_add(&csv, item->suggested);
        jsni_csv_add_real(&csv, item->score);
        jsni_csv_add(&csv, item->kind);
        jsni_csv_end_row(&csv);
    }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_label_file_write(sheet, file, csv.text.data, csv.text.length);
    jsni_text_release(&csv.text);
    return status;
}

static jsn_status read_file(const char *file, jsni_label_answer_fn *take, void *user)
{
    jsni_csv *csv = NULL;
    size_t path = 0, label = 0;
    JSNI_TRY(jsni_csv_read(&csv, file));
    jsn_status status = jsni_csv_find(csv, "path", &path);
    if (status == JSN_OK)
        status = jsni_csv_find(csv, "label", &label);
    for (size_t i = 0; status == JSN_OK && i < jsni_csv_rows(csv); i++) {
        const char *name = jsni_csv_cell(csv, i, label);
        const jsni_label_answer answer = {.image = jsni_csv_cell(csv, i, path),
                                          .label = name,
                                          .remove = *name == '\0',
                                          .line = jsni_csv_line(csv, i),
                                          .entry = i + 1};
        status = take(user, &answer);
    }
    jsni_csv_destroy(csv);
    return status;
}

const jsni_label_format jsni_label_format_csv = {
    .info = {"csv", "a table with the columns path,label"},
    .write = write_sheet,
    .read = read_file,
};
