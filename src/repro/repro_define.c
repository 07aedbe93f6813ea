/* repro/repro_define.c - Tables 7 and 11, which have nothing to run: the parameters that
 * the search found, and the losses of the dissection. */
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "repro/repro_impl.h"
#include "train/recipe_rows.h"

static void put_rates(jsni_table *out, const char *lr, const char *weight_decay)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s, %s", lr, weight_decay);
    (void)jsni_table_text(out, text);
}

void jsni_repro_define_parameters(jsni_table *out)
{
    out->caption = "Table 7: learning rate, weight decay and loss parameters found by "
                   "the two-stage search";
    jsni_table_column(out, NULL, "data", JSNI_ALIGN_LEFT);
    jsni_table_column(out, NULL, "loss", JSNI_ALIGN_LEFT);
    jsni_table_column(out, "lr, weight decay", "symmetric", JSNI_ALIGN_LEFT);
    jsni_table_column(out, "lr, weight decay", "asymmetric", JSNI_ALIGN_LEFT);
    for (size_t n = 0; n < JSNI_RECIPE_NOISES; n++)
        jsni_table_column(out, "parameters", jsni_recipe_noises[n], JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < jsni_recipe_row_count; i++) {
        const jsni_recipe_row *row = &jsni_recipe_rows[i];
        if (i > 0 && strcmp(row->dataset, row[-1].dataset) != 0)
            jsni_table_rule(out);
        (void)jsni_table_text(out, row->dataset);
        (void)jsni_table_text(out, row->method);
        put_rates(out, row->lr_sym, row->wd_sym);
        put_rates(out, row->lr_asym, row->wd_asym);
        for (size_t n = 0; n < JSNI_RECIPE_NOISES; n++) {
            char loss[JSN_RECIPE_TEXT];
            jsni_recipe_loss(loss, row->form, row->param[n]);
            const char *colon = strchr(loss, ':');
            (void)jsni_table_text(out, colon == NULL ? "-" : colon + 1);
        }
    }
}

void jsni_repro_define_divergences(jsni_table *out)
{
    enum { COLUMNS = 5 };
    static const char *const titles[COLUMNS] = {
        "divergence", "formula, m = (e + p) / 2", "symmetric", "bounded", "--loss"};
    static const char *const rows[][COLUMNS] = {
        {"KL(e, p)", "-log p_y", "no", "no", "kl"},
        {"KL(p, e)", "sum_k p_k log(p_k / e_k), e clamped", "no", "no", "kl-rev"},
        {"Jeffreys", "KL(e, p) / 2 + KL(p, e) / 2", "yes", "no", "jeffreys"},
        {"K(e, p)", "KL(e, m)", "no", "yes", "k"},
        {"K(p, e)", "KL(p, m)", "no", "yes", "k-rev"},
        {"JS(e, p)", "K(e, p) / 2 + K(p, e) / 2", "yes", "yes", "js:pi1=0.5,scale=0"},
    };
    out->caption = "Table 11: the divergences that lead from KL to JS";
    for (size_t c = 0; c < COLUMNS; c++)
        jsni_table_column(out, NULL, titles[c], JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < COLUMNS * JSNI_COUNT_OF(rows); i++)
        (void)jsni_table_text(out, rows[i / COLUMNS][i % COLUMNS]);
}
