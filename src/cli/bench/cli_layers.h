/* cli/bench/cli_layers.h - the times of a model's layers beside their limit, for `bench step
 * --limit`. */
#ifndef JENSEN_CLI_LAYERS_H
#define JENSEN_CLI_LAYERS_H

#include <stddef.h>

#include "backend/model.h"
#include "core/json.h"
#include "jensen/model.h"
#include "jensen/status.h"

/* Forward, and everything that belongs to a layer's backward. */
typedef struct cli_layer {
    double forward, backward;             /* seconds within a step */
    double limit_forward, limit_backward; /* of the library's primitives alone */
} cli_layer;

typedef struct cli_layers {
    cli_layer *layers; /* [count]; owned */
    size_t count;
    jsni_layer_time *times; /* [time_count] of the step; owned */
    size_t time_count;
    double run, limit; /* sums over all layers */
} cli_layers;

/* Times `model`, which has run a step. */
jsn_status cli_layers_time(cli_layers *l, jsn_model *model);
void cli_layers_release(cli_layers *l);

/* The members "seconds" (by part) and "limit_seconds" of layer `index`. */
void cli_layers_json(const cli_layers *l, size_t index, jsni_json_writer *w);
/* What the limit of this model's layers is. */
const char *cli_layers_limit(const jsn_model *model);
/* A table of all layers and a line with the share that a step of `seconds` reaches. */
void cli_layers_print(const cli_layers *l, const jsn_model *model, double seconds);

#endif /* JENSEN_CLI_LAYERS_H */
