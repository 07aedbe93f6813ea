/* repro/repro_render.c - see jensen/repro.h: a result in every format, and all of them in a
 * folder. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/words.h"
#include "jensen/report.h"
#include "jensen/repro.h"
#include "jensen/study.h"
#include "report/html.h"
#include "repro/repro_impl.h"

/* What the caption says about scale. */
static jsn_status describe(const jsni_repro_cells *cells,
                           const jsn_train_config *overrides, const char *noise_from,
                           const char *scale, jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    size_t least = JSNI_REPRO_RUNS, most = 0, failed = 0;
    for (size_t i = 0; i < cells->count; i++) {
        least = cells->items[i].count < least ? cells->items[i].count : least;
        most = cells->items[i].count > most ? cells->items[i].count : most;
        /* Neighbours may be two numbers of the same runs. */
        if (i == 0 ||
            strcmp(cells->items[i].recipe.name, cells->items[i - 1].recipe.name) != 0)
            failed += cells->items[i].failed;
    }
    jsni_text_format(out, "%s %s: %s. %s, %s; ",
                     strncmp(info->name, "table", 5) == 0 ? "Table" : "Figure",
                     info->name + strcspn(info->name, "0123456789"), info->title,
                     cells->data->name, scale);
    JSNI_TRY(jsni_repro_list_options(overrides, ", ", true, out));
    if (jsni_repro_needs_posteriors(cells, overrides) && noise_from != NULL)
        jsni_text_format(out, ", noise-from=%s", noise_from);
    if (least == most)
        jsni_text_format(out, "; %zu %s per cell.", most,
                         jsni_noun(most, "run", "runs"));
    else
        jsni_text_format(out, "; %zu to %zu runs per cell.", least, most);
    if (failed > 0)
        jsni_text_format(out, " %zu %s failed; !: in a cell with others that did not.",
                         failed, jsni_noun(failed, "run", "runs"));
    if (!info->unranked && most == 1)
        jsni_text_add(out, " No test is possible with one run: the best is bold.");
    else if (!info->unranked)
        jsni_text_add(out, " Bold: not different from the best by a two-sided t-test "
                           "at 0.05.");
    jsni_text_add(out, " ~: near chance, not ranked.");
    if (info->paper_runs > 0 && info->any_cifar &&
        strcmp(cells->data->name, info->dataset) != 0)
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
    JSNI_TRY(jsni_repro_cells_for(&s->cells, settings, overrides));
    if (sweep != NULL)
        JSNI_TRY(jsn_sweep_trials(sweep, &s->trials, &s->count));
    JSNI_TRY(jsni_repro_cells_fill(&s->cells, s->trials, s->count));
    bool measured = settings->also_test != NULL;
    for (size_t i = 0; i < s->cells.count; i++)
        measured = measured || (s->cells.items[i].measure->test != NULL &&
                                s->cells.items[i].count > 0);
    if (!measured)
        jsni_repro_cells_drop_other_tests(&s->cells);
    for (size_t i = 0; i < s->cells.count; i++)
        s->cells.items[i].unlike =
            overrides->init == NULL && s->cells.items[i].recipe.weights != NULL;
    jsni_text reasons = {0};
    const char *scale =
        jsni_repro_scale(&s->cells, s->trials, s->count, overrides, &reasons);
    jsn_status status =
        describe(&s->cells, overrides, settings->noise_from, scale, &s->caption);
    if (status == JSN_OK && reasons.length > 0)
        jsni_text_add(&s->caption, reasons.data);
    if (status == JSN_OK)
        status = reasons.status;
    jsni_text_release(&reasons);
    JSNI_TRY(status);
    jsni_repro_correlation(&s->cells, &s->correlation);
    if (s->cells.info->note != NULL)
        jsni_text_add(&s->note, s->cells.info->note);
    jsni_repro_quoted(&s->cells, &s->note);
    if (settings->add_loss != NULL)
        jsni_text_format(&s->note,
                         "%sAdded rows (%s) have the learning rate and the weight "
                         "decay of CE.",
                         s->note.length > 0 ? " " : "", settings->add_loss);
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
    if (s->cells.info->paper_runs > 0) {
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
        if (status == JSN_OK && s->cells.info->paper_runs > 0) {
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

static jsn_status render_definition(const jsni_repro_info *info, const char *format,
                                    jsni_text *out)
{
    jsni_table table = {0};
    info->define(&table);
    if (strcmp(format, "html") == 0) {
        jsni_html_begin(out, info->name, table.caption);
        jsni_html_table(out, &table);
        jsni_html_end(out);
    }
    const jsn_status status = strcmp(format, "html") == 0
                                  ? table.status
                                  : jsni_table_write(&table, format, out);
    jsni_table_release(&table);
    return status;
}

jsn_status jsni_repro_check_format(const jsni_repro_info *info, const char *format)
{
    static const char *const tables[] = {"markdown", "csv", "latex", "html"};
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

static jsn_status render_figure(shown *s, jsni_text *out)
{
    if (s->others.count > 0)
        jsni_text_format(&s->caption, " %s", s->others.note.data);
    JSNI_TRY(s->caption.status);
    return jsni_repro_figure(&s->cells, &s->others, s->trials, s->count,
                             s->caption.data, out);
}

/* The result in a format. "svg" is its figure: "" where there is none. */
static jsn_status render_as(const jsni_repro_info *info, jsn_sweep *sweep,
                            const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, const char *format,
                            char **out)
{
    if (info->kind == JSNI_REPRO_PLOT)
        return jsn_plot_render(info->plot, NULL, false, out);
    const bool svg = strcmp(format, "svg") == 0;
    jsni_text text = {0};
    shown s = {0};
    jsn_status status = JSN_OK;
    if (info->kind == JSNI_REPRO_TEXT) {
        status = render_definition(info, format, &text);
    } else {
        status = gather(&s, sweep, settings, overrides);
        if (status == JSN_OK && (svg || strcmp(format, "html") == 0))
            status = jsni_repro_others_find(&s.others, sweep, &s.cells, overrides);
        if (status == JSN_OK)
            status = svg ? render_figure(&s, &text) : render(&s, format, &text);
        release(&s);
    }
    if (status == JSN_OK)
        return jsni_text_take(&text, out);
    jsni_text_release(&text);
    return status;
}

jsn_status jsn_repro_render(jsn_sweep *sweep, const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, const char *format,
                            char **out)
{
    JSNI_NEED(out);
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(jsni_repro_check_format(info, format));
    return render_as(info, sweep, settings, overrides,
                     format == NULL ? "markdown" : format, out);
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
    const bool several = info->kind == JSNI_REPRO_BARS || info->any_cifar;
    (void)snprintf(out->text, sizeof out->text, "%s%s%s", info->name,
                   several ? "-" : "", several ? dataset : "");
    return JSN_OK;
}

/* FOLDER/STEM.EXTENSION, owned by the caller; NULL without memory. */
static char *path_of(const char *folder, const stem *name, const char *extension)
{
    char file[96];
    (void)snprintf(file, sizeof file, "%s.%s", name->text, extension);
    return jsni_path_join(folder, file);
}

static jsn_status write_named(const char *folder, const stem *name,
                              const char *extension, const char *text)
{
    char *path = path_of(folder, name, extension);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_file_write(path, text, strlen(text));
    jsni_free(path);
    return status;
}

jsn_status jsn_repro_write(jsn_sweep *sweep, const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, const char *folder)
{
    JSNI_NEED(settings);
    static const char *const formats[][2] = {{"markdown", "md"},
                                             {"csv", "csv"},
                                             {"latex", "tex"},
                                             {"html", "html"},
                                             {"svg", "svg"}};
    const jsni_repro_info *info = NULL;
    stem name;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(find_stem(&name, info, settings, overrides));
    JSNI_TRY(jsni_folder_create(folder));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < JSNI_COUNT_OF(formats); i++) {
        char *text = NULL;
        const bool svg = strcmp(formats[i][0], "svg") == 0;
        if (info->kind == (svg ? JSNI_REPRO_TEXT : JSNI_REPRO_PLOT))
            continue; /* a definition has no figure, a plot nothing else */
        status = render_as(info, sweep, settings, overrides, formats[i][0], &text);
        if (status == JSN_OK && text[0] != '\0')
            status = write_named(folder, &name, formats[i][1], text);
        jsn_text_release(text);
    }
    if (status != JSN_OK || sweep == NULL || !jsni_repro_has_runs(info))
        return status;
    char *path = path_of(folder, &name, "study.html");
    JSNI_TRY_ALLOC(path);
    status = jsn_study_export(sweep, NULL, "html", path, NULL);
    jsni_free(path);
    return status;
}
