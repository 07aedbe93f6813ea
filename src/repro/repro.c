/* repro/repro.c - see jensen/repro.h: the study of a result, and the result written in
 * every format. */
#include "jensen/repro.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "jensen/report.h"
#include "report/html.h"
#include "repro/repro_impl.h"

static jsn_status open_study(jsn_sweep **out, const char *url, const char *name,
                             const jsni_repro_cells *cells,
                             const jsn_train_config *overrides)
{
    bool found = false;
    jsn_sweep_plan plan;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    JSNI_TRY(jsn_sweep_exists(url, name, &found));
    if (found)
        return jsn_sweep_open(out, url, name);
    JSNI_TRY(jsn_sweep_plan_init(&plan));
    jsn_status status = jsn_options_set(table, count, &plan, "search", "none");
    /* Table 13 looks at the runs of Table 1, whose objective is the test accuracy. */
    const bool validated = strcmp(cells->info->metric, "val_acc") == 0;
    if (status == JSN_OK)
        status = jsn_options_set(table, count, &plan, "objective",
                                 validated ? "val_acc" : "test_acc");
    jsni_text axis = {0};
    jsni_text_add(&axis, "recipe=");
    for (size_t i = 0; i < cells->count; i++)
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

/* The cells on the data set that settings and data say. */
static jsn_status make_cells(jsni_repro_cells *out, const jsn_repro_settings *settings,
                             const jsn_train_config *overrides)
{
    const jsni_repro_info *info = NULL;
    const char *dataset = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(
        jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &dataset));
    return jsni_repro_cells_make(out, settings->name, dataset);
}

