/* repro/paper_results.h - every number that the paper's result tables print, by the recipe
 * that our runs of it have.
 *
 *     for (jsni_paper_result p = {0}; jsni_paper_next(&p);)
 *         ... p.recipe, p.number.mean ...
 */
#ifndef JSNI_REPRO_PAPER_RESULTS_H
#define JSNI_REPRO_PAPER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/recipe.h"
#include "study/grid.h"

typedef struct jsni_paper_result {
    const char *result;           /* "table1" */
    char recipe[JSN_RECIPE_TEXT]; /* "cifar10/sym-40/gjs"; "": other people's method */
    const char *title; /* what the paper calls the row, where a note may quote it */
    size_t measure;    /* which of the result's measures */
    jsni_published number;
    size_t at_row, at_column; /* where the walk is */
} jsni_paper_result;

/* The next of them; false behind the last. The first for a zeroed struct. */
bool jsni_paper_next(jsni_paper_result *p);

#endif /* JSNI_REPRO_PAPER_RESULTS_H */
