/* report/plot_js_gce_gradient.c - Figure 8: gradient scales g(p_y) of GCE for several q
 * and of JS with the pi1 that matches each q at p_y = 1/2, with those of CE and MAE. */
#include <math.h>

#include "core/text.h"
#include "jensen/theory.h"
#include "report/chart.h"
#include "report/plot.h"
#include "report/svg.h"

enum { POINTS = 200, MOST = 7, NAME = 64 };

static const jsn_param_info params[] = {
    {"q", "the exponents q of GCE to draw, joined by '/' (0.1/0.3/0.5/0.7/0.9)", 0,
     1e-3, 0.99, JSN_PARAM_REALS},
    {"at", "the p_y at which the scales agree", 0.5, 1e-3, 0.999, JSN_PARAM_REAL},
    {"top", "upper end of the axis", 4, 1.1, 1000, JSN_PARAM_REAL},
};

static const double usual[] = {0.1, 0.3, 0.5, 0.7, 0.9};

typedef struct curves {
    double x[POINTS];
    double y[2 * MOST + 2][POINTS];
    char names[2 * MOST][NAME];
    jsni_series series[2 * MOST + 2];
} curves;

/* pi1, or 1 - pi1 as a power of ten where three decimals would show 1. */
static void name_js(char name[NAME], double pi1, double rest)
{
    const int exponent = (int)ceil(-log10(rest) - 1e-9);
    if (pi1 < 0.9995)
        (void)jsni_format(name, NAME, "JS, \\\xCF\x80_{1} = %.3f", pi1);
    else
        (void)jsni_format(name, NAME,
                          "JS, 1\xE2\x88\x92\\\xCF\x80_{1} = %.1f\xC2\xB7"
                          "10^{\xE2\x88\x92%d}",
                          rest * pow(10.0, exponent), exponent);
}

/* GCE dashed and its JS solid, in one colour. */
static jsn_status add_pair(curves *c, size_t index, size_t count, double q, double at)
{
    double pi1 = 0.0, rest = 0.0;
    JSNI_TRY(jsn_theory_match_gce(q, at, &pi1, &rest));
    const int step =
        count == 1 ? 0 : (int)(index * (JSNI_RAMP_STEPS - 2) / (count - 1));
    const size_t js = 1 + 2 * index, gce = js + 1;
    for (size_t i = 0; i < POINTS; i++) {
        /* The form in 1 - pi1 also serves where pi1 itself rounds to 1. */
        c->y[js][i] = log1p(pi1 / (rest * c->x[i])) / -log(rest);
        c->y[gce][i] = jsn_theory_gradient_scale(JSN_THEORY_GCE, q, c->x[i]);
    }
    name_js(c->names[2 * index], pi1, rest);
    (void)jsni_format(c->names[2 * index + 1], NAME, "GCE, \\q = %g", q);
    const jsni_series solid = {.name = c->names[2 * index],
                               .x = c->x,
                               .y = c->y[js],
                               .count = POINTS,
                               .colour = JSNI_COLOUR_RAMP + step};
    c->series[js] = solid;
    c->series[gce] = solid;
    c->series[gce].name = c->names[2 * index + 1];
    c->series[gce].y = c->y[gce];
    c->series[gce].dash = 1;
    return JSN_OK;
}

static jsn_status draw(jsni_text *out, const jsni_plot_request *request)
{
    curves c;
    double q[JSNI_SPEC_MAX_REALS];
    const size_t count = jsni_plot_reals(&request->values[0], usual, 5, q);
    if (count > MOST)
        return jsni_fail(JSN_ERR_RANGE,
                         "%zu values of q are too many for one plot, at "
                         "most %d",
                         count, (int)MOST);
    const size_t last = 1 + 2 * count;
    for (size_t i = 0; i < POINTS; i++) {
        c.x[i] = (double)(i + 1) / POINTS;
        c.y[0][i] = 1.0 / c.x[i];
        c.y[last][i] = 1.0;
    }
    for (size_t s = 0; s < count; s++)
        JSNI_TRY(add_pair(&c, s, count, q[s], request->values[1].real));
    c.series[0] = (jsni_series){.name = "CE",
                                .x = c.x,
                                .y = c.y[0],
                                .count = POINTS,
                                .colour = JSNI_COLOUR_TEXT};
    c.series[last] = (jsni_series){.name = "MAE/2",
                                   .x = c.x,
                                   .y = c.y[last],
                                   .count = POINTS,
                                   .colour = JSNI_COLOUR_TEXT,
                                   .dash = 2};
    const jsni_chart chart = {
        .title = "Gradient scales of JS and GCE",
        .x = {.label = "\\p_{\\y}, predicted probability of the label",
              .low = 0,
              .high = 1},
        .y = {.label = "gradient scale \\g(\\p_{\\y})",
              .low = 0.8,
              .high = request->values[2].real},
        .series = c.series,
        .series_count = last + 1,
        .width = 580,
        .height = 380,
        .markup = true};
    jsni_chart_figure(
        out, &chart, 1, 1,
        "Gradient scales against the predicted probability of the label: "
        "generalised cross-entropy for several exponents, and the "
        "Jensen-Shannon loss with the weight that gives the same scale at "
        "one probability.",
        request->plain);
    return JSN_OK;
}

const jsni_plot jsni_plot_js_gce_gradient = {
    {"js-gce-gradient",
     "gradient scales of JS and GCE, matched at p_y = 1/2 (Figure 8)", params, 3,
     false},
    draw};
