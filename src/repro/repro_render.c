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
#include "study/grid_page.h"

static const struct {
    const char *name, *extension;
} formats[] = {{"markdown", "md"}, {"csv", "csv"},   {"latex", "tex"},
               {"html", "html"},   {"json", "json"}, {"svg", "svg"}};

static bool is_svg(const char *format)
{
    return strcmp(format, "svg") == 0;
}

/* An analytic plot is a figure alone; of everything else there are tables. */
static bool has_format(const jsni_repro_info *info, const char *format)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++)
        if (strcmp(format, formats[i].name) == 0)
            return is_svg(format) == (info->plot != NULL);
    return false;
}

jsn_status jsni_repro_check_format(const jsni_repro_info *info, const char *format)
{
    if (format == NULL || has_format(info, format))
        return JSN_OK;
    if (info->plot != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s is a figure: there is svg, no %s",
                         info->name, format);
    return jsni_fail(
        JSN_ERR_ARGUMENT,
        "%s as %s: there are markdown, csv, latex, html and json; a folder "
        "(--out) gets the figure as well where there is one",
        info->name, format);
}

/* What is shown of a result with runs. */
typedef struct shown {
    jsni_repro_cells cells;
    jsni_repro_others others;
    jsn_sweep_trial *trials;
    size_t count;
    jsni_text caption, note, figure;
} shown;

static void release(shown *s)
{
    jsni_repro_cells_release(&s->cells);
    jsni_repro_others_release(&s->others);
    jsn_sweep_trials_release(s->trials, s->count);
    jsni_text_release(&s->caption);
    jsni_text_release(&s->note);
    jsni_text_release(&s->figure);
}

static jsn_status gather(shown *s, jsn_sweep *sweep, const jsn_repro_settings *settings,
                         const jsn_train_config *overrides)
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
    if (cells->info->note != NULL)
        jsni_text_add(&s->note, cells->info->note);
    jsni_repro_quoted(cells, &s->note);
    if (settings->add_loss != NULL)
        jsni_text_format(&s->note,
                         "%sAdded rows (%s) have the learning rate and the weight "
                         "decay of CE.",
                         s->note.length > 0 ? " " : "", settings->add_loss);
    return s->note.status;
}

/* The figure may have other data sets as well: a page says so below it, a file in its
 * description. */
static jsn_status draw(shown *s, jsn_sweep *sweep, const jsn_train_config *overrides,
                       bool alone)
{
    JSNI_TRY(jsni_repro_others_find(&s->others, sweep, &s->cells, overrides));
    if (alone && s->others.count > 0)
        jsni_text_format(&s->caption, " %s", s->others.note.data);
    JSNI_TRY(s->caption.status);
    JSNI_TRY(jsni_repro_figure(&s->cells, &s->others, s->trials, s->count,
                               alone ? s->caption.data : s->cells.info->title,
                               &s->figure));
    return s->figure.status;
}

static jsn_status render_cells(shown *s, jsn_sweep *sweep,
                               const jsn_repro_settings *settings,
                               const jsn_train_config *overrides, const char *format,
                               jsni_text *out)
{
    const bool svg = is_svg(format);
    JSNI_TRY(gather(s, sweep, settings, overrides));
    if (svg || strcmp(format, "html") == 0)
        JSNI_TRY(draw(s, sweep, overrides, svg));
    if (svg) {
        jsni_text_add(out, s->figure.data == NULL ? "" : s->figure.data);
        return out->status;
    }
    const jsni_grid_page page = {.title = s->cells.info->title,
                                 .caption = s->caption.data,
                                 .note = s->note.data,
                                 .figure = s->figure.data,
                                 .figure_note = s->others.note.data};
    return jsni_grid_write(&s->cells.grid, &page, format, out);
}

static jsn_status render_definition(const jsni_repro_info *info, const char *format,
                                    jsni_text *out)
{
    const bool page = strcmp(format, "html") == 0;
    jsni_table table = {0};
    info->define(&table);
    if (page) {
        jsni_html_begin(out, info->name, table.caption);
        jsni_html_table(out, &table);
        jsni_html_end(out);
    }
    const jsn_status status =
        page ? out->status : jsni_table_write(&table, format, out);
    jsni_table_release(&table);
    return status;
}

/* The result in a format. "svg" is its figure: "" where there is none. */
static jsn_status render_as(const jsni_repro_info *info, jsn_sweep *sweep,
                            const jsn_repro_settings *settings,
                            const jsn_train_config *overrides, const char *format,
                            char **out)
{
    if (info->plot != NULL)
        return jsn_plot_render(info->plot, NULL, false, out);
    jsni_text text = {0};
    shown s = {0};
    const jsn_status status =
        info->define != NULL
            ? render_definition(info, format, &text)
            : render_cells(&s, sweep, settings, overrides, format, &text);
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
    const bool several = info->any_cifar || info->bars != NULL;
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
        /* Of what has runs, a folder gets the figure as well. */
        if (!jsni_repro_has_runs(info) && !has_format(info, formats[i].name))
            continue;
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
