/* repro/repro_scale.c - how far the runs of a result are the paper's: its images and
 * classes, initial weights, epochs, number of runs, and no option of one's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hd.h"
#include "core/option.h"
#include "core/words.h"
#include "repro/repro_impl.h"

/* Options that may be given without another experiment: where data is, what computes,
 * and what a recipe leaves to its user. */
static bool leaves_scale(const char *option, const jsni_repro_cells *cells)
{
    static const char *const free_options[] = {"data", "val", "test", "device", "init"};
    for (size_t i = 0; i < JSNI_COUNT_OF(free_options); i++)
        if (strcmp(option, free_options[i]) == 0)
            return true;
    return strcmp(option, "noise") == 0 &&
           cells->items[0].recipe.noise == JSN_RECIPE_INSTANCE;
}

static bool has_own_options(const jsni_repro_cells *cells,
                            const jsn_train_config *overrides)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < count; i++)
        if (jsn_train_option_matters(&table[i]) &&
            jsni_options_is_set(&table[i], overrides) &&
            !leaves_scale(table[i].name, cells))
            return true;
    return false;
}

/* A reason more, separated from those before. */
static void begin_reason(jsni_text *out)
{
    jsni_text_add(out, out->length == 0 ? " Not as in the paper: " : "; ");
}

/* Runs on other data than the paper's, by what they say of it. */
static void tell_data(const jsni_repro_cells *cells, const jsn_sweep_trial *trials,
                      size_t count, jsni_text *out)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "%zu images of %zu classes",
                   cells->data->images, cells->data->classes);
    for (size_t i = 0; i < count; i++) {
        const char *seen = jsn_sweep_fact(&trials[i], "data_text");
        if (trials[i].state != JSN_SWEEP_COMPLETE || seen == NULL ||
            strcmp(seen, wanted) == 0)
            continue;
        begin_reason(out);
        jsni_text_format(out, "%.60s (%s)", seen, wanted);
        return;
    }
}

static void tell_start(const jsni_repro_cells *cells, jsni_text *out)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (!cells->items[i].unlike)
            continue;
        begin_reason(out);
        jsni_text_format(out,
                         "random initial weights, marked ° (%s; --init names them)",
                         cells->items[i].recipe.weights);
        return;
    }
}

static void tell_runs(const jsni_repro_cells *cells, jsni_text *out)
{
    size_t least = JSNI_REPRO_RUNS;
    for (size_t i = 0; i < cells->count; i++)
        least = cells->items[i].count < least ? cells->items[i].count : least;
    if (least >= cells->info->paper_runs)
        return;
    begin_reason(out);
    jsni_text_format(out, "%zu %s per cell (%zu)", least,
                     jsni_noun(least, "run", "runs"), cells->info->paper_runs);
}

const char *jsni_repro_scale(const jsni_repro_cells *cells,
                             const jsn_sweep_trial *trials, size_t count,
                             const jsn_train_config *overrides, jsni_text *reasons)
{
    size_t runs = 0;
    for (size_t i = 0; i < cells->count; i++)
        runs += cells->items[i].count;
    const bool own = has_own_options(cells, overrides);
    tell_start(cells, reasons);
    if (!own && runs > 0) {
        tell_data(cells, trials, count, reasons);
        tell_runs(cells, reasons);
    }
    const bool same = reasons->length == 0;
    if (!same)
        jsni_text_add(reasons, ".");
    return own         ? "scaled down"
           : runs == 0 ? "not run yet"
           : same      ? "the paper's scale"
                       : "not the paper's scale";
}
