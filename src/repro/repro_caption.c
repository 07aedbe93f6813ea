/* repro/repro_caption.c - what a caption says: how many runs there are and what bold means,
 * and how far they are the paper's: its images and classes, initial weights, epochs, number
 * of runs, and no option of one's own. And what stands below the table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "study/study_name.h"

/* Whether an option is given that makes another experiment. What says where data is, what
 * computes, or what a recipe leaves to its user does not. */
static bool has_own_options(const jsni_repro *r)
{
    const bool open = r->grid.items[0].recipe.noise == JSN_RECIPE_INSTANCE;
    const jsn_option_info *option;
    bool own = false;
    for (size_t i = 0; (option = jsni_study_next_option(r->overrides, &i)) != NULL;)
        own = own || !(jsni_study_names_data(option->name) ||
                       strcmp(option->name, "device") == 0 ||
                       strcmp(option->name, "init") == 0 ||
                       (open && strcmp(option->name, "noise") == 0));
    return own;
}

/* Runs on other data than the paper's, by what they say of it. */
static void tell_data(const jsni_repro *r, jsni_text *out)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "%zu images of %zu classes", r->data->images,
                   r->data->classes);
    for (size_t i = 0; i < r->count; i++) {
        const char *seen = jsn_sweep_fact(&r->trials[i], "data_text");
        if (r->trials[i].state == JSN_SWEEP_COMPLETE && seen != NULL &&
            strcmp(seen, wanted) != 0) {
            jsni_text_format(out, "; %.60s (%s)", seen, wanted);
            return;
        }
    }
}

/* "the paper's scale", or what it is instead; the reasons where the options do not tell,
 * each behind a "; ". */
static const char *find_scale(const jsni_repro *r, jsni_text *reasons)
{
    const jsni_grid_runs n = jsni_grid_count(&r->grid);
    const size_t paper = r->info->paper_runs;
    if (r->grid.items[0].unlike)
        jsni_text_format(reasons,
                         "; random initial weights, marked ° (%s; --init names them)",
                         r->grid.items[0].recipe.weights);
    if (has_own_options(r))
        return "scaled down";
    if (n.most == 0)
        return "not run yet";
    tell_data(r, reasons);
    if (n.least < paper)
        jsni_text_format(reasons, "; %zu %s per cell (%zu)", n.least,
                         jsni_noun(n.least, "run", "runs"), paper);
    return reasons->length == 0 ? "the paper's scale" : "not the paper's scale";
}

jsn_status jsni_repro_caption(const jsni_repro *r, jsni_text *out)
{
    const jsni_repro_info *info = r->info;
    jsni_text reasons = {0};
    const char *scale = find_scale(r, &reasons);
    jsni_text_format(out, "%s: %s. %s, %s; ", info->printed, info->title, r->data->name,
                     scale);
    jsn_status status = jsni_study_options(r->overrides, ", ", true, out);
    if (jsni_repro_needs_posteriors(r) && r->settings->noise_from != NULL)
        jsni_text_format(out, ", noise-from=%s", r->settings->noise_from);
    jsni_text_add(out, "; ");
    jsni_grid_legend(&r->grid, out);
    if (info->paper_runs > 0 && info->any_cifar &&
        strcmp(r->data->name, info->dataset) != 0)
        jsni_text_add(out, " The paper's numbers are for CIFAR-100.");
    if (reasons.length > 0)
        jsni_text_format(out, " Not as in the paper: %s.", reasons.data + 2);
    if (status == JSN_OK)
        status = reasons.status != JSN_OK ? reasons.status : out->status;
    jsni_text_release(&reasons);
    return status;
}

/* "GJS[ResNet-50] WebVision top-5 90.62 ± 0.28"; the measure where there are several. */
static void quote(const jsni_repro *r, const jsni_paper_result *p, jsni_text *out)
{
    jsni_text_add(out, p->title);
    if (r->info->measures[1].metric != NULL)
        jsni_text_format(out, " %s %s",
                         p->measure < JSNI_REPRO_OTHER ? r->data->title
                                                       : r->info->other_test,
                         r->info->measures[p->measure].column);
    jsni_text_format(out, " %.2f", p->number.mean);
    if (!isnan(p->number.deviation))
        jsni_text_format(out, " ± %.2f", p->number.deviation);
}

void jsni_repro_note(const jsni_repro *r, jsni_text *out)
{
    bool any = false;
    if (r->info->note != NULL)
        jsni_text_format(out, " %s", r->info->note);
    for (jsni_paper_result p = {0}; jsni_paper_next(&p);) {
        const bool has_cell = p.recipe[0] != '\0' && p.measure < r->measures;
        if (p.title == NULL || has_cell || strcmp(p.result, r->info->name) != 0)
            continue;
        jsni_text_add(out, any ? "; " : " The paper has these as well: ");
        quote(r, &p, out);
        any = true;
    }
    jsni_text_add(out, any ? "." : "");
    if (r->settings->add_loss != NULL)
        jsni_text_format(out,
                         " Added rows (%s) have the learning rate and the weight decay "
                         "of CE.",
                         r->settings->add_loss);
}
