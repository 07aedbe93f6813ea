/* study/grid.c - see grid.h: which trials a cell has, their means, and the t-test that makes
 * bold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/stats.h"
#include "report/best.h"
#include "study/grid.h"
#include "sweep/sweep_impl.h"

jsni_grid_cell *jsni_grid_add(jsni_grid *grid)
{
    jsni_grid_cell *items = jsni_realloc(grid->items, grid->count + 1, sizeof *items);
    jsni_grid_cell *cell = items == NULL ? &grid->spare : &items[grid->count++];
    if (items == NULL)
        grid->status = JSN_ERR_MEMORY;
    else
        grid->items = items;
    *cell =
        (jsni_grid_cell){.published = {NAN, NAN, false}, .mean = NAN, .deviation = NAN};
    return cell;
}

void jsni_grid_arrange(jsni_grid *grid)
{
    grid->rows = grid->columns = 0;
    for (size_t i = 0; i < grid->count; i++) {
        jsni_grid_cell *c = &grid->items[i];
        size_t row = 0, column = 0;
        (void)snprintf(c->heading, sizeof c->heading, "%s%s%s", c->group,
                       c->group[0] == '\0' ? "" : " ", c->column);
        while (strcmp(grid->items[row].row, c->row) != 0)
            row++;
        while (strcmp(grid->items[column].heading, c->heading) != 0)
            column++;
        c->at_row = row < i ? grid->items[row].at_row : grid->rows++;
        c->at_column = column < i ? grid->items[column].at_column : grid->columns++;
    }
}

void jsni_grid_release(jsni_grid *grid)
{
    jsni_free(grid->items);
    *grid = (jsni_grid){0};
}

const jsni_grid_cell *jsni_grid_at(const jsni_grid *grid, size_t row, size_t column)
{
    for (size_t i = 0; i < grid->count; i++)
        if (grid->items[i].at_row == row && grid->items[i].at_column == column)
            return &grid->items[i];
    return NULL;
}

/* Below this multiple of chance a network has learned next to nothing, and which of two
 * such is better says nothing. */
static const double chance_factor = 1.5;

static bool same_option(const jsn_sweep_trial *trial, const char *name,
                        const char *text)
{
    const char *own = jsn_sweep_option(trial, name);
    return strcmp(own == NULL ? "" : own, text) == 0;
}

static bool has_recipe(const jsn_sweep_trial *trial, const jsni_grid_cell *cell)
{
    return same_option(trial, "recipe", cell->recipe.name) &&
           same_option(trial, "loss", cell->loss);
}

bool jsni_grid_is_of(const jsn_sweep_trial *trial, const jsni_grid_cell *cell)
{
    return trial->state == JSN_SWEEP_COMPLETE && has_recipe(trial, cell);
}

/* Failed runs of a cell, apart from those that a later trial with the same seed has
 * made good. */
static size_t count_failed(const jsni_grid_cell *cell, const jsn_sweep_trial *trials,
                           size_t count)
{
    size_t failed = 0;
    for (size_t t = 0; t < count; t++) {
        const char *seed = jsn_sweep_option(&trials[t], "seed");
        bool lost = trials[t].state == JSN_SWEEP_FAILED && has_recipe(&trials[t], cell);
        for (size_t k = t + 1; lost && seed != NULL && k < count; k++)
            lost = !jsni_grid_is_of(&trials[k], cell) ||
                   !same_option(&trials[k], "seed", seed);
        failed += lost;
    }
    return failed;
}

/* Whether a cell takes part in what ranks a column. */
static bool competes(const jsni_grid_cell *c, size_t column)
{
    return c->at_column == column && c->count > 0 && !c->near_chance;
}

static jsn_status mark_best(jsni_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        jsni_grid_cell *c = &grid->items[i], *best = c;
        c->bold = false;
        if (!competes(c, c->at_column))
            continue;
        for (size_t k = 0; k < grid->count; k++)
            if (competes(&grid->items[k], c->at_column) &&
                grid->items[k].mean > best->mean)
                best = &grid->items[k];
        JSNI_TRY(
            jsni_is_best(&c->bold, c->values, c->count, best->values, best->count));
    }
    return JSN_OK;
}

jsn_status jsni_grid_fill(jsni_grid *grid, const jsn_sweep_trial *trials, size_t count)
{
    JSNI_TRY(grid->status);
    for (size_t i = 0; i < grid->count; i++) {
        jsni_grid_cell *c = &grid->items[i];
        double classes = (double)grid->classes;
        c->count = 0;
        c->failed = count_failed(c, trials, count);
        for (size_t t = 0; t < count && c->count < JSNI_GRID_RUNS; t++) {
            const double value = 100.0 * jsni_sweep_number(&trials[t], c->metric);
            if (!jsni_grid_is_of(&trials[t], c) || !isfinite(value))
                continue;
            c->values[c->count++] = value;
            /* Other data than what is published may have fewer. */
            const double known = jsni_sweep_number(&trials[t], "classes");
            if (known >= 2.0)
                classes = known;
        }
        c->mean = jsni_stats_mean(c->values, c->count);
        c->deviation = jsni_stats_deviation(c->values, c->count);
        c->near_chance =
            c->count > 0 && c->mean < chance_factor * c->guesses * 100.0 / classes;
    }
    return grid->unranked ? JSN_OK : mark_best(grid);
}
