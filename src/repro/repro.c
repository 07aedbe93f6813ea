/* repro/repro.c - see jensen/repro.h: the study of a result and its trials. */
#include "jensen/repro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "repro/repro_impl.h"
#include "study/study_evaluate.h"
#include "study/study_name.h"
#include "sweep/sweep_impl.h"
#include "train/recipe_families.h"

static jsn_status check_also(const jsni_repro_info *info, const char *data)
{
    bool has = data == NULL;
    for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++)
        has = has || info->measures[m].test != NULL;
    return has ? JSN_OK
               : jsni_fail(JSN_ERR_ARGUMENT,
                           "--also-test: %s has no other test set; table2 has one",
                           info->name);
}

jsn_status jsni_repro_cells_for(jsni_repro_cells *out,
                                const jsn_repro_settings *settings,
                                const jsn_train_config *overrides)
{
    const jsni_repro_info *info = NULL;
    const char *dataset = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(check_also(info, settings->also_test));
    JSNI_TRY(
        jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &dataset));
    JSNI_TRY(jsni_repro_cells_make(out, settings->name, dataset));
    const jsn_status status = settings->add_loss == NULL
                                  ? JSN_OK
                                  : jsni_repro_cells_add(out, settings->add_loss);
    for (size_t i = 0; i < out->grid.count; i++)
        out->grid.items[i].unlike =
            overrides->init == NULL && out->grid.items[i].recipe.weights != NULL;
    if (status != JSN_OK)
        jsni_repro_cells_release(out);
    return status;
}

/* Whether a part of the name begins with one of comma-separated words; NULL: always. */
static bool wanted(const char *only, const char *name)
{
    for (size_t n = 0; only != NULL && *only != '\0'; only += n + (only[n] == ',')) {
        n = strcspn(only, ",");
        /* "sym-40" is not meant to find "asym-40". */
        for (const char *part = name; part != NULL; part = strchr(part, '/')) {
            part += part > name;
            if (strncmp(part, only, n) == 0)
                return true;
        }
    }
    return only == NULL;
}

/* An added row is run where any of the paper's is. */
static bool is_wanted(const char *only, const jsni_repro_cells *cells,
                      const jsni_grid_cell *cell)
{
    if (cell->loss[0] == '\0')
        return wanted(only, cell->recipe.name);
    for (size_t i = 0; i < cells->grid.count; i++) {
        const jsni_grid_cell *c = &cells->grid.items[i];
        if (c->loss[0] == '\0' && c->at_column == cell->at_column &&
            wanted(only, c->recipe.name))
            return true;
    }
    return false;
}

/* Refuses words of --only that find nothing: the table would be empty without a word. */
static jsn_status check_only(const char *only, const jsni_repro_cells *cells)
{
    while (only != NULL && *only != '\0') {
        char word[JSN_RECIPE_TEXT];
        const size_t n = strcspn(only, ",");
        bool found = false;
        (void)snprintf(word, sizeof word, "%.*s", (int)n, only);
        for (size_t i = 0; i < cells->grid.count; i++)
            found = found || wanted(word, cells->grid.items[i].recipe.name);
        if (!found)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--only '%s': no run of %s on %s has such a part in its "
                             "name ('%s', ...)",
                             word, cells->info->name, cells->data->name,
                             cells->grid.items[0].recipe.name);
        only += n + (only[n] == ',');
    }
    return JSN_OK;
}

bool jsni_repro_needs_posteriors(const jsni_repro_cells *cells,
                                 const jsn_train_config *overrides)
{
    return cells->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE &&
           overrides->noise == NULL;
}

