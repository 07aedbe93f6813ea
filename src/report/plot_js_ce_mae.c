/* report/plot_js_ce_mae.c - Figure 2: the scaled JS loss against p_y for several pi1,
 * between its limits cross-entropy (pi1 -> 0) and half the L1 norm (pi1 -> 1). */
#include <math.h>

#include "core/text.h"
#include "jensen/theory.h"
#include "report/chart.h"
#include "report/plot.h"
#include "report/svg.h"

enum { POINTS = 201, MOST = 10, NAME = 32 };

static const jsn_param_info params[] = {
    {"pi",
     "the label weights pi1 to draw, joined by '/' (0.01/0.1/0.3/0.5/0.7/0.9/0.99)", 0,
     1e-12, 1 - 1e-12, JSN_PARAM_REALS},
    {"top", "upper end of the loss axis", 4, 0.1, 100, JSN_PARAM_REAL},
};

static const double usual[] = {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99};

/* Points gather near p_y = 0, where the curves bend. */
static double place(size_t i)
{
    const double t = (double)i / (POINTS - 1);
    return t * t;
}

static jsn_status draw(jsni_text *out, const jsni_plot_request *request)
{
    double pi[JSNI_SPEC_MAX_REALS], x[POINTS], y[MOST + 2][POINTS];
    char names[MOST][NAME];
    jsni_series series[MOST + 2];
    const size_t count = jsni_plot_reals(&request->values[0], usual, 7, pi);
    if (count > MOST)
        return jsni_fail(JSN_ERR_RANGE,
                         "%zu values of pi1 are too many for one plot, at "
                         "most %d",
                         count, (int)MOST);
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = place(i);
        y[0][i] = x[i] > 0.0 ? -log(x[i]) : INFINITY;
        for (size_t s = 0; s < count; s++)
            y[s + 1][i] = jsn_theory_js(pi[s], x[i]);
        y[count + 1][i] = 1.0 - x[i];
    }
    series[0] = (jsni_series){.name = "CE",
                              .x = x,
                              .y = y[0],
                              .count = POINTS,
                              .colour = JSNI_COLOUR_TEXT,
                              .dash = 1};
    for (size_t s = 0; s < count; s++) {
        const int step =
            count == 1 ? 0 : (int)(s * (JSNI_RAMP_STEPS - 1) / (count - 1));
        (void)jsni_format(names[s], NAME, "JS, \\\xCF\x80_{1} = %g", pi[s]);
        series[s + 1] = (jsni_series){.name = names[s],
                                      .x = x,
                                      .y = y[s + 1],
                                      .count = POINTS,
                                      .colour = JSNI_COLOUR_RAMP + step};
    }
    series[count + 1] = (jsni_series){.name = "MAE/2",
                                      .x = x,
                                      .y = y[count + 1],
                                      .count = POINTS,
                                      .colour = JSNI_COLOUR_TEXT,
                                      .dash = 2};
    const jsni_chart chart = {
        .title = "JS between cross-entropy and MAE",
        .x = {.label = "\\p_{\\y}, predicted probability of the label",
              .low = 0,
              .high = 1},
        .y = {.label = "loss", .low = 0, .high = request->values[1].real},
        .series = series,
        .series_count = count + 2,
        .width = 560,
        .height = 360,
        .markup = true};
    jsni_chart_figure(
        out, &chart, 1, 1,
        "The scaled Jensen-Shannon loss of a one-hot label and a prediction "
        "against the predicted probability of the label, for several label "
        "weights, with cross-entropy and half the mean absolute error.",
        request->plain);
    return JSN_OK;
}

const jsni_plot jsni_plot_js_ce_mae = {
    {"js-ce-mae", "JS loss against p_y, between CE and MAE (Figure 2)", params, 2,
     false},
    draw};
