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

bool jsni_repro_needs_posteriors(const jsni_repro *r)
{
    return r->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE &&
           r->overrides->noise == NULL;
}

/* Whether the recipes of the cells differ in an option. */
static bool cells_differ(const jsni_grid *grid, const char *option)
{
    for (size_t i = 1; i < grid->count; i++) {
        const char *first = jsn_recipe_value(&grid->items[0].recipe, option);
        const char *value = jsn_recipe_value(&grid->items[i].recipe, option);
        if (strcmp(first == NULL ? "" : first, value == NULL ? "" : value) != 0)
            return true;
    }
    return false;
}

/* Refuses options that would make what a result compares the same: a row of CE trained
 * with another loss. */
static jsn_status check_overrides(const jsni_repro *r)
{
    /* A noise may be given in place of one that comes from posteriors. */
    const bool open = r->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE;
    const char *const compared[] = {"loss", "loss-noisy", "views", r->info->compares,
                                    open ? NULL : "noise"};
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < JSNI_COUNT_OF(compared); i++)
        if (compared[i] != NULL &&
            jsni_options_is_set(jsni_options_find(table, count, compared[i]),
                                r->overrides) &&
            cells_differ(&r->grid, compared[i]))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--%s: the runs of %s differ in it, so one value for all "
                             "would be wrong; --only chooses among them",
                             compared[i], r->info->name);
    return JSN_OK;
}

/* Whether a part of the name begins with one of comma-separated words; NULL: always. */
static bool is_named(const char *only, const char *name)
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
static bool is_wanted(const jsni_repro *r, const jsni_grid_cell *cell)
{
    const bool added = cell->loss[0] != '\0';
    for (size_t i = 0; i < r->grid.count; i++) {
        const jsni_grid_cell *c = &r->grid.items[i];
        if (c->loss[0] == '\0' &&
            (added ? c->at_column == cell->at_column : c == cell) &&
            is_named(r->settings->only, c->recipe.name))
            return true;
    }
    return false;
}

/* Refuses words of --only that find nothing: the table would be empty without a word. */
static jsn_status check_only(const jsni_repro *r)
{
    const char *only = r->settings->only;
    while (only != NULL && *only != '\0') {
        char word[JSN_RECIPE_TEXT];
        const size_t n = strcspn(only, ",");
        bool found = false;
        (void)snprintf(word, sizeof word, "%.*s", (int)n, only);
        for (size_t i = 0; i < r->grid.count; i++)
            found = found || is_named(word, r->grid.items[i].recipe.name);
        if (!found)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--only '%s': no run of %s on %s has such a part in its "
                             "name ('%s', ...)",
                             word, r->info->name, r->data->name,
                             r->grid.items[0].recipe.name);
        only += n + (only[n] == ',');
    }
    return JSN_OK;
}

void jsni_repro_prefix(const jsni_repro *r, char out[JSNI_REPRO_PREFIX])
{
    (void)snprintf(out, JSNI_REPRO_PREFIX, "repro-%s-%s-", jsni_repro_recipes(r->info),
                   r->data->name);
}

/* One axis, whose values are the recipes. */
static jsn_status make_study(jsn_sweep **out, const char *url, const char *name,
                             const jsni_repro *r)
{
    /* Not the measure: Table 13 looks at the runs of Table 1. */
    const char *objective = r->info->any_cifar ? "val_acc" : "test_acc";
    const char *before = "";
    jsni_text axis = {0};
    for (size_t i = 0; i < r->grid.count; i++) {
        const char *recipe = r->grid.items[i].recipe.name;
        if (r->grid.items[i].loss[0] == '\0' && strcmp(recipe, before) != 0)
            jsni_text_format(&axis, "%s%s", i == 0 ? "recipe=" : ";", recipe);
        before = recipe;
    }
    const jsn_status status =
        axis.status != JSN_OK
            ? axis.status
            : jsni_sweep_make(out, url, name, objective, axis.data, r->overrides);
    jsni_text_release(&axis);
    return status;
}

/* Noise from another source makes another study. To be read, where no runs are asked for. */
static jsn_status open_study(jsn_sweep **out, const char *url, const jsni_repro *r)
{
    const bool show = r->settings->seeds == 0;
    const jsn_sweep_pair source = {"noise-from", r->settings->noise_from};
    char prefix[JSNI_REPRO_PREFIX];
    jsni_text name = {0};
    bool found = false;
    jsni_repro_prefix(r, prefix);
    jsn_status status = jsni_study_name(
        prefix, r->overrides, jsni_repro_needs_posteriors(r) ? &source : NULL, &name);
    if (status == JSN_OK)
        status = jsni_sweep_exists(url, name.data, &found);
    if (status == JSN_OK && found)
        status = (show ? jsn_sweep_open_to_read : jsn_sweep_open)(out, url, name.data);
    else if (status == JSN_OK && !show)
        status = make_study(out, url, name.data, r);
    jsni_text_release(&name);
    return status;
}