/* The plan of a study: one axis, whose values are the recipes. */
static jsn_status fill_plan(jsn_sweep_plan *plan, const jsni_repro_cells *cells)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    /* Not the measure: Table 13 looks at the runs of Table 1. */
    const char *objective = cells->info->any_cifar ? "val_acc" : "test_acc";
    JSNI_TRY(jsni_options_set(table, count, plan, "search", "none"));
    JSNI_TRY(jsni_options_set(table, count, plan, "objective", objective));
    jsni_text axis = {0};
    for (size_t i = 0; i < cells->grid.count && cells->grid.items[i].loss[0] == '\0';
         i++) {
        const char *name = cells->grid.items[i].recipe.name;
        if (i == 0 || strcmp(name, cells->grid.items[i - 1].recipe.name) != 0)
            jsni_text_format(&axis, "%s%s", i == 0 ? "recipe=" : ";", name);
    }
    const jsn_status status =
        axis.status == JSN_OK ? jsn_texts_add(&plan->axes, axis.data) : axis.status;
    jsni_text_release(&axis);
    return status;
}

static jsn_status make_study(jsn_sweep **out, const char *url, const char *name,
                             const jsni_repro_cells *cells,
                             const jsn_train_config *overrides)
{
    jsn_sweep_plan plan;
    JSNI_TRY(jsn_sweep_plan_init(&plan));
    jsn_status status = fill_plan(&plan, cells);
    if (status == JSN_OK)
        status = jsn_sweep_create(out, url, name, &plan, overrides);
    jsn_sweep_plan_release(&plan);
    return status;
}

/* Noise from another source makes another study. */
static jsn_status open_study(jsn_sweep **out, const char *url,
                             const jsni_repro_cells *cells,
                             const jsn_train_config *overrides, const char *noise_from,
                             bool show)
{
    const jsn_sweep_pair source = {"noise-from", noise_from};
    char prefix[JSNI_REPRO_PREFIX];
    jsni_text name = {0};
    bool found = false;
    jsni_repro_prefix(cells, prefix);
    jsn_status status =
        jsni_study_name(prefix, overrides, noise_from == NULL ? NULL : &source, &name);
    if (status == JSN_OK)
        status = jsni_sweep_exists(url, name.data, &found);
    if (status == JSN_OK && show)
        status = found ? jsn_sweep_open_to_read(out, url, name.data) : JSN_OK;
    else if (status == JSN_OK)
        status = found ? jsn_sweep_open(out, url, name.data)
                       : make_study(out, url, name.data, cells, overrides);
    jsni_text_release(&name);
    return status;
}

static int64_t epochs_of(const jsni_grid_cell *cell)
{
    return strtoll(jsn_recipe_value(&cell->recipe, "epochs"), NULL, 10);
}

/* Epochs of a cell where the result compares numbers of them: `asked` stands for the
 * largest. 0: the recipe's share needs no word of its own. */
static int64_t share_of_epochs(const jsni_repro_cells *cells,
                               const jsni_grid_cell *cell, int64_t asked)
{
    int64_t most = 0;
    for (size_t i = 0; i < cells->grid.count; i++)
        if (epochs_of(&cells->grid.items[i]) > most)
            most = epochs_of(&cells->grid.items[i]);
    if (epochs_of(cell) == most || asked == JSN_OPTION_INT_UNSET)
        return 0;
    const int64_t share = asked * epochs_of(cell) / most;
    return share > 0 ? share : 1;
}

/* The noise of a recipe from posteriors, or from a file of labels with a column for each
 * of its kinds. PLC's files leave out the images that it validates on. */
static void put_noise(jsni_text *out, const jsn_recipe *recipe, const char *from)
{
    if (strncmp(from, "file:", 5) != 0)
        jsni_text_format(out, "%s,%s", jsn_recipe_value(recipe, "noise"), from);
    else
        jsni_text_format(out, "%s,column=%s_%d%s", from, recipe->variant,
                         recipe->percent,
                         strstr(from, ",missing=") == NULL ? ",missing=val" : "");
}