/* Whether a part of the name begins with one of the comma-separated words; NULL: always. */
static bool wanted(const char *only, const char *name)
{
    if (only == NULL)
        return true;
    for (const char *at = only; *at != '\0';) {
        char word[JSN_RECIPE_TEXT];
        const size_t n = strcspn(at, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
        /* "sym-40" is not meant to find "asym-40". */
        for (const char *hit = strstr(name, word); hit != NULL;
             hit = strstr(hit + 1, word))
            if (hit == name || hit[-1] == '/')
                return true;
        at += at[n] == ',' ? n + 1 : n;
    }
    return false;
}

/* Refuses words of --only that find nothing: the table would be empty without a word. */
static jsn_status check_only(const char *only, const jsni_repro_cells *cells)
{
    for (const char *at = only; at != NULL && *at != '\0';) {
        char word[JSN_RECIPE_TEXT];
        const size_t n = strcspn(at, ",");
        bool found = false;
        (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
        for (size_t i = 0; i < cells->count; i++)
            found = found || wanted(word, cells->items[i].recipe.name);
        if (!found)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--only '%s': no run of %s on %s has such a part in its "
                             "name ('%s', ...)",
                             word, cells->info->name, cells->dataset,
                             cells->items[0].recipe.name);
        at += at[n] == ',' ? n + 1 : n;
    }
    return JSN_OK;
}

/* Ablations on CIFAR-10 take learning rate and weight decay from that data set's row of
 * Table 7, for the same loss and noise. */
static bool other_rates(const jsn_recipe *recipe, const char *dataset, char lr[32],
                        char wd[32])
{
    if (strcmp(recipe->dataset, dataset) == 0)
        return false;
    const char *loss = jsn_recipe_value(recipe, "loss");
    const char *noise = jsn_recipe_value(recipe, "noise");
    const bool asym = noise != NULL && strncmp(noise, "asym", 4) == 0;
    const char *method =
        strncmp(loss, "gce", 3) == 0       ? "gce"
        : strncmp(loss, "nce+rce", 7) == 0 ? "nce+rce"
        : strcmp(recipe->result, "table3") == 0 && strncmp(loss, "js", 2) == 0 ? "js"
        : strcmp(recipe->result, "fig4") == 0 && strncmp(loss, "js", 2) == 0   ? "js"
        : strcmp(recipe->result, "fig7") == 0                                  ? "js"
                                                                               : "gjs";
    char name[JSN_RECIPE_TEXT];
    jsn_recipe row;
    if (strcmp(recipe->result, "fig1") == 0) {
        /* Lower than Table 7's, as on CIFAR-100: a quarter and a half. */
        (void)snprintf(lr, 32, "0.0125");
        (void)snprintf(wd, 32, "5e-4");
        return true;
    }
    (void)snprintf(name, sizeof name, "%s/%s/%s", dataset, asym ? "asym-40" : "sym-40",
                   method);
    if (jsn_recipe_find(name, &row) != JSN_OK)
        return false;
    (void)snprintf(lr, 32, "%s", jsn_recipe_value(&row, "lr"));
    (void)snprintf(wd, 32, "%s", jsn_recipe_value(&row, "weight-decay"));
    return true;
}

static bool needs_posteriors(const jsni_repro_cells *cells,
                             const jsn_train_config *overrides)
{
    return strcmp(cells->info->name, "table8") == 0 && overrides->noise == NULL;
}

static jsn_status add_cell(jsn_sweep *sweep, const jsni_repro_cells *cells,
                           const jsni_repro_cell *cell,
                           const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, int64_t seed)
{
    char words[6][16] = {"recipe", "seed", "lr", "weight-decay", "epochs", "noise"};
    char texts[6][2 * JSN_RECIPE_TEXT];
    jsn_sweep_pair pairs[6];
    size_t count = 2;
    (void)snprintf(texts[0], sizeof texts[0], "%s", cell->recipe.name);
    (void)snprintf(texts[1], sizeof texts[1], "%lld", (long long)seed);
    pairs[0] = (jsn_sweep_pair){words[0], texts[0]};
    pairs[1] = (jsn_sweep_pair){words[1], texts[1]};
    if (isnan(overrides->lr) && isnan(overrides->weight_decay) &&
        other_rates(&cell->recipe, cells->dataset, texts[2], texts[3])) {
        pairs[count++] = (jsn_sweep_pair){words[2], texts[2]};
        pairs[count++] = (jsn_sweep_pair){words[3], texts[3]};
    }
    if (strcmp(cells->info->name, "table6") == 0 &&
        overrides->epochs != JSN_OPTION_INT_UNSET &&
        strcmp(jsn_recipe_value(&cell->recipe, "epochs"), "200") == 0) {
        const int64_t half = overrides->epochs / 2;
        (void)snprintf(texts[4], sizeof texts[4], "%lld",
                       (long long)(half > 0 ? half : 1));
        pairs[count++] = (jsn_sweep_pair){words[4], texts[4]};
    }
    if (needs_posteriors(cells, overrides)) {
        (void)snprintf(texts[5], sizeof texts[5], "%s,%s",
                       jsn_recipe_value(&cell->recipe, "noise"), settings->noise_from);
        pairs[count++] = (jsn_sweep_pair){words[5], texts[5]};
    }
    return jsn_sweep_add(sweep, pairs, count, NULL, NULL);
}

jsn_status jsn_repro_prepare(jsn_sweep **out, const char *url,
                             const jsn_repro_settings *settings,
                             const jsn_train_config *overrides)
{
    jsni_repro_cells cells = {0};
    jsn_repro_entry entry;
    char *name = NULL;
    *out = NULL;
    JSNI_TRY(jsn_repro_lookup(settings->name, &entry));
    if (!entry.runs)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s has nothing to run", settings->name);
    JSNI_TRY(make_cells(&cells, settings, overrides));
    jsn_status status = check_only(settings->only, &cells);
    if (status == JSN_OK)
        status = jsni_repro_check_overrides(&cells, overrides);
    const bool posteriors = needs_posteriors(&cells, overrides);
    if (status == JSN_OK && posteriors && settings->noise_from == NULL)
        status =
            jsni_fail(JSN_ERR_ARGUMENT,
                      "table8 needs class posteriors: --noise-from from=RUN (a run "
                      "with --record-posteriors 1) or posteriors=FILE.npy");
    if (status == JSN_OK)
        status = jsni_repro_name_study(&cells, overrides,
                                       posteriors ? settings->noise_from : NULL, &name);
    if (status == JSN_OK)
        status = open_study(out, url, name, &cells, overrides);
    for (size_t i = 0; status == JSN_OK && i < cells.count; i++)
        for (int64_t s = 1; status == JSN_OK && s <= settings->seeds; s++)
            if (wanted(settings->only, cells.items[i].recipe.name))
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

/* What the caption says about scale. */
static jsn_status describe(const jsni_repro_cells *cells,
                           const jsn_train_config *overrides, const char *noise_from,
                           jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    const bool table = strncmp(info->name, "table", 5) == 0;
    const bool scaled = overrides->epochs != JSN_OPTION_INT_UNSET ||
                        overrides->subset > 0 || overrides->network != NULL ||
                        overrides->max_steps > 0;
    size_t least = JSNI_REPRO_RUNS, most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        least = cells->items[i].count < least ? cells->items[i].count : least;
        most = cells->items[i].count > most ? cells->items[i].count : most;
    }
    jsni_text_format(out, "%s %s: %s. %s, %s; ", table ? "Table" : "Figure",
                     info->name + (table ? 5 : 3), info->title, cells->dataset,
                     scaled ? "scaled down" : "the paper's scale");
    JSNI_TRY(jsni_repro_list_options(overrides, ", ", true, out));
    if (needs_posteriors(cells, overrides) && noise_from != NULL)
        jsni_text_format(out, ", noise-from=%s", noise_from);
    if (least == most)
        jsni_text_format(out, "; %zu %s a cell.", most, jsn_noun(most, "run", "runs"));
    else
        jsni_text_format(out, "; %zu to %zu runs a cell.", least, most);
    if (most == 1)
        jsni_text_add(out, " No test is possible with one run: the best is bold.");
    else
        jsni_text_add(out, " Bold: not different from the best by a two-sided t-test "
                           "at 0.05.");
    jsni_text_add(out, " ~: near chance, not ranked.");
    if (info->key != NULL && strcmp(info->metric, "val_acc") == 0 &&
        strcmp(cells->dataset, "cifar100") != 0)
        jsni_text_add(out, " The paper's numbers are for CIFAR-100.");
    return out->status;
}

/* Everything that rendering needs. */
typedef struct shown {
    jsni_repro_cells cells;
    jsni_repro_others others; /* of figures alone */
    jsn_sweep_trial *trials;
    size_t count;
    jsni_text caption, correlation, note;
} shown;

static void release(shown *s)
{
    jsni_repro_cells_release(&s->cells);
    jsni_repro_others_release(&s->others);
    jsn_sweep_trials_release(s->trials, s->count);
    jsni_text_release(&s->caption);
    jsni_text_release(&s->correlation);
    jsni_text_release(&s->note);
}

static jsn_status gather(shown *s, jsn_sweep *sweep, const jsn_repro_settings *settings,
                         const jsn_train_config *overrides)
{
    JSNI_TRY(make_cells(&s->cells, settings, overrides));
    JSNI_TRY(jsn_sweep_trials(sweep, &s->trials, &s->count));
    JSNI_TRY(jsni_repro_cells_fill(&s->cells, s->trials, s->count));
    JSNI_TRY(describe(&s->cells, overrides, settings->noise_from, &s->caption));
    jsni_repro_correlation(&s->cells, &s->correlation);
    if (s->cells.info->note != NULL)
        jsni_text_add(&s->note, s->cells.info->note);
    jsni_repro_quoted(&s->cells, &s->note);
    return s->correlation.status != JSN_OK ? s->correlation.status : s->note.status;
}

static jsn_status render_page(const shown *s, const jsni_table *ours,
                              const jsni_table *paper, jsni_text *out)
{
    jsni_html_begin(out, s->cells.info->title, s->caption.data);
    jsni_html_figure_begin(out);
    JSNI_TRY(jsni_repro_figure(&s->cells, &s->others, s->trials, s->count,
                               s->cells.info->title, out));
    jsni_html_figure_end(out, s->others.note.data);
    jsni_html_table(out, ours);
    if (s->cells.info->key != NULL) {
        jsni_html_heading(out, "Beside the paper");
        jsni_html_table(out, paper);
    }
    if (s->correlation.length > 0) {
        jsni_html_heading(out, "Rank correlation with the paper's columns");
        jsni_html_code(out, s->correlation.data);
    }
    jsni_html_end(out);
    return out->status;
}

static jsn_status render(const shown *s, const char *format, jsni_text *out)
{
    jsni_table ours = {0}, paper = {0};
    jsni_repro_table(&s->cells, s->caption.data, s->note.data, &ours);
    jsni_repro_comparison(&s->cells, "Ours beside the paper's; intervals are Welch's.",
                          strcmp(format, "csv") == 0, &paper);
    jsn_status status = JSN_OK;
    if (strcmp(format, "html") == 0) {
        status = render_page(s, &ours, &paper, out);
    } else if (strcmp(format, "csv") == 0) {
        /* One table a file: the long one has everything. */
        status = jsni_table_write(&paper, format, out);
    } else {
        status = jsni_table_write(&ours, format, out);
        if (status == JSN_OK && s->cells.info->key != NULL) {
            jsni_text_add(out, "\n");
            status = jsni_table_write(&paper, format, out);
        }
        if (strcmp(format, "markdown") == 0 && s->correlation.length > 0)
            jsni_text_format(
                out,
                "\nRank correlation with the paper's columns:\n\n```\n%s```"
                "\n",
                s->correlation.data);
    }
    jsni_table_release(&ours);
    jsni_table_release(&paper);
    return status;
}

static jsn_status render_definition(const char *name, const char *format,
                                    jsni_text *out)
{
    jsni_table table = {0};
    jsni_repro_define(name, &table);
    if (strcmp(format, "html") == 0) {
        jsni_html_begin(out, name, table.caption);
        jsni_html_table(out, &table);
        jsni_html_end(out);
    }
    const jsn_status status = strcmp(format, "html") == 0
                                  ? table.status
                                  : jsni_table_write(&table, format, out);
    jsni_table_release(&table);
    return status;
}

jsn_status jsn_repro_check_format(const char *name, const char *format)
{
    static const char *const tables[] = {"markdown", "csv", "latex", "html"};
    const jsni_repro_info *info = NULL;
    JSNI_TRY(jsni_repro_find(name, &info));
    if (format == NULL)
        return JSN_OK;
    if (info->kind == JSNI_REPRO_PLOT)
        return strcmp(format, "svg") == 0
                   ? JSN_OK
                   : jsni_fail(JSN_ERR_ARGUMENT, "%s is a figure: there is svg, no %s",
                               info->name, format);
    for (size_t i = 0; i < JSNI_COUNT_OF(tables); i++)
        if (strcmp(format, tables[i]) == 0)
            return JSN_OK;
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "%s as %s: there are markdown, csv, latex and html; a folder "
                     "(--out) gets the figure as well where there is one",
                     info->name, format);
}

