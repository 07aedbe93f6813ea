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

/* A result with runs, and what is said and drawn of it. */
typedef struct shown {
    jsni_repro result;
    jsni_repro_others others;
    jsni_text caption, note, figure;
} shown;

/* The figure may have other data sets as well: a page says so below it, a file in its
 * description. */
static jsn_status write_shown(shown *s, jsn_sweep *sweep, const char *format,
                              jsni_text *out)
{
    const jsni_repro *r = &s->result;
    JSNI_TRY(jsni_repro_caption(r, &s->caption));
    jsni_repro_note(r, &s->note);
    JSNI_TRY(s->note.status);
    if (is_svg(format) || strcmp(format, "html") == 0)
        JSNI_TRY(jsni_repro_others_find(&s->others, sweep, r));
    if (is_svg(format)) {
        if (s->others.note.length > 0)
            jsni_text_format(&s->caption, " %s", s->others.note.data);
        JSNI_TRY(s->caption.status);
        return jsni_repro_figure(r, &s->others, s->caption.data, out);
    }
    if (strcmp(format, "html") == 0)
        JSNI_TRY(jsni_repro_figure(r, &s->others, r->info->title, &s->figure));
    const jsni_grid_page page = {.title = r->info->title,
                                 .caption = s->caption.data,
                                 .note = s->note.length > 0 ? s->note.data + 1 : NULL,
                                 .figure = s->figure.data,
                                 .figure_note = s->others.note.data};
    return jsni_grid_write(&r->grid, &page, format, out);
}

static jsn_status write_runs(jsn_sweep *sweep, const jsn_repro_settings *settings,
                             const jsn_train_config *overrides, const char *format,
                             jsni_text *out)
{
    shown s = {0};
    JSNI_TRY(jsni_repro_open(&s.result, sweep, settings, overrides));
    const jsn_status status = write_shown(&s, sweep, format, out);
    jsni_repro_release(&s.result);
    jsni_repro_others_release(&s.others);
    jsni_text_release(&s.caption);
    jsni_text_release(&s.note);
    jsni_text_release(&s.figure);
    return status;
}

static jsn_status write_definition(const jsni_repro_info *info, const char *format,
                                   jsni_text *out)
{
    jsni_table table = {0};
    jsn_status status = JSN_OK;
    info->define(&table);
    if (strcmp(format, "html") == 0) {
        jsni_html_begin(out, info->name, table.caption);
        jsni_html_table(out, &table);
        jsni_html_end(out);
    } else {
        status = jsni_table_write(&table, format, out);
    }
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
    const jsn_status status =
        info->define != NULL ? write_definition(info, format, &text)
                             : write_runs(sweep, settings, overrides, format, &text);
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
    JSNI_TRY(jsni_repro_find(settings, &info));
    JSNI_TRY(jsni_repro_check_format(info, format));
    return render_as(info, sweep, settings, overrides,
                     format == NULL ? "markdown" : format, out);
}

/* FOLDER/STEM.EXTENSION, owned by the caller; NULL without memory. The stem is the name of
 * the result, and the data set where it can be had on several, so that one does not replace
 * the other. */
static char *path_of(const char *folder, const jsni_repro_info *info,
                     const jsni_repro_dataset *set, const char *extension)
{
    const bool several = info->any_cifar || info->bars != NULL;
    char file[96];
    (void)snprintf(file, sizeof file, "%s%s%s.%s", info->name, several ? "-" : "",
                   several ? set->name : "", extension);
    return jsni_path_join(folder, file);
}

/* Writes a text unless it is empty; frees both. */
static jsn_status write_file(char *path, char *text)
{
    jsn_status status = path == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK && text[0] != '\0')
        status = jsni_file_write(path, text, strlen(text));
    jsni_free(path);
    jsn_text_release(text);
    return status;
}

jsn_status jsn_repro_write(jsn_sweep *sweep, const jsn_repro_settings *settings,
                           const jsn_train_config *overrides, const char *folder)
{
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    const jsni_repro_dataset *set = NULL;
    JSNI_TRY(jsni_repro_find(settings, &info));
    if (info->dataset != NULL)
        JSNI_TRY(
            jsni_repro_choose_dataset(info, settings->dataset, overrides->data, &set));
    JSNI_TRY(jsni_folder_create(folder));
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++) {
        char *text = NULL;
        /* Of what has runs, a folder gets the figure as well. */
        if (info->dataset == NULL && !has_format(info, formats[i].name))
            continue;
        JSNI_TRY(render_as(info, sweep, settings, overrides, formats[i].name, &text));
        JSNI_TRY(write_file(path_of(folder, info, set, formats[i].extension), text));
    }
    if (sweep == NULL || info->dataset == NULL)
        return JSN_OK;
    char *path = path_of(folder, info, set, "study.html");
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsn_study_export(sweep, NULL, "html", path, NULL);
    jsni_free(path);
    return status;
}
