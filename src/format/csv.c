/* format/csv.c - see csv.h. Cells are unquoted in place, in the block that was read, and
 * found through a list of 32-bit places, row after row, the header first: long tables
 * cost little more than their bytes. */
#include "format/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/limit.h"
#include "core/number.h"
#include "core/text.h"
#include "core/words.h"
#include "format/compressed.h"

/* From row `row` on (0: the header), rows begin at the line of their number + `by`:
 * cells may hold line ends. */
typedef struct shift {
    size_t row, by;
} shift;

struct jsni_csv {
    char *name;
    char *block;
    uint32_t *cells; /* [1 + rows][columns], where they start in the block */
    size_t cell_count;
    size_t cell_room;
    shift *shifts; /* [shift_count], in order */
    size_t shift_count;
    size_t shift_room;
    size_t rows; /* with the header */
    size_t columns;
};

typedef struct reader {
    jsni_csv *csv;
    char *at;
    char *end; /* there is a NUL */
    char separator;
    size_t line;
} reader;

static jsn_status refuse(const reader *r, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: %s", r->csv->name, r->line, what);
}

/* Half as much again, since doubling a long list wastes half of it. */
static size_t more_room(size_t room)
{
    return room < 64 ? 64 : room + room / 2;
}

static jsn_status push_cell(jsni_csv *csv, const char *cell)
{
    if (csv->cell_count == csv->cell_room) {
        const size_t room = more_room(csv->cell_room);
        uint32_t *cells = jsni_realloc(csv->cells, room, sizeof *cells);
        JSNI_TRY_ALLOC(cells);
        csv->cells = cells;
        csv->cell_room = room;
    }
    csv->cells[csv->cell_count++] = (uint32_t)(cell - csv->block);
    return JSN_OK;
}

/* Notes that row `rows` begins in `line`. */
static jsn_status push_line(jsni_csv *csv, size_t line)
{
    const size_t by = line - csv->rows;
    if (csv->shift_count > 0 && csv->shifts[csv->shift_count - 1].by == by)
        return JSN_OK;
    if (csv->shift_count == csv->shift_room) {
        const size_t room = more_room(csv->shift_room);
        shift *shifts = jsni_realloc(csv->shifts, room, sizeof *shifts);
        JSNI_TRY_ALLOC(shifts);
        csv->shifts = shifts;
        csv->shift_room = room;
    }
    csv->shifts[csv->shift_count++] = (shift){csv->rows, by};
    return JSN_OK;
}

/* Behind the opening quote: unquotes in place. */
static jsn_status parse_quoted(reader *r, char **cell)
{
    char *to = r->at;
    const size_t first = r->line;
    *cell = to;
    for (;;) {
        if (r->at == r->end) {
            r->line = first;
            return refuse(r, "a cell without its closing quote");
        }
        const char c = *r->at++;
        if (c == '"' && *r->at != '"') {
            if (r->at < r->end && *r->at != r->separator && *r->at != '\n' &&
                *r->at != '\r')
                return refuse(r, "text after a closing quote");
            /* The terminator lands on or before the closing quote. */
            *to = '\0';
            return JSN_OK;
        }
        if (c == '"')
            r->at++;
        r->line += c == '\n';
        *to++ = c;
    }
}

/* One cell and the separator or line end behind it; *last: it ended the row. */
static jsn_status parse_cell(reader *r, bool *last)
{
    char *cell = r->at;
    if (*r->at == '"' && r->at < r->end) {
        r->at++;
        JSNI_TRY(parse_quoted(r, &cell));
    } else {
        while (r->at < r->end && *r->at != r->separator && *r->at != '\n' &&
               *r->at != '\r')
            if (*r->at++ == '"')
                return refuse(r, "a quote inside a cell that is not quoted");
    }
    char *stop = r->at;
    *last = stop == r->end || *stop != r->separator;
    if (stop < r->end) {
        if (*stop == '\r' && stop[1] != '\n')
            return refuse(r, "a carriage return without a line feed");
        r->at += *stop == '\r' ? 2 : 1;
        r->line += *last;
        *stop = '\0';
    }
    return push_cell(r->csv, cell);
}

