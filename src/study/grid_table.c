/* study/grid_table.c - see grid.h: grids as tables, with Welch's intervals and rank
 * correlations of what is published. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "core/stats.h"
#include "core/words.h"
#include "study/grid.h"

jsni_grid_runs jsni_grid_count(const jsni_grid *grid)
{
    jsni_grid_runs n = {.least = JSNI_GRID_RUNS};
    for (size_t i = 0; i < grid->count; i++) {
        const jsni_grid_cell *c = &grid->items[i];
        n.least = c->count < n.least ? c->count : n.least;
        n.most = c->count > n.most ? c->count : n.most;
        /* Neighbours may be two numbers of the same runs. */
        if (i == 0 || strcmp(c->recipe.name, c[-1].recipe.name) != 0)
            n.failed += c->failed;
    }
    return n;
}

void jsni_grid_legend(const jsni_grid *grid, jsni_text *out)
{
    const jsni_grid_runs n = jsni_grid_count(grid);
    if (n.least == n.most)
        jsni_text_format(out, "%zu %s per cell.", n.most,
                         jsni_noun(n.most, "run", "runs"));
    else
        jsni_text_format(out, "%zu to %zu runs per cell.", n.least, n.most);
    if (n.failed > 0)
        jsni_text_format(out, " %zu %s failed; !: in a cell with others that did not.",
                         n.failed, jsni_noun(n.failed, "run", "runs"));
    if (!grid->unranked)
        jsni_text_add(out, n.most == 1 ? " No test is possible with one run: the best "
                                         "is bold."
                                       : " Bold: not different from the best by a "
                                         "two-sided t-test at 0.05.");
    jsni_text_add(out, " ~: near chance, not ranked.");
}

static void put_count(jsni_table *out, size_t count)
{
    (void)jsni_table_number(out, (double)count, NAN, 0);
}