jsn_status jsn_repro_render(jsn_sweep *sweep, const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, const char *format,
                            char **out)
{
    const jsni_repro_info *info = NULL;
    jsni_text text = {0};
    shown s = {0};
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(jsn_repro_check_format(settings->name, format));
    format = format == NULL ? "markdown" : format;
    jsn_status status = JSN_OK;
    if (info->kind == JSNI_REPRO_TEXT) {
        status = render_definition(settings->name, format, &text);
    } else if (info->kind == JSNI_REPRO_PLOT) {
        return jsn_plot_render(info->recipes, NULL, false, out);
    } else {
        status = gather(&s, sweep, settings, overrides);
        if (status == JSN_OK && strcmp(format, "html") == 0)
            status = jsni_repro_others_find(&s.others, sweep, &s.cells, overrides);
        if (status == JSN_OK)
            status = render(&s, format, &text);
        release(&s);
    }
    if (status == JSN_OK)
        return jsni_text_take(&text, out);
    jsni_text_release(&text);
    return status;
}

/* What the files of a result begin with: its name, and the data set where it can be had
 * on several, so that one does not replace the other. */
typedef struct stem {
    char text[64];
} stem;

static jsn_status find_stem(stem *out, const jsni_repro_info *info,
                            const jsn_repro_settings *settings,
                            const jsn_train_config *overrides)
{
    const char *dataset = NULL;
    JSNI_TRY(
        jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &dataset));
    const bool several = info->kind == JSNI_REPRO_BARS ||
                         (info->metric != NULL && strcmp(info->metric, "val_acc") == 0);
    (void)snprintf(out->text, sizeof out->text, "%s%s%s", info->name,
                   several ? "-" : "", several ? dataset : "");
    return JSN_OK;
}

