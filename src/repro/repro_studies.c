/* repro/repro_studies.c - the studies that results are kept in: their names, which say
 * what their runs share, and those of the same result on other data sets. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "core/sha256.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"

enum { HASH = 8, NAME = JSNI_REPRO_NAME }; /* digits at the end of a name; its room */

const jsn_option_info *jsni_repro_next_option(const jsn_train_config *config,
                                              size_t *at)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    while (*at < count) {
        const jsn_option_info *option = &table[(*at)++];
        if (jsn_train_option_matters(option) && jsni_options_is_set(option, config))
            return option;
    }
    return NULL;
}

/* Whether an option says where data is. */
static bool names_data(const char *option)
{
    return strcmp(option, "data") == 0 || strcmp(option, "val") == 0 ||
           strcmp(option, "test") == 0;
}

jsn_status jsni_repro_list_options(const jsn_train_config *config, const char *between,
                                   bool data, jsni_text *out)
{
    const jsn_option_info *option;
    const char *separator = "";
    for (size_t i = 0; (option = jsni_repro_next_option(config, &i)) != NULL;) {
        char *text = NULL;
        if (strcmp(option->name, "device") == 0)
            continue;
        JSNI_TRY(jsni_options_text(option, config, &text));
        jsni_text_format(out, "%s%s=%s", separator, option->name,
                         data || !names_data(option->name) ? text : "");
        jsn_text_release(text);
        separator = between;
    }
    return out->status;
}

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

/* What names of studies begin with: "repro-table1-cifar10-". */
static void put_prefix(char out[NAME], const jsni_repro_cells *cells)
{
    (void)snprintf(out, NAME, "repro-%s-%s-", jsni_repro_recipes(cells->info),
                   cells->data->name);
}

jsn_status jsni_repro_name_study(const jsni_repro_cells *cells,
                                 const jsn_train_config *overrides,
                                 const char *noise_from, char name[NAME])
{
    jsni_text options = {0};
    char prefix[NAME], hex[JSNI_SHA256_HEX];
    jsni_sha256 sha;
    jsn_status status = jsni_repro_list_options(overrides, "\n", true, &options);
    if (noise_from != NULL)
        jsni_text_format(&options, "\nnoise-from=%s", noise_from);
    if (status == JSN_OK)
        status = options.status;
    jsni_sha256_init(&sha);
    if (options.length > 0)
        jsni_sha256_add(&sha, options.data, options.length);
    jsni_sha256_hex(&sha, hex);
    jsni_text_release(&options);
    put_prefix(prefix, cells);
    (void)jsni_format(name, NAME, "%s%.*s", prefix, HASH, hex);
    return status;
}

/* Whether a study was named by the function above for a result. */
static bool is_named(const char *name, const jsni_repro_cells *cells)
{
    char prefix[NAME];
    put_prefix(prefix, cells);
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && strlen(name) == length + HASH &&
           strspn(name + length, "0123456789abcdef") == HASH;
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

/* The study of `names` that stands for a result, opened; NULL: there is none. */
static jsn_status choose(jsn_sweep **out, const jsn_sweep *beside,
                         const jsni_store_rows *names, const jsni_repro_cells *cells,
                         const char *options)
{
    size_t most = 1;
    jsn_status status = JSN_OK;
    *out = NULL;
    for (size_t i = 0; status == JSN_OK && i < names->rows; i++) {
        const char *name = jsni_store_cell(names, i, 0);
        jsn_sweep_counts counts = {0};
        jsn_sweep *sweep = NULL;
        bool wanted = false;
        if (!is_named(name, cells))
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
            jsn_sweep *worse = *out;
            most = counts.complete;
            *out = sweep;
            sweep = worse;
        }
        jsn_sweep_close(sweep);
    }
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    return status;
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
                            const jsni_store_rows *names, const char *result,
                            const char *dataset, const char *options)
{
    jsni_repro_cells *cells = &out->items[out->count];
    jsn_sweep *sweep = NULL;
    jsn_status status = jsni_repro_cells_make(cells, result, dataset);
    if (status != JSN_OK)
        return status == JSN_ERR_ARGUMENT ? JSN_OK : status;
    out->count++;
    status = choose(&sweep, beside, names, cells, options);
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
    jsni_store_rows names = {0};
    jsni_text options = {0};
    if (cells->info->kind != JSNI_REPRO_BARS || sweep == NULL)
        return JSN_OK;
    jsn_status status = jsni_repro_list_options(overrides, "\n", false, &options);
    if (status == JSN_OK)
        status = jsni_study_names(sweep->store, &names);
    for (size_t i = 0; status == JSN_OK && i < JSNI_REPRO_DATASETS; i++) {
        if (&jsni_repro_datasets[i] == cells->data)
            out->before = out->count;
        else
            status = add_panel(out, sweep, &names, cells->info->name,
                               jsni_repro_datasets[i].name,
                               options.data == NULL ? "" : options.data);
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
