/* repro/repro_cells.c - see repro_impl.h: from recipes to cells with their labels and the
 * paper's numbers, and rows beside the paper's. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/spec.h"
#include "jensen/loss.h"
#include "repro/paper_results.h"
#include "repro/repro_impl.h"
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

/* What stands for "{field}" in a template. A field that is not listed here is an option of
 * the recipe. */
static void put_field(jsni_text *out, const jsn_recipe *r, const char *field)
{
    static const char *const noises[] = {[JSN_RECIPE_REAL] = "real",
                                         [JSN_RECIPE_CLEAN] = "",
                                         [JSN_RECIPE_SYMMETRIC] = "symmetric",
                                         [JSN_RECIPE_ASYMMETRIC] = "asymmetric",
                                         [JSN_RECIPE_INSTANCE] = "instance-dependent"};
    char percent[16], m[16];
    (void)snprintf(percent, sizeof percent, "%d%%", r->percent);
    (void)snprintf(m, sizeof m, "%d", r->m);
    const bool clean = r->noise == JSN_RECIPE_CLEAN;
    const struct {
        const char *name, *text;
        bool word;
    } fields[] = {
        {"method", r->method, true},
        {"variant", r->variant, true},
        {"noisy", r->noisy, true},
        {"loss-name", r->method, false},
        {"pi1", r->pi1, false},
        {"m", m, false},
        {"percent", percent, false},
        {"rate", clean ? "no noise" : percent, false},
        {"noise", noises[r->noise], false},
    };
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        if (strcmp(fields[i].name, field) == 0) {
            if (fields[i].word)
                put_word(out, fields[i].text);
            else
                jsni_text_add(out, fields[i].text);
            return;
        }
    jsni_text_add(out, jsn_recipe_value(r, field));
}

/* "{method} on clean" for a recipe; NULL stands for "". */
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

static jsn_status add_cell(jsni_repro_cells *cells, const jsn_recipe *recipe, size_t m)
{
    const jsni_repro_info *info = cells->info;
    const jsni_repro_measure *measure = &info->measures[m];
    jsni_grid_cell *c = jsni_grid_add(&cells->grid);
    JSNI_TRY_ALLOC(c);
    c->recipe = *recipe;
    c->metric = measure->metric;
    c->guesses = measure->guesses;
    c->x = recipe->m;
    fill_in(c->row, info->label.row, recipe);
    fill_in(c->group, measure->test != NULL ? measure->test : info->label.group,
            recipe);
    fill_in(c->column, measure->column != NULL ? measure->column : info->label.column,
            recipe);
    for (jsni_paper_result p = {0}; jsni_paper_next(&p);)
        if (p.measure == m && strcmp(p.result, info->name) == 0 &&
            strcmp(p.recipe, recipe->name) == 0)
            c->published = p.number;
    return JSN_OK;
}

/* For jsni_recipe_walk(). */
typedef struct making {
    jsni_repro_cells *cells;
    const char *dataset;
    jsn_status status;
} making;

static bool add_recipe(const jsn_recipe *recipe, void *user)
{
    making *job = user;
    const jsni_repro_info *info = job->cells->info;
    if (strcmp(recipe->result, jsni_repro_recipes(info)) != 0 ||
        (!info->any_cifar && strcmp(recipe->dataset, job->dataset) != 0))
        return false;
    for (size_t m = 0; m < JSNI_REPRO_MEASURES && job->status == JSN_OK; m++)
        if (info->measures[m].metric != NULL)
            job->status = add_cell(job->cells, recipe, m);
    return job->status != JSN_OK;
}

jsn_status jsni_repro_cells_make(jsni_repro_cells *out, const char *name,
                                 const char *dataset)
{
    *out = (jsni_repro_cells){0};
    JSNI_TRY(jsni_repro_find(name, &out->info));
    if (dataset == NULL)
        dataset = out->info->dataset;
    out->data = jsni_repro_dataset_find(dataset, strlen(dataset));
    out->grid.classes = out->data == NULL ? 0 : out->data->classes;
    out->grid.published_runs = out->info->paper_runs;
    out->grid.unranked = out->info->unranked;
    making job = {out, dataset, JSN_OK};
    jsni_recipe_walk(add_recipe, &job);
    jsni_grid_arrange(&out->grid);
    const bool fits = out->grid.count > 0 && out->data != NULL &&
                      (!out->info->any_cifar || strncmp(dataset, "cifar", 5) == 0);
    if (job.status == JSN_OK && !fits)
        job.status =
            jsni_fail(JSN_ERR_ARGUMENT, "%s has no runs on '%s'", name, dataset);
    if (job.status != JSN_OK)
        jsni_repro_cells_release(out);
    return job.status;
}

