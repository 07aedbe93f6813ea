/* cli/command_theory_match_gce.c - the pi1 whose JS weighs samples as GCE does. */
#include <math.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
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

static jsn_status describe(double p_y, const double *q, size_t count, bool json)
{
    double pi1[MOST], rest[MOST];
    for (size_t i = 0; i < count; i++) { /* all before the first line is printed */
        const jsn_status found = jsn_theory_match_gce(q[i], p_y, &pi1[i], &rest[i]);
        if (found != JSN_OK)
            return found;
    }
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_real(&r, "p_y", "equal gradient scale at p_y = %g\n\n", p_y);
    cli_words(&r, "%-8s %16s %18s %14s\n", "q (GCE)", "scale", "pi1 (JS)", "1 - pi1");
    cli_begin_array(&r, "matches");
    for (size_t i = 0; i < count; i++) {
        cli_begin_object(&r, NULL);
        cli_field_real(&r, "q", "%-8g ", q[i]);
        cli_field_real(&r, "gradient_scale", "%16.12g ", pow(p_y, q[i] - 1.0));
        cli_field_real(&r, "pi1", "%18.15g ", pi1[i]);
        cli_field_real(&r, "one_minus_pi1", "%14.8g\n", rest[i]);
        cli_end(&r);
    }
    cli_end(&r);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const match_values *v = values;
    double q[MOST];
    size_t count = 0;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const jsn_status status = cli_numbers("q", v->q, MOST, q, &count);
    return status == JSN_OK ? describe(v->p_y, q, count, v->json) : status;
}

const cli_command cli_command_theory_match_gce = {
    .name = "theory match-gce",
    .summary = "the pi1 with which JS weighs samples as GCE does at p_y = 1/2",
    .usage = "[--q X/X/...] [--p-y X] [--json]",
    .details =
        "The gradient of both losses is that of -p_y times a scale: p_y^(q-1) for\n"
        "GCE, log(1 + pi1/((1-pi1) p_y)) / -log(1-pi1) for JS. This solves for pi1.\n\n"
        "  jensen theory match-gce --q 0.7",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(match_values),
    .run = run,
};