static jsn_status write_named(const char *folder, const stem *name,
                              const char *extension, const char *text)
{
    char file[96];
    (void)snprintf(file, sizeof file, "%s.%s", name->text, extension);
    char *path = jsni_path_join(folder, file);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_file_write(path, text, strlen(text));
    jsni_free(path);
    return status;
}

static jsn_status write_figure(jsn_sweep *sweep, const jsn_repro_settings *settings,
                               const jsn_train_config *overrides, const char *folder,
                               const stem *name)
{
    shown s = {0};
    jsni_text svg = {0};
    jsn_status status = gather(&s, sweep, settings, overrides);
    if (status == JSN_OK)
        status = jsni_repro_others_find(&s.others, sweep, &s.cells, overrides);
    if (status == JSN_OK && s.others.count > 0)
        jsni_text_format(&s.caption, " %s", s.others.note.data);
    if (status == JSN_OK)
        status = s.caption.status;
    if (status == JSN_OK)
        status = jsni_repro_figure(&s.cells, &s.others, s.trials, s.count,
                                   s.caption.data, &svg);
    if (status == JSN_OK)
        status = svg.status;
    if (status == JSN_OK && svg.length > 0)
        status = write_named(folder, name, "svg", svg.data);
    jsni_text_release(&svg);
    release(&s);
    return status;
}

