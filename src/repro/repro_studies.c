/* repro/repro_studies.c - the studies that results are kept in: their names, which say
 * what their runs share, and those of the same result on other data sets. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "core/sha256.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"
#include "train/recipe_find.h"

enum { HASH = 8 }; /* hexadecimal digits at the end of a name */

/* Whether an option says where data is. */
static bool names_data(const char *option)
{
    return strcmp(option, "data") == 0 || strcmp(option, "val") == 0 ||
           strcmp(option, "test") == 0;
}

jsn_status jsni_repro_list_options(const jsn_train_config *config, const char *between,
                                   bool data, jsni_text *out)
{
    size_t count = 0, listed = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < count; i++) {
        char *text = NULL;
        if (!jsn_train_option_matters(&table[i]) ||
            !jsni_options_is_set(&table[i], config) ||
            strcmp(table[i].name, "device") == 0)
            continue;
        JSNI_TRY(jsni_options_text(&table[i], config, &text));
        jsni_text_format(out, "%s%s=%s", listed++ == 0 ? "" : between, table[i].name,
                         data || !names_data(table[i].name) ? text : "");
        jsn_text_release(text);
    }
    return out->status;
}

/* What names of studies begin with: "repro-table1-cifar10-". */
static void put_prefix(jsni_text *out, const jsni_repro_info *info, const char *dataset)
{
    jsni_text_format(out, "repro-%s-%s-", jsni_repro_recipes(info), dataset);
}

/* Whether the recipes of the cells differ in an option. */
static bool cells_differ(const jsni_repro_cells *cells, const char *option)
{
    const char *first =
        cells->count == 0 ? NULL : jsn_recipe_value(&cells->items[0].recipe, option);
    for (size_t i = 1; i < cells->count; i++) {
        const char *value = jsn_recipe_value(&cells->items[i].recipe, option);
        if ((first == NULL) != (value == NULL) ||
            (first != NULL && strcmp(first, value) != 0))
            return true;
    }
    return false;
}

jsn_status jsni_repro_check_overrides(const jsni_repro_cells *cells,
                                      const jsn_train_config *overrides)
{
    const char *const options[] = {"loss", "loss-noisy", "noise", "views",
                                   cells->info->compares};
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < JSNI_COUNT_OF(options); i++) {
        const char *option = options[i];
        /* A noise may be given in place of one that comes from posteriors. */
        if (option == NULL || (strcmp(option, "noise") == 0 &&
                               cells->items[0].recipe.noise == JSN_RECIPE_INSTANCE))
            continue;
        if (jsni_options_is_set(jsni_options_find(table, count, option), overrides) &&
            cells_differ(cells, option))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--%s: the runs of %s differ in it, so one value for all "
                             "would be wrong; --only chooses among them",
                             option, cells->info->name);
    }
    return JSN_OK;
}

jsn_status jsni_repro_name_study(const jsni_repro_cells *cells,
                                 const jsn_train_config *overrides,
                                 const char *noise_from, char **out)
{
    jsni_text options = {0}, name = {0};
    char hex[JSNI_SHA256_HEX];
    jsni_sha256 sha;
    jsn_status status = jsni_repro_list_options(overrides, "\n", true, &options);
    if (status == JSN_OK && noise_from != NULL) {
        jsni_text_format(&options, "\nnoise-from=%s", noise_from);
        status = options.status;
    }
    if (status != JSN_OK) {
        jsni_text_release(&options);
        return status;
    }
    jsni_sha256_init(&sha);
    if (options.length > 0)
        jsni_sha256_add(&sha, options.data, options.length);
    jsni_sha256_hex(&sha, hex);
    jsni_text_release(&options);
    put_prefix(&name, cells->info, cells->data->name);
    jsni_text_format(&name, "%.*s", HASH, hex);
    return jsni_text_take(&name, out);
}

/* Whether a study was named by the function above for that data set. */
static jsn_status is_named(const char *name, const jsni_repro_info *info,
                           const char *dataset, bool *out)
{
    jsni_text prefix = {0};
    put_prefix(&prefix, info, dataset);
    const jsn_status status = prefix.status;
    *out = status == JSN_OK && strncmp(name, prefix.data, prefix.length) == 0 &&
           strlen(name) == prefix.length + HASH &&
           strspn(name + prefix.length, "0123456789abcdef") == HASH;
    jsni_text_release(&prefix);
    return status;
}

/* Whether the options that a study's runs share are `options`. Those that this version
 * does not know are others. */
