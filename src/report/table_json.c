/* report/table_json.c - one object for machines: caption, note, and a row an object with the
 * columns of the CSV as its keys; numbers in full, null where a cell is empty. "best" lists
 * the columns that are set in bold, "marks" the signs behind values. */
#include "report/table.h"

#include <math.h>

#include "core/alloc.h"
#include "core/json.h"
#include "jensen/option.h"

/* What writes a table: `title` is used again for each cell. */
typedef struct json_table {
    const jsni_table *table;
    jsni_json_writer *w;
    jsn_status status;
} json_table;

/* "group title suffix", owned by the caller; NULL: no memory. */
static char *title_of(json_table *t, size_t column, const char *suffix)
{
    const jsni_table_head *head = &t->table->columns[column];
    jsni_text title = {0};
    char *out = NULL;
    if (head->group != NULL)
        jsni_text_format(&title, "%s ", head->group);
    jsni_text_format(&title, "%s%s", head->title, suffix);
    const jsn_status status = jsni_text_take(&title, &out);
    t->status = t->status == JSN_OK ? status : t->status;
    return status == JSN_OK ? out : NULL;
}

static void put_cell(json_table *t, const jsni_cell *cell, size_t column)
{
    char *title = title_of(t, column, "");
    if (title == NULL)
        return;
    if (cell->text != NULL)
        jsni_json_put_text(t->w, title, cell->text);
    else
        jsni_json_put_real(t->w, title, cell->mean);
    jsni_free(title);
    if (isnan(cell->deviation) || (title = title_of(t, column, " deviation")) == NULL)
        return;
    jsni_json_put_real(t->w, title, cell->deviation);
    jsni_free(title);
}

/* Titles of bold cells as a list, or signs of marked ones by title. */
static void put_signs(json_table *t, size_t row, bool marks)
{
    bool begun = false;
    for (size_t c = 0; c < t->table->column_count; c++) {
        const jsni_cell *cell = jsni_table_at(t->table, row, c);
        char *title = NULL;
        if (marks ? cell->mark == NULL : !cell->bold)
            continue;
        if (!begun && marks)
            jsni_json_begin_object(t->w, "marks");
        else if (!begun)
            jsni_json_begin_array(t->w, "best");
        begun = true;
        if ((title = title_of(t, c, "")) == NULL)
            continue;
        if (marks)
            jsni_json_put_text(t->w, title, cell->mark);
        else
            jsni_json_put_text(t->w, NULL, title);
        jsni_free(title);
    }
    if (begun)
        jsni_json_end(t->w);
}

static void put_table(json_table *t)
{
    jsni_json_begin_object(t->w, NULL);
    jsni_json_put_text(t->w, "caption", t->table->caption);
    jsni_json_put_text(t->w, "note", t->table->note);
    jsni_json_begin_array(t->w, "rows");
    for (size_t row = 0; row < jsni_table_rows(t->table); row++) {
        jsni_json_begin_object(t->w, NULL);
        for (size_t c = 0; c < t->table->column_count; c++)
            put_cell(t, jsni_table_at(t->table, row, c), c);
        put_signs(t, row, false);
        put_signs(t, row, true);
        jsni_json_end(t->w);
    }
    jsni_json_end(t->w);
    jsni_json_end(t->w);
}

static void write_table(jsni_text *out, const jsni_table *table)
{
    json_table t = {.table = table};
    char *text = NULL;
    t.status = jsni_json_writer_create(&t.w, 0);
    if (t.status == JSN_OK) {
        put_table(&t);
        const jsn_status taken = jsni_json_writer_take(t.w, &text);
        t.status = t.status == JSN_OK ? taken : t.status;
    }
    if (t.status == JSN_OK)
        jsni_text_format(out, "%s\n", text);
    else
        out->status = t.status;
    jsn_text_release(text);
    jsni_json_writer_destroy(t.w);
}

const jsni_table_format jsni_table_format_json = {"json", "json", write_table};