static jsn_status parse_row(reader *r)
{
    jsni_csv *csv = r->csv;
    const size_t first = csv->cell_count, line = r->line;
    if (csv->rows > jsni_limit(JSNI_LIMIT_ROWS))
        return jsni_limit_fail(JSNI_LIMIT_ROWS, "%s", csv->name);
    JSNI_TRY(push_line(csv, line));
    csv->rows++;
    for (bool last = false; !last;) {
        if (csv->cell_count - first == JSNI_CSV_MAX_COLUMNS)
            return refuse(r, "too many cells in a row");
        JSNI_TRY(parse_cell(r, &last));
    }
    const size_t cells = csv->cell_count - first;
    if (first == 0)
        csv->columns = cells;
    if (cells != csv->columns)
        return jsni_fail(JSN_ERR_DATA, "%s:%zu: %zu %s, the header has %zu", csv->name,
                         line, cells, jsni_noun(cells, "cell", "cells"), csv->columns);
    return JSN_OK;
}

static jsn_status check_names(const reader *r)
{
    const jsni_csv *csv = r->csv;
    for (size_t i = 0; i < csv->columns; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(jsni_csv_column_name(csv, i), jsni_csv_column_name(csv, k)) == 0)
                return jsni_fail(JSN_ERR_DATA, "%s:1: two columns are named '%.100s'",
                                 csv->name, jsni_csv_column_name(csv, i));
    return JSN_OK;
}

/* Takes off blank lines at the end; but a table of one column may end in empty cells only when
 * they are quoted. A carriage return at the very end is the half of a line end. What else
 * holds one is left to the rows: another row may be added behind it. */
static void drop_blank_lines(reader *r)
{
    r->end -= r->end > r->at && r->end[-1] == '\r';
    while (r->end > r->at && r->end[-1] == '\n') {
        r->end--;
        r->end -= r->end > r->at && r->end[-1] == '\r';
    }
}

static jsn_status parse_table(reader *r)
{
    if (memchr(r->at, '\0', (size_t)(r->end - r->at)) != NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: holds a NUL byte, so it is not a text file",
                         r->csv->name);
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
    drop_blank_lines(r);
    *r->end = '\0';
    if (r->at == r->end)
        return jsni_fail(JSN_ERR_DATA, "%s: holds no header row", r->csv->name);
    JSNI_TRY(parse_row(r));
    JSNI_TRY(check_names(r));
    while (r->at < r->end)
        JSNI_TRY(parse_row(r));
    return JSN_OK;
}

/* Takes `block` over, also on failure; there is a NUL behind its `length` bytes. */
static jsn_status build(jsni_csv **out, const char *name, char *block, size_t length,
                        char separator)
{
    jsn_status status = JSN_ERR_MEMORY;
    jsni_csv *csv = jsni_alloc_zero(1, sizeof *csv);
    if (csv == NULL) {
        jsni_free(block);
        return JSN_ERR_MEMORY;
    }
    csv->block = block;
    csv->name = jsni_text_copy(name);
    if (csv->name != NULL) {
        reader r = {csv, csv->block, csv->block + length, separator, 1};
        status = length < UINT32_MAX
                     ? parse_table(&r)
                     : jsni_fail(JSN_ERR_DATA, "%s: more than 4 GiB", name);
    }
    if (status == JSN_OK)
        *out = csv;
    else
        jsni_csv_destroy(csv);
    return status;
}

jsn_status jsni_csv_parse(jsni_csv **out, const char *name, const char *data,
                          size_t length, char separator)
{
    *out = NULL;
    char *block = jsni_alloc(length + 1, 1);
    JSNI_TRY_ALLOC(block);
    memcpy(block, data, length);
    block[length] = '\0';
    return build(out, name, block, length, separator);
}

jsn_status jsni_csv_read(jsni_csv **out, const char *path)
{
    char *data = NULL;
    size_t length = 0;
    *out = NULL;
    JSNI_TRY(jsni_file_read_any(path, &data, &length));
    return build(out, path, data, length, ',');
}

jsn_status jsni_csv_read_in(jsni_csv **out, const char *folder, const char *name)
{
    char *data = NULL;
    size_t length = 0;
    *out = NULL;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_limit_read(JSNI_LIMIT_FILE, folder, name, &data, &length);
    if (status == JSN_OK)
        status = build(out, path, data, length, ',');
    jsni_free(path);
    return status;
}

void jsni_csv_destroy(jsni_csv *csv)
{
    if (csv == NULL)
        return;
    jsni_free(csv->shifts);
    jsni_free(csv->cells);
    jsni_free(csv->block);
    jsni_free(csv->name);
    jsni_free(csv);
}

size_t jsni_csv_rows(const jsni_csv *csv)
{
    return csv->rows - 1;
}