static jsn_status shares(const jsn_sweep *sweep, const char *options, bool *out)
{
    jsn_train_config config;
    jsni_text own = {0};
    *out = false;
    jsn_train_config_clear(&config);
    jsn_status status = jsni_sweep_base(sweep, &config);
    if (status == JSN_OK)
        status = jsni_repro_list_options(&config, "\n", false, &own);
    if (status == JSN_OK)
        *out = strcmp(own.data == NULL ? "" : own.data, options) == 0;
    jsni_text_release(&own);
    jsn_train_config_release(&config);
    return status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* The study of `names` that stands for a data set, opened; NULL: there is none. */
static jsn_status choose(jsn_sweep **out, const jsn_sweep *beside,
                         const jsni_store_rows *names, const jsni_repro_info *info,
                         const char *dataset, const char *options)
{
    size_t most = 1;
    jsn_status status = JSN_OK;
    *out = NULL;
    for (size_t i = 0; status == JSN_OK && i < names->rows; i++) {
        const char *name = jsni_store_cell(names, i, 0);
        jsn_sweep_counts counts = {0};
        jsn_sweep *sweep = NULL;
        bool wanted = false;
        status = is_named(name, info, dataset, &wanted);
        if (status != JSN_OK || !wanted)
            continue;
        status = jsn_sweep_open_to_read(&sweep, beside->store->url, name);
        if (status == JSN_ERR_ARGUMENT || status == JSN_ERR_DATA) {
            status = JSN_OK; /* removed meanwhile, or another program's */
            continue;
        }
        if (status == JSN_OK)
            status = shares(sweep, options, &wanted);
        if (status == JSN_OK)
            status = jsn_sweep_count(sweep, &counts);
        if (status == JSN_OK && wanted && counts.complete >= most) {
            most = counts.complete;
            jsn_sweep_close(*out);
            *out = sweep;
        } else {
            jsn_sweep_close(sweep);
        }
    }
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    return status;
}

/* Adds a panel with what the study has. */
static jsn_status add_other(jsni_repro_others *out, jsn_sweep *sweep, const char *name,
                            const char *dataset)
{
    jsni_repro_cells *cells = &out->items[out->count];
    jsn_sweep_trial *trials = NULL;
    size_t count = 0, complete = 0;
    JSNI_TRY(jsni_repro_cells_make(cells, name, dataset));
    out->count++;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    const jsn_status status = jsni_repro_cells_fill(cells, trials, count);
    for (size_t i = 0; i < count; i++)
        complete += trials[i].state == JSN_SWEEP_COMPLETE;
    jsn_sweep_trials_release(trials, count);
    jsni_text_format(&out->note, "%s%s: study %s, %zu finished %s.",
                     out->note.length == 0 ? "" : " ", cells->data->title,
                     jsn_sweep_about(sweep).name, complete,
                     jsni_noun(complete, "run", "runs"));
    return status != JSN_OK ? status : out->note.status;
}

/* The data sets of a result in the paper's order, which is that of the recipes. */
static jsn_status list_datasets(const jsni_repro_info *info,
                                const char *out[JSNI_REPRO_DATASETS], size_t *count)
{
    const size_t recipes = jsni_recipe_count();
    *count = 0;
    for (size_t i = 0; i < recipes; i++) {
        jsn_recipe recipe;
        size_t k = 0;
        JSNI_TRY(jsn_recipe_at(i, &recipe));
        while (k < *count && strcmp(out[k], recipe.dataset) != 0)
            k++;
        if (strcmp(recipe.result, jsni_repro_recipes(info)) == 0 && k == *count &&
            k < JSNI_REPRO_DATASETS)
            out[(*count)++] = recipe.dataset;
    }
    return JSN_OK;
}

jsn_status jsni_repro_others_find(jsni_repro_others *out, const jsn_sweep *sweep,
                                  const jsni_repro_cells *cells,
                                  const jsn_train_config *overrides)
{
    const char *datasets[JSNI_REPRO_DATASETS];
    jsni_store_rows names = {0};
    jsni_text options = {0};
    size_t count = 0;
    if (cells->info->kind != JSNI_REPRO_BARS || sweep == NULL)
        return JSN_OK;
    JSNI_TRY(list_datasets(cells->info, datasets, &count));
    jsn_status status = jsni_repro_list_options(overrides, "\n", false, &options);
    if (status == JSN_OK)
        status = jsni_study_names(sweep->store, &names);
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        jsn_sweep *other = NULL;
        if (strcmp(datasets[i], cells->data->name) == 0) {
            out->before = out->count;
            continue;
        }
        status = choose(&other, sweep, &names, cells->info, datasets[i],
                        options.data == NULL ? "" : options.data);
        if (status == JSN_OK && other != NULL)
            status = add_other(out, other, cells->info->name, datasets[i]);
        jsn_sweep_close(other);
    }
    jsni_store_rows_release(&names);
    jsni_text_release(&options);
    return status;
}

void jsni_repro_others_release(jsni_repro_others *others)
{
    for (size_t i = 0; i < others->count; i++)
        jsni_repro_cells_release(&others->items[i]);
    jsni_text_release(&others->note);
    *others = (jsni_repro_others){0};
}
