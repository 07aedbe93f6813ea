/* repro/repro_define.c - Tables 7 and 11, which have nothing to run: the parameters that
 * the search found, and the losses of the dissection. */
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "repro/repro_impl.h"
#include "train/recipe_find.h"

/* The parameters of a loss: "gjs:pi1=0.5" -> "pi1=0.5". */
static const char *parameters(const char *loss)
{
    const char *colon = strchr(loss, ':');
    return colon == NULL ? "-" : colon + 1;
}

void jsni_repro_define_parameters(jsni_table *out)
{
    static const char *const noises[] = {"clean",  "sym-20",  "sym-40", "sym-60",
                                         "sym-80", "asym-20", "asym-40"};
    static const char *const sets[] = {"cifar10", "cifar100"};
    static const char *const methods[] = {"ce",  "bs",      "ls", "sce",
                                          "gce", "nce+rce", "js", "gjs"};
    out->caption = "Table 7: learning rate, weight decay and loss parameters found by "
                   "the two-stage search";
    jsni_table_column(out, NULL, "data", JSNI_ALIGN_LEFT);
    jsni_table_column(out, NULL, "loss", JSNI_ALIGN_LEFT);
    jsni_table_column(out, "lr, weight decay", "symmetric", JSNI_ALIGN_LEFT);
    jsni_table_column(out, "lr, weight decay", "asymmetric", JSNI_ALIGN_LEFT);
    for (size_t n = 0; n < JSNI_COUNT_OF(noises); n++)
        jsni_table_column(out, "parameters", noises[n], JSNI_ALIGN_LEFT);
    for (size_t s = 0; s < JSNI_COUNT_OF(sets); s++) {
        if (s > 0)
            jsni_table_rule(out);
        for (size_t m = 0; m < JSNI_COUNT_OF(methods); m++) {
            jsni_table_row(out);
            (void)jsni_table_text(out, sets[s]);
            (void)jsni_table_text(out, methods[m]);
            for (size_t n = 0; n < 2 + JSNI_COUNT_OF(noises); n++) {
                char name[JSN_RECIPE_TEXT], text[2 * JSN_RECIPE_TEXT] = "";
                jsn_recipe r;
                (void)snprintf(name, sizeof name, "%s/%s/%s", sets[s],
                               n == 0   ? "sym-40"
                               : n == 1 ? "asym-40"
                                        : noises[n - 2],
                               methods[m]);
                if (jsni_recipe_find(name, &r) == JSN_OK) {
                    if (n < 2)
                        (void)snprintf(text, sizeof text, "%s, %s",
                                       jsn_recipe_value(&r, "lr"),
                                       jsn_recipe_value(&r, "weight-decay"));
                    else
                        (void)snprintf(text, sizeof text, "%s",
                                       parameters(jsn_recipe_value(&r, "loss")));
                }
                (void)jsni_table_text(out, text);
            }
        }
    }
}

void jsni_repro_define_divergences(jsni_table *out)
{
    static const char *const rows[][5] = {
        {"KL(e, p)", "-log p_y", "no", "no", "kl"},
        {"KL(p, e)", "sum_k p_k log(p_k / e_k), e clamped", "no", "no", "kl-rev"},
        {"Jeffreys", "KL(e, p) / 2 + KL(p, e) / 2", "yes", "no", "jeffreys"},
        {"K(e, p)", "KL(e, m)", "no", "yes", "k"},
        {"K(p, e)", "KL(p, m)", "no", "yes", "k-rev"},
        {"JS(e, p)", "K(e, p) / 2 + K(p, e) / 2", "yes", "yes", "js:pi1=0.5,scale=0"},
    };
    static const char *const titles[] = {"divergence", "formula, m = (e + p) / 2",
                                         "symmetric", "bounded", "--loss"};
    out->caption = "Table 11: the divergences that lead from KL to JS";
    for (size_t c = 0; c < 5; c++)
        jsni_table_column(out, NULL, titles[c], JSNI_ALIGN_LEFT);
    for (size_t r = 0; r < JSNI_COUNT_OF(rows); r++) {
        jsni_table_row(out);
        for (size_t c = 0; c < 5; c++)
            (void)jsni_table_text(out, rows[r][c]);
    }
}
