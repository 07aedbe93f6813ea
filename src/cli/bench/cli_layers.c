/* cli/bench/cli_layers.c - see cli_layers.h. */
#include "cli/bench/cli_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/model.h"
#include "cli/cli_print.h"
#include "core/json.h"

static void add_times(cli_layers *l, const jsni_layer_time *times, size_t count,
                      bool limit)
{
    for (size_t i = 0; i < count; i++) {
        cli_layer *layer = &l->layers[times[i].layer];
        const bool forward = strncmp(times[i].what, "forward", 7) == 0;
        double *to = forward ? &layer->forward : &layer->backward;
        if (limit)
            to = forward ? &layer->limit_forward : &layer->limit_backward;
        *to += times[i].seconds;
        *(limit ? &l->limit : &l->run) += times[i].seconds;
    }
}

jsn_status cli_layers_time(cli_layers *l, jsn_model *model)
{
    const size_t layers = jsn_model_describe(model).layers, room = 8 * layers;
    *l = (cli_layers){.count = layers};
    l->layers = calloc(layers, sizeof *l->layers);
    l->times = calloc(room, sizeof *l->times);
    jsni_layer_time *limit = calloc(room, sizeof *limit);
    jsn_status status = JSN_ERR_MEMORY;
    size_t limits = 0;
    if (l->layers != NULL && l->times != NULL && limit != NULL)
        status = jsni_model_time_layers(model, l->times, room, &l->time_count);
    if (status == JSN_OK)
        status = jsni_model_time_limit(model, limit, room, &limits);
    if (status == JSN_OK) {
        l->time_count = l->time_count < room ? l->time_count : room;
        add_times(l, l->times, l->time_count, false);
        add_times(l, limit, limits < room ? limits : room, true);
    }
    free(limit);
    if (status != JSN_OK)
        cli_layers_release(l);
    return status;
}

void cli_layers_release(cli_layers *l)
{
    free(l->layers);
    free(l->times);
    *l = (cli_layers){0};
}

void cli_layers_json(const cli_layers *l, size_t index, jsni_json_writer *w)
{
    const cli_layer *layer = &l->layers[index];
    jsni_json_begin_object(w, "seconds");
    for (size_t i = 0; i < l->time_count; i++)
        if (l->times[i].layer == index)
            jsni_json_put_real(w, l->times[i].what, l->times[i].seconds);
    jsni_json_end(w);
    jsni_json_put_real(w, "limit_seconds",
                       layer->limit_forward + layer->limit_backward);
}

const char *cli_layers_limit(const jsn_model *model)
{
    return jsn_model_describe(model).gpu
               ? "each tensor moved once, products at the rate of the card"
               : "the library's primitives alone, each by itself in its best layout";
}

void cli_layers_print(const cli_layers *l, const jsn_model *model, double seconds)
{
    cli_print("%-28s %9s %9s %9s %9s  %s\n", "milliseconds of a step", "forward",
              "backward", "limit fwd", "limit bwd", "implementation");
    for (size_t i = 0; i < l->count; i++) {
        const cli_layer *t = &l->layers[i];
        cli_print("%-28s %9.2f %9.2f %9.2f %9.2f  %s\n", jsni_model_layer(model, i),
                  1e3 * t->forward, 1e3 * t->backward, 1e3 * t->limit_forward,
                  1e3 * t->limit_backward, jsni_model_implementation(model, i));
    }
    cli_print("limit: %s: %.4f s\nreached: %.0f%% of the limit in a step of %.4f s; "
              "%.4f s of it in layers, the rest is loss, update and waiting\n",
              cli_layers_limit(model), l->limit, 100.0 * l->limit / seconds, seconds,
              l->run);
}