static jsn_status add_trial(jsn_sweep *sweep, const jsni_repro_cells *cells,
                            const jsni_grid_cell *cell,
                            const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, int64_t seed)
{
    const jsn_recipe *recipe = &cell->recipe;
    const char *lr = NULL, *decay = NULL;
    char seed_text[24], epochs_text[24];
    jsni_text noise = {0};
    const int64_t epochs = share_of_epochs(cells, cell, overrides->epochs);
    const bool rates = isnan(overrides->lr) && isnan(overrides->weight_decay) &&
                       jsni_recipe_rates(recipe, cells->data->name, &lr, &decay);
    (void)snprintf(seed_text, sizeof seed_text, "%lld", (long long)seed);
    (void)snprintf(epochs_text, sizeof epochs_text, "%lld", (long long)epochs);
    if (jsni_repro_needs_posteriors(cells, overrides))
        put_noise(&noise, recipe, settings->noise_from);
    const jsn_sweep_pair all[] = {
        {"recipe", recipe->name},
        {"seed", seed_text},
        {"lr", rates ? lr : NULL},
        {"weight-decay", rates ? decay : NULL},
        {"epochs", epochs > 0 ? epochs_text : NULL},
        {"loss", cell->loss[0] != '\0' ? cell->loss : NULL},
        {"noise", noise.data},
    };
    jsn_sweep_pair pairs[JSNI_COUNT_OF(all)];
    size_t count = 0;
    for (size_t i = 0; i < JSNI_COUNT_OF(all); i++)
        if (all[i].text != NULL)
            pairs[count++] = all[i];
    const jsn_status status = noise.status != JSN_OK
                                  ? noise.status
                                  : jsni_sweep_append(sweep, pairs, count, NULL, NULL);
    jsni_text_release(&noise);
    return status;
}

static jsn_status prepare(jsn_sweep **out, const char *url,
                          const jsn_repro_settings *settings,
                          const jsn_train_config *overrides,
                          const jsni_repro_cells *cells)
{
    const bool posteriors = jsni_repro_needs_posteriors(cells, overrides);
    JSNI_TRY(check_only(settings->only, cells));
    JSNI_TRY(jsni_repro_check_overrides(cells, overrides));
    if (posteriors && settings->noise_from == NULL)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "table8 needs class posteriors: --noise-from from=RUN (a run "
            "with --record-posteriors 1) or posteriors=FILE.npy; or labels: "
            "file:LABELS.csv with a column type1_35 and the like");
    JSNI_TRY(open_study(out, url, cells, overrides,
                        posteriors ? settings->noise_from : NULL,
                        settings->seeds == 0));
    for (size_t i = 0; i < cells->grid.count; i++)
        for (int64_t s = 1; s <= settings->seeds; s++)
            if (is_wanted(settings->only, cells, &cells->grid.items[i]))
                JSNI_TRY(add_trial(*out, cells, &cells->grid.items[i], settings,
                                   overrides, s));
    return JSN_OK;
}

jsn_status jsn_repro_prepare(jsn_sweep **out, const char *url,
                             const jsn_repro_settings *settings,
                             const jsn_train_config *overrides)
{
    JSNI_NEED(out);
    JSNI_NEED(settings);
    jsni_repro_cells cells = {0};
    jsn_repro_entry entry;
    *out = NULL;
    JSNI_TRY(jsn_repro_lookup(settings->name, NULL, &entry));
    if (!entry.runs)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s has nothing to run", settings->name);
    JSNI_TRY(jsni_repro_cells_for(&cells, settings, overrides));
    const jsn_status status = prepare(out, url, settings, overrides, &cells);
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    jsni_repro_cells_release(&cells);
    return status;
}

jsn_status jsn_repro_evaluate(jsn_sweep *sweep, const jsn_repro_settings *settings,
                              const char *device, size_t threads,
                              const jsn_logger *logger)
{
    JSNI_NEED(sweep);
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    const char *accuracy = NULL, *top5 = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(check_also(info, settings->also_test));
    if (settings->also_test == NULL)
        return JSN_OK;
    for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++)
        if (info->measures[m].test != NULL)
            *(info->measures[m].guesses == 1 ? &accuracy : &top5) =
                info->measures[m].metric;
    return jsni_study_evaluate(sweep, settings->also_test, accuracy, top5, device,
                               threads, logger);
}
