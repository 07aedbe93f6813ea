/* report/plot.h - what a plot file implements. */
#ifndef JSNI_REPORT_PLOT_H
#define JSNI_REPORT_PLOT_H

#include "core/spec.h"
#include "core/text.h"
#include "jensen/report.h"

typedef struct jsni_plot_request {
    const jsni_spec_value *values; /* in the order of info.params */
    const char *loss;              /* spec, only for plots that want one */
    bool plain;
} jsni_plot_request;

/* What is said of a plot. */
typedef struct jsni_plot_info {
    const char *name;
    const char *summary; /* one line */
    const jsn_param_info *params;
    size_t param_count;
    bool wants_loss; /* draws the loss that the caller names */
} jsni_plot_info;

typedef struct jsni_plot {
    jsni_plot_info info;
    /* Appends the figure to `out`; a failed allocation of `out` is found by the
     * caller. */
    jsn_status (*draw)(jsni_text *out, const jsni_plot_request *request);
} jsni_plot;

/* The numbers of a REALS parameter, or `initial` [count] when it was not given; out has
 * room for JSNI_SPEC_MAX_REALS. Returns how many. */
size_t jsni_plot_reals(const jsni_spec_value *value, const double *initial,
                       size_t count, double *out);

#endif /* JSNI_REPORT_PLOT_H */
