/* repro/repro_render.c - see jensen/repro.h: a result in every format, and all of them in a
 * folder. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "jensen/report.h"
#include "jensen/study.h"
#include "report/html.h"
#include "repro/repro_impl.h"

/* Formats and the ends of their files. An analytic plot is a figure alone; of what has
 * runs, a folder gets the figure as well. */
static const struct {
    const char *name, *extension;
} formats[] = {{"markdown", "md"},
               {"csv", "csv"},
               {"latex", "tex"},
               {"html", "html"},
               {"svg", "svg"}};

jsn_status jsni_repro_check_format(const jsni_repro_info *info, const char *format)
{
    const bool plot = info->kind == JSNI_REPRO_PLOT;
    if (format == NULL)
        return JSN_OK;
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++)
        if (strcmp(format, formats[i].name) == 0 &&
            plot == (strcmp(format, "svg") == 0))
            return JSN_OK;
    if (plot)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s is a figure: there is svg, no %s",
                         info->name, format);
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "%s as %s: there are markdown, csv, latex and html; a folder "
                     "(--out) gets the figure as well where there is one",
                     info->name, format);
}

/* Everything that is shown of a result. */
typedef struct shown {
    const jsni_repro_info *info;
    jsni_repro_cells cells;
    jsni_repro_others others; /* of figures alone */
    jsn_sweep_trial *trials;
    size_t count;
    jsni_text caption, correlation, note;
    jsni_table ours, paper;
} shown;

static void release(shown *s)
{
    jsni_repro_cells_release(&s->cells);
    jsni_repro_others_release(&s->others);
    jsn_sweep_trials_release(s->trials, s->count);
    jsni_text_release(&s->caption);
    jsni_text_release(&s->correlation);
    jsni_text_release(&s->note);
    jsni_table_release(&s->ours);
    jsni_table_release(&s->paper);
}

static jsn_status gather(shown *s, jsn_sweep *sweep, const jsn_repro_settings *settings,
                         const jsn_train_config *overrides, const char *format)
{
    jsni_repro_cells *cells = &s->cells;
    JSNI_TRY(jsni_repro_cells_for(cells, settings, overrides));
    if (sweep != NULL)
        JSNI_TRY(jsn_sweep_trials(sweep, &s->trials, &s->count));
    JSNI_TRY(jsni_grid_fill(&cells->grid, s->trials, s->count));
    if (settings->also_test == NULL)
        jsni_repro_drop_unmeasured(cells);
    JSNI_TRY(jsni_repro_caption(cells, s->trials, s->count, overrides,
                                settings->noise_from, &s->caption));
    jsni_grid_correlation(&cells->grid, &s->correlation);
    JSNI_TRY(s->correlation.status);
    if (s->info->note != NULL)
        jsni_text_add(&s->note, s->info->note);
    jsni_repro_quoted(cells, &s->note);
    if (settings->add_loss != NULL)
        jsni_text_format(&s->note,
                         "%sAdded rows (%s) have the learning rate and the weight "
                         "decay of CE.",
                         s->note.length > 0 ? " " : "", settings->add_loss);
    JSNI_TRY(s->note.status);
    jsni_grid_table(&cells->grid, s->caption.data, s->note.data, &s->ours);
    jsni_grid_comparison(&cells->grid,
                         "Ours beside the paper's; intervals are Welch's.",
                         strcmp(format, "csv") == 0, &s->paper);
    if (strcmp(format, "svg") != 0 && strcmp(format, "html") != 0)
        return JSN_OK;
    return jsni_repro_others_find(&s->others, sweep, cells, overrides);
}

static jsn_status add_figure(const shown *s, const char *caption, jsni_text *out)
{
    return jsni_repro_figure(&s->cells, &s->others, s->trials, s->count, caption, out);
}

