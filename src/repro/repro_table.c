/* repro/repro_table.c - our values beside the paper's: means, the t-test that makes bold,
 * Welch's intervals, rank correlations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/stats.h"
#include "core/words.h"
#include "report/best.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"

/* Below this multiple of chance a network has learned next to nothing, and which of two
 * such is better says nothing. */
static const double chance_factor = 1.5;

static bool same_option(const jsn_sweep_trial *trial, const char *name,
                        const char *text)
{
    const char *own = jsn_sweep_option(trial, name);
    return strcmp(own == NULL ? "" : own, text) == 0;
}

static bool has_recipe(const jsn_sweep_trial *trial, const jsni_repro_cell *cell)
{
    return same_option(trial, "recipe", cell->recipe.name) &&
           same_option(trial, "loss", cell->loss);
}

bool jsni_repro_is_of(const jsn_sweep_trial *trial, const jsni_repro_cell *cell)
{
    return trial->state == JSN_SWEEP_COMPLETE && has_recipe(trial, cell);
}

/* Failed runs of a cell, apart from those that a later trial with the same seed has
 * made good. */
static size_t count_failed(const jsni_repro_cell *cell, const jsn_sweep_trial *trials,
                           size_t count)
{
    size_t failed = 0;
    for (size_t t = 0; t < count; t++) {
        const char *seed = jsn_sweep_option(&trials[t], "seed");
        bool lost = trials[t].state == JSN_SWEEP_FAILED && has_recipe(&trials[t], cell);
        for (size_t k = t + 1; lost && seed != NULL && k < count; k++)
            lost = !jsni_repro_is_of(&trials[k], cell) ||
                   !same_option(&trials[k], "seed", seed);
        failed += lost;
    }
    return failed;
}

/* Whether a cell takes part in what ranks a column. */
static bool competes(const jsni_repro_cell *c, size_t column)
{
    return c->at_column == column && c->count > 0 && !c->near_chance;
}

static jsn_status mark_best(jsni_repro_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        jsni_repro_cell *c = &cells->items[i], *best = c;
        c->bold = false;
        if (!competes(c, c->at_column))
            continue;
        for (size_t k = 0; k < cells->count; k++)
            if (competes(&cells->items[k], c->at_column) &&
                cells->items[k].mean > best->mean)
                best = &cells->items[k];
        JSNI_TRY(
            jsni_is_best(&c->bold, c->values, c->count, best->values, best->count));
    }
    return JSN_OK;
}

jsn_status jsni_repro_cells_fill(jsni_repro_cells *cells, const jsn_sweep_trial *trials,
                                 size_t count)
{
    for (size_t i = 0; i < cells->count; i++) {
        jsni_repro_cell *c = &cells->items[i];
        double classes = (double)cells->data->classes;
        c->count = 0;
        c->failed = count_failed(c, trials, count);
        for (size_t t = 0; t < count && c->count < JSNI_REPRO_RUNS; t++) {
            const double value =
                100.0 * jsni_sweep_number(&trials[t], c->measure->metric);
            if (!jsni_repro_is_of(&trials[t], c) || !isfinite(value))
                continue;
            c->values[c->count++] = value;
            /* Other data than the paper's may have fewer. */
            const double known = jsni_sweep_number(&trials[t], "classes");
            if (known >= 2.0)
                classes = known;
        }
        c->mean = jsni_stats_mean(c->values, c->count);
        c->deviation = jsni_stats_deviation(c->values, c->count);
        c->near_chance = c->count > 0 && c->mean < chance_factor * c->measure->guesses *
                                                       100.0 / classes;
    }
    return cells->info->unranked ? JSN_OK : mark_best(cells);
}

static void put_count(jsni_table *out, size_t count)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", count);
    (void)jsni_table_text(out, text);
}

/* Our mean; "2 failed", or `or_else` where nothing was run. */
static void put_ours(jsni_table *out, const jsni_repro_cell *c, const char *or_else)
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

