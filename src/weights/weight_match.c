/* weights/weight_match.c - see weight_match.h. */
#include "weights/weight_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "core/words.h"
#include "format/half.h"
#include "nn/network_impl.h"

bool jsni_weight_file_is_weight(jsn_dtype dtype)
{
    return dtype == JSN_DTYPE_FLOAT32 || dtype == JSN_DTYPE_FLOAT16 ||
           dtype == JSN_DTYPE_BFLOAT16;
}

void jsni_weight_file_take(const jsni_safetensor *stored, size_t count, float *to)
{
    const uint16_t *half = stored->data;
    if (stored->dtype == JSN_DTYPE_FLOAT32)
        memcpy(to, stored->data, count * sizeof *to);
    else if (stored->dtype == JSN_DTYPE_FLOAT16)
        for (size_t i = 0; i < count; i++)
            to[i] = (float)jsni_half_value(half[i]);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = (float)jsni_bfloat_value(half[i]);
}

/* A few names for a sentence, and how many there were. */
typedef struct name_list {
    char text[400];
    jsni_text names; /* in `text` */
    size_t count;
} name_list;

static void begin_names(name_list *list)
{
    list->names = jsni_text_in(list->text, sizeof list->text);
    list->count = 0;
}

static void add_name(name_list *list, const char *name)
{
    enum { SHOWN = 6 };
    if (list->count++ < SHOWN)
        jsni_text_item(&list->names, name);
}

static const char *ellipsis(const name_list *list)
{
    return list->count > 6 ? ", ..." : "";
}

static bool same_shape(const jsni_tensor *tensor, const jsni_safetensor *stored)
{
    bool same = tensor->rank == stored->rank;
    for (size_t i = 0; same && i < tensor->rank; i++)
        same = tensor->dim[i] == stored->shape[i];
    return same;
}

static void shape_text(char *to, size_t size, const size_t *shape, size_t rank)
{
    jsni_text text = jsni_text_in(to, size);
    for (size_t i = 0; i < rank; i++)
        jsni_text_format(&text, "%s%zu", i == 0 ? "" : "x", shape[i]);
}

/* JSN_OK, also when the name is missing (then it is listed); JSN_ERR_DATA when what is
 * stored under the name cannot be used. */
static jsn_status check_tensor(const char *path, const jsni_safetensors *file,
                               const jsni_tensor *tensor, name_list *missing)
{
    const jsni_safetensor *stored = jsni_safetensors_find(file, tensor->name);
    if (stored == NULL) {
        add_name(missing, tensor->name);
        return JSN_OK;
    }
    if (!jsni_weight_file_is_weight(stored->dtype))
        return jsni_fail(JSN_ERR_DATA,
                         "%s: '%s' is %s; float32, float16 or bfloat16 is needed", path,
                         tensor->name, jsn_dtype_name(stored->dtype));
    if (!same_shape(tensor, stored)) {
        char has[100], wants[100];
        shape_text(has, sizeof has, stored->shape, stored->rank);
        shape_text(wants, sizeof wants, tensor->dim, tensor->rank);
        return jsni_fail(JSN_ERR_DATA, "%s: '%s' is %s, the network's is %s", path,
                         tensor->name, has, wants);
    }
    return JSN_OK;
}

bool jsni_weight_file_in_head(const jsni_graph *graph, const jsni_tensor *tensor)
{
    return graph->nodes[tensor->node].head;
}

bool jsni_weight_file_head_fits(const jsni_graph *graph, const jsni_safetensors *file)
{
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *tensor = &graph->params[i];
        const jsni_safetensor *stored = jsni_safetensors_find(file, tensor->name);
        if (jsni_weight_file_in_head(graph, tensor) &&
            (stored == NULL || !jsni_weight_file_is_weight(stored->dtype) ||
             !same_shape(tensor, stored)))
            return false;
    }
    return true;
}

/* Whether `name` is inside the module `module` of `length` characters. */
static bool is_inside(const char *name, const char *module, size_t length)
{
    return strncmp(name, module, length) == 0 && name[length] == '.';
}

