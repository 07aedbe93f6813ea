/* repro/repro_cells.c - see repro_impl.h: from recipes to cells with their labels and the
 * paper's numbers. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "repro/paper_results.h"
#include "repro/repro_impl.h"
#include "train/recipe_find.h"

/* What tables print for a name of ours, and what paper_results calls it. Other methods
 * are the same in capitals. */
static const struct {
    const char *name, *title, *printed;
} words[] = {
    {"js-mean", "GJS without consistency", "GJS_no_consistency"},
    {"gjs-2net", "GJS, two networks", "GJS"},
    {"full", "Full", "full"},
    {"no-cutout", "-CO", "noCutout"},
    {"no-randaugment", "-RA", "noRandAug"},
    {"weak", "Weak", "weak"},
    {"type1", "Type I", "instance_type1"},
    {"type2", "Type II", "instance_type2"},
    {"type3", "Type III", "instance_type3"},
};

static void put_word(jsni_text *out, const char *name, bool printed)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(words); i++)
        if (strcmp(words[i].name, name) == 0) {
            jsni_text_add(out, printed ? words[i].printed : words[i].title);
            return;
        }
    for (; *name != '\0'; name++)
        jsni_text_format(out, "%c", toupper((unsigned char)*name));
}

static const char *noise_title(jsn_recipe_noise noise)
{
    static const char *const titles[] = {[JSN_RECIPE_REAL] = "real",
                                         [JSN_RECIPE_CLEAN] = "",
                                         [JSN_RECIPE_SYMMETRIC] = "symmetric",
                                         [JSN_RECIPE_ASYMMETRIC] = "asymmetric",
                                         [JSN_RECIPE_INSTANCE] = "instance-dependent"};
    return titles[noise];
}

/* What stands for "{field}" in a template. A field that is not listed here is an option of
 * the recipe. */
static void put_field(jsni_text *out, const jsn_recipe *r, const char *field)
{
    if (strcmp(field, "method") == 0 || strcmp(field, "METHOD") == 0)
        put_word(out, r->method, field[0] == 'M');
    else if (strcmp(field, "variant") == 0 || strcmp(field, "VARIANT") == 0)
        put_word(out, r->variant, field[0] == 'V');
    else if (strcmp(field, "noisy") == 0)
        put_word(out, r->noisy, true);
    else if (strcmp(field, "loss-name") == 0)
        jsni_text_add(out, r->method);
    else if (strcmp(field, "noise") == 0)
        jsni_text_add(out, noise_title(r->noise));
    else if (strcmp(field, "rate") == 0 && r->noise == JSN_RECIPE_CLEAN)
        jsni_text_add(out, "no noise");
    else if (strcmp(field, "rate") == 0)
        jsni_text_format(out, "%d%%", r->percent);
    else if (strcmp(field, "percent") == 0)
        jsni_text_format(out, "%d", r->percent);
    else if (strcmp(field, "pi1") == 0)
        jsni_text_add(out, r->pi1);
    else if (strcmp(field, "m") == 0)
        jsni_text_format(out, "%d", r->m);
    else
        jsni_text_add(out, jsn_recipe_value(r, field));
}

/* "{method} on clean" for a recipe; NULL stands for "". */
static void fill_in(char out[JSNI_REPRO_LABEL], const char *template,
                    const jsn_recipe *recipe)
{
    jsni_text text = jsni_text_in(out, JSNI_REPRO_LABEL);
    while (template != NULL && *template != '\0') {
        const size_t plain = strcspn(template, "{");
        jsni_text_add_n(&text, template, plain);
        template += plain;
        if (*template == '{') {
            char field[16];
            const size_t n = strcspn(template + 1, "}");
            jsni_text name = jsni_text_in(field, sizeof field);
            jsni_text_add_n(&name, template + 1, n);
            put_field(&text, recipe, field);
            template += n + 2;
        }
    }
}

/* How paper_results names the noise of a recipe. */
static bool same_noise(const jsn_recipe *r, const jsni_paper_result *p)
{
    char name[JSNI_REPRO_LABEL];
    if (r->noise == JSN_RECIPE_REAL)
        return strcmp(p->noise, "real") == 0;
    fill_in(name,
            r->noise == JSN_RECIPE_INSTANCE ? "{VARIANT}"
            : r->noise == JSN_RECIPE_CLEAN  ? "none"
                                            : "{noise}",
            r);
    return strcmp(p->noise, name) == 0 && fabs(p->rate - r->percent / 100.0) < 1e-9;
}

static void look_up(jsni_repro_cell *c, const jsni_repro_info *info,
                    const char *dataset)
{
    char method[JSNI_REPRO_LABEL];
    fill_in(method, info->printed_row, &c->recipe);
    const char *metric = c->measure->printed;
    for (jsni_paper_result p = {0}; info->key != NULL && jsni_paper_next(&p);) {
        if (strcmp(p.table, info->key) != 0 || strcmp(p.dataset, dataset) != 0 ||
            strcmp(p.method, method) != 0 || !same_noise(&c->recipe, &p) ||
            (metric != NULL && strcmp(p.metric, metric) != 0))
            continue;
        c->printed = p.number;
        c->paper = p.mean;
        c->paper_deviation = p.deviation;
        c->paper_runs = isnan(p.deviation) ? 1 : info->paper_runs;
        c->paper_bold = p.bold;
        return;
    }
}

