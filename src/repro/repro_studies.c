/* repro/repro_studies.c - the studies that results are kept in: which options their runs may
 * share, their names, and those of the same result on other data sets. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "study/study_name.h"

/* Whether the recipes of the cells differ in an option. */
static bool cells_differ(const jsni_repro_cells *cells, const char *option)
{
    for (size_t i = 1; i < cells->grid.count; i++) {
        const char *first = jsn_recipe_value(&cells->grid.items[0].recipe, option);
        const char *value = jsn_recipe_value(&cells->grid.items[i].recipe, option);
        if (strcmp(first == NULL ? "" : first, value == NULL ? "" : value) != 0)
            return true;
    }
    return false;
}

jsn_status jsni_repro_check_overrides(const jsni_repro_cells *cells,
                                      const jsn_train_config *overrides)
{
    const char *const compared[] = {"loss", "loss-noisy", "noise", "views",
                                    cells->info->compares};
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < JSNI_COUNT_OF(compared) && compared[i] != NULL; i++) {
        const jsn_option_info *option = jsni_options_find(table, count, compared[i]);
        /* A noise may be given in place of one that comes from posteriors. */
        const bool open = strcmp(compared[i], "noise") == 0 &&
                          cells->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE;
        if (!open && jsni_options_is_set(option, overrides) &&
            cells_differ(cells, compared[i]))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--%s: the runs of %s differ in it, so one value for all "
                             "would be wrong; --only chooses among them",
                             compared[i], cells->info->name);
    }
    return JSN_OK;
}

void jsni_repro_prefix(const jsni_repro_cells *cells, char out[JSNI_REPRO_PREFIX])
{
    (void)snprintf(out, JSNI_REPRO_PREFIX, "repro-%s-%s-",
                   jsni_repro_recipes(cells->info), cells->data->name);
}

/* Fills a panel with what the study has. */
static jsn_status fill_panel(jsni_repro_cells *cells, jsn_sweep *sweep, jsni_text *note)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0, complete = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    const jsn_status status = jsni_grid_fill(&cells->grid, trials, count);
    for (size_t i = 0; i < count; i++)
        complete += trials[i].state == JSN_SWEEP_COMPLETE;
    jsn_sweep_trials_release(trials, count);
    jsni_text_format(note, "%s%s: study %s, %zu finished %s.",
                     note->length == 0 ? "" : " ", cells->data->title,
                     jsn_sweep_about(sweep).name, complete,
                     jsni_noun(complete, "run", "runs"));
    return status != JSN_OK ? status : note->status;
}

/* Adds the result on a data set, if it has runs there and a study of them. */
static jsn_status add_panel(jsni_repro_others *out, const jsn_sweep *beside,
                            const char *result, const char *dataset,
                            const jsn_train_config *overrides)
{
    jsni_repro_cells *cells = &out->items[out->count];
    char prefix[JSNI_REPRO_PREFIX];
    jsn_sweep *sweep = NULL;
    jsn_status status = jsni_repro_cells_make(cells, result, dataset);
    if (status != JSN_OK)
        return status == JSN_ERR_ARGUMENT ? JSN_OK : status;
    out->count++;
    jsni_repro_prefix(cells, prefix);
    status = jsni_study_choose(&sweep, beside, prefix, overrides);
    if (status == JSN_OK && sweep != NULL)
        status = fill_panel(cells, sweep, &out->note);
    else
        jsni_repro_cells_release(&out->items[--out->count]);
    jsn_sweep_close(sweep);
    return status;
}

jsn_status jsni_repro_others_find(jsni_repro_others *out, const jsn_sweep *sweep,
                                  const jsni_repro_cells *cells,
                                  const jsn_train_config *overrides)
{
    if (cells->info->bars == NULL || sweep == NULL)
        return JSN_OK;
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++) {
        if (&jsni_repro_datasets[i] == cells->data)
            out->before = out->count;
        else
            JSNI_TRY(add_panel(out, sweep, cells->info->name,
                               jsni_repro_datasets[i].name, overrides));
    }
    return JSN_OK;
}

void jsni_repro_others_release(jsni_repro_others *others)
{
    for (size_t i = 0; i < others->count; i++)
        jsni_repro_cells_release(&others->items[i]);
    jsni_text_release(&others->note);
    *others = (jsni_repro_others){0};
}
