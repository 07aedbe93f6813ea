/* repro/repro_table.c - our values beside the paper's: means, the t-test that makes bold,
 * Welch's intervals, rank correlations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/stats.h"
#include "core/text.h"
#include "core/words.h"
#include "report/best.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"

/* Below this multiple of chance a network has learned next to nothing, and which of two
 * such is better says nothing. */
static const double chance_factor = 1.5;

static bool has_recipe(const jsn_sweep_trial *trial, const jsni_repro_cell *cell)
{
    const char *recipe = jsn_sweep_option(trial, "recipe");
    const char *loss = jsn_sweep_option(trial, "loss");
    return recipe != NULL && strcmp(recipe, cell->recipe.name) == 0 &&
           strcmp(loss == NULL ? "" : loss, cell->loss) == 0;
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
        for (size_t k = t + 1; lost && seed != NULL && k < count; k++) {
            const char *other = jsn_sweep_option(&trials[k], "seed");
            lost = !jsni_repro_is_of(&trials[k], cell) || other == NULL ||
                   strcmp(seed, other) != 0;
        }
        failed += lost;
    }
    return failed;
}

/* The best ranked cell of a column; NULL: none. */
static const jsni_repro_cell *best_of(const jsni_repro_cells *cells,
                                      const jsni_repro_cell *column)
{
    const jsni_repro_cell *best = NULL;
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        if (c->count > 0 && !c->near_chance && jsni_repro_same_column(c, column) &&
            (best == NULL || c->mean > best->mean))
            best = c;
    }
    return best;
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
    for (size_t i = 0; !cells->info->unranked && i < cells->count; i++) {
        jsni_repro_cell *c = &cells->items[i];
        const jsni_repro_cell *best = best_of(cells, c);
        c->bold = false;
        if (best != NULL && c->count > 0 && !c->near_chance)
            JSNI_TRY(
                jsni_is_best(&c->bold, c->values, c->count, best->values, best->count));
    }
    return JSN_OK;
}

static bool first_of_row(const jsni_repro_cells *cells, size_t index)
{
    size_t first = 0;
    while (strcmp(cells->items[first].row, cells->items[index].row) != 0)
        first++;
    return first == index;
}

/* "2 failed"; with `or_else` where nothing was run. */
static void put_failed(jsni_table *out, const jsni_repro_cell *c, const char *or_else)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%zu failed", c->failed);
    (void)jsni_table_text(out, c->failed > 0 ? text : or_else);
}

static const char *mark_of(const jsni_repro_cell *c)
{
    static const char *const marks[] = {NULL, "!", "~", "~!", "°", "°!", "°~", "°~!"};
    return marks[4 * c->unlike + 2 * c->near_chance + (c->failed > 0)];
}

void jsni_repro_table(const jsni_repro_cells *cells, const char *caption,
                      const char *note, jsni_table *out)
{
    out->caption = caption;
    out->note = note;
    jsni_table_column(out, NULL, "", JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < cells->count; i++)
        if (jsni_repro_first_of_column(cells, i))
            jsni_table_column(
                out, cells->items[i].group[0] == '\0' ? NULL : cells->items[i].group,
                cells->items[i].column, JSNI_ALIGN_RIGHT);
    for (size_t r = 0; r < cells->count; r++) {
        if (!first_of_row(cells, r))
            continue;
        jsni_table_row(out);
        (void)jsni_table_text(out, cells->items[r].row);
        for (size_t i = 0; i < cells->count; i++) {
            if (!jsni_repro_first_of_column(cells, i))
                continue;
            const jsni_repro_cell *c =
                jsni_repro_at(cells, cells->items[r].row, &cells->items[i]);
            if (c == NULL || (c->count == 0 && c->failed == 0)) {
                (void)jsni_table_empty(out);
                continue;
            }
            if (c->count == 0) {
                put_failed(out, c, "");
                continue;
            }
            jsni_cell *cell = jsni_table_number(out, c->mean, c->deviation, 2);
            cell->bold = c->bold;
            cell->mark = mark_of(c);
        }
    }
}

/* `count` numbers with exactly this mean and sample deviation: the tests depend on
 * nothing else. */
static void stand_ins(double mean, double deviation, size_t count, double *out)
{
    const double shift = deviation * sqrt(0.5 * (double)(count - 1));
    for (size_t i = 0; i < count; i++)
        out[i] = mean + (i == 0 ? -shift : i == 1 ? shift : 0.0);
}

/* Welch's interval of the difference; false: none without two runs on both sides. */
static bool find_interval(const jsni_repro_cell *c, jsni_stats_test *test)
{
    double paper[16];
    if (c->count < 2 || c->paper_runs < 2 || c->paper_runs > 16 ||
        isnan(c->paper_deviation))
        return false;
    stand_ins(c->paper, c->paper_deviation, c->paper_runs, paper);
    return jsni_stats_welch(test, c->values, c->count, paper, c->paper_runs, 0.95) ==
           JSN_OK;
}

