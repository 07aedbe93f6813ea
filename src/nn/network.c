/* nn/network.c - the table of networks and what jensen/network.h tells about one.
 * Knows no network by name. */
#include "jensen/network.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/words.h"
#include "nn/network_impl.h"

#define TABLE_ENTRY(id) &jsni_network_##id,
static const jsni_network_def *const table[] = {JSNI_NETWORK_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

struct jsn_network {
    jsni_graph *graph;
};

const jsn_network_info *jsni_network_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index]->info : NULL;
}

jsn_entry jsni_network_entry(size_t index)
{
    const jsn_network_info *info = jsni_network_at(index);
    if (info == NULL)
        return (jsn_entry){0};
    return (jsn_entry){info->name, info->summary, info->params, info->param_count};
}

/* NULL, with the sentence recorded, when no network has the name. */
static const jsni_network_def *find_def(const char *spec)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (jsni_spec_names(spec, table[i]->info.name))
            return table[i];
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    (void)jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no network '%s'", names.word);
    return NULL;
}

const jsn_network_info *jsn_network_find(const char *spec)
{
    if (spec == NULL)
        return NULL;
    const jsni_network_def *def = find_def(spec);
    return def == NULL ? NULL : &def->info;
}

size_t jsni_network_whole(jsni_builder *b, const char *name, double value)
{
    if (b->status == JSN_OK && value != floor(value))
        b->status =
            jsni_fail(JSN_ERR_RANGE, "%s=%g is not a whole number", name, value);
    return (size_t)value;
}

jsn_status jsni_network_build(const char *spec, jsni_shape input, size_t classes,
                              jsni_graph **out)
{
    *out = NULL;
    const jsni_network_def *def = find_def(spec);
    if (def == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    jsni_spec_value values[JSNI_NETWORK_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    jsni_builder builder;
    jsni_build_begin(&builder, spec, input, classes);
    def->build(&builder, values);
    return jsni_build_end(&builder, out);
}

jsn_status jsn_network_create(jsn_network **out, const char *spec, size_t channels,
                              size_t height, size_t width, size_t classes)
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "network: out is NULL");
    *out = NULL;
    if (spec == NULL || classes < 2 || channels == 0 || height == 0 || width == 0)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "network: needs a spec, 2 classes and an image; has %zu %s and %zux%zux%zu",
            classes, jsni_noun(classes, "class", "classes"), channels, height, width);
    jsn_network *network = jsni_alloc_zero(1, sizeof *network);
    JSNI_TRY_ALLOC(network);
    const jsn_status status = jsni_network_build(
        spec, (jsni_shape){channels, height, width}, classes, &network->graph);
    if (status != JSN_OK) {
        jsni_free(network);
        return status;
    }
    *out = network;
    return JSN_OK;
}

void jsn_network_destroy(jsn_network *network)
{
    if (network == NULL)
        return;
    jsni_graph_destroy(network->graph);
    jsni_free(network);
}

jsn_network_totals_info jsn_network_totals(const jsn_network *network)
{
    if (network == NULL)
        return (jsn_network_totals_info){0};
    const jsni_cost cost = jsni_graph_cost(network->graph);
    return (jsn_network_totals_info){cost.parameters, network->graph->node_count,
                                     cost.multiplies, cost.activations};
}

static size_t param_values(const jsni_graph *graph, size_t number)
{
    return number == JSNI_NONE ? 0 : graph->params[number].count;
}

jsn_layer_info jsn_network_layer(const jsn_network *network, size_t index)
{
    if (network == NULL)
        return (jsn_layer_info){0};
    const jsni_graph *graph = network->graph;
    jsn_layer_info info = {0};
    if (index >= graph->node_count)
        return info;
    const jsni_node *node = &graph->nodes[index];
    info.name = node->name;
    info.kind = jsni_op_kind_text(node->op.kind);
    info.channels = node->shape.channels;
    info.height = node->shape.height;
    info.width = node->shape.width;
    info.parameters =
        param_values(graph, node->weight) + param_values(graph, node->bias);
    info.multiplies = jsni_node_multiplies(graph, index);
    const jsni_window *window = jsni_op_window(&node->op);
    if (window != NULL) {
        info.kernel = window->kernel_h;
        info.stride = window->stride_h;
        info.pad = window->pad_h;
    }
    return info;
}
