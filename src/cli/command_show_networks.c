/* cli/command_show_networks.c - the networks: layers, shapes, parameters, operations,
 * memory. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/catalog.h"
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
    CLI_JSON_ROW(show_values, "one JSON object per network on stdout"),
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

static void show_layer(cli_record *r, const jsn_layer_info *layer)
{
    char kind[64], shape[64];
    if (layer->kernel > 0)
        (void)snprintf(kind, sizeof kind, "%s %zu/%zu", layer->kind, layer->kernel,
                       layer->stride);
    else
        (void)snprintf(kind, sizeof kind, "%s", layer->kind);
    (void)snprintf(shape, sizeof shape, "%zux%zux%zu", layer->channels, layer->height,
                   layer->width);
    cli_begin_object(r, NULL);
    cli_field_text(r, "name", "%-28s ", layer->name);
    cli_field_text(r, "kind", NULL, layer->kind);
    cli_begin_array(r, "shape");
    cli_field_int(r, NULL, NULL, (int64_t)layer->channels);
    cli_field_int(r, NULL, NULL, (int64_t)layer->height);
    cli_field_int(r, NULL, NULL, (int64_t)layer->width);
    cli_end(r);
    cli_words(r, "%-17s %-14s", kind, shape);
    cli_field_int(r, "parameters", " %12lld", (int64_t)layer->parameters);
    cli_field_int(r, "multiplies", " %14lld\n", (int64_t)layer->multiplies);
    cli_end(r);
}

static void show_layers(cli_record *r, const view *n)
{
    cli_words(r, "%s: %s\n\n%-28s %-17s %-14s %12s %14s\n", n->spec, n->info->summary,
              "layer", "kind", "output", "parameters", "multiply-adds");
    cli_begin_array(r, "layers");
    for (size_t i = 0; i < n->totals.layers; i++) {
        const jsn_layer_info layer = jsn_network_layer(n->network, i);
        show_layer(r, &layer);
    }
    cli_end(r);
}

/* Bytes in JSON, MiB in the text. */
static void show_memory(cli_record *r, const char *key, const char *format,
                        size_t bytes)
{
    cli_field_int(r, key, NULL, (int64_t)bytes);
    if (format != NULL && r->json == NULL)
        cli_field_real(r, NULL, format, mib(bytes));
}

static void show_training(cli_record *r, const show_values *v, const jsn_model_info *m)
{
    cli_begin_object(r, "training_bytes");
    show_memory(r, "total", "training step   %.0f MiB", total_memory(m));
    cli_field_text(r, "backend", " on %s", m->backend);
    cli_field_int(r, "batch", " with batch %lld", v->batch);
    cli_field_int(r, "views", v->views == 1 ? " x %lld view" : " x %lld views",
                  v->views);
    show_memory(r, "parameters", ": parameters %.0f", m->memory_parameters);
    show_memory(r, "gradients", ", gradients %.0f", m->memory_gradients);
    show_memory(r, "optimiser", ", optimiser %.0f", m->memory_optimiser);
    show_memory(r, "statistics", NULL, m->memory_statistics);
    show_memory(r, "activations", ", activations %.0f", m->memory_activations);
    show_memory(r, "workspace", ", workspace %.0f\n", m->memory_workspace);
    cli_end(r);
}

/* The whole network, or of all of them a line each. */
static jsn_status describe(const show_values *v, const view *n, bool layers)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    if (!layers && !v->json) {
        cli_words(&r, "%-18s %4zux%-4zu %8.2f M %9.1f M %8.0f MiB  %s\n", n->spec,
                  n->height, n->width, (double)n->totals.parameters / 1e6,
                  (double)n->totals.multiplies / 1e6, mib(total_memory(&n->training)),
                  n->info->summary);
        return cli_record_close(&r);
    }
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "network", NULL, n->spec);
    cli_field_text(&r, "summary", NULL, n->info->summary);
    cli_field_int(&r, "classes", NULL, v->classes);
    cli_field_int(&r, "height", NULL, (int64_t)n->height);
    cli_field_int(&r, "width", NULL, (int64_t)n->width);
    if (layers)
        show_layers(&r, n);
    cli_field_int(&r, "parameters", "\nparameters      %lld\n",
                  (int64_t)n->totals.parameters);
    cli_field_int(&r, "multiplies", NULL, (int64_t)n->totals.multiplies);
    cli_words(&r, "multiply-adds   %.1f M an image, forward\n",
              (double)n->totals.multiplies / 1e6);
    cli_field_int(&r, "activations", NULL, (int64_t)n->totals.activations);
    show_training(&r, v, &n->training);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status show(const show_values *v, const char *spec, bool layers)
{
    view n;
    jsn_status status = make_view(v, spec, &n);
    if (status == JSN_OK)
        status = describe(v, &n, layers);
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
    const char *name = NULL;
    for (size_t i = 0; status == JSN_OK &&
                       (name = jsn_catalog_at(JSN_CATALOG_NETWORKS, i).name) != NULL;
         i++)
        status = show(v, name, false);
    return status;
}

const cli_command cli_command_show_networks = {
    .name = "show networks",
    .summary = "the networks: layers, shapes, parameters, operations, memory",
    .usage = "[NAME[:key=value,...]] [OPTIONS]",
    .details =
        "Multiply-adds are those of one image, forward. Memory is that of a training\n"
        "step with SGD on the device.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(show_values),
    .run = run,
};