/* Whether a file's tensor belongs to a head that is replaced: it lies in a module of
 * the head, or in the module around it when the body has no part of that one. */
static bool is_old_head(const jsni_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->param_count; i++) {
        if (!jsni_weight_file_in_head(graph, &graph->params[i]))
            continue;
        const char *module = graph->nodes[graph->params[i].node].name;
        const size_t outer = strcspn(module, ".");
        bool shared = false;
        for (size_t k = 0; k < graph->param_count; k++)
            shared = shared || (!jsni_weight_file_in_head(graph, &graph->params[k]) &&
                                is_inside(graph->params[k].name, module, outer));
        if (is_inside(name, module, strlen(module)) ||
            (!shared && is_inside(name, module, outer)))
            return true;
    }
    return false;
}

static bool is_counter(const char *name)
{
    static const char last[] = ".num_batches_tracked";
    const size_t length = strlen(name);
    return length >= sizeof last - 1 &&
           strcmp(name + length - (sizeof last - 1), last) == 0;
}

static bool is_known(const jsni_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->param_count; i++)
        if (strcmp(graph->params[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < graph->stat_count; i++)
        if (strcmp(graph->stats[i].name, name) == 0)
            return true;
    return is_counter(name);
}

static jsn_status check_names(const char *path, const jsni_graph *graph,
                              const jsni_safetensors *file, bool skip_head)
{
    name_list missing, extra;
    begin_names(&missing);
    begin_names(&extra);
    for (size_t i = 0; i < graph->param_count; i++)
        if (!(skip_head && jsni_weight_file_in_head(graph, &graph->params[i])))
            JSNI_TRY(check_tensor(path, file, &graph->params[i], &missing));
    for (size_t i = 0; i < graph->stat_count; i++)
        JSNI_TRY(check_tensor(path, file, &graph->stats[i], &missing));
    for (size_t i = 0; i < jsni_safetensors_count(file); i++) {
        const char *name = jsni_safetensors_at(file, i)->name;
        if (!is_known(graph, name) && !(skip_head && is_old_head(graph, name)))
            add_name(&extra, name);
    }
    if (missing.count > 0 && extra.count > 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: does not fit %s: lacks %zu %s (%s%s), has %zu that "
                         "the network lacks (%s%s)",
                         path, graph->network, missing.count,
                         jsni_noun(missing.count, "tensor", "tensors"), missing.text,
                         ellipsis(&missing), extra.count, extra.text, ellipsis(&extra));
    if (missing.count > 0)
        return jsni_fail(JSN_ERR_DATA, "%s: lacks %zu %s of %s: %s%s", path,
                         missing.count, jsni_noun(missing.count, "tensor", "tensors"),
                         graph->network, missing.text, ellipsis(&missing));
    if (extra.count > 0)
        return jsni_fail(JSN_ERR_DATA, "%s: has %zu %s that %s lacks: %s%s", path,
                         extra.count, jsni_noun(extra.count, "tensor", "tensors"),
                         graph->network, extra.text, ellipsis(&extra));
    return JSN_OK;
}

/* Whether the names of the file and those of the network are the same, and the shapes of
 * its body; the classes of the head may be others. */
static bool is_of(const jsni_graph *graph, const jsni_safetensors *file)
{
    for (size_t i = 0; i < graph->param_count + graph->stat_count; i++) {
        const bool stat = i >= graph->param_count;
        const jsni_tensor *tensor =
            stat ? &graph->stats[i - graph->param_count] : &graph->params[i];
        const jsni_safetensor *stored = jsni_safetensors_find(file, tensor->name);
        if (stored == NULL || stored->rank != tensor->rank ||
            !(jsni_weight_file_in_head(graph, tensor) || same_shape(tensor, stored)))
            return false;
    }
    for (size_t i = 0; i < jsni_safetensors_count(file); i++)
        if (!is_known(graph, jsni_safetensors_at(file, i)->name))
            return false;
    return true;
}

static jsn_status build(const char *spec, const jsn_network_info *info,
                        jsni_graph **out)
{
    return jsni_network_build(
        spec, (jsni_shape){info->channels, info->height, info->width}, 2, out);
}

/* The `width` that gives the network's first layer as many channels as the file's; 0 when
 * there is none. */
static size_t width_of(const jsni_graph *graph, const jsn_network_info *info,
                       const jsni_safetensors *file)
{
    const jsni_safetensor *first = jsni_safetensors_find(file, graph->params[0].name);
    for (size_t i = 0; first != NULL && first->rank > 0 && i < info->param_count; i++) {
        const jsn_param_info *param = &info->params[i];
        const size_t channels = graph->params[0].dim[0];
        if (strcmp(param->name, "width") == 0 && first->shape[0] >= 1 &&
            first->shape[0] <= (size_t)param->highest)
            return (size_t)param->initial * first->shape[0] / channels;
    }
    return 0;
}

/* The same of a spec that a file tells, or that is tried: *out stays NULL where it is none. */
static jsn_status try_build(const char *spec, const jsn_network_info *info,
                            jsni_graph **out)
{
    *out = NULL;
    const jsn_status status = build(spec, info, out);
    return status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* Whether the file is of this network, as it is or in another width: its spec then. */
static jsn_status recognise(const jsn_network_info *info, const jsni_safetensors *file,
                            char *spec, size_t room, bool *found)
{
    jsni_graph *graph = NULL;
    (void)snprintf(spec, room, "%s", info->name);
    JSNI_TRY(try_build(spec, info, &graph));
    *found = graph != NULL && is_of(graph, file);
    const size_t width = graph == NULL || *found ? 0 : width_of(graph, info, file);
    jsni_graph_destroy(graph);
    if (width == 0)
        return JSN_OK;
    (void)snprintf(spec, room, "%s:width=%zu", info->name, width);
    JSNI_TRY(try_build(spec, info, &graph));
    *found = graph != NULL && is_of(graph, file);
    jsni_graph_destroy(graph);
    return JSN_OK;
}

jsn_status jsni_weight_file_network(const jsni_safetensors *file, char *spec,
                                    size_t room)
{
    const char *told = jsni_safetensors_metadata(file, "network");
    const jsn_network_info *info = told == NULL ? NULL : jsn_network_find(told);
    jsni_graph *graph = NULL;
    bool found = false;
    if (info != NULL && strlen(told) < room)
        JSNI_TRY(try_build(told, info, &graph));
    if (graph != NULL) {
        jsni_graph_destroy(graph);
        (void)snprintf(spec, room, "%s", told);
        return JSN_OK;
    }
    for (size_t i = 0; !found && jsni_network_at(i) != NULL; i++)
        JSNI_TRY(recognise(jsni_network_at(i), file, spec, room, &found));
    if (!found)
        spec[0] = '\0';
    return JSN_OK;
}

jsn_status jsni_weight_file_check(const char *path, const jsni_graph *graph,
                                  const jsni_safetensors *file, bool skip_head)
{
    char spec[JSNI_NETWORK_SPEC];
    const jsn_status status = check_names(path, graph, file, skip_head);
    if (status != JSN_ERR_DATA)
        return status;
    char why[1200];
    (void)snprintf(why, sizeof why, "%s", jsn_last_error());
    JSNI_TRY(jsni_weight_file_network(file, spec, sizeof spec));
    if (spec[0] == '\0' || strcmp(spec, graph->network) == 0)
        return jsni_fail(status, "%s", why);
    return jsni_fail(status,
                     "%s: has the weights of %s, and the network is %s; --network %s "
                     "takes them",
                     path, spec, graph->network, spec);
}

jsn_status jsni_weight_file_classes(const jsni_safetensors *file, const char *network,
                                    size_t *classes)
{
    const jsn_network_info *info = jsn_network_find(network);
    jsni_graph *graph = NULL;
    *classes = 0;
    if (info != NULL)
        JSNI_TRY(try_build(network, info, &graph));
    if (graph == NULL)
        return JSN_OK;
    const char *last = graph->params[graph->param_count - 1].name;
    const jsni_safetensor *bias = jsni_safetensors_find(file, last);
    *classes = bias == NULL || bias->rank != 1 ? 0 : bias->shape[0];
    jsni_graph_destroy(graph);
    return JSN_OK;
}
