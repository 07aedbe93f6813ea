/* cli/command_theory_bounds.c - the constants that bound JS and GJS. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/theory.h"

typedef struct bounds_values {
    int64_t classes;
    int64_t views;
    double pi1;
    char *pi;
    bool json;
} bounds_values;

static const jsn_option_info options[] = {
    {"classes", 0, JSN_OPTION_INT, "10", 2, 1e9, NULL, "K", "number of classes",
     offsetof(bounds_values, classes)},
    {"views", 0, JSN_OPTION_INT, NULL, 1, JSN_THEORY_MAX_VIEWS, NULL, "N",
     "number of predictions compared with the label, M-1 in the paper: 1 is JS, 2 "
     "(unless given) or more is GJS",
     offsetof(bounds_values, views)},
    {"pi1", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "weight of the label, 0.5 unless given", offsetof(bounds_values, pi1)},
    {"pi", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "W/W/...",
     "all weights, the label's first, instead of --views and --pi1",
     offsetof(bounds_values, pi)},
    CLI_JSON_ROW(bounds_values, "one JSON object on stdout"),
};

static jsn_status print_json(const jsn_theory_bounds *b)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "classes", (int64_t)b->classes);
    jsni_json_put_int(w, "views", (int64_t)b->views);
    jsni_json_put_int(w, "M", (int64_t)b->views + 1);
    jsni_json_put_real(w, "pi1", b->pi1);
    jsni_json_put_real(w, "Z", b->z);
    jsni_json_put_real(w, "B_L", b->lower / b->z);
    jsni_json_put_real(w, "B_U", b->upper / b->z);
    jsni_json_put_real(w, "C1", b->c1 / b->z);
    jsni_json_put_real(w, "C2", b->c2 / b->z);
    jsni_json_put_real(w, "B_L_unscaled", b->lower);
    jsni_json_put_real(w, "B_U_unscaled", b->upper);
    jsni_json_put_real(w, "C1_unscaled", b->c1);
    jsni_json_put_real(w, "C2_unscaled", b->c2);
    jsni_json_put_bool(w, "B_U_attained", b->upper_tight);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_row(const char *name, double unscaled, double z, const char *meaning)
{
    cli_print("%-10s %16.9g %16.9g   %s\n", name, unscaled / z, unscaled, meaning);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    bounds_values *v = values;
    double weights[JSN_THEORY_MAX_VIEWS + 1];
    size_t count = 0;
    jsn_theory_bounds b;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->pi != NULL && (!isnan(v->pi1) || v->views != JSN_OPTION_INT_UNSET))
        return cli_usage("--pi has all weights: leave --pi1 and --views out");
    if (isnan(v->pi1))
        v->pi1 = 0.5;
    if (v->views == JSN_OPTION_INT_UNSET)
        v->views = 2;
    jsn_status status = JSN_OK;
    if (v->pi != NULL) {
        status = cli_numbers("pi", v->pi, JSN_THEORY_MAX_VIEWS + 1, weights, &count);
        if (status == JSN_OK && count < 2)
            status = cli_usage("--pi: %zu %s too few, 2 are needed", count,
                               jsni_noun(count, "weight is", "weights are"));
        if (status == JSN_OK)
            status =
                jsn_theory_bounds_weighted(&b, (size_t)v->classes, count - 1, weights);
    } else {
        status =
            jsn_theory_bounds_equal(&b, (size_t)v->classes, (size_t)v->views, v->pi1);
    }
    if (status != JSN_OK)
        return status;
    if (v->json)
        return print_json(&b);
    cli_print("%s, K = %zu classes, M = %zu (%zu %s), pi1 = %g, Z = %.12g\n\n",
              b.views == 1 ? "JS" : "GJS", b.classes, b.views + 1, b.views,
              jsni_noun(b.views, "view", "views"), b.pi1, b.z);
    cli_print("%-10s %16s %16s\n", "", "scaled (1/Z)", "unscaled (Z=1)");
    print_row("B_L", b.lower, b.z, "least sum of the losses over all labels");
    print_row("B_U", b.upper, b.z,
              b.upper_tight ? "largest" : "an upper bound of the largest");
    print_row("B_U - B_L", b.upper - b.lower, b.z,
              "0 would be noise-robust, as MAE is");
    print_row("C1", b.c1, b.z,
              b.classes > b.views ? "largest loss of one label"
                                  : "a bound of the loss of one label: K < M, not "
                                    "attained");
    print_row("C2", b.c2, b.z, "loss when all views agree on a wrong class");
    return JSN_OK;
}

const cli_command cli_command_theory_bounds = {
    .name = "theory bounds",
    .summary = "B_L, B_U, C1 and C2 of JS and GJS",
    .usage = "[--classes K] ([--views N] [--pi1 X] | [--pi W/W/...]) [--json]",
    .details =
        "B_L <= sum over all K labels of the loss <= B_U, for any predictions; the\n"
        "risk bounds under label noise (jensen theory risk) are made of these.\n\n"
        "  jensen theory bounds --classes 100 --views 2 --pi1 0.3\n"
        "  jensen theory bounds --classes 10 --pi 0.5/0.3/0.2 --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(bounds_values),
    .run = run,
};