static jsn_status render_page(const shown *s, jsni_text *out)
{
    const bool runs = jsni_repro_has_runs(s->info);
    jsni_html_begin(out, runs ? s->info->title : s->info->name, s->ours.caption);
    if (runs) {
        jsni_html_figure_begin(out);
        JSNI_TRY(add_figure(s, s->info->title, out));
        jsni_html_figure_end(out, s->others.note.data);
    }
    jsni_html_table(out, &s->ours);
    if (s->info->paper_runs > 0) {
        jsni_html_heading(out, "Beside the paper");
        jsni_html_table(out, &s->paper);
    }
    if (s->correlation.length > 0) {
        jsni_html_heading(out, "Rank correlation with the paper's columns");
        jsni_html_code(out, s->correlation.data);
    }
    jsni_html_end(out);
    return out->status;
}

static jsn_status render_tables(const shown *s, const char *format, jsni_text *out)
{
    /* One table a file of numbers: the long one has everything. */
    if (jsni_repro_has_runs(s->info) && strcmp(format, "csv") == 0)
        return jsni_table_write(&s->paper, format, out);
    JSNI_TRY(jsni_table_write(&s->ours, format, out));
    if (s->info->paper_runs > 0) {
        jsni_text_add(out, "\n");
        JSNI_TRY(jsni_table_write(&s->paper, format, out));
    }
    if (s->correlation.length > 0 && strcmp(format, "markdown") == 0)
        jsni_text_format(out,
                         "\nRank correlation with the paper's columns:\n\n```\n%s```\n",
                         s->correlation.data);
    return JSN_OK;
}

static jsn_status render_figure(shown *s, jsni_text *out)
{
    if (s->others.count > 0)
        jsni_text_format(&s->caption, " %s", s->others.note.data);
    JSNI_TRY(s->caption.status);
    return add_figure(s, s->caption.data, out);
}

/* The result in a format. "svg" is its figure: "" where there is none. */
static jsn_status render_as(const jsni_repro_info *info, jsn_sweep *sweep,
                            const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, const char *format,
                            char **out)
{
    jsni_text text = {0};
    shown s = {.info = info};
    jsn_status status = JSN_OK;
    if (info->kind == JSNI_REPRO_PLOT)
        return jsn_plot_render(info->plot, NULL, false, out);
    if (info->kind == JSNI_REPRO_TEXT)
        info->define(&s.ours);
    else
        status = gather(&s, sweep, settings, overrides, format);
    if (status == JSN_OK)
        status = strcmp(format, "svg") == 0    ? render_figure(&s, &text)
                 : strcmp(format, "html") == 0 ? render_page(&s, &text)
                                               : render_tables(&s, format, &text);
    release(&s);
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

/* FOLDER/STEM.EXTENSION, owned by the caller; NULL without memory. The stem is the name of
 * the result, and the data set where it can be had on several, so that one does not replace
 * the other. */
static char *path_of(const char *folder, const jsni_repro_info *info,
                     const char *dataset, const char *extension)
{
    const bool several = info->kind == JSNI_REPRO_BARS || info->any_cifar;
    char file[96];
    (void)snprintf(file, sizeof file, "%s%s%s.%s", info->name, several ? "-" : "",
                   several ? dataset : "", extension);
    return jsni_path_join(folder, file);
}

static jsn_status write_text(const char *text, char *path)
{
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_file_write(path, text, strlen(text));
    jsni_free(path);
    return status;
}

jsn_status jsn_repro_write(jsn_sweep *sweep, const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, const char *folder)
{
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    const char *set = NULL;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &set));
    JSNI_TRY(jsni_folder_create(folder));
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++) {
        char *text = NULL;
        const bool svg = strcmp(formats[i].name, "svg") == 0;
        if (info->kind == (svg ? JSNI_REPRO_TEXT : JSNI_REPRO_PLOT))
            continue; /* a definition has no figure, a plot nothing else */
        JSNI_TRY(render_as(info, sweep, settings, overrides, formats[i].name, &text));
        const jsn_status status =
            text[0] == '\0'
                ? JSN_OK
                : write_text(text, path_of(folder, info, set, formats[i].extension));
        jsn_text_release(text);
        JSNI_TRY(status);
    }
    if (sweep == NULL || !jsni_repro_has_runs(info))
        return JSN_OK;
    char *path = path_of(folder, info, set, "study.html");
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsn_study_export(sweep, NULL, "html", path, NULL);
    jsni_free(path);
    return status;
}
