/* cli/command_theory_match_gce.c - the pi1 whose JS weighs samples as GCE does. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "jensen/theory.h"

enum { MOST = 64 };

typedef struct match_values {
    char *q;
    double p_y;
    bool json;
} match_values;

static const jsn_option_info options[] = {
    {"q", 0, JSN_OPTION_TEXT, "0.1/0.2/0.3/0.4/0.5/0.6/0.7/0.8/0.9", 0, 0, NULL,
     "X/X/...", "exponents of GCE, inside (0, 1)", offsetof(match_values, q)},
    {"p-y", 0, JSN_OPTION_REAL, "0.5", 0, 1, NULL, "X",
     "predicted probability at which the gradient scales agree",
     offsetof(match_values, p_y)},
    CLI_JSON_ROW(match_values, "one JSON object on stdout"),
};

static jsn_status match(jsni_json_writer *w, double q, double p_y)
{
    double pi1 = 0.0, rest = 0.0;
    const jsn_status status = jsn_theory_match_gce(q, p_y, &pi1, &rest);
    if (status != JSN_OK)
        return status;
    const double scale = pow(p_y, q - 1.0);
    if (w == NULL) {
        cli_print("%-8g %16.12g %18.15g %14.8g\n", q, scale, pi1, rest);
        return JSN_OK;
    }
    jsni_json_begin_object(w, NULL);
    jsni_json_put_real(w, "q", q);
    jsni_json_put_real(w, "gradient_scale", scale);
    jsni_json_put_real(w, "pi1", pi1);
    jsni_json_put_real(w, "one_minus_pi1", rest);
    jsni_json_end(w);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const match_values *v = values;
    double q[MOST], pi1 = 0.0, rest = 0.0;
    size_t count = 0;
    jsni_json_writer *w = NULL;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    jsn_status status = cli_numbers("q", v->q, MOST, q, &count);
    /* All before the first line is printed. */
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = jsn_theory_match_gce(q[i], v->p_y, &pi1, &rest);
    if (status == JSN_OK && v->json)
        status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    if (v->json) {
        jsni_json_begin_object(w, NULL);
        jsni_json_put_real(w, "p_y", v->p_y);
        jsni_json_begin_array(w, "matches");
    } else {
        cli_print("equal gradient scale at p_y = %g\n\n%-8s %16s %18s %14s\n", v->p_y,
                  "q (GCE)", "scale", "pi1 (JS)", "1 - pi1");
    }
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = match(w, q[i], v->p_y);
    if (!v->json)
        return status;
    jsni_json_end(w);
    jsni_json_end(w);
    return cli_print_json(w);
}

const cli_command cli_command_theory_match_gce = {
    .name = "theory match-gce",
    .summary = "the pi1 with which JS weighs samples as GCE does at p_y = 1/2",
    .usage = "[--q X/X/...] [--p-y X] [--json]",
    .details =
        "The gradient of both losses is that of -p_y times a scale: p_y^(q-1) for "
        "GCE,\n"
        "log(1 + pi1/((1-pi1) p_y)) / -log(1-pi1) for JS. This solves for pi1.\n\n"
        "  jensen theory match-gce --q 0.7",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(match_values),
    .run = run,
};