/* Whether a cell is of another test set than the runs'. */
static bool is_other_test(const jsni_repro_cells *cells, const jsni_grid_cell *c)
{
    for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++)
        if (c->metric == cells->info->measures[m].metric)
            return cells->info->measures[m].test != NULL;
    return false;
}

void jsni_repro_drop_unmeasured(jsni_repro_cells *cells)
{
    jsni_grid *grid = &cells->grid;
    size_t kept = 0;
    for (size_t i = 0; i < grid->count; i++)
        if (is_other_test(cells, &grid->items[i]) && grid->items[i].count > 0)
            return;
    for (size_t i = 0; i < grid->count; i++)
        if (!is_other_test(cells, &grid->items[i]))
            grid->items[kept++] = grid->items[i];
    grid->count = kept;
    jsni_grid_arrange(grid);
}

/* An added row is trained as CE is: learning rate and weight decay are nobody's choice for
 * another loss. */
static bool is_ce(const jsni_grid_cell *c)
{
    return c->loss[0] == '\0' && strcmp(c->recipe.method, "ce") == 0;
}

static jsn_status add_row(jsni_repro_cells *cells, const char *spec)
{
    jsni_grid *grid = &cells->grid;
    const size_t before = grid->count;
    for (size_t i = 0; i < before; i++)
        if (strcmp(grid->items[i].row, spec) == 0)
            return jsni_fail(JSN_ERR_ARGUMENT, "--add-loss '%s': %s has that row", spec,
                             cells->info->name);
    for (size_t i = 0; i < before; i++) {
        if (!is_ce(&grid->items[i]))
            continue;
        jsni_grid_cell *c = jsni_grid_add(grid);
        JSNI_TRY_ALLOC(c);
        const jsni_published nothing = c->published;
        *c = grid->items[i];
        c->published = nothing;
        (void)snprintf(c->loss, sizeof c->loss, "%s", spec);
        (void)snprintf(c->row, sizeof c->row, "%s", spec);
    }
    return JSN_OK;
}

/* Whether the rows are losses, and each column has one of CE. */
static bool has_ce(const jsni_repro_cells *cells)
{
    size_t columns = 0;
    for (size_t i = 0; i < cells->grid.count; i++)
        columns += is_ce(&cells->grid.items[i]);
    return strcmp(cells->info->label.row, "{method}") == 0 &&
           columns == cells->grid.columns;
}

jsn_status jsni_repro_cells_add(jsni_repro_cells *cells, const char *list)
{
    if (!has_ce(cells))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--add-loss: the rows of %s are not losses with CE among "
                         "them; table1 has such rows",
                         cells->info->name);
    while (*list != '\0') {
        char spec[JSNI_GRID_LABEL];
        const size_t length = jsni_spec_length(list);
        if (length >= sizeof spec)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--add-loss '%.*s': at most %d letters per loss",
                             (int)length, list, JSNI_GRID_LABEL - 1);
        (void)snprintf(spec, sizeof spec, "%.*s", (int)length, list);
        JSNI_TRY(jsn_loss_check(spec, NULL));
        JSNI_TRY(add_row(cells, spec));
        list += length + (list[length] == ',');
    }
    jsni_grid_arrange(&cells->grid);
    return JSN_OK;
}

/* "WebVision top-5", where the result has several measures. */
static void put_measure(const jsni_repro_cells *cells, size_t m, jsni_text *out)
{
    const jsni_repro_measure *measure = &cells->info->measures[m];
    if (cells->info->measures[1].metric != NULL)
        jsni_text_format(out, " %s %s",
                         measure->test != NULL ? measure->test : cells->data->title,
                         measure->column);
}

/* Whether a cell has that number. */
static bool is_shown(const jsni_repro_cells *cells, const jsni_paper_result *p)
{
    for (size_t i = 0; i < cells->grid.count; i++)
        if (cells->grid.items[i].metric == cells->info->measures[p->measure].metric &&
            strcmp(cells->grid.items[i].recipe.name, p->recipe) == 0)
            return true;
    return false;
}

void jsni_repro_quoted(const jsni_repro_cells *cells, jsni_text *out)
{
    const char *separator = out->length > 0 ? " The paper has these as well: "
                                            : "The paper has these as well: ";
    bool any = false;
    for (jsni_paper_result p = {0}; jsni_paper_next(&p);) {
        if (p.title == NULL || strcmp(p.result, cells->info->name) != 0 ||
            is_shown(cells, &p))
            continue;
        jsni_text_format(out, "%s%s", any ? "; " : separator, p.title);
        put_measure(cells, p.measure, out);
        jsni_text_format(out, " %.2f", p.number.mean);
        if (!isnan(p.number.deviation))
            jsni_text_format(out, " ± %.2f", p.number.deviation);
        any = true;
    }
    if (any)
        jsni_text_add(out, ".");
}

void jsni_repro_cells_release(jsni_repro_cells *cells)
{
    jsni_grid_release(&cells->grid);
}
