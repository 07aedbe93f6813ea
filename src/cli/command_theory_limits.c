/* cli/command_theory_limits.c - JS on its way from cross-entropy to MAE. */
#include <math.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/theory.h"

enum { MOST = 64 };

typedef struct limits_values {
    double p_y;
    char *pi1;
    bool json;
} limits_values;

static const jsn_option_info options[] = {
    {"p-y", 0, JSN_OPTION_REAL, "0.5", 1e-300, 1, NULL, "X",
     "predicted probability of the label", offsetof(limits_values, p_y)},
    {"pi1", 0, JSN_OPTION_TEXT,
     "1e-12/1e-9/1e-6/0.001/0.01/0.1/0.3/0.5/0.7/0.9/0.99/0.999/0.999999/0.999999999/"
     "0.999999999999",
     0, 0, NULL, "X/X/...", "weights of the label", offsetof(limits_values, pi1)},
    CLI_JSON_ROW(limits_values, "one JSON object on stdout"),
};

static jsn_status describe(double p_y, const double *pi1, size_t count, bool json)
{
    const double ce = -log(p_y), half = 1.0 - p_y;
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_real(&r, "p_y", "p_y = %g\n\n", p_y);
    cli_words(&r, "%-20s %18s %12s %12s\n%-20s", "pi1", "JS (scaled)", "from CE",
              "from MAE/2", "-> 0: CE");
    cli_field_real(&r, "CE", " %18.12g", ce);
    cli_words(&r, " %12s %12s\n", "", "");
    cli_begin_array(&r, "JS");
    for (size_t i = 0; i < count; i++) {
        const double js = jsn_theory_js(pi1[i], p_y);
        cli_begin_array(&r, NULL);
        cli_field_real(&r, NULL, "%-20.15g", pi1[i]);
        cli_field_real(&r, NULL, " %18.12g", js);
        cli_words(&r, " %12.3g %12.3g\n", js - ce, js - half);
        cli_end(&r);
    }
    cli_end(&r);
    cli_words(&r, "%-20s", "-> 1: MAE/2");
    cli_field_real(&r, "half_L1", " %18.12g", half);
    cli_words(&r, " %12s %12s\n", "", "");
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const limits_values *v = values;
    double pi1[MOST];
    size_t count = 0;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const jsn_status status = cli_numbers("pi1", v->pi1, MOST, pi1, &count);
    if (status != JSN_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (!(pi1[i] > 0.0 && pi1[i] < 1.0))
            return cli_usage("--pi1: %g is not inside (0, 1)", pi1[i]);
    return describe(v->p_y, pi1, count, v->json);
}

const cli_command cli_command_theory_limits = {
    .name = "theory limits",
    .summary = "JS between its limits: CE for pi1 -> 0, MAE/2 for pi1 -> 1",
    .usage = "[--p-y X] [--pi1 X/X/...] [--json]",
    .details =
        "The lower limit is reached at the rate of pi1, the upper one only like\n"
        "1/|log(1-pi1)|. MAE/2 is 1 - p_y, half of the L1 norm.\n\n"
        "  jensen theory limits --p-y 0.2 --pi1 0.1/0.5/0.9",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(limits_values),
    .run = run,
};
