/* repro/repro.c - see jensen/repro.h: the study of a result and its trials. */
#include "jensen/repro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/option.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"
#include "train/recipe_families.h"

static jsn_status open_study(jsn_sweep **out, const char *url, const char *name,
                             const jsni_repro_cells *cells,
                             const jsn_train_config *overrides, bool show)
{
    bool found = false;
    jsn_sweep_plan plan;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    JSNI_TRY(jsni_sweep_exists(url, name, &found));
    if (show)
        return found ? jsn_sweep_open_to_read(out, url, name) : JSN_OK;
    if (found)
        return jsn_sweep_open(out, url, name);
    JSNI_TRY(jsn_sweep_plan_init(&plan));
    jsn_status status = jsni_options_set(table, count, &plan, "search", "none");
    /* Not the measure: Table 13 looks at the runs of Table 1. */
    if (status == JSN_OK)
        status = jsni_options_set(table, count, &plan, "objective",
                                  cells->info->any_cifar ? "val_acc" : "test_acc");
    jsni_text axis = {0};
    jsni_text_add(&axis, "recipe=");
    for (size_t i = 0; i < cells->count && cells->items[i].loss[0] == '\0'; i++)
        if (i == 0 ||
            strcmp(cells->items[i].recipe.name, cells->items[i - 1].recipe.name) != 0)
            jsni_text_format(&axis, "%s%s", i == 0 ? "" : ";",
                             cells->items[i].recipe.name);
    if (status == JSN_OK)
        status = axis.status;
    if (status == JSN_OK)
        status = jsn_texts_add(&plan.axes, axis.data);
    if (status == JSN_OK)
        status = jsn_sweep_create(out, url, name, &plan, overrides);
    jsni_text_release(&axis);
    jsn_sweep_plan_release(&plan);
    return status;
}

jsn_status jsni_repro_cells_for(jsni_repro_cells *out,
                                const jsn_repro_settings *settings,
                                const jsn_train_config *overrides)
{
    const jsni_repro_info *info = NULL;
    const char *dataset = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(jsni_repro_check_also(info, settings->also_test));
    JSNI_TRY(
        jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &dataset));
    JSNI_TRY(jsni_repro_cells_make(out, settings->name, dataset));
    const jsn_status status = settings->add_loss == NULL
                                  ? JSN_OK
                                  : jsni_repro_cells_add(out, settings->add_loss);
    if (status != JSN_OK)
        jsni_repro_cells_release(out);
    return status;
}

/* The next of comma-separated words; false behind the last. */
static bool next_word(const char **list, char word[JSN_RECIPE_TEXT])
{
    const char *at = *list;
    const size_t n = strcspn(at, ",");
    (void)snprintf(word, JSN_RECIPE_TEXT, "%.*s", (int)n, at);
    *list = at + n + (at[n] == ',');
    return *at != '\0';
}

/* Whether a part of the name begins with one of the words; NULL: always. */
static bool wanted(const char *only, const char *name)
{
    char word[JSN_RECIPE_TEXT];
    if (only == NULL)
        return true;
    while (next_word(&only, word))
        /* "sym-40" is not meant to find "asym-40". */
        for (const char *hit = strstr(name, word); hit != NULL;
             hit = strstr(hit + 1, word))
            if (hit == name || hit[-1] == '/')
                return true;
    return false;
}

/* An added row is run where any of the paper's is. */
static bool is_wanted(const char *only, const jsni_repro_cells *cells,
                      const jsni_repro_cell *cell)
{
    if (cell->loss[0] == '\0')
        return wanted(only, cell->recipe.name);
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        if (c->loss[0] == '\0' && c->at_column == cell->at_column &&
            wanted(only, c->recipe.name))
            return true;
    }
    return false;
}

/* Refuses words of --only that find nothing: the table would be empty without a word. */
static jsn_status check_only(const char *only, const jsni_repro_cells *cells)
{
    char word[JSN_RECIPE_TEXT];
    while (only != NULL && next_word(&only, word)) {
        bool found = false;
        for (size_t i = 0; i < cells->count; i++)
            found = found || wanted(word, cells->items[i].recipe.name);
        if (!found)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--only '%s': no run of %s on %s has such a part in its "
                             "name ('%s', ...)",
                             word, cells->info->name, cells->data->name,
                             cells->items[0].recipe.name);
    }
    return JSN_OK;
}

bool jsni_repro_needs_posteriors(const jsni_repro_cells *cells,
                                 const jsn_train_config *overrides)
{
    return cells->items[0].recipe.noise == JSN_RECIPE_INSTANCE &&
           overrides->noise == NULL;
}

/* Epochs of a recipe where the result compares numbers of them: `asked` stands for the
 * largest. 0: the recipe's share needs no word of its own. */