/* Our mean; "2 failed", or `or_else` where nothing was run. */
static void put_ours(jsni_table *out, const jsni_grid_cell *c, const char *or_else)
{
    static const char *const marks[] = {NULL, "!", "~", "~!", "°", "°!", "°~", "°~!"};
    if (c->count > 0) {
        jsni_cell *cell = jsni_table_number(out, c->mean, c->deviation, 2);
        cell->bold = c->bold;
        cell->mark = marks[4 * c->unlike + 2 * c->near_chance + (c->failed > 0)];
        return;
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%zu failed", c->failed);
    (void)jsni_table_text(out, c->failed > 0 ? text : or_else);
}

void jsni_grid_table(const jsni_grid *grid, const char *caption, const char *note,
                     jsni_table *out)
{
    out->caption = caption;
    out->note = note;
    jsni_table_column(out, NULL, "", JSNI_ALIGN_LEFT);
    for (size_t i = 0, column = 0; i < grid->count; i++) {
        const jsni_grid_cell *c = &grid->items[i];
        if (c->at_column == column) {
            jsni_table_column(out, c->group[0] == '\0' ? NULL : c->group, c->column,
                              JSNI_ALIGN_RIGHT);
            column++;
        }
    }
    for (size_t r = 0; r < grid->rows; r++) {
        size_t first = 0;
        while (grid->items[first].at_row != r)
            first++;
        jsni_table_row(out);
        (void)jsni_table_text(out, grid->items[first].row);
        for (size_t k = 0; k < grid->columns; k++) {
            const jsni_grid_cell *c = jsni_grid_at(grid, r, k);
            if (c == NULL)
                (void)jsni_table_empty(out);
            else
                put_ours(out, c, "");
        }
    }
}

/* Welch's interval of the difference; false: none without two runs on both sides. */
static bool find_interval(const jsni_grid_cell *c, size_t runs, jsni_stats_test *test)
{
    double published[16];
    if (c->count < 2 || runs < 2 || runs > JSNI_COUNT_OF(published) ||
        isnan(c->published.deviation))
        return false;
    /* Numbers with exactly this mean and sample deviation: the test depends on nothing
     * else. */
    const double shift = c->published.deviation * sqrt(0.5 * (double)(runs - 1));
    for (size_t i = 0; i < runs; i++)
        published[i] = c->published.mean + (i == 0 ? -shift : i == 1 ? shift : 0.0);
    return jsni_stats_welch(test, c->values, c->count, published, runs, 0.95) == JSN_OK;
}

/* Difference and interval, in words for readers or as numbers for programs. */
static void put_difference(jsni_table *out, const jsni_grid_cell *c, size_t runs,
                           bool numbers)
{
    char text[64] = "", interval[64] = "";
    jsni_stats_test test = {.low = NAN, .high = NAN};
    const bool found = find_interval(c, runs, &test);
    const double difference = c->count == 0 ? NAN : c->mean - c->published.mean;
    if (numbers) {
        (void)jsni_table_number(out, difference, NAN, 2);
        (void)jsni_table_number(out, test.low, NAN, 2);
        (void)jsni_table_number(out, test.high, NAN, 2);
        put_count(out, c->bold);
        put_count(out, c->near_chance);
        put_count(out, c->published.bold);
        put_count(out, c->failed);
        return;
    }
    if (!isnan(difference))
        (void)jsni_format(text, sizeof text, "%+.2f", difference);
    if (found)
        (void)jsni_format(interval, sizeof interval, "%+.2f .. %+.2f", test.low,
                          test.high);
    (void)jsni_table_text(out, text);
    (void)jsni_table_text(out, interval);
}

void jsni_grid_comparison(const jsni_grid *grid, const char *caption, bool numbers,
                          jsni_table *out)
{
    static const char *const words[] = {"",      "column",     "ours",         "n",
                                        "paper", "difference", "95% interval", NULL};
    static const char *const fields[] = {
        "row",        "column",  "ours",     "n",    "paper",
        "difference", "95% low", "95% high", "bold", "near chance",
        "paper bold", "failed",  NULL};
    const char *const *heads = numbers ? fields : words;
    out->caption = caption;
    for (size_t i = 0; heads[i] != NULL; i++)
        jsni_table_column(out, NULL, heads[i],
                          i < 2 ? JSNI_ALIGN_LEFT : JSNI_ALIGN_RIGHT);
    for (size_t i = 0; i < grid->count; i++) {
        const jsni_grid_cell *c = &grid->items[i];
        jsni_table_row(out);
        (void)jsni_table_text(out, c->row);
        (void)jsni_table_text(out, c->heading);
        if (numbers && c->count == 0)
            (void)jsni_table_empty(out);
        else
            put_ours(out, c, "not run");
        put_count(out, c->count);
        jsni_table_number(out, c->published.mean, c->published.deviation, 2)->bold =
            c->published.bold;
        put_difference(out, c, grid->published_runs, numbers);
    }
}

void jsni_grid_correlation(const jsni_grid *grid, jsni_text *out)
{
    enum { MOST = 64 };
    for (size_t column = 0; column < grid->columns; column++) {
        const char *heading = "";
        double ours[MOST], published[MOST], rho = NAN, tau = NAN;
        size_t count = 0, left_out = 0;
        for (size_t i = 0; i < grid->count && count < MOST; i++) {
            const jsni_grid_cell *c = &grid->items[i];
            if (c->at_column != column || c->count == 0 || isnan(c->published.mean))
                continue;
            heading = c->heading;
            left_out += c->near_chance;
            ours[count] = c->mean;
            published[count] = c->published.mean;
            count += !c->near_chance;
        }
        if (count < 3 || jsni_stats_spearman(ours, published, count, &rho) != JSN_OK ||
            jsni_stats_kendall(ours, published, count, &tau) != JSN_OK)
            continue;
        jsni_text_format(out, "%s: ", heading);
        if (isnan(rho) || isnan(tau))
            jsni_text_add(out, "no ranks, equal values");
        else
            jsni_text_format(out, "Spearman %+.2f, Kendall %+.2f", rho, tau);
        jsni_text_format(out, " over %zu %s", count, jsni_noun(count, "row", "rows"));
        if (left_out > 0)
            jsni_text_format(out, " (%zu near chance left out)", left_out);
        jsni_text_add(out, "\n");
    }
}
