/* repro/repro_cells.c - see repro_impl.h: from recipes to cells with their labels and the
 * paper's numbers, and rows beside the paper's. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/spec.h"
#include "jensen/loss.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"
#include "train/recipe_families.h"

/* What tables print for a name of ours. Other names are the same in capitals. */
static const char *const words[][2] = {
    {"js-mean", "GJS without consistency"},
    {"gjs-2net", "GJS, two networks"},
    {"full", "Full"},
    {"no-cutout", "-CO"},
    {"no-randaugment", "-RA"},
    {"weak", "Weak"},
    {"type1", "Type I"},
    {"type2", "Type II"},
    {"type3", "Type III"},
};

static void put_word(jsni_text *out, const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(words); i++)
        if (strcmp(words[i][0], name) == 0) {
            jsni_text_add(out, words[i][1]);
            return;
        }
    for (; *name != '\0'; name++)
        jsni_text_format(out, "%c", toupper((unsigned char)*name));
}

/* Adds what "{field}" of a template stands for. A field that is not listed here is an
 * option of the recipe. */
static void put_field(jsni_text *out, const jsn_recipe *r, char *field)
{
    static const char *const noises[] = {[JSN_RECIPE_REAL] = "real",
                                         [JSN_RECIPE_CLEAN] = "",
                                         [JSN_RECIPE_SYMMETRIC] = "symmetric",
                                         [JSN_RECIPE_ASYMMETRIC] = "asymmetric",
                                         [JSN_RECIPE_INSTANCE] = "instance-dependent"};
    char percent[16], m[16];
    (void)snprintf(percent, sizeof percent, "%d%%", r->percent);
    (void)snprintf(m, sizeof m, "%d", r->m);
    const bool word = isupper((unsigned char)field[0]) != 0;
    field[0] = (char)tolower((unsigned char)field[0]);
    const char *const fields[][2] = {
        {"method", r->method},
        {"variant", r->variant},
        {"noisy", r->noisy},
        {"pi1", r->pi1},
        {"m", m},
        {"percent", percent},
        {"rate", r->noise == JSN_RECIPE_CLEAN ? "no noise" : percent},
        {"noise", noises[r->noise]},
        {field, jsn_recipe_value(r, field)},
    };
    size_t i = 0;
    while (strcmp(fields[i][0], field) != 0)
        i++;
    (word ? put_word : jsni_text_add)(out, fields[i][1]);
}

/* "{Method} on clean" for a recipe; NULL stands for "". */
static void fill_in(char out[JSNI_GRID_LABEL], const char *template,
                    const jsn_recipe *recipe)
{
    jsni_text text = jsni_text_in(out, JSNI_GRID_LABEL);
    while (template != NULL && *template != '\0') {
        const size_t plain = strcspn(template, "{");
        jsni_text_add_n(&text, template, plain);
        template += plain;
        if (*template == '{') {
            char field[16];
            const size_t n = strcspn(template + 1, "}");
            (void)snprintf(field, sizeof field, "%.*s", (int)n, template + 1);
            put_field(&text, recipe, field);
            template += n + 2;
        }
    }
}

static void add_cell(jsni_repro *r, const jsn_recipe *recipe, size_t m)
{
    const jsni_repro_info *info = r->info;
    const jsni_repro_measure *measure = &info->measures[m];
    jsni_grid_cell *c = jsni_grid_add(&r->grid);
    c->recipe = *recipe;
    c->unlike = r->overrides->init == NULL && recipe->weights != NULL;
    c->metric = measure->metric;
    c->guesses = measure->guesses;
    c->x = recipe->m;
    fill_in(c->row, info->label.row, recipe);
    fill_in(c->group, m < JSNI_REPRO_OTHER ? info->label.group : info->other_test,
            recipe);
    fill_in(c->column, measure->column != NULL ? measure->column : info->label.column,
            recipe);
    for (jsni_paper_result p = {0}; jsni_paper_next(&p);)
        if (p.measure == m && strcmp(p.result, info->name) == 0 &&
            strcmp(p.recipe, recipe->name) == 0)
            c->published = p.number;
}

/* For jsni_recipe_walk(). */
static bool add_recipe(const jsn_recipe *recipe, void *user)
{
    jsni_repro *r = user;
    if (strcmp(recipe->result, jsni_repro_recipes(r->info)) == 0 &&
        (r->info->any_cifar ? r->data->cifar
                            : strcmp(r->data->name, recipe->dataset) == 0))
        for (size_t m = 0; m < r->measures; m++)
            add_cell(r, recipe, m);
    return false;
}

/* How many measures have cells: those of another test set only where numbers of it are
 * asked for, or there. */