void jsni_repro_table(const jsni_repro_cells *cells, const char *caption,
                      const char *note, jsni_table *out)
{
    out->caption = caption;
    out->note = note;
    jsni_table_column(out, NULL, "", JSNI_ALIGN_LEFT);
    for (size_t i = 0, column = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        if (c->at_column == column) {
            jsni_table_column(out, c->group[0] == '\0' ? NULL : c->group, c->column,
                              JSNI_ALIGN_RIGHT);
            column++;
        }
    }
    for (size_t r = 0; r < cells->rows; r++) {
        size_t first = 0;
        while (cells->items[first].at_row != r)
            first++;
        jsni_table_row(out);
        (void)jsni_table_text(out, cells->items[first].row);
        for (size_t k = 0; k < cells->columns; k++) {
            const jsni_repro_cell *c = jsni_repro_at(cells, r, k);
            if (c == NULL)
                (void)jsni_table_empty(out);
            else
                put_ours(out, c, "");
        }
    }
}

/* Welch's interval of the difference; false: none without two runs on both sides. */
static bool find_interval(const jsni_repro_cell *c, size_t runs, jsni_stats_test *test)
{
    double paper[16];
    if (c->count < 2 || runs < 2 || runs > JSNI_COUNT_OF(paper) ||
        isnan(c->paper.deviation))
        return false;
    /* Numbers with exactly this mean and sample deviation: the test depends on nothing
     * else. */
    const double shift = c->paper.deviation * sqrt(0.5 * (double)(runs - 1));
    for (size_t i = 0; i < runs; i++)
        paper[i] = c->paper.mean + (i == 0 ? -shift : i == 1 ? shift : 0.0);
    return jsni_stats_welch(test, c->values, c->count, paper, runs, 0.95) == JSN_OK;
}

/* Difference and interval, in words for readers or as numbers for programs. */
static void put_difference(jsni_table *out, const jsni_repro_cell *c, size_t runs,
                           bool numbers)
{
    char text[64] = "", interval[64] = "";
    jsni_stats_test test = {.low = NAN, .high = NAN};
    const bool found = find_interval(c, runs, &test);
    const double difference = c->count == 0 ? NAN : c->mean - c->paper.mean;
    if (numbers) {
        (void)jsni_table_number(out, difference, NAN, 2);
        (void)jsni_table_number(out, test.low, NAN, 2);
        (void)jsni_table_number(out, test.high, NAN, 2);
        put_count(out, c->bold);
        put_count(out, c->near_chance);
        put_count(out, c->paper.bold);
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

void jsni_repro_comparison(const jsni_repro_cells *cells, const char *caption,
                           bool numbers, jsni_table *out)
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
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        jsni_table_row(out);
        (void)jsni_table_text(out, c->row);
        (void)jsni_table_text(out, c->heading);
        if (numbers && c->count == 0)
            (void)jsni_table_text(out, "");
        else
            put_ours(out, c, "not run");
        put_count(out, c->count);
        jsni_table_number(out, c->paper.mean, c->paper.deviation, 2)->bold =
            c->paper.bold;
        put_difference(out, c, cells->info->paper_runs, numbers);
    }
}

void jsni_repro_correlation(const jsni_repro_cells *cells, jsni_text *out)
{
    enum { MOST = 64 };
    for (size_t column = 0; column < cells->columns; column++) {
        const char *heading = "";
        double ours[MOST], paper[MOST], rho = NAN, tau = NAN;
        size_t count = 0, left_out = 0;
        for (size_t i = 0; i < cells->count && count < MOST; i++) {
            const jsni_repro_cell *c = &cells->items[i];
            if (c->at_column != column || c->count == 0 || isnan(c->paper.mean))
                continue;
            heading = c->heading;
            left_out += c->near_chance;
            ours[count] = c->mean;
            paper[count] = c->paper.mean;
            count += !c->near_chance;
        }
        if (count < 3 || jsni_stats_spearman(ours, paper, count, &rho) != JSN_OK ||
            jsni_stats_kendall(ours, paper, count, &tau) != JSN_OK)
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
