/* report/plot.c - the table of plots: look-up, parameters, files. Names no plot. */
#include "report/plot.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "report/figure.h"
#include "report/plot_list.h"

#define DECLARE(id) extern const jsni_plot jsni_plot_##id;
JSNI_PLOT_LIST(DECLARE)
#undef DECLARE

#define ROW(id) &jsni_plot_##id,
static const jsni_plot *const plots[] = {JSNI_PLOT_LIST(ROW)};
#undef ROW

enum { MOST_PARAMS = 8 };

size_t jsni_plot_reals(const jsni_spec_value *value, const double *initial,
                       size_t count, double *out)
{
    if (value->given)
        jsni_spec_reals(value, out, &count);
    else
        memcpy(out, initial, count * sizeof *out);
    return count;
}

static const jsni_plot *find_plot(const char *spec)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(plots); i++)
        if (jsni_spec_names(spec, plots[i]->info.name))
            return plots[i];
    return NULL;
}

static jsn_status fail_unknown(const char *spec)
{
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(plots); i++)
        jsni_names_add(&names, plots[i]->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no plot '%s'", names.word);
}

jsn_status jsn_plot_render(const char *spec, const char *loss, bool plain, char **svg)
{
    JSNI_NEED(svg);
    JSNI_NEED(spec);
    const jsni_plot *plot = find_plot(spec);
    if (plot == NULL)
        return fail_unknown(spec);
    if (plot->info.wants_loss && loss == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "plot '%s' needs a loss", plot->info.name);
    if (!plot->info.wants_loss && loss != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "plot '%s' takes no loss", plot->info.name);
    jsni_spec_value values[MOST_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, plot->info.params, plot->info.param_count, values));
    const jsni_plot_request request = {values, loss, plain};
    jsni_text out = {0};
    const jsn_status status = plot->draw(&out, &request);
    if (status != JSN_OK) {
        jsni_text_release(&out);
        return status;
    }
    return jsni_text_take(&out, svg);
}

jsn_status jsn_plot_write(const char *spec, const char *loss, bool plain,
                          const char *path)
{
    JSNI_NEED(spec);
    JSNI_NEED(path);
    char *svg = NULL;
    if (!jsni_figure_named(path))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%s': a plot is written as FILE.svg, FILE.pdf or FILE.pgf",
                         path);
    JSNI_TRY(jsn_plot_render(spec, loss, plain, &svg));
    const jsn_status status = jsni_figure_write(svg, path);
    jsni_free(svg);
    return status;
}
