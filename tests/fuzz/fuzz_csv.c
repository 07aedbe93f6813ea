/* Fuzz target: CSV. What is accepted is written out and read again to the same cells.
 * covers: format/csv.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "format/csv.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_csv *csv = NULL, *again = NULL;
    const jsn_status status =
        jsni_csv_parse(&csv, "fuzz", (const char *)data, size, ',');
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    if (status != JSN_OK)
        return 0;
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
