/* repro/repro_figure.c - results as figures: bars over noises (a panel a data set), curves
 * over epochs, lines over M. */
#include <stdio.h>

#include "core/fail.h"
#include "core/words.h"
#include "repro/repro_impl.h"
#include "study/study_name.h"

/* Fills a panel with what a study has. */
static jsn_status fill_panel(jsni_repro *panel, jsn_sweep *sweep, jsni_text *note)
{
    jsn_sweep_counts n;
    JSNI_TRY(jsn_sweep_count(sweep, &n));
    JSNI_TRY(jsni_repro_fill(panel, sweep));
    if (panel->grid.count > 0)
        jsni_text_format(note, "%s%s: study %s, %zu finished %s.",
                         note->length == 0 ? "" : " ", panel->data->title,
                         jsn_sweep_about(sweep).name, n.complete,
                         jsni_noun(n.complete, "run", "runs"));
    return note->status;
}

jsn_status jsni_repro_others_find(jsni_repro_others *out, const jsn_sweep *sweep,
                                  const jsni_repro *r)
{
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++) {
        jsni_repro *panel = &out->items[i];
        char prefix[JSNI_REPRO_PREFIX];
        jsn_sweep *other = NULL;
        *panel = (jsni_repro){.info = r->info,
                              .data = &jsni_repro_datasets[i],
                              .settings = r->settings,
                              .overrides = r->overrides};
        if (r->info->bars == NULL || sweep == NULL || panel->data == r->data)
            continue;
        jsni_repro_prefix(panel, prefix);
        JSNI_TRY(jsni_study_choose(&other, sweep, prefix, r->overrides));
        const jsn_status status =
            other == NULL ? JSN_OK : fill_panel(panel, other, &out->note);
        jsn_sweep_close(other);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

void jsni_repro_others_release(jsni_repro_others *others)
{
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++)
        jsni_repro_release(&others->items[i]);
    jsni_text_release(&others->note);
}

static jsn_status draw_bars(const jsni_repro *r, const jsni_repro_others *others,
                            const char *caption, jsni_text *out)
{
    jsni_grid_panel panels[JSNI_REPRO_DATASETS];
    size_t count = 0;
    char title[96];
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++) {
        const jsni_repro_dataset *data = &jsni_repro_datasets[i];
        const jsni_grid *grid = data == r->data ? &r->grid : &others->items[i].grid;
        if (grid->count > 0)
            panels[count++] = (jsni_grid_panel){
                .title = data->title, .y = r->info->bars, .grid = grid};
    }
    if (count == 1) {
        (void)snprintf(title, sizeof title, "%s: %s", r->info->title, r->data->title);
        panels[0].title = title;
        panels[0].y = "percent";
    }
    return jsni_grid_bars(panels, count, "label noise", caption, out);
}

jsn_status jsni_repro_figure(const jsni_repro *r, const jsni_repro_others *others,
                             const char *caption, jsni_text *out)
{
    const jsni_repro_info *info = r->info;
    if (info->bars != NULL)
        return draw_bars(r, others, caption, out);
    if (info->lines != NULL)
        return jsni_grid_lines(&r->grid, info->title, "M", info->lines, caption, out);
    return info->curves == NULL ? JSN_OK
                                : jsni_grid_curves(&r->grid, info->curves, r->trials,
                                                   r->count, caption, out);
}