static size_t count_measures(const jsni_repro *r)
{
    const jsni_repro_measure *measures = r->info->measures;
    size_t most =
        r->settings->also_test != NULL ? JSNI_REPRO_MEASURES : JSNI_REPRO_OTHER;
    size_t count = 1;
    for (size_t i = 0; r->info->other_test != NULL && i < r->count; i++)
        if (isfinite(
                jsni_sweep_number(&r->trials[i], measures[JSNI_REPRO_OTHER].metric)))
            most = JSNI_REPRO_MEASURES;
    while (count < most && measures[count].metric != NULL)
        count++;
    return count;
}

jsn_status jsni_repro_fill(jsni_repro *r, jsn_sweep *sweep)
{
    if (sweep != NULL)
        JSNI_TRY(jsn_sweep_trials(sweep, &r->trials, &r->count));
    r->measures = count_measures(r);
    r->grid.classes = r->data->classes;
    r->grid.published_runs = r->info->paper_runs;
    r->grid.unranked = r->info->unranked;
    jsni_recipe_walk(add_recipe, r);
    jsni_grid_arrange(&r->grid);
    return jsni_grid_fill(&r->grid, r->trials, r->count);
}

/* An added row is trained as CE is: learning rate and weight decay are nobody's choice for
 * another loss. */
static bool is_ce(const jsni_grid_cell *c)
{
    return c->loss[0] == '\0' && strcmp(c->recipe.method, "ce") == 0;
}

static jsn_status add_row(jsni_repro *r, const char *spec)
{
    jsni_grid *grid = &r->grid;
    JSNI_TRY(jsn_loss_check(spec, NULL));
    for (size_t i = 0, before = grid->count; i < before; i++) {
        if (strcmp(grid->items[i].row, spec) == 0)
            return jsni_fail(JSN_ERR_ARGUMENT, "--add-loss '%s': %s has that row", spec,
                             r->info->name);
        if (!is_ce(&grid->items[i]))
            continue;
        jsni_grid_cell *c = jsni_grid_add(grid);
        const jsni_published nothing = c->published;
        *c = grid->items[i];
        c->published = nothing;
        (void)snprintf(c->loss, sizeof c->loss, "%s", spec);
        (void)snprintf(c->row, sizeof c->row, "%s", spec);
    }
    return JSN_OK;
}

/* Adds a row for each loss of a list, "gce:q=0.7,10*nce+0.1*rce", with the recipes of CE. */
static jsn_status add_rows(jsni_repro *r, const char *list)
{
    size_t of_ce = 0;
    for (size_t i = 0; i < r->grid.count; i++)
        of_ce += is_ce(&r->grid.items[i]);
    if (of_ce != r->grid.columns)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--add-loss: the rows of %s are not losses with CE among "
                         "them; table1 has such rows",
                         r->info->name);
    while (*list != '\0') {
        char spec[JSNI_GRID_LABEL];
        const size_t length = jsni_spec_length(list);
        if (length >= sizeof spec)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--add-loss '%.*s': at most %d letters per loss",
                             (int)length, list, JSNI_GRID_LABEL - 1);
        (void)snprintf(spec, sizeof spec, "%.*s", (int)length, list);
        JSNI_TRY(add_row(r, spec));
        list += length + (list[length] == ',');
    }
    jsni_grid_arrange(&r->grid);
    return jsni_grid_fill(&r->grid, r->trials, r->count);
}

jsn_status jsni_repro_open(jsni_repro *out, jsn_sweep *sweep,
                           const jsn_repro_settings *settings,
                           const jsn_train_config *overrides)
{
    *out = (jsni_repro){.settings = settings, .overrides = overrides};
    JSNI_TRY(jsni_repro_find(settings, &out->info));
    if (out->info->dataset == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s has nothing to run", settings->name);
    JSNI_TRY(jsni_repro_choose_dataset(out->info, settings->dataset, overrides->data,
                                       &out->data));
    jsn_status status = jsni_repro_fill(out, sweep);
    if (status == JSN_OK && out->grid.count == 0)
        status = jsni_fail(JSN_ERR_ARGUMENT, "%s has no runs on '%s'", settings->name,
                           out->data->name);
    if (status == JSN_OK && settings->add_loss != NULL)
        status = add_rows(out, settings->add_loss);
    if (status != JSN_OK)
        jsni_repro_release(out);
    return status;
}

void jsni_repro_release(jsni_repro *r)
{
    jsni_grid_release(&r->grid);
    jsn_sweep_trials_release(r->trials, r->count);
    *r = (jsni_repro){0};
}
