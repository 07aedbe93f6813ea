/* cli/command_show_networks.c - the networks: layers, shapes, parameters, operations,
 * memory. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/model.h"
#include "jensen/network.h"

typedef struct show_values {
    int64_t classes, size, batch, views;
    char *device;
    bool json;
} show_values;

static const jsn_option_info options[] = {
    CLI_CLASSES_ROW(show_values, "10", "number of classes"),
    CLI_IMAGE_SIZE_ROW(show_values),
    CLI_BATCH_ROW(show_values, "128", 1e6, "samples of a step, for the memory"),
    {"views", 0, JSN_OPTION_INT, "1", 1, 16, NULL, "N",
     "views of a sample, for the memory", offsetof(show_values, views)},
    CLI_DEVICE_ROW(show_values, "whose memory is counted: auto, cpu, ref, cuda"),
    CLI_JSON_ROW(show_values, "one JSON object a network on stdout"),
};

/* One network for the input that the options and its record give. */
typedef struct view {
    const jsn_network_info *info;
    const char *spec;
    jsn_network *network;
    jsn_network_totals_info totals;
    jsn_model_info training; /* memory of a training step */
    size_t height, width;
} view;

static jsn_status make_view(const show_values *v, const char *spec, view *out)
{
    *out = (view){.info = jsn_network_find(spec), .spec = spec};
    if (out->info == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    out->height = v->size > 0 ? (size_t)v->size : out->info->height;
    out->width = v->size > 0 ? (size_t)v->size : out->info->width;
    jsn_status status = jsn_network_create(&out->network, spec, out->info->channels,
                                           out->height, out->width, (size_t)v->classes);
    if (status != JSN_OK)
        return status;
    out->totals = jsn_network_totals(out->network);
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = spec;
    o.classes = (size_t)v->classes;
    o.channels = out->info->channels;
    o.height = out->height;
    o.width = out->width;
    o.batch = (size_t)v->batch;
    o.views = (size_t)v->views;
    o.device = v->device;
    o.optimiser = "sgd";
    return jsn_model_estimate(&o, &out->training);
}

static size_t total_memory(const jsn_model_info *m)
{
    return m->memory_parameters + m->memory_gradients + m->memory_optimiser +
           m->memory_statistics + m->memory_activations + m->memory_workspace;
}

static double mib(size_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

static void write_layers(jsni_json_writer *w, const view *n)
{
    jsni_json_begin_array(w, "layers");
    for (size_t i = 0; i < n->totals.layers; i++) {
        const jsn_layer_info layer = jsn_network_layer(n->network, i);
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", layer.name);
        jsni_json_put_text(w, "kind", layer.kind);
        jsni_json_begin_array(w, "shape");
        jsni_json_put_int(w, NULL, (int64_t)layer.channels);
        jsni_json_put_int(w, NULL, (int64_t)layer.height);
        jsni_json_put_int(w, NULL, (int64_t)layer.width);
        jsni_json_end(w);
        jsni_json_put_int(w, "parameters", (int64_t)layer.parameters);
        jsni_json_put_int(w, "multiplies", (int64_t)layer.multiplies);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static jsn_status print_json(const show_values *v, const view *n, bool layers)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    const jsn_model_info *m = &n->training;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "network", n->spec);
    jsni_json_put_text(w, "summary", n->info->summary);
    jsni_json_put_int(w, "classes", v->classes);
    jsni_json_put_int(w, "height", (int64_t)n->height);
    jsni_json_put_int(w, "width", (int64_t)n->width);
    jsni_json_put_int(w, "parameters", (int64_t)n->totals.parameters);
    jsni_json_put_int(w, "multiplies", (int64_t)n->totals.multiplies);
    jsni_json_put_int(w, "activations", (int64_t)n->totals.activations);
    jsni_json_begin_object(w, "training_bytes");
    jsni_json_put_text(w, "backend", m->backend);
    jsni_json_put_int(w, "batch", v->batch);
    jsni_json_put_int(w, "views", v->views);
    jsni_json_put_int(w, "parameters", (int64_t)m->memory_parameters);
    jsni_json_put_int(w, "gradients", (int64_t)m->memory_gradients);
    jsni_json_put_int(w, "optimiser", (int64_t)m->memory_optimiser);
    jsni_json_put_int(w, "statistics", (int64_t)m->memory_statistics);
    jsni_json_put_int(w, "activations", (int64_t)m->memory_activations);
    jsni_json_put_int(w, "workspace", (int64_t)m->memory_workspace);
    jsni_json_put_int(w, "total", (int64_t)total_memory(m));
    jsni_json_end(w);
    if (layers)
        write_layers(w, n);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_layers(const show_values *v, const view *n)
{
    cli_print("%s: %s\n\n%-28s %-17s %-14s %12s %14s\n", n->spec, n->info->summary,
              "layer", "kind", "output", "parameters", "multiply-adds");
    for (size_t i = 0; i < n->totals.layers; i++) {
        const jsn_layer_info layer = jsn_network_layer(n->network, i);
        char kind[64], shape[64];
        if (layer.kernel > 0)
            (void)snprintf(kind, sizeof kind, "%s %zu/%zu", layer.kind, layer.kernel,
                           layer.stride);
        else
            (void)snprintf(kind, sizeof kind, "%s", layer.kind);
        (void)snprintf(shape, sizeof shape, "%zux%zux%zu", layer.channels, layer.height,
                       layer.width);
        cli_print("%-28s %-17s %-14s %12zu %14llu\n", layer.name, kind, shape,
                  layer.parameters, (unsigned long long)layer.multiplies);
    }
    const jsn_model_info *m = &n->training;
    cli_print("\nparameters      %zu\nmultiply-adds   %.1f M an image, forward\n",
              n->totals.parameters, (double)n->totals.multiplies / 1e6);
    cli_print(
        "training step   %.0f MiB on %s with batch %lld x %lld %s: parameters %.0f, "
        "gradients %.0f, optimiser %.0f, activations %.0f, workspace %.0f\n",
        mib(total_memory(m)), m->backend, (long long)v->batch, (long long)v->views,
        jsni_noun((uint64_t)v->views, "view", "views"), mib(m->memory_parameters),
        mib(m->memory_gradients), mib(m->memory_optimiser), mib(m->memory_activations),
        mib(m->memory_workspace));
}

static jsn_status show(const show_values *v, const char *spec, bool layers)
{
    view n;
    jsn_status status = make_view(v, spec, &n);
    if (status == JSN_OK && v->json)
        status = print_json(v, &n, layers);
    else if (status == JSN_OK && layers)
        print_layers(v, &n);
    else if (status == JSN_OK)
        cli_print("%-18s %4zux%-4zu %8.2f M %9.1f M %8.0f MiB  %s\n", n.spec, n.height,
                  n.width, (double)n.totals.parameters / 1e6,
                  (double)n.totals.multiplies / 1e6, mib(total_memory(&n.training)),
                  n.info->summary);
    jsn_network_destroy(n.network);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const show_values *v = values;
    if (args->count > 1)
        return cli_usage("one network at a time, not '%s', too", args->items[1]);
    if (args->count == 1)
        return show(v, args->items[0], true);
    if (!v->json)
        cli_print("%-18s %-9s %10s %11s %12s\n", "network", "  input", "parameters",
                  "mult-adds", "training");
    jsn_status status = JSN_OK;
    for (size_t i = 0; jsn_network_describe(i) != NULL && status == JSN_OK; i++)
        status = show(v, jsn_network_describe(i)->name, false);
    return status;
}

const cli_command cli_command_show_networks = {
    .name = "show networks",
    .summary = "the networks: layers, shapes, parameters, operations, memory",
    .usage = "[NAME[:key=value,...]] [OPTIONS]",
    .details = "Multiply-adds are those of one image, forward. Memory is that of a "
               "training step\nwith SGD on the device.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(show_values),
    .run = run,
};