size_t jsni_csv_columns(const jsni_csv *csv)
{
    return csv->columns;
}

const char *jsni_csv_column_name(const jsni_csv *csv, size_t column)
{
    return csv->block + csv->cells[column];
}

bool jsni_csv_has(const jsni_csv *csv, const char *name, size_t *column)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(jsni_csv_column_name(csv, i), name) == 0) {
            *column = i;
            return true;
        }
    return false;
}

jsn_status jsni_csv_find(const jsni_csv *csv, const char *name, size_t *column)
{
    char names[300];
    if (jsni_csv_has(csv, name, column))
        return JSN_OK;
    jsni_text list = jsni_text_in(names, sizeof names);
    for (size_t i = 0; i < csv->columns; i++)
        jsni_text_item(&list, jsni_csv_column_name(csv, i));
    const char mark = csv->columns == 1 ? names[strcspn(names, ";\t")] : '\0';
    return jsni_fail(JSN_ERR_DATA, "%s: no column '%s' (there are: %s)%s", csv->name,
                     name, names,
                     mark == '\0'  ? ""
                     : mark == ';' ? "; cells are separated by commas, not by ';'"
                                   : "; cells are separated by commas, not by tabs");
}

const char *jsni_csv_cell(const jsni_csv *csv, size_t row, size_t column)
{
    return csv->block + csv->cells[(row + 1) * csv->columns + column];
}

size_t jsni_csv_line(const jsni_csv *csv, size_t row)
{
    size_t low = 0, high = csv->shift_count; /* the last shift at or before the row */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (csv->shifts[middle].row <= row + 1)
            low = middle;
        else
            high = middle;
    }
    return row + 1 + csv->shifts[low].by;
}

static jsn_status no_number(const jsni_csv *csv, size_t row, size_t column,
                            const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: column '%s' is '%.60s', not %s", csv->name,
                     jsni_csv_line(csv, row), jsni_csv_column_name(csv, column),
                     jsni_csv_cell(csv, row, column), what);
}

jsn_status jsni_csv_int(const jsni_csv *csv, size_t row, size_t column, int64_t *out)
{
    const char *cell = jsni_csv_cell(csv, row, column);
    return jsni_number_int(cell, strlen(cell), out)
               ? JSN_OK
               : no_number(csv, row, column, "a whole number");
}

jsn_status jsni_csv_real(const jsni_csv *csv, size_t row, size_t column, double *out)
{
    const char *cell = jsni_csv_cell(csv, row, column);
    return jsni_number_real(cell, strlen(cell), out)
               ? JSN_OK
               : no_number(csv, row, column, "a number");
}

void jsni_csv_add(jsni_csv_writer *writer, const char *cell)
{
    jsni_text *text = &writer->text;
    const size_t length = strlen(cell);
    if (writer->cells++ > 0)
        jsni_text_add(text, ",");
    /* A cell that starts with a byte-order mark would lose it at the start of a file. */
    const bool bare = length > 0 && strpbrk(cell, "\",\r\n") == NULL &&
                      cell[0] != ' ' && cell[length - 1] != ' ' &&
                      strncmp(cell, "\xef\xbb\xbf", 3) != 0;
    if (bare || (length == 0 && writer->cells > 1)) {
        jsni_text_add(text, cell);
        return;
    }
    jsni_text_add(text, "\"");
    for (const char *quote = strchr(cell, '"'); quote != NULL;
         quote = strchr(cell, '"')) {
        jsni_text_add_n(text, cell, (size_t)(quote - cell) + 1);
        jsni_text_add(text, "\"");
        cell = quote + 1;
    }
    jsni_text_add(text, cell);
    jsni_text_add(text, "\"");
}

void jsni_csv_add_int(jsni_csv_writer *writer, int64_t value)
{
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%lld", (long long)value);
    jsni_csv_add(writer, digits);
}

void jsni_csv_add_real(jsni_csv_writer *writer, double value)
{
    char digits[JSNI_NUMBER_TEXT] = "nan";
    if (isinf(value))
        (void)snprintf(digits, sizeof digits, "%s", value > 0 ? "inf" : "-inf");
    else if (isfinite(value))
        jsni_number_format(value, digits);
    jsni_csv_add(writer, digits);
}

void jsni_csv_end_row(jsni_csv_writer *writer)
{
    jsni_text_add(&writer->text, "\n");
    writer->cells = 0;
}
