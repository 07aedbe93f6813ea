/* format/csv_match.c - see csv_match.h. */
#include "format/csv_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

typedef struct named {
    const char *name;
    size_t row;
    size_t taken; /* of the first row of a name: how many of its rows are */
} named;

static int by_name_and_row(const void *a, const void *b)
{
    const size_t x = ((const named *)a)->row, y = ((const named *)b)->row;
    const int order = strcmp(((const named *)a)->name, ((const named *)b)->name);
    return order != 0 ? order : (x > y) - (x < y);
}

/* The first row of the name; NULL: none. */
static named *find_first(named *sorted, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(sorted[low].name, name) == 0 ? &sorted[low] : NULL;
}

static size_t next_row(named *sorted, size_t count, const char *name)
{
    named *first = find_first(sorted, count, name);
    if (first == NULL)
        return JSNI_NO_ROW;
    const named *row = first + first->taken;
    if (row + 1 < sorted + count && strcmp(row[1].name, name) == 0)
        first->taken++;
    return row->row;
}

jsn_status jsni_csv_match(const jsni_csv *csv, size_t column, const char *const *names,
                          size_t count, size_t *rows)
{
    const size_t all = jsni_csv_rows(csv);
    named *sorted = jsni_alloc(all, sizeof *sorted);
    JSNI_TRY_ALLOC(sorted);
    for (size_t i = 0; i < all; i++)
        sorted[i] = (named){jsni_csv_cell(csv, i, column), i, 0};
    if (all > 1)
        qsort(sorted, all, sizeof *sorted, by_name_and_row);
    for (size_t i = 0; i < count; i++)
        rows[i] = next_row(sorted, all, names[i]);
    jsni_free(sorted);
    return JSN_OK;
}
