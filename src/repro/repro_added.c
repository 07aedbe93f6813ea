/* repro/repro_added.c - rows beside the paper's: a loss of the user's in every column of a
 * result, trained as CE is there, since its learning rate and weight decay are nobody's
 * choice for another loss. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "jensen/loss.h"
#include "repro/repro_impl.h"

static const char method[] = "ce"; /* whose recipe an added row has */

/* Length of the first spec of "gce:q=0.7,sce:alpha=0.1,beta=1": a comma belongs to it when
 * "key=" follows. */
static size_t spec_length(const char *list)
{
    size_t length = strcspn(list, ",");
    while (list[length] == ',') {
        const char *next = list + length + 1;
        const size_t key = strcspn(next, "=:,+*");
        if (next[key] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return length;
}

static jsn_status add_row(jsni_repro_cells *cells, size_t paper, const char *spec)
{
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->items[i].row, spec) == 0)
            return jsni_fail(JSN_ERR_ARGUMENT, "--add-loss '%s': %s has that row", spec,
                             cells->info->name);
    for (size_t i = 0; i < paper; i++) {
        const jsni_repro_cell *from = &cells->items[i];
        if (strcmp(from->recipe.method, method) != 0)
            continue;
        jsni_repro_cell *to = &cells->items[cells->count++];
        *to = *from;
        (void)strcpy(to->loss, spec);
        (void)strcpy(to->row, spec);
        to->printed = 0;
        to->paper = to->paper_deviation = NAN;
        to->paper_runs = 0;
        to->paper_bold = false;
    }
    return JSN_OK;
}

/* Whether each column has a row of CE. */
static jsn_status check_columns(const jsni_repro_cells *cells)
{
    bool found = cells->info->row != NULL && strcmp(cells->info->row, "{method}") == 0;
    for (size_t i = 0; found && i < cells->count; i++) {
        found = false;
        for (size_t k = 0; k < cells->count; k++)
            found =
                found || (strcmp(cells->items[k].recipe.method, method) == 0 &&
                          jsni_repro_same_column(&cells->items[i], &cells->items[k]));
    }
    return found ? JSN_OK
                 : jsni_fail(JSN_ERR_ARGUMENT,
                             "--add-loss: the rows of %s are not losses with CE among "
                             "them; table1 has such rows",
                             cells->info->name);
}

jsn_status jsni_repro_cells_add(jsni_repro_cells *cells, const char *list)
{
    const size_t paper = cells->count;
    size_t specs = 0;
    JSNI_TRY(check_columns(cells));
    for (const char *at = list; *at != '\0'; specs++)
        at += spec_length(at) + (at[spec_length(at)] == ',');
    jsni_repro_cell *items = jsni_alloc_zero((1 + specs) * paper, sizeof *items);
    JSNI_TRY_ALLOC(items);
    memcpy(items, cells->items, paper * sizeof *items);
    jsni_free(cells->items);
    cells->items = items;
    for (const char *at = list; *at != '\0';) {
        char spec[JSNI_REPRO_LABEL];
        const size_t length = spec_length(at);
        if (length >= sizeof spec)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--add-loss '%.*s': at most %d letters per loss",
                             (int)length, at, JSNI_REPRO_LABEL - 1);
        (void)jsni_format(spec, sizeof spec, "%.*s", (int)length, at);
        JSNI_TRY(jsn_loss_check(spec, NULL));
        JSNI_TRY(add_row(cells, paper, spec));
        at += length + (at[length] == ',');
    }
    return JSN_OK;
}
