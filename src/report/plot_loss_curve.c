/* report/plot_loss_curve.c - value and gradient scale of any loss against p_y.
 *
 * The other classes share 1 - p_y equally. The gradient scale is the g of
 * dL/dz_y = -g p_y (1 - p_y), which is -dL/dp_y for a loss of p_y alone; CE is drawn
 * beside it for comparison. A loss of several views is drawn with all views moving
 * together, and with the first moving while the others stay.
 */
#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/text.h"
#include "jensen/loss.h"
#include "report/chart.h"
#include "report/plot.h"
#include "report/svg.h"

enum { POINTS = 160, CURVES = 5, NAME = 48, MOST_CLASSES = 1000 };

static const jsn_param_info params[] = {
    {"classes", "number of classes", 10, 2, MOST_CLASSES, JSN_PARAM_REAL},
};

/* Where the other views stay; the first entry stands for moving along. */
static const double stations[] = {NAN, 0.1, 0.5, 0.9};

typedef struct curves {
    double x[POINTS];
    double value[CURVES][POINTS];
    double scale[CURVES][POINTS];
    char names[CURVES][NAME];
    jsni_series series[2][CURVES];
    size_t count;
    double *logits; /* [views][classes], scratch */
    double *grad;   /* [views][classes], scratch */
} curves;

/* Logits of a prediction with probability p for class 0, the rest shared. */
static void set_view(double *logits, size_t classes, double p)
{
    logits[0] = log(p) - log1p(-p) + log((double)classes - 1.0);
    for (size_t k = 1; k < classes; k++)
        logits[k] = 0.0;
}

static jsn_status eval_curve(curves *c, jsn_loss *loss, size_t classes, size_t views,
                             double station)
{
    static const int32_t label = 0;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = c->logits;
    batch.labels = &label;
    for (size_t i = 0; i < POINTS; i++) {
        const double p = c->x[i];
        jsn_loss_result result = {0.0, NULL, c->grad};
        for (size_t v = 0; v < views; v++)
            set_view(c->logits + v * classes, classes,
                     v == 0 || isnan(station) ? p : station);
        JSNI_TRY(jsn_loss_eval(loss, &batch, &result));
        double slope = 0.0;
        for (size_t v = 0; v < (isnan(station) ? views : 1); v++)
            slope += c->grad[v * classes];
        c->value[c->count][i] = result.mean;
        c->scale[c->count][i] = -slope / (p * (1.0 - p));
    }
    c->count++;
    return JSN_OK;
}

static void add_cross_entropy(curves *c)
{
    for (size_t i = 0; i < POINTS; i++) {
        c->value[c->count][i] = -log(c->x[i]);
        c->scale[c->count][i] = 1.0 / c->x[i];
    }
    (void)snprintf(c->names[c->count], NAME, "CE");
    c->count++;
}

/* CE under this or another name: a reference would only hide it. */
static bool is_cross_entropy(const curves *c)
{
    for (size_t i = 0; i < POINTS; i++)
        if (fabs(c->value[0][i] + log(c->x[i])) > 1e-9)
            return false;
    return true;
}

static jsn_status find_curves(curves *c, const char *spec, size_t classes, size_t views)
{
    jsn_loss *loss = NULL;
    jsn_status status = jsn_loss_create(&loss, spec, classes, views);
    for (size_t i = 0; i < POINTS; i++)
        c->x[i] = 0.004 + 0.992 * (double)i / (POINTS - 1);
    if (status != JSN_OK)
        return status;
    for (size_t s = 0; status == JSN_OK && s < (views > 1 ? 4u : 1u); s++) {
        if (views == 1)
            (void)snprintf(c->names[c->count], NAME, "%.40s", spec);
        else if (s == 0)
            (void)snprintf(c->names[c->count], NAME, "views agree");
        else
            (void)jsni_format(c->names[c->count], NAME, "other%s at %g",
                              views > 2 ? "s" : "", stations[s]);
        status = eval_curve(c, loss, classes, views, stations[s]);
    }
    jsn_loss_destroy(loss);
    if (status == JSN_OK && views == 1 && !is_cross_entropy(c))
        add_cross_entropy(c);
    return status;
}

