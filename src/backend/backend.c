/* backend/backend.c - the table of backends, devices by name, and the checks that come
 * before a plan. Knows no backend by name, but for the two groups "auto" and "cpu". */
#include <stdio.h>
#include <string.h>

#include "backend/backend_impl.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/number.h"
#include "core/text.h"
#include "core/words.h"

#define TABLE_ENTRY(id) &jsni_backend_##id,
static const jsni_backend_ops *const table[] = {JSNI_BACKEND_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

const jsni_backend_ops *jsni_backend_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index] : NULL;
}

jsn_backend_info jsn_backend_describe(size_t index)
{
    jsn_backend_info info = {0};
    if (index < JSNI_COUNT_OF(table)) {
        info.name = table[index]->name;
        info.summary = table[index]->summary;
        info.devices = table[index]->device_count();
        info.gpu = table[index]->can.gpu;
    }
    return info;
}

static const char *const precisions[] = {"fp32", "tf32", "bf16"}; /* jsn_precision */

jsn_status jsn_precision_parse(const char *text, jsn_precision *out)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(precisions); i++)
        if (text != NULL && strcmp(text, precisions[i]) == 0) {
            *out = (jsn_precision)i;
            return JSN_OK;
        }
    return jsni_fail(JSN_ERR_UNKNOWN_NAME,
                     "no precision '%s' (there are: fp32, tf32, "
                     "bf16)",
                     text == NULL ? "" : text);
}

/* The first backend of the group with a device. */
static const jsni_backend_ops *find_group(bool with_gpu)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if ((with_gpu || !table[i]->can.gpu) && table[i]->device_count() > 0)
            return table[i];
    return NULL;
}

static bool names(const char *device, const char *backend)
{
    const size_t length = strcspn(device, ":");
    return strlen(backend) == length && memcmp(backend, device, length) == 0;
}

const jsni_backend_ops *jsni_backend_named(const char *device)
{
    for (size_t i = 0; device != NULL && i < JSNI_COUNT_OF(table); i++)
        if (names(device, table[i]->name))
            return table[i];
    return NULL;
}

#define ABSENT(id) #id,
static const char *const absent[] = {JSNI_BACKEND_ABSENT(ABSENT) NULL};
#undef ABSENT

static jsn_status no_backend(const char *device)
{
    for (size_t i = 0; absent[i] != NULL; i++)
        if (names(device, absent[i]))
            return jsni_fail(JSN_ERR_DEVICE, "%s: this build has no %s backend", device,
                             absent[i]);
    if (strcmp(device, "gpu") == 0)
        return jsni_fail(JSN_ERR_UNKNOWN_NAME, "no device 'gpu'; did you mean 'cuda'?");
    jsni_names known;
    jsni_names_begin(&known, device, NULL);
    jsni_names_add(&known, "auto");
    jsni_names_add(&known, "cpu");
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&known, table[i]->name);
    return jsni_names_fail(&known, JSN_ERR_UNKNOWN_NAME, "no device '%s'", device);
}

jsn_status jsni_backend_open(jsni_backend **out, const char *device)
{
    *out = NULL;
    const size_t length = strcspn(device, ":");
    int64_t number = 0;
    if (device[length] == ':' &&
        (!jsni_number_int(device + length + 1, strlen(device + length + 1), &number) ||
         number < 0))
        return jsni_fail(JSN_ERR_ARGUMENT, "device '%s': '%s' is not a device number",
                         device, device + length + 1);
    const jsni_backend_ops *ops = jsni_backend_named(device);
    if (strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0)
        ops = find_group(strcmp(device, "auto") == 0);
    if (ops == NULL)
        return no_backend(device);
    return ops->open(out, (size_t)number);
}

void jsni_backend_close(jsni_backend *backend)
{
    if (backend != NULL)
        backend->ops->close(backend);
}

jsn_status jsn_device_describe(const char *device, jsn_device_info *out)
{
    if (device == NULL || out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "device: NULL argument");
    jsni_backend *backend = NULL;
    JSNI_TRY(jsni_backend_open(&backend, device));
    (void)snprintf(out->backend, sizeof out->backend, "%s", backend->ops->name);
    (void)snprintf(out->text, sizeof out->text, "%s",
                   backend->ops->device_text(backend));
    out->memory_available = backend->ops->memory_available(backend);
    out->gpu = backend->ops->can.gpu;
    jsni_backend_close(backend);
    return JSN_OK;
}

static double mib(size_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

static jsn_status check_memory(const jsni_backend *backend, const jsni_graph *graph,
                               const jsni_plan_options *options)
{
    jsni_memory need;
    JSNI_TRY(backend->ops->plan_memory(backend, graph, options, &need));
    const size_t available = backend->ops->memory_available(backend);
    if (jsni_memory_total(&need) <= available)
        return JSN_OK;
    return jsni_fail(JSN_ERR_MEMORY,
                     "%s with batch %zu and %zu %s needs %.0f MiB (parameters %.0f, "
                     "gradients %.0f, optimiser %.0f, activations %.0f, workspace "
                     "%.0f), %.0f MiB are available; choose a smaller --batch",
                     graph->network, options->batch, options->views,
                     jsni_noun(options->views, "view", "views"),
                     mib(jsni_memory_total(&need)), mib(need.parameters),
                     mib(need.gradients), mib(need.optimiser), mib(need.activations),
                     mib(need.workspace), mib(available));
}

static jsn_status check_precision(const jsni_backend_ops *ops, jsn_precision precision)
{
    const size_t number = (size_t)precision;
    if (number < JSNI_COUNT_OF(precisions) && ops->can.precisions & JSNI_CAN(number))
        return JSN_OK;
    if (ops->can.gpu)
        return jsni_fail(
            JSN_ERR_ARGUMENT, "--precision: the %s backend does not compute in %s",
            ops->name, number < JSNI_COUNT_OF(precisions) ? precisions[number] : "it");
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "--precision: a CPU computes only in fp32 (the %s backend); leave "
                     "the option out, or use a GPU (--device cuda)",
                     ops->name);
}

static jsn_status check_options(const jsni_backend *backend, const jsni_graph *graph,
                                const jsni_plan_options *options)
{
    const jsni_backend_ops *ops = backend->ops;
    if (options->batch == 0 || options->views == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "batch %zu and views %zu must be above 0",
                         options->batch, options->views);
    JSNI_TRY(check_precision(ops, options->precision));
    if (options->members > 1 && ops->can.members == 1)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "the %s backend runs one member at a time, not %zu", ops->name,
                         options->members);
    for (size_t i = 0; i < graph->node_count; i++)
        JSNI_TRY(ops->supports(backend, graph, i, options));
    return JSN_OK;
}

jsn_status jsni_plan_create(jsni_backend *backend, const jsni_graph *graph,
                            const jsni_plan_options *options, jsni_plan **out)
{
    *out = NULL;
    JSNI_TRY(check_options(backend, graph, options));
    JSNI_TRY(check_memory(backend, graph, options));
    return backend->ops->plan_create(backend, graph, options, out);
}

void jsni_plan_destroy(jsni_plan *plan)
{
    if (plan != NULL)
        plan->ops->plan_destroy(plan);
}
