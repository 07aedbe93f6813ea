/* report/plot_gjs_simplex.c - Figure 3: GJS of a label and two predictions over three
 * classes as a function of the second prediction, beside its two parts: JS of the label
 * and the mean prediction, and the consistency of the two predictions. */
#include <stdio.h>

#include "core/words.h"
#include "jensen/theory.h"
#include "report/plot.h"
#include "report/svg.h"
#include "report/ternary.h"

static const jsn_param_info params[] = {
    {"pi1", "weight of the label", 0.5, 1e-6, 1 - 1e-6, JSN_PARAM_REAL},
    {"p2", "the fixed prediction, three probabilities joined by '/' (0.2/0.6/0.2)", 0,
     0, 1, JSN_PARAM_REALS},
};

static const double usual[] = {0.2, 0.6, 0.2};

typedef struct setting {
    double pi1;
    double p2[3];
    int part;           /* 0: all, 1: JS, 2: consistency */
    jsn_status *status; /* the first failure */
} setting;

static double value(const void *user, const double p[3])
{
    const setting *s = user;
    const double views[6] = {s->p2[0], s->p2[1], s->p2[2], p[0], p[1], p[2]};
    jsn_theory_parts parts = {0};
    const jsn_status status =
        jsn_theory_decompose(&parts, 2, 3, s->pi1, NULL, 0, views);
    if (status != JSN_OK)
        *s->status = status;
    return s->part == 0 ? parts.gjs : s->part == 1 ? parts.js : parts.consistency;
}

static jsn_status draw(jsni_text *out, const jsni_plot_request *request)
{
    double p2[JSNI_SPEC_MAX_REALS];
    const size_t count = jsni_plot_reals(&request->values[1], usual, 3, p2);
    if (count != 3)
        return jsni_fail(JSN_ERR_ARGUMENT, "p2 has %zu %s, not 3", count,
                         jsni_noun(count, "probability", "probabilities"));
    const double pi1 = request->values[0].real;
    const double views[6] = {p2[0], p2[1], p2[2], 1.0, 0.0, 0.0};
    jsn_theory_parts parts;
    jsn_status status = JSN_OK;
    JSNI_TRY(jsn_theory_decompose(&parts, 2, 3, pi1, NULL, 0, views));

    static const char *const titles[3] = {"GJS", "=  JS of the mean", "+  consistency"};
    static const char *const scales[3] = {
        "\\L_{GJS}", "\\D_{JS}(\\e_{1}, mean) / \\Z",
        "(1 \xE2\x88\x92 \\\xCF\x80_{1}) \\D(\\p^{(2)}, \\p^{(3)}) / \\Z"};
    jsni_svg_begin(
        out, 3.0 * JSNI_TERNARY_WIDTH, JSNI_TERNARY_HEIGHT,
        "GJS on the simplex, and its two parts",
        "Three heat maps over the second prediction: the generalised "
        "Jensen-Shannon loss, its Jensen-Shannon part, which is smallest at the "
        "label, and its consistency part, which is zero at the first "
        "prediction.",
        request->plain);
    for (int i = 0; i < 3; i++) {
        const setting s = {pi1, {p2[0], p2[1], p2[2]}, i, &status};
        const jsni_ternary map = {.title = titles[i],
                                  .corners = {"label \\e_{1}", "\\e_{2}", "\\e_{3}"},
                                  .scale = scales[i],
                                  .fn = value,
                                  .user = &s,
                                  .point = p2,
                                  .point_name = "\\p^{(2)}",
                                  .markup = true};
        jsni_ternary_draw(out, &map, (double)i * JSNI_TERNARY_WIDTH, 0);
    }
    jsni_svg_end(out);
    return status;
}

const jsni_plot jsni_plot_gjs_simplex = {
    {"gjs-simplex", "GJS and its two parts over the simplex, M = K = 3 (Figure 3)",
     params, 2, false},
    draw};
