/* study/grid.h - the trials of a study as a table of cells: a cell is a mean over the seeds
 * of a recipe, beside a number that somebody has published for it.
 *
 *     jsni_grid grid = {.classes = 10, .published_runs = 5};
 *     jsni_grid_cell *c = jsni_grid_add(&grid);
 *     c->recipe = ...; c->metric = "test_acc"; c->row, c->group, c->column = ...
 *     jsni_grid_arrange(&grid);                       // after the last one
 *     status = jsni_grid_fill(&grid, trials, count);  // values, means, what is bold
 *     jsni_grid_table(&grid, caption, note, &table);
 *     jsni_grid_release(&grid);
 */
#ifndef JSNI_STUDY_GRID_H
#define JSNI_STUDY_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "jensen/recipe.h"
#include "jensen/sweep.h"
#include "report/table.h"

enum { JSNI_GRID_RUNS = 64, JSNI_GRID_LABEL = 48 };

typedef struct jsni_published {
    double mean, deviation; /* percent; NaN: none is printed */
    bool bold;
} jsni_published;

typedef struct jsni_grid_cell {
    /* Its trials: those with this recipe, and this loss in place of the recipe's or "". */
    jsn_recipe recipe;
    char loss[JSNI_GRID_LABEL];
    const char *metric; /* a fact of its trials, at most 1 */
    int guesses;        /* classes that count as right; 0: there is no chance level */
    char row[JSNI_GRID_LABEL], group[JSNI_GRID_LABEL], column[JSNI_GRID_LABEL];
    double x; /* where lines have it */
    jsni_published published;
    bool unlike; /* its trials are not what is published, by more than their number */
    /* From jsni_grid_arrange(): "symmetric 40%", group and column, and its place. */
    char heading[2 * JSNI_GRID_LABEL];
    size_t at_row, at_column;
    /* From jsni_grid_fill(), percent. */
    double values[JSNI_GRID_RUNS];
    size_t count;
    size_t failed;          /* trials without a value */
    double mean, deviation; /* NaN: no trial; fewer than two */
    bool near_chance, bold;
} jsni_grid_cell;

typedef struct jsni_grid {
    jsni_grid_cell *items; /* owned */
    size_t count, rows, columns;
    size_t classes;        /* of trials that do not say how many they have */
    size_t published_runs; /* behind the published deviations */
    bool unranked;         /* rows do not compete: none is bold */
    jsni_grid_cell spare;  /* what jsni_grid_add() returns after a failure */
    jsn_status status;     /* the first failure; jsni_grid_fill() returns it */
} jsni_grid;

/* The cell behind the last, with nothing published and no value; never NULL. */
jsni_grid_cell *jsni_grid_add(jsni_grid *grid);
/* Numbers rows and columns in the order in which they come. */
void jsni_grid_arrange(jsni_grid *grid);
void jsni_grid_release(jsni_grid *grid);

/* The cell in a row and a column; NULL: there is none. */
const jsni_grid_cell *jsni_grid_at(const jsni_grid *grid, size_t row, size_t column);
/* Whether a trial is of a cell and complete. */
bool jsni_grid_is_of(const jsn_sweep_trial *trial, const jsni_grid_cell *cell);

/* Fills in values and means, marks the best of each column and what the t-test does not
 * tell from it. Cells near chance are not ranked. */
JSN_MUST_CHECK jsn_status jsni_grid_fill(jsni_grid *grid, const jsn_sweep_trial *trials,
                                         size_t count);

/* Trials of the cells that have a value, and those that failed. */
typedef struct jsni_grid_runs {
    size_t least, most; /* of a cell */
    size_t failed;      /* of all */
} jsni_grid_runs;

jsni_grid_runs jsni_grid_count(const jsni_grid *grid);

/* Adds "5 runs per cell. ..." and what bold and the marks of a table mean. */
void jsni_grid_legend(const jsni_grid *grid, jsni_text *out);

/* Rows times columns; borrowed caption and note. */
void jsni_grid_table(const jsni_grid *grid, const char *caption, const char *note,
                     jsni_table *out);
/* A row a cell: ours, what is published ("paper"), difference, Welch's interval.
 * `numbers`: for programs, with a column for everything that readers see as words or
 * print. */
void jsni_grid_comparison(const jsni_grid *grid, const char *caption, bool numbers,
                          jsni_table *out);
/* Lines: rank correlation of our columns with the published ones. */
void jsni_grid_correlation(const jsni_grid *grid, jsni_text *out);

#endif /* JSNI_STUDY_GRID_H */