static int64_t share_of_epochs(const jsni_repro_cells *cells, const jsn_recipe *recipe,
                               int64_t asked)
{
    int64_t most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const int64_t epochs =
            atoll(jsn_recipe_value(&cells->items[i].recipe, "epochs"));
        most = epochs > most ? epochs : most;
    }
    const int64_t own = atoll(jsn_recipe_value(recipe, "epochs"));
    if (own == most || asked == JSN_OPTION_INT_UNSET)
        return 0;
    const int64_t share = asked * own / most;
    return share > 0 ? share : 1;
}

/* The noise of a recipe from posteriors, or from a file of labels with a column for each
 * of its kinds. PLC's files leave out the images that it validates on. */
static void put_noise(jsni_text *out, const jsn_recipe *recipe, const char *from)
{
    if (strncmp(from, "file:", 5) != 0) {
        jsni_text_format(out, "%s,%s", jsn_recipe_value(recipe, "noise"), from);
        return;
    }
    jsni_text_format(out, "%s,column=%s_%d", from, recipe->variant, recipe->percent);
    if (strstr(from, ",missing=") == NULL)
        jsni_text_add(out, ",missing=val");
}

static jsn_status add_cell(jsn_sweep *sweep, const jsni_repro_cells *cells,
                           const jsni_repro_cell *cell,
                           const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, int64_t seed)
{
    const jsn_recipe *recipe = &cell->recipe;
    char seed_text[24], epochs_text[24];
    jsni_text noise = {0};
    const char *lr = NULL, *decay = NULL;
    jsn_sweep_pair pairs[7] = {{"recipe", recipe->name}, {"seed", seed_text}};
    size_t count = 2;
    (void)snprintf(seed_text, sizeof seed_text, "%lld", (long long)seed);
    if (isnan(overrides->lr) && isnan(overrides->weight_decay) &&
        jsni_recipe_rates(recipe, cells->data->name, &lr, &decay)) {
        pairs[count++] = (jsn_sweep_pair){"lr", lr};
        pairs[count++] = (jsn_sweep_pair){"weight-decay", decay};
    }
    const int64_t epochs = share_of_epochs(cells, recipe, overrides->epochs);
    if (epochs > 0) {
        (void)snprintf(epochs_text, sizeof epochs_text, "%lld", (long long)epochs);
        pairs[count++] = (jsn_sweep_pair){"epochs", epochs_text};
    }
    if (cell->loss[0] != '\0')
        pairs[count++] = (jsn_sweep_pair){"loss", cell->loss};
    if (jsni_repro_needs_posteriors(cells, overrides)) {
        put_noise(&noise, recipe, settings->noise_from);
        pairs[count++] = (jsn_sweep_pair){"noise", noise.data};
    }
    const jsn_status status = noise.status != JSN_OK
                                  ? noise.status
                                  : jsni_sweep_append(sweep, pairs, count, NULL, NULL);
    jsni_text_release(&noise);
    return status;
}

jsn_status jsn_repro_prepare(jsn_sweep **out, const char *url,
                             const jsn_repro_settings *settings,
                             const jsn_train_config *overrides)
{
    JSNI_NEED(out);
    JSNI_NEED(settings);
    jsni_repro_cells cells = {0};
    jsn_repro_entry entry;
    char *name = NULL;
    *out = NULL;
    JSNI_TRY(jsn_repro_lookup(settings->name, NULL, &entry));
    if (!entry.runs)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s has nothing to run", settings->name);
    JSNI_TRY(jsni_repro_cells_for(&cells, settings, overrides));
    jsn_status status = check_only(settings->only, &cells);
    if (status == JSN_OK)
        status = jsni_repro_check_overrides(&cells, overrides);
    const bool posteriors = jsni_repro_needs_posteriors(&cells, overrides);
    if (status == JSN_OK && posteriors && settings->noise_from == NULL)
        status =
            jsni_fail(JSN_ERR_ARGUMENT,
                      "table8 needs class posteriors: --noise-from from=RUN (a run "
                      "with --record-posteriors 1) or posteriors=FILE.npy; or labels: "
                      "file:LABELS.csv with a column type1_35 and the like");
    if (status == JSN_OK)
        status = jsni_repro_name_study(&cells, overrides,
                                       posteriors ? settings->noise_from : NULL, &name);
    if (status == JSN_OK)
        status = open_study(out, url, name, &cells, overrides, settings->seeds == 0);
    for (size_t i = 0; status == JSN_OK && i < cells.count; i++)
        for (int64_t s = 1; status == JSN_OK && s <= settings->seeds; s++)
            if (is_wanted(settings->only, &cells, &cells.items[i]))
                status =
                    add_cell(*out, &cells, &cells.items[i], settings, overrides, s);
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    jsni_free(name);
    jsni_repro_cells_release(&cells);
    return status;
}