jsn_status jsn_repro_write(jsn_sweep *sweep, const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, const char *folder)
{
    static const char *const formats[][2] = {
        {"markdown", "md"}, {"csv", "csv"}, {"latex", "tex"}, {"html", "html"}};
    const jsni_repro_info *info = NULL;
    stem name;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(find_stem(&name, info, settings, overrides));
    JSNI_TRY(jsni_folder_create(folder));
    char *text = NULL;
    jsn_status status = JSN_OK;
    if (info->kind == JSNI_REPRO_PLOT) {
        status = jsn_repro_render(NULL, settings, overrides, "svg", &text);
        if (status == JSN_OK)
            status = write_named(folder, &name, "svg", text);
        jsn_text_release(text);
        return status;
    }
    for (size_t i = 0; status == JSN_OK && i < 4; i++) {
        status = jsn_repro_render(sweep, settings, overrides, formats[i][0], &text);
        if (status == JSN_OK)
            status = write_named(folder, &name, formats[i][1], text);
        jsn_text_release(text);
        text = NULL;
    }
    if (status != JSN_OK || info->kind == JSNI_REPRO_TEXT)
        return status;
    status = write_figure(sweep, settings, overrides, folder, &name);
    if (status == JSN_OK)
        status = jsn_study_export(sweep, "html", folder, &text);
    if (status == JSN_OK)
        status = write_named(folder, &name, "study.html", text);
    jsn_text_release(text);
    return status;
}
