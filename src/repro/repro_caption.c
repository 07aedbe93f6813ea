/* repro/repro_caption.c - what a caption says: how many runs there are and what bold means,
 * and how far they are the paper's: its images and classes, initial weights, epochs, number
 * of runs, and no option of one's own. */
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "study/study_name.h"

/* Options that may be given without another experiment: where data is, what computes,
 * and what a recipe leaves to its user. */
static bool leaves_scale(const char *option, const jsni_repro_cells *cells)
{
    static const char *const free_options[] = {"data", "val", "test", "device", "init"};
    for (size_t i = 0; i < JSNI_COUNT_OF(free_options); i++)
        if (strcmp(option, free_options[i]) == 0)
            return true;
    return strcmp(option, "noise") == 0 &&
           cells->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE;
}

static bool has_own_options(const jsni_repro_cells *cells,
                            const jsn_train_config *overrides)
{
    const jsn_option_info *option;
    for (size_t i = 0; (option = jsni_study_next_option(overrides, &i)) != NULL;)
        if (!leaves_scale(option->name, cells))
            return true;
    return false;
}

/* A reason more, separated from those before. */
static void begin_reason(jsni_text *out)
{
    jsni_text_add(out, out->length == 0 ? " Not as in the paper: " : "; ");
}

static void tell_start(const jsni_repro_cells *cells, jsni_text *out)
{
    for (size_t i = 0; i < cells->grid.count; i++)
        if (cells->grid.items[i].unlike) {
            begin_reason(out);
            jsni_text_format(out,
                             "random initial weights, marked ° (%s; --init names them)",
                             cells->grid.items[i].recipe.weights);
            return;
        }
}

/* Runs on other data than the paper's, by what they say of it. */
static void tell_data(const jsni_repro_dataset *data, const jsn_sweep_trial *trials,
                      size_t count, jsni_text *out)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "%zu images of %zu classes", data->images,
                   data->classes);
    for (size_t i = 0; i < count; i++) {
        const char *seen = jsn_sweep_fact(&trials[i], "data_text");
        if (trials[i].state == JSN_SWEEP_COMPLETE && seen != NULL &&
            strcmp(seen, wanted) != 0) {
            begin_reason(out);
            jsni_text_format(out, "%.60s (%s)", seen, wanted);
            return;
        }
    }
}

static void tell_runs(size_t least, size_t paper, jsni_text *out)
{
    if (least >= paper)
        return;
    begin_reason(out);
    jsni_text_format(out, "%zu %s per cell (%zu)", least,
                     jsni_noun(least, "run", "runs"), paper);
}

/* "the paper's scale", or what it is instead, with the reasons as a sentence where the
 * options do not tell. */
static const char *find_scale(const jsni_repro_cells *cells, const jsni_grid_runs *n,
                              const jsn_sweep_trial *trials, size_t count, bool own,
                              jsni_text *reasons)
{
    tell_start(cells, reasons);
    if (!own && n->most > 0) {
        tell_data(cells->data, trials, count, reasons);
        tell_runs(n->least, cells->info->paper_runs, reasons);
    }
    const bool same = reasons->length == 0;
    if (!same)
        jsni_text_add(reasons, ".");
    return own            ? "scaled down"
           : n->most == 0 ? "not run yet"
           : same         ? "the paper's scale"
                          : "not the paper's scale";
}

jsn_status jsni_repro_caption(const jsni_repro_cells *cells,
                              const jsn_sweep_trial *trials, size_t count,
                              const jsn_train_config *overrides, const char *noise_from,
                              jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    const jsni_grid_runs n = jsni_grid_count(&cells->grid);
    jsni_text reasons = {0};
    const char *scale = find_scale(cells, &n, trials, count,
                                   has_own_options(cells, overrides), &reasons);
    jsni_text_format(out, "%s %s: %s. %s, %s; ",
                     strncmp(info->name, "table", 5) == 0 ? "Table" : "Figure",
                     info->name + strcspn(info->name, "0123456789"), info->title,
                     cells->data->name, scale);
    jsn_status status = jsni_study_options(overrides, ", ", true, out);
    if (jsni_repro_needs_posteriors(cells, overrides) && noise_from != NULL)
        jsni_text_format(out, ", noise-from=%s", noise_from);
    jsni_text_add(out, "; ");
    jsni_grid_legend(&cells->grid, out);
    if (info->paper_runs > 0 && info->any_cifar &&
        strcmp(cells->data->name, info->dataset) != 0)
        jsni_text_add(out, " The paper's numbers are for CIFAR-100.");
    jsni_text_add(out, reasons.length > 0 ? reasons.data : "");
    if (status == JSN_OK)
        status = reasons.status != JSN_OK ? reasons.status : out->status;
    jsni_text_release(&reasons);
    return status;
}
