/* cli/command_theory_risk.c - the risk bounds of Theorems 1 and 2 and Proposition 4. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/theory.h"

enum { MOST_CLASSES = 1000 };

typedef struct risk_values {
    int64_t classes;
    int64_t views;
    double pi1;
    double eta;
    double pair;
    bool json;
} risk_values;

static const jsn_option_info options[] = {
    {"classes", 0, JSN_OPTION_INT, "10", 2, MOST_CLASSES, NULL, "K",
     "number of classes", offsetof(risk_values, classes)},
    {"views", 0, JSN_OPTION_INT, "2", 1, JSN_THEORY_MAX_VIEWS, NULL, "N",
     "number of predictions compared with the label, M-1 in the paper: 1 is JS, 2 or "
     "more "
     "is GJS",
     offsetof(risk_values, views)},
    {"pi1", 0, JSN_OPTION_REAL, "0.5", 0, 1, NULL, "X", "weight of the label",
     offsetof(risk_values, pi1)},
    {"eta", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "symmetric noise: a label becomes one of the K-1 others with probability X, 0.4 "
     "unless given (Theorem 1). A rate r over all K classes, as in `sym:rate=r`, is X "
     "= r(K-1)/K",
     offsetof(risk_values, eta)},
    {"pair", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "instead: class-dependent noise, each class becomes the next one with probability "
     "X "
     "(Theorem 2)",
     offsetof(risk_values, pair)},
    CLI_JSON_ROW(risk_values, "one JSON object on stdout"),
};

/* Theorem 2 for class y -> y+1 with probability `flip`. */
static jsn_status pair_noise(jsn_theory_risk *out, const jsn_theory_bounds *b,
                             double flip, bool consistent)
{
    const size_t k = b->classes;
    double *rows = calloc(k * k, sizeof *rows);
    if (rows == NULL)
        return JSN_ERR_MEMORY;
    for (size_t y = 0; y < k; y++) {
        rows[y * k + y] = 1.0 - flip;
        rows[y * k + (y + 1) % k] = flip;
    }
    const jsn_status status =
        jsn_theory_risk_asymmetric(out, b, rows, NULL, consistent);
    free(rows);
    return status;
}

static void show_risk(cli_record *r, const char *key, const char *title,
                      const jsn_theory_risk *risk)
{
    const bool shown = title != NULL, clean = shown && isfinite(risk->clean_lowest);
    cli_begin_object(r, key);
    if (shown)
        cli_words(r, "%s\n", title);
    cli_field_real(r, "noisy_lowest",
                   shown ? "  %12.6g <= R_eta(f*) - R_eta(f*_eta) <= " : NULL,
                   risk->noisy_lowest);
    cli_field_real(r, "noisy_highest", shown ? "%.6g\n" : NULL, risk->noisy_highest);
    cli_field_real(r, "clean_lowest",
                   clean ? "  %12.6g <= R(f*) - R(f*_eta)         <= " : NULL,
                   risk->clean_lowest);
    cli_field_real(r, "clean_highest", clean ? "%.6g\n" : NULL, risk->clean_highest);
    cli_end(r);
}

static jsn_status describe(const risk_values *v, const jsn_theory_bounds *b,
                           const jsn_theory_risk risk[2])
{
    const bool symmetric = isnan(v->pair);
    const bool joint = v->views > 1; /* one view is as consistent as any */
    cli_record r;
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_int(&r, "theorem", joint ? "Theorem %lld, GJS" : "Theorem %lld, JS",
                  symmetric ? 1 : 2);
    cli_field_int(&r, "classes", ", K = %lld", v->classes);
    cli_words(&r, ", M = %lld", (long long)v->views + 1);
    cli_field_int(&r, "views", NULL, v->views);
    cli_field_real(&r, "pi1", ", pi1 = %g", v->pi1);
    if (symmetric)
        cli_field_real(&r, "eta", ", symmetric noise eta = %g", v->eta);
    else
        cli_field_real(&r, "pair", ", noise to the next class %g", v->pair);
    cli_words(&r, ", scaled loss\n\n");
    cli_field_real(&r, "B_U_minus_B_L", NULL, (b->upper - b->lower) / b->z);
    show_risk(&r, "bounds", "for every predictor", &risk[0]);
    if (joint)
        cli_words(&r, "\n");
    show_risk(&r, "bounds_if_consistent",
              joint ? "if f* is on average as consistent as f*_eta (Proposition 4)"
                    : NULL,
              &risk[1]);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    risk_values *v = values;
    jsn_theory_bounds b;
    jsn_theory_risk risk[2];
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (!isnan(v->eta) && !isnan(v->pair))
        return cli_usage("--eta or --pair, not both");
    if (isnan(v->eta))
        v->eta = 0.4;
    const bool symmetric = isnan(v->pair);
    jsn_status status =
        jsn_theory_bounds_equal(&b, (size_t)v->classes, (size_t)v->views, v->pi1);
    for (int i = 0; status == JSN_OK && i < 2; i++)
        status = symmetric ? jsn_theory_risk_symmetric(&risk[i], &b, v->eta, i == 1)
                           : pair_noise(&risk[i], &b, v->pair, i == 1);
    return status == JSN_OK ? describe(v, &b, risk) : status;
}

const cli_command cli_command_theory_risk = {
    .name = "theory risk",
    .summary = "how much label noise can cost: Theorems 1, 2, Proposition 4",
    .usage = "[--classes K] [--views N] [--pi1 X] [--eta X | --pair X] [--json]",
    .details =
        "f* is the best predictor for clean labels, f*_eta the best for noisy ones,\n"
        "R and R_eta are the risks (mean scaled losses) on clean and on noisy\n"
        "labels. Theorem 2 assumes that f* has no clean risk.\n\n"
        "  jensen theory risk --classes 100 --views 2 --pi1 0.3 --eta 0.4",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(risk_values),
    .run = run,
};