static void make_cell(jsni_repro_cell *c, const jsni_repro_info *info,
                      const jsn_recipe *recipe, const jsni_repro_measure *measure)
{
    const jsni_repro_dataset *data =
        jsni_repro_dataset_find(recipe->dataset, strlen(recipe->dataset));
    c->recipe = *recipe;
    c->measure = measure;
    c->paper = c->paper_deviation = c->mean = c->deviation = NAN;
    fill_in(c->row, info->row, recipe);
    fill_in(c->group, measure->test != NULL ? measure->test : info->group, recipe);
    fill_in(c->column, measure->column != NULL ? measure->column : info->column,
            recipe);
    look_up(c, info, measure->test != NULL ? measure->test : data->title);
}

jsn_status jsni_repro_cells_make(jsni_repro_cells *out, const char *name,
                                 const char *dataset)
{
    *out = (jsni_repro_cells){0};
    JSNI_TRY(jsni_repro_find(name, &out->info));
    const jsni_repro_info *info = out->info;
    if (dataset == NULL)
        dataset = info->dataset;
    out->data = jsni_repro_dataset_find(dataset, strlen(dataset));
    const size_t recipes = jsni_recipe_count(); /* makes them all to count them */
    JSNI_TRY_ALLOC(out->items = jsni_alloc_zero(JSNI_REPRO_MEASURES * recipes,
                                                sizeof *out->items));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < recipes; i++) {
        jsn_recipe recipe;
        status = jsn_recipe_at(i, &recipe);
        if (status != JSN_OK || strcmp(recipe.result, jsni_repro_recipes(info)) != 0 ||
            (!info->any_cifar && strcmp(recipe.dataset, dataset) != 0))
            continue;
        for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++)
            if (info->measures[m].metric != NULL)
                make_cell(&out->items[out->count++], info, &recipe, &info->measures[m]);
    }
    const bool fits = out->count > 0 && out->data != NULL &&
                      (!info->any_cifar || strncmp(dataset, "cifar", 5) == 0);
    if (status == JSN_OK && !fits)
        status = jsni_fail(JSN_ERR_ARGUMENT, "%s has no runs on '%s'", name, dataset);
    if (status != JSN_OK)
        jsni_repro_cells_release(out);
    return status;
}

bool jsni_repro_same_column(const jsni_repro_cell *a, const jsni_repro_cell *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->column, b->column) == 0;
}

bool jsni_repro_first_of_column(const jsni_repro_cells *cells, size_t index)
{
    size_t first = 0;
    while (!jsni_repro_same_column(&cells->items[first], &cells->items[index]))
        first++;
    return first == index;
}

const jsni_repro_cell *jsni_repro_at(const jsni_repro_cells *cells, const char *row,
                                     const jsni_repro_cell *column)
{
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->items[i].row, row) == 0 &&
            jsni_repro_same_column(&cells->items[i], column))
            return &cells->items[i];
    return NULL;
}

void jsni_repro_column_name(const jsni_repro_cell *cell, char out[2 * JSNI_REPRO_LABEL])
{
    (void)snprintf(out, 2 * JSNI_REPRO_LABEL, "%s%s%s", cell->group,
                   cell->group[0] == '\0' ? "" : " ", cell->column);
}

void jsni_repro_cells_drop_other_tests(jsni_repro_cells *cells)
{
    size_t kept = 0;
    for (size_t i = 0; i < cells->count; i++)
        if (cells->items[i].measure->test == NULL)
            cells->items[kept++] = cells->items[i];
    cells->count = kept;
}

void jsni_repro_quoted(const jsni_repro_cells *cells, jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    bool first = true;
    for (jsni_paper_result p = {0}; info->others && jsni_paper_next(&p);) {
        const bool top5 = strstr(p.metric, "top5") != NULL;
        bool shown = false;
        for (size_t k = 0; k < cells->count; k++)
            shown = shown || cells->items[k].printed == p.number;
        if (strcmp(p.table, info->key) != 0 || shown)
            continue;
        if (first && out->length > 0)
            jsni_text_add(out, " ");
        jsni_text_format(out, "%s%s", first ? "The paper has these as well: " : "; ",
                         p.method);
        if (info->measures[1].metric != NULL) /* which of the two, on which set */
            jsni_text_format(out, " %s %s", p.dataset, top5 ? "top-5" : "top-1");
        jsni_text_format(out, " %.2f", p.mean);
        if (!isnan(p.deviation))
            jsni_text_format(out, " ± %.2f", p.deviation);
        first = false;
    }
    if (!first)
        jsni_text_add(out, ".");
}

void jsni_repro_cells_release(jsni_repro_cells *cells)
{
    jsni_free(cells->items);
    *cells = (jsni_repro_cells){0};
}
