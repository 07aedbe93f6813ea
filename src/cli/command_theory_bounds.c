/* cli/command_theory_bounds.c - the constants that bound JS and GJS. */
#include <math.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
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

/* A constant, as the scaled loss has it and the unscaled one. */
static void show_constant(cli_record *r, const char *key, const char *unscaled_key,
                          double unscaled, double z, const char *meaning)
{
    cli_words(r, "%-10s ", key);
    cli_field_real(r, key, "%16.9g ", unscaled / z);
    cli_field_real(r, unscaled_key, "%16.9g   ", unscaled);
    cli_words(r, "%s\n", meaning);
}

static jsn_status describe(const jsn_theory_bounds *b, bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_words(&r, b->views == 1 ? "JS" : "GJS");
    cli_begin_object(&r, NULL);
    cli_field_int(&r, "classes", ", K = %lld classes", (int64_t)b->classes);
    cli_field_int(&r, "M", ", M = %lld", (int64_t)b->views + 1);
    cli_field_int(&r, "views", b->views == 1 ? " (%lld view)" : " (%lld views)",
                  (int64_t)b->views);
    cli_field_real(&r, "pi1", ", pi1 = %g", b->pi1);
    cli_field_real(&r, "Z", ", Z = %.12g\n\n", b->z);
    cli_words(&r, "%-10s %16s %16s\n", "", "scaled (1/Z)", "unscaled (Z=1)");
    show_constant(&r, "B_L", "B_L_unscaled", b->lower, b->z,
                  "least sum of the losses over all labels");
    show_constant(&r, "B_U", "B_U_unscaled", b->upper, b->z,
                  b->upper_tight ? "largest" : "an upper bound of the largest");
    cli_words(&r, "%-10s %16.9g %16.9g   0 would be noise-robust, as MAE is\n",
              "B_U - B_L", (b->upper - b->lower) / b->z, b->upper - b->lower);
    show_constant(&r, "C1", "C1_unscaled", b->c1, b->z,
                  b->classes > b->views
                      ? "largest loss of one label"
                      : "a bound of the loss of one label: K < M, not attained");
    show_constant(&r, "C2", "C2_unscaled", b->c2, b->z,
                  "loss when all views agree on a wrong class");
    cli_field_bool(&r, "B_U_attained", NULL, NULL, b->upper_tight);
    cli_end(&r);
    return cli_record_close(&r);
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
    return status == JSN_OK ? describe(&b, v->json) : status;
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
