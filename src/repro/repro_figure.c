/* repro/repro_figure.c - results as figures: bars over noises (a panel a data set), curves
 * over epochs, lines over M. */
#include <stdio.h>
#include <string.h>

#include "core/hd.h"
#include "repro/repro_impl.h"
#include "study/grid_figure.h"

static const jsni_grid_panel objective[] = {{.y = "validation accuracy, %"}};
static const jsni_grid_panel agreement[] = {
    {.title = "validation accuracy", .y = "percent", .key = "val_acc"},
    {.title = "consistency, correct labels", .y = "percent", .key = "consistency_true"},
    {.title = "consistency, wrong labels", .y = "percent", .key = "consistency_noisy"},
};

static jsn_status draw_bars(const jsni_repro_cells *cells,
                            const jsni_repro_others *others, const char *caption,
                            jsni_text *out)
{
    const bool consistency =
        strcmp(cells->info->measures[0].metric, "consistency") == 0;
    const size_t count = others == NULL ? 1 : 1 + others->count;
    jsni_grid_panel panels[JSNI_REPRO_DATASETS];
    char title[96];
    for (size_t i = 0; i < count; i++) {
        const jsni_repro_cells *own = count == 1 || i == others->before ? cells
                                      : i < others->before ? &others->items[i]
                                                           : &others->items[i - 1];
        panels[i] =
            (jsni_grid_panel){.title = own->data->title,
                              .y = consistency ? "consistency, %" : "test accuracy, %",
                              .grid = &own->grid};
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
    switch (cells->info->kind) {
    case JSNI_REPRO_BARS:
        return draw_bars(cells, others, caption, out);
    case JSNI_REPRO_CURVES:
        return jsni_grid_curves(&cells->grid, objective, JSNI_COUNT_OF(objective),
                                trials, count, caption, out);
    case JSNI_REPRO_CONSIST:
        return jsni_grid_curves(&cells->grid, agreement, JSNI_COUNT_OF(agreement),
                                trials, count, caption, out);
    case JSNI_REPRO_VIEWS:
        return jsni_grid_lines(&cells->grid, cells->info->title, "M",
                               "validation accuracy, %", caption, out);
    default:
        return JSN_OK;
    }
}
