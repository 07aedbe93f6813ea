/* cli/command_theory_risk.c - the risk bounds of Theorems 1 and 2 and Proposition 4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
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

static void put_risk(jsni_json_writer *w, const char *key, const jsn_theory_risk *r)
{
    jsni_json_begin_object(w, key);
    jsni_json_put_real(w, "noisy_lowest", r->noisy_lowest);
    jsni_json_put_real(w, "noisy_highest", r->noisy_highest);
    jsni_json_put_real(w, "clean_lowest", r->clean_lowest);
    jsni_json_put_real(w, "clean_highest", r->clean_highest);
    jsni_json_end(w);
}

static jsn_status print_json(const risk_values *v, const jsn_theory_bounds *b,
                             const jsn_theory_risk risk[2])
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    const bool symmetric = isnan(v->pair);
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "theorem", symmetric ? 1 : 2);
    jsni_json_put_int(w, "classes", v->classes);
    jsni_json_put_int(w, "views", v->views);
    jsni_json_put_real(w, "pi1", v->pi1);
    jsni_json_put_real(w, symmetric ? "eta" : "pair", symmetric ? v->eta : v->pair);
    jsni_json_put_real(w, "B_U_minus_B_L", (b->upper - b->lower) / b->z);
    put_risk(w, "bounds", &risk[0]);
    put_risk(w, "bounds_if_consistent", &risk[1]);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_risk(const char *title, const jsn_theory_risk *r)
{
    cli_print("%s\n  %12.6g <= R_eta(f*) - R_eta(f*_eta) <= %.6g\n", title,
              r->noisy_lowest, r->noisy_highest);
    if (isfinite(r->clean_lowest))
        cli_print("  %12.6g <= R(f*) - R(f*_eta)         <= %.6g\n", r->clean_lowest,
                  r->clean_highest);
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
    if (status != JSN_OK)
        return status;
    if (v->json)
        return print_json(v, &b, risk);
    cli_print("Theorem %d, %s, K = %lld, M = %lld, pi1 = %g, %s %g, scaled loss\n\n",
              symmetric ? 1 : 2, v->views == 1 ? "JS" : "GJS", (long long)v->classes,
              (long long)v->views + 1, v->pi1,
              symmetric ? "symmetric noise eta =" : "noise to the next class",
              symmetric ? v->eta : v->pair);
    print_risk("for every predictor", &risk[0]);
    if (v->views > 1) {
        cli_print("\n");
        print_risk("if f* is on average as consistent as f*_eta (Proposition 4)",
                   &risk[1]);
    }
    return JSN_OK;
}

const cli_command cli_command_theory_risk = {
    .name = "theory risk",
    .summary = "how much label noise can cost: Theorems 1, 2, Proposition 4",
    .usage = "[--classes K] [--views N] [--pi1 X] [--eta X | --pair X] [--json]",
    .details = "f* is the best predictor for clean labels, f*_eta the best for noisy "
               "ones, R and\n"
               "R_eta are the risks (mean scaled losses) on clean and on noisy labels. "
               "Theorem 2\n"
               "assumes that f* has no clean risk.\n\n"
               "  jensen theory risk --classes 100 --views 2 --pi1 0.3 --eta 0.4",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(risk_values),
    .run = run,
};