/* Difference and interval, in words for readers or as numbers for programs. */
static void put_difference(jsni_table *out, const jsni_repro_cell *c, bool numbers)
{
    char text[64] = "";
    jsni_stats_test test = {.low = NAN, .high = NAN};
    const bool found = find_interval(c, &test);
    const double difference = c->count == 0 ? NAN : c->mean - c->paper;
    if (numbers) {
        (void)jsni_table_number(out, difference, NAN, 2);
        (void)jsni_table_number(out, test.low, NAN, 2);
        (void)jsni_table_number(out, test.high, NAN, 2);
        (void)jsni_table_text(out, c->bold ? "1" : "0");
        (void)jsni_table_text(out, c->near_chance ? "1" : "0");
        (void)jsni_table_text(out, c->paper_bold ? "1" : "0");
        (void)jsni_format(text, sizeof text, "%zu", c->failed);
        (void)jsni_table_text(out, text);
        return;
    }
    if (!isnan(difference))
        (void)jsni_format(text, sizeof text, "%+.2f", difference);
    (void)jsni_table_text(out, text);
    text[0] = '\0';
    if (found)
        (void)jsni_format(text, sizeof text, "%+.2f .. %+.2f", test.low, test.high);
    (void)jsni_table_text(out, text);
}

void jsni_repro_comparison(const jsni_repro_cells *cells, const char *caption,
                           bool numbers, jsni_table *out)
{
    static const char *const words[] = {"difference", "95% interval", NULL};
    static const char *const fields[] = {"difference", "95% low",     "95% high",
                                         "bold",       "near chance", "paper bold",
                                         "failed",     NULL};
    out->caption = caption;
    jsni_table_column(out, NULL, numbers ? "row" : "", JSNI_ALIGN_LEFT);
    jsni_table_column(out, NULL, "column", JSNI_ALIGN_LEFT);
    jsni_table_column(out, NULL, "ours", JSNI_ALIGN_RIGHT);
    jsni_table_column(out, NULL, "n", JSNI_ALIGN_RIGHT);
    jsni_table_column(out, NULL, "paper", JSNI_ALIGN_RIGHT);
    for (const char *const *word = numbers ? fields : words; *word != NULL; word++)
        jsni_table_column(out, NULL, *word, JSNI_ALIGN_RIGHT);
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        char column[2 * JSNI_REPRO_LABEL], number[32];
        jsni_table_row(out);
        (void)jsni_table_text(out, c->row);
        jsni_repro_column_name(c, column);
        (void)jsni_table_text(out, column);
        if (c->count == 0) {
            if (numbers)
                (void)jsni_table_text(out, "");
            else
                put_failed(out, c, "not run");
        } else {
            jsni_cell *cell = jsni_table_number(out, c->mean, c->deviation, 2);
            cell->bold = c->bold;
            cell->mark = mark_of(c);
        }
        (void)snprintf(number, sizeof number, "%zu", c->count);
        (void)jsni_table_text(out, number);
        jsni_table_number(out, c->paper, c->paper_deviation, 2)->bold = c->paper_bold;
        put_difference(out, c, numbers);
    }
}

void jsni_repro_correlation(const jsni_repro_cells *cells, jsni_text *out)
{
    enum { MOST = 64 };
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *column = &cells->items[i];
        double ours[MOST], paper[MOST], rho = NAN, tau = NAN;
        size_t count = 0, left_out = 0;
        if (!jsni_repro_first_of_column(cells, i))
            continue;
        for (size_t k = 0; k < cells->count && count < MOST; k++) {
            const jsni_repro_cell *c = &cells->items[k];
            if (!jsni_repro_same_column(c, column) || c->count == 0 || isnan(c->paper))
                continue;
            if (c->near_chance) {
                left_out++;
                continue;
            }
            ours[count] = c->mean;
            paper[count++] = c->paper;
        }
        if (count < 3 || jsni_stats_spearman(ours, paper, count, &rho) != JSN_OK ||
            jsni_stats_kendall(ours, paper, count, &tau) != JSN_OK)
            continue;
        char name[2 * JSNI_REPRO_LABEL];
        jsni_repro_column_name(column, name);
        jsni_text_format(out, "%s: ", name);
        if (isnan(rho) || isnan(tau))
            jsni_text_format(out, "no ranks, equal values over %zu %s", count,
                             jsni_noun(count, "row", "rows"));
        else
            jsni_text_format(out, "Spearman %+.2f, Kendall %+.2f over %zu %s", rho, tau,
                             count, jsni_noun(count, "row", "rows"));
        if (left_out > 0)
            jsni_text_format(out, " (%zu near chance left out)", left_out);
        jsni_text_add(out, "\n");
    }
}
