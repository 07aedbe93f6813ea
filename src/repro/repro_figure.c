/* repro/repro_figure.c - results as figures: bars over noises (a panel a data set), curves
 * over epochs, lines over M. */
#include <stdio.h>

#include "repro/repro_impl.h"

static jsn_status draw_bars(const jsni_repro_cells *cells,
                            const jsni_repro_others *others, const char *caption,
                            jsni_text *out)
{
    const size_t count = others == NULL ? 1 : 1 + others->count;
    jsni_grid_panel panels[JSNI_REPRO_DATASETS];
    char title[96];
    for (size_t i = 0; i < count; i++) {
        const jsni_repro_cells *own = count == 1 || i == others->before ? cells
                                      : i < others->before ? &others->items[i]
                                                           : &others->items[i - 1];
        panels[i] = (jsni_grid_panel){
            .title = own->data->title, .y = cells->info->bars, .grid = &own->grid};
    }
    (void)snprintf(title, sizeof title, "%s: %s", cells->info->title,
                   cells->data->title);
    if (count == 1) {
        panels[0].title = title;
        panels[0].y = "percent";
    }
    return jsni_grid_bars(panels, count, "label noise", caption, out);
}

jsn_status jsni_repro_figure(const jsni_repro_cells *cells,
                             const jsni_repro_others *others,
                             const jsn_sweep_trial *trials, size_t count,
                             const char *caption, jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    if (info->bars != NULL)
        return draw_bars(cells, others, caption, out);
    if (info->lines != NULL)
        return jsni_grid_lines(&cells->grid, info->title, "M", info->lines, caption,
                               out);
    return info->curves == NULL ? JSN_OK
                                : jsni_grid_curves(&cells->grid, info->curves, trials,
                                                   count, caption, out);
}
