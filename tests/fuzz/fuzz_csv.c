/* Fuzz target: CSV. What is accepted is written out and read again to the same cells, its rows
 * stand in later and later lines, and are found again by any of their columns.
 * covers: format/csv.c format/csv_match.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "format/csv.h"
#include "format/csv_match.h"

static char *text_of(const jsni_csv *csv)
{
    jsni_csv_writer writer = {0};
    char *text = NULL;
    for (size_t c = 0; c < jsni_csv_columns(csv); c++)
        jsni_csv_add(&writer, jsni_csv_column_name(csv, c));
    jsni_csv_end_row(&writer);
    for (size_t r = 0; r < jsni_csv_rows(csv); r++) {
        for (size_t c = 0; c < jsni_csv_columns(csv); c++)
            jsni_csv_add(&writer, jsni_csv_cell(csv, r, c));
        jsni_csv_end_row(&writer);
    }
    FUZZ_CHECK(jsni_text_take(&writer.text, &text) == JSN_OK);
    return text;
}

enum { ROWS = 300 };

/* Numbers are those that a double or an int64 holds; anything else is said to be none. */
static void check_cells(const jsni_csv *csv)
{
    size_t line = 0, column = 0;
    for (size_t r = 0; r < jsni_csv_rows(csv); r++) {
        int64_t whole = 0;
        double real = 0.0;
        FUZZ_CHECK(jsni_csv_line(csv, r) > line);
        line = jsni_csv_line(csv, r);
        if (r >= 4) /* sentences take long */
            continue;
        const jsn_status is_real = jsni_csv_real(csv, r, 0, &real);
        const jsn_status is_whole = jsni_csv_int(csv, r, 0, &whole);
        FUZZ_CHECK(is_real == JSN_OK || is_real == JSN_ERR_DATA);
        FUZZ_CHECK(is_whole == JSN_OK || is_whole == JSN_ERR_DATA);
        FUZZ_CHECK(is_whole != JSN_OK || is_real != JSN_OK || real == (double)whole);
    }
    FUZZ_CHECK(jsni_csv_find(csv, jsni_csv_column_name(csv, 0), &column) == JSN_OK &&
               column == 0);
    (void)!jsni_csv_find(csv, "path", &column);
}

/* The n-th time that a name is asked for, it is the n-th row of that name. */
static void check_match(const jsni_csv *csv, size_t column)
{
    const char *names[ROWS + 1];
    size_t rows[ROWS + 1], count = jsni_csv_rows(csv);
    count = count < ROWS ? count : ROWS;
    for (size_t r = 0; r < count; r++)
        names[r] = jsni_csv_cell(csv, r, column);
    names[count] = "no such name, ever";
    FUZZ_CHECK(jsni_csv_match(csv, column, names, count + 1, rows) == JSN_OK);
    for (size_t r = 0; r < count; r++)
        FUZZ_CHECK(rows[r] == r);
    FUZZ_CHECK(rows[count] == JSNI_NO_ROW);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_csv *csv = NULL, *again = NULL;
    const jsn_status status =
        jsni_csv_parse(&csv, "fuzz", (const char *)data, size, ',');
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    if (status != JSN_OK)
        return 0;
    check_cells(csv);
    check_match(csv, jsni_csv_columns(csv) - 1);
    char *text = text_of(csv);
    FUZZ_CHECK(jsni_csv_parse(&again, "again", text, strlen(text), ',') == JSN_OK);
    FUZZ_CHECK(jsni_csv_rows(again) == jsni_csv_rows(csv));
    char *second = text_of(again);
    FUZZ_CHECK(strcmp(text, second) == 0);
    jsni_free(second);
    jsni_free(text);
    jsni_csv_destroy(again);
    jsni_csv_destroy(csv);
    return 0;
}