/* Widens low..high by the values from point `first` on. */
static void limits(const double *y, size_t first, double *low, double *high)
{
    for (size_t i = first; i < POINTS; i++) {
        *low = y[i] < *low ? y[i] : *low;
        *high = y[i] > *high ? y[i] : *high;
    }
}

static void draw_charts(jsni_text *out, curves *c, const char *spec, bool reference,
                        bool plain)
{
    const size_t own = c->count - (reference ? 1 : 0);
    double low = INFINITY, high = -INFINITY, lowest = INFINITY, highest = -INFINITY;
    for (size_t s = 0; s < c->count; s++)
        for (int panel = 0; panel < 2; panel++)
            c->series[panel][s] =
                (jsni_series){.name = c->names[s],
                              .x = c->x,
                              .y = panel == 0 ? c->value[s] : c->scale[s],
                              .count = POINTS,
                              .colour = s < own ? (int)s : 7,
                              .dash = s < own ? 0 : 2};
    for (size_t s = 0; s < own; s++) {
        limits(c->value[s], 0, &low, &high);
        limits(c->scale[s], 0, &lowest, &highest);
    }
    /* Scales of one sign span decades and are shown on a logarithmic axis; others are
     * cut where the spike at p_y = 0 would hide the rest. */
    const bool log_scale = lowest > 0.0;
    if (!log_scale) {
        highest = -INFINITY;
        for (size_t s = 0; s < own; s++)
            limits(c->scale[s], POINTS / 20, &lowest, &highest);
    }
    const double top = high > 0.0 ? 1.06 * high : 1.0;
    const jsni_axis x = {.label = "\\p_{\\y}", .low = 0.0, .high = 1.0};
    const jsni_chart charts[2] = {
        {.title = spec,
         .x = x,
         .y = {.label = "loss", .low = low < -1e-9 ? 1.06 * low : 0.0, .high = top},
         .series = c->series[0],
         .series_count = c->count,
         .width = 400,
         .height = 310,
         .legend = JSNI_LEGEND_BELOW,
         .markup = true},
        {.title = "gradient scale",
         .x = x,
         .y = {.label = "\\g(\\p_{\\y})",
               .log_scale = log_scale,
               .low = log_scale ? 0.0 : lowest - 0.06 * (highest - lowest),
               .high = log_scale ? 0.0 : highest + 0.06 * (highest - lowest)},
         .series = c->series[1],
         .series_count = c->count,
         .width = 400,
         .height = 310,
         .legend = JSNI_LEGEND_BELOW,
         .markup = true},
    };
    jsni_chart_figure(
        out, charts, 2, 2,
        "Value of the loss and scale of its gradient against the predicted "
        "probability of the label.",
        plain);
}

static jsn_status draw(jsni_text *out, const jsni_plot_request *request)
{
    size_t views = 0;
    const size_t classes = (size_t)request->values[0].real;
    JSNI_TRY(jsn_loss_check(request->loss, &views));
    curves *c = jsni_alloc_zero(1, sizeof *c);
    double *scratch = jsni_alloc_zero(2 * views * classes, sizeof *scratch);
    jsn_status status = JSN_ERR_MEMORY;
    if (c != NULL && scratch != NULL) {
        c->logits = scratch;
        c->grad = scratch + views * classes;
        status = find_curves(c, request->loss, classes, views);
    }
    if (status == JSN_OK)
        draw_charts(out, c, request->loss, views == 1 && c->count > 1, request->plain);
    jsni_free(scratch);
    jsni_free(c);
    return status;
}

const jsni_plot jsni_plot_loss_curve = {
    {"loss", "value and gradient scale of a loss against p_y", params, 1, true}, draw};