static int64_t epochs_of(const jsn_recipe *recipe)
{
    return strtoll(jsn_recipe_value(recipe, "epochs"), NULL, 10);
}

/* Epochs of a recipe where the result compares numbers of them: what is asked for stands
 * for the largest. 0: the recipe's share needs no word of its own. */
static int64_t share_of_epochs(const jsni_repro *r, const jsn_recipe *recipe)
{
    const int64_t asked = r->overrides->epochs;
    int64_t most = 0;
    for (size_t i = 0; i < r->grid.count; i++)
        if (epochs_of(&r->grid.items[i].recipe) > most)
            most = epochs_of(&r->grid.items[i].recipe);
    if (epochs_of(recipe) == most || asked == JSN_OPTION_INT_UNSET)
        return 0;
    const int64_t share = asked * epochs_of(recipe) / most;
    return share > 0 ? share : 1;
}

static jsn_status add_trial(jsn_sweep *sweep, const jsni_repro *r,
                            const jsni_grid_cell *cell, int64_t seed)
{
    const jsn_recipe *recipe = &cell->recipe;
    const char *lr = NULL, *decay = NULL;
    char seed_text[24], epochs_text[24];
    jsni_text noise = {0};
    const int64_t epochs = share_of_epochs(r, recipe);
    if (isnan(r->overrides->lr) && isnan(r->overrides->weight_decay))
        (void)jsni_recipe_rates(recipe, r->data->name, &lr, &decay);
    (void)snprintf(seed_text, sizeof seed_text, "%lld", (long long)seed);
    (void)snprintf(epochs_text, sizeof epochs_text, "%lld", (long long)epochs);
    if (jsni_repro_needs_posteriors(r))
        jsni_sweep_put_instance(&noise, jsn_recipe_value(recipe, "noise"),
                                r->settings->noise_from, recipe->variant,
                                recipe->percent);
    const jsn_sweep_pair pairs[] = {
        {"recipe", recipe->name},
        {"seed", seed_text},
        {"lr", lr},
        {"weight-decay", decay},
        {"epochs", epochs > 0 ? epochs_text : NULL},
        {"loss", cell->loss[0] != '\0' ? cell->loss : NULL},
        {"noise", noise.data},
    };
    const jsn_status status =
        noise.status != JSN_OK
            ? noise.status
            : jsni_sweep_append(sweep, pairs, JSNI_COUNT_OF(pairs), NULL, NULL);
    jsni_text_release(&noise);
    return status;
}

static jsn_status prepare(jsn_sweep **out, const char *url, const jsni_repro *r)
{
    JSNI_TRY(check_only(r));
    JSNI_TRY(check_overrides(r));
    if (jsni_repro_needs_posteriors(r) && r->settings->noise_from == NULL)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "table8 needs class posteriors: --noise-from from=RUN (a run "
            "with --record-posteriors 1) or posteriors=FILE.npy; or labels: "
            "file:LABELS.csv with a column type1_35 and the like");
    JSNI_TRY(open_study(out, url, r));
    for (size_t i = 0; i < r->grid.count; i++)
        for (int64_t s = 1; s <= r->settings->seeds; s++)
            if (is_wanted(r, &r->grid.items[i]))
                JSNI_TRY(add_trial(*out, r, &r->grid.items[i], s));
    return JSN_OK;
}

jsn_status jsn_repro_prepare(jsn_sweep **out, const char *url,
                             const jsn_repro_settings *settings,
                             const jsn_train_config *overrides)
{
    JSNI_NEED(out);
    JSNI_NEED(settings);
    JSNI_NEED(settings->name);
    jsni_repro r;
    *out = NULL;
    JSNI_TRY(jsni_repro_open(&r, NULL, settings, overrides));
    const jsn_status status = prepare(out, url, &r);
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    jsni_repro_release(&r);
    return status;
}

jsn_status jsn_repro_evaluate(jsn_sweep *sweep, const jsn_repro_settings *settings,
                              const char *device, size_t threads,
                              const jsn_logger *logger)
{
    JSNI_NEED(sweep);
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    JSNI_TRY(jsni_repro_find(settings, &info));
    if (settings->also_test == NULL)
        return JSN_OK;
    const jsni_repro_measure *other = &info->measures[JSNI_REPRO_OTHER];
    return jsni_study_evaluate(sweep, settings->also_test, other[0].metric,
                               other[1].metric, device, threads, logger);
}
