/* backend/model_file.c - weights from and to safetensors files, by PyTorch's names.
 * A file is compared with the network in full before the first weight is changed. */
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "format/safetensors.h"

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
    if (stored->dtype != JSN_DTYPE_FLOAT32)
        return jsni_fail(JSN_ERR_DATA, "%s: '%s' is %s, float32 is needed", path,
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

static bool in_head(const jsni_graph *graph, const jsni_tensor *tensor)
{
    return graph->nodes[tensor->node].head;
}

/* Whether every tensor of the head is in the file with the right type and shape. */
static bool head_fits(const jsni_graph *graph, const jsni_safetensors *file)
{
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *tensor = &graph->params[i];
        const jsni_safetensor *stored = jsni_safetensors_find(file, tensor->name);
        if (in_head(graph, tensor) &&
            (stored == NULL || stored->dtype != JSN_DTYPE_FLOAT32 ||
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
        if (!in_head(graph, &graph->params[i]))
            continue;
        const char *module = graph->nodes[graph->params[i].node].name;
        const size_t outer = strcspn(module, ".");
        bool shared = false;
        for (size_t k = 0; k < graph->param_count; k++)
            shared = shared || (!in_head(graph, &graph->params[k]) &&
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

/* Compares the whole file with the network; `skip_head` leaves the head out. */
static jsn_status check_file(const char *path, const jsni_graph *graph,
                             const jsni_safetensors *file, bool skip_head)
{
    name_list missing, extra;
    begin_names(&missing);
    begin_names(&extra);
    for (size_t i = 0; i < graph->param_count; i++)
        if (!(skip_head && in_head(graph, &graph->params[i])))
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
                         jsn_noun(missing.count, "tensor", "tensors"), missing.text,
                         ellipsis(&missing), extra.count, extra.text, ellipsis(&extra));
    if (missing.count > 0)
        return jsni_fail(JSN_ERR_DATA, "%s: lacks %zu %s of %s: %s%s", path,
                         missing.count, jsn_noun(missing.count, "tensor", "tensors"),
                         graph->network, missing.text, ellipsis(&missing));
    if (extra.count > 0)
        return jsni_fail(JSN_ERR_DATA, "%s: has %zu %s that %s lacks: %s%s", path,
                         extra.count, jsn_noun(extra.count, "tensor", "tensors"),
                         graph->network, extra.text, ellipsis(&extra));
    return JSN_OK;
}

static void take_tensors(const jsni_safetensors *file, const jsni_tensor *tensors,
                         size_t count, const jsni_graph *skip_head_of, float *block)
{
    for (size_t i = 0; i < count; i++) {
        if (skip_head_of != NULL && in_head(skip_head_of, &tensors[i]))
            continue;
        const jsni_safetensor *stored = jsni_safetensors_find(file, tensors[i].name);
        memcpy(block + tensors[i].offset, stored->data,
               tensors[i].count * sizeof *block);
    }
}

jsn_status jsn_model_load(jsn_model *model, const char *path, int *head)
{
    if (model == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: NULL argument");
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    jsni_safetensors *file = NULL;
    JSNI_TRY(jsni_safetensors_open(&file, path));
    const bool skip_head = head != NULL && !head_fits(graph, file);
    /* Files of other programs carry no checksum. */
    const bool checksum =
        jsni_safetensors_metadata(file, JSNI_SAFETENSORS_CHECKSUM) != NULL;
    jsn_status status = checksum ? jsni_safetensors_verify(file) : JSN_OK;
    if (status == JSN_OK)
        status = check_file(path, graph, file, skip_head);
    if (status != JSN_OK)
        goto done;
    status = jsni_model_read(model, model->member, JSNI_BLOCK_PARAMETERS, params);
    if (status != JSN_OK)
        goto done;
    take_tensors(file, graph->params, graph->param_count, skip_head ? graph : NULL,
                 params);
    take_tensors(file, graph->stats, graph->stat_count, NULL, stats);
    status = jsni_model_write(model, model->member, JSNI_BLOCK_PARAMETERS, params);
    if (status == JSN_OK)
        status = jsni_model_write(model, model->member, JSNI_BLOCK_STATISTICS, stats);
    if (status == JSN_OK && head != NULL)
        *head = skip_head ? 1 : 0;
done:
    jsni_safetensors_close(file);
    return status;
}

static void put_tensors(jsni_safetensor *to, const jsni_tensor *tensors, size_t count,
                        const float *block)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (jsni_safetensor){.name = tensors[i].name,
                                  .dtype = JSN_DTYPE_FLOAT32,
                                  .rank = tensors[i].rank,
                                  .data = block + tensors[i].offset};
        for (size_t k = 0; k < tensors[i].rank; k++)
            to[i].shape[k] = tensors[i].dim[k];
    }
}

jsn_status jsn_model_save(jsn_model *model, const char *path)
{
    if (model == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "model: NULL argument");
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_PARAMETERS, params));
    JSNI_TRY(jsni_model_read(model, model->member, JSNI_BLOCK_STATISTICS, stats));
    const size_t count = graph->param_count + graph->stat_count;
    jsni_safetensor *tensors = jsni_alloc_zero(count, sizeof *tensors);
    JSNI_TRY_ALLOC(tensors);
    put_tensors(tensors, graph->params, graph->param_count, params);
    put_tensors(tensors + graph->param_count, graph->stats, graph->stat_count, stats);
    const jsni_shape in = jsni_graph_input(graph)->shape;
    char classes[32], input[80];
    (void)snprintf(classes, sizeof classes, "%zu", graph->classes);
    (void)snprintf(input, sizeof input, "%zux%zux%zu", in.channels, in.height,
                   in.width);
    const jsni_pair pairs[] = {{"format", "pt"},
                               {"network", graph->network},
                               {"classes", classes},
                               {"input", input}};
    const jsn_status status = jsni_safetensors_write(
        path, tensors, count, pairs, sizeof pairs / sizeof pairs[0], true);
    jsni_free(tensors);
    return status;
}
