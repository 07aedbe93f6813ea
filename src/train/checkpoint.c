/* train/checkpoint.c - the full state of a run in one safetensors file; see run.h.
 *
 * Tensors: parameters and running statistics under PyTorch's names, optimiser state as
 * "optimiser.<slot>.<name>", their average as "ema.<name>", recorded posteriors as "posteriors", the
 * memory of a method as "method". Metadata: counters, the
 * fingerprint of the options and the mark of the data. A SHA-256 over all of it makes any damage show.
 *
 * The new file is written beside the old one, the old one is kept under another name by
 * a hard link, then the new one takes its place: at no moment is there none.
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/safetensors.h"
#include "store/run_rows.h"
#include "train/resident_feed.h"
#include "train/run.h"
#include "train/run_name.h"

static const char format_name[] = "jensen checkpoint 1";
static const char fresh_name[] = "checkpoint.new";

/* The canonical blocks of the model, in host memory. */
typedef struct blocks {
    float *params, *stats, *optimiser;
    size_t slots;
} blocks;

static void release_blocks(blocks *b)
{
    jsni_free(b->params);
    jsni_free(b->stats);
    jsni_free(b->optimiser);
}

static jsn_status allocate_blocks(blocks *b, const jsni_run *run)
{
    const jsn_model *m = run->group->model;
    b->slots = m->options.optimiser_slots;
    b->params = jsni_alloc_zero(m->graph->param_floats, sizeof(float));
    b->stats = jsni_alloc_zero(m->graph->stat_floats, sizeof(float));
    b->optimiser = jsni_alloc_zero(b->slots * m->graph->param_floats, sizeof(float));
    if (b->params == NULL || b->stats == NULL || b->optimiser == NULL) {
        release_blocks(b);
        return JSN_ERR_MEMORY;
    }
    return JSN_OK;
}

/* One entry a tensor of the file; names with a prefix are owned. */
typedef struct tensor_list {
    jsni_safetensor *items;
    size_t count;
    char **names;
    size_t name_count;
} tensor_list;

static void release_list(tensor_list *list)
{
    for (size_t i = 0; i < list->name_count; i++)
        jsni_free(list->names[i]);
    jsni_free(list->names);
    jsni_free(list->items);
}

static void add_tensor(tensor_list *list, const char *name, const jsni_tensor *like,
                       float *block)
{
    jsni_safetensor *t = &list->items[list->count++];
    *t =
        (jsni_safetensor){.name = name, .dtype = JSN_DTYPE_FLOAT32, .rank = like->rank};
    for (size_t d = 0; d < like->rank; d++)
        t->shape[d] = like->dim[d];
    t->data = block + like->offset;
    t->bytes = like->count * sizeof(float);
}

/* The same for `count` tensors under "prefix.<name>". */
static jsn_status add_prefixed(tensor_list *list, const char *prefix,
                               const jsni_tensor *tensors, size_t count, float *block)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(prefix) + strlen(tensors[i].name) + 2;
        char *name = jsni_alloc(size, 1);
        JSNI_TRY_ALLOC(name);
        (void)snprintf(name, size, "%s.%s", prefix, tensors[i].name);
        list->names[list->name_count++] = name;
        add_tensor(list, name, &tensors[i], block);
    }
    return JSN_OK;
}

/* A row of class numbers for each training sample, where there are some. */
static void add_rows(tensor_list *list, const jsni_run *run, const char *name,
                     float *rows)
{
    if (rows == NULL)
        return;
    jsni_safetensor *t = &list->items[list->count++];
    *t = (jsni_safetensor){.name = name, .dtype = JSN_DTYPE_FLOAT32, .rank = 2};
    t->shape[0] = run->job.problem->train.count;
    t->shape[1] = run->job.problem->classes;
    t->data = rows;
    t->bytes = t->shape[0] * t->shape[1] * sizeof(float);
}

/* The tensors that a checkpoint of this run has, backed by the blocks. */
static jsn_status list_tensors(tensor_list *list, const jsni_run *run, const blocks *b)
{
    const jsni_graph *g = run->group->model->graph;
    const size_t all = g->param_count + g->stat_count;
    const size_t prefixed = g->param_count * b->slots + all;
    list->items = jsni_alloc_zero(all + prefixed + 2, sizeof *list->items);
    list->names = jsni_alloc_zero(prefixed, sizeof *list->names);
    if (list->items == NULL || list->names == NULL)
        return JSN_ERR_MEMORY;
    for (size_t i = 0; i < g->param_count; i++)
        add_tensor(list, g->params[i].name, &g->params[i], b->params);
    for (size_t i = 0; i < g->stat_count; i++)
        add_tensor(list, g->stats[i].name, &g->stats[i], b->stats);
    for (size_t s = 0; s < b->slots; s++) {
        char prefix[40];
        (void)snprintf(prefix, sizeof prefix, "optimiser.%zu", s);
        JSNI_TRY(add_prefixed(list, prefix, g->params, g->param_count,
                              b->optimiser + s * g->param_floats));
    }
    if (run->average.params != NULL) {
        JSNI_TRY(
            add_prefixed(list, "ema", g->params, g->param_count, run->average.params));
        JSNI_TRY(
            add_prefixed(list, "ema", g->stats, g->stat_count, run->average.stats));
    }
    add_rows(list, run, "posteriors", run->samples.posteriors);
    add_rows(list, run, "method", run->samples.memory);
    return JSN_OK;
}

static jsn_status read_blocks(jsni_run *run, blocks *b)
{
    JSNI_TRY(jsni_model_read(run->group->model, run->member, JSNI_BLOCK_PARAMETERS,
                             b->params));
    JSNI_TRY(jsni_model_read(run->group->model, run->member, JSNI_BLOCK_STATISTICS,
                             b->stats));
    if (run->samples.memory != NULL && run->group->resident)
        JSNI_TRY(jsni_resident_memory(run));
    if (b->slots > 0)
        JSNI_TRY(jsni_model_read(run->group->model, run->member, JSNI_BLOCK_OPTIMISER,
                                 b->optimiser));
    return JSN_OK;
}

static jsn_status write_blocks(jsni_run *run, const blocks *b)
{
    JSNI_TRY(jsni_model_write(run->group->model, run->member, JSNI_BLOCK_PARAMETERS,
                              b->params));
    JSNI_TRY(jsni_model_write(run->group->model, run->member, JSNI_BLOCK_STATISTICS,
                              b->stats));
    if (b->slots > 0)
        JSNI_TRY(jsni_model_write(run->group->model, run->member, JSNI_BLOCK_OPTIMISER,
                                  b->optimiser));
    return JSN_OK;
}

/* Puts the freshly written file in place and keeps the one before, unless that one is
 * damaged: then the older one stays. */
static jsn_status rotate(jsni_run *run)
{
    const char *folder = run->folder.path;
    if (run->saved.damaged)
        JSNI_TRY(jsni_file_rename(folder, fresh_name, JSNI_RUN_CHECKPOINT));
    else
        JSNI_TRY(jsni_file_rotate(folder, fresh_name, JSNI_RUN_CHECKPOINT,
                                  JSNI_RUN_PREVIOUS));
    run->saved.damaged = false;
    return JSN_OK;
}

jsn_status jsni_checkpoint_save(jsni_run *run)
{
    blocks b = {0};
    tensor_list list = {0};
    const double start = jsni_clock();
    char *state = NULL;
    char fingerprint[JSNI_FINGERPRINT];
    jsn_status status = allocate_blocks(&b, run);
    if (status == JSN_OK)
        status = read_blocks(run, &b);
    if (status == JSN_OK)
        status = list_tensors(&list, run, &b);
    if (status == JSN_OK)
        status = jsni_run_state_text(&run->state, &state);
    if (status == JSN_OK)
        status = jsni_run_fingerprint(run->job.config, fingerprint);
    if (status == JSN_OK) {
        const jsni_problem_mark *mark = &run->job.problem->mark;
        const jsni_pair pairs[] = {{"format", format_name},
                                   {"options", fingerprint},
                                   {"data", mark->digest},
                                   {"data_text", mark->text},
                                   {"state", state}};
        status =
            jsni_safetensors_write(run->folder.path, fresh_name, list.items, list.count,
                                   pairs, sizeof pairs / sizeof pairs[0], true);
    }
    if (status == JSN_OK)
        status = jsni_run_rows_sync(run->folder.path);
    if (status == JSN_OK)
        status = jsni_bad_images_keep(run);
    if (status == JSN_OK)
        status = rotate(run);
    if (status == JSN_OK) {
        run->group->clock.checkpoint = jsni_clock();
        run->saved.seconds = run->group->clock.checkpoint - start;
        run->saved.stale = false;
    }
    jsn_text_release(state);
    release_list(&list);
    release_blocks(&b);
    return status;
}

/* Copies a tensor of the file over the one in the blocks. */
static jsn_status take_tensor(const jsni_safetensors *file, const char *path,
                              const jsni_safetensor *to)
{
    const jsni_safetensor *from = jsni_safetensors_find(file, to->name);
    if (from == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: tensor '%s' is missing", path, to->name);
    bool fits = from->dtype == JSN_DTYPE_FLOAT32 && from->rank == to->rank;
    for (size_t d = 0; fits && d < to->rank; d++)
        fits = from->shape[d] == to->shape[d];
    if (!fits)
        return jsni_fail(JSN_ERR_DATA, "%s: tensor '%s' has another shape or type",
                         path, to->name);
    memcpy((void *)(uintptr_t)to->data, from->data, to->bytes);
    return JSN_OK;
}

/* *other: the file is sound, but of a run with other options or other data. */
static jsn_status apply_file(jsni_run *run, const jsni_safetensors *file,
                             const char *path, bool *other)
{
    const char *format = jsni_safetensors_metadata(file, "format");
    const char *state = jsni_safetensors_metadata(file, "state");
    if (format == NULL || strcmp(format, format_name) != 0 || state == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: not a checkpoint of this program", path);
    const jsni_kept_mark kept = {jsni_safetensors_metadata(file, "options"),
                                 jsni_safetensors_metadata(file, "data"),
                                 jsni_safetensors_metadata(file, "data_text")};
    *other = true;
    JSNI_TRY(jsni_problem_mark_check(&run->job.problem->mark, &kept, run->job.config,
                                     run->folder.path));
    *other = false;
    blocks b = {0};
    tensor_list list = {0};
    jsni_run_state held = {0};
    JSNI_TRY(allocate_blocks(&b, run));
    jsn_status status = list_tensors(&list, run, &b);
    for (size_t i = 0; status == JSN_OK && i < list.count; i++)
        status = take_tensor(file, path, &list.items[i]);
    if (status == JSN_OK)
        status = jsni_run_state_read(&held, state, run->job.config->epochs,
                                     run->group->steps);
    if (status == JSN_OK)
        status = write_blocks(run, &b);
    if (status == JSN_OK)
        run->state = held;
    release_list(&list);
    release_blocks(&b);
    return status;
}

static jsn_status load_file(jsni_run *run, const char *name, bool *other)
{
    jsni_safetensors *file = NULL;
    JSNI_TRY(jsni_safetensors_open_in(&file, run->folder.path, name));
    jsn_status status = jsni_safetensors_verify(file);
    if (status == JSN_OK)
        status = apply_file(run, file, jsni_safetensors_path(file), other);
    jsni_safetensors_close(file);
    return status;
}

static const char *const names[] = {JSNI_RUN_CHECKPOINT, JSNI_RUN_PREVIOUS};

jsn_status jsni_checkpoint_find(const char *folder, bool *found)
{
    *found = false;
    for (size_t i = 0; i < 2 && !*found; i++)
        JSNI_TRY(jsni_file_find(folder, names[i], found));
    return JSN_OK;
}

jsn_status jsni_checkpoint_load(jsni_run *run, bool *found)
{
    char damage[1024] = "";
    size_t damaged = 0;
    bool other = false;
    *found = false;
    for (size_t i = 0; i < 2 && !*found; i++) {
        bool there = false;
        JSNI_TRY(jsni_file_find(run->folder.path, names[i], &there));
        const jsn_status status = there ? load_file(run, names[i], &other) : JSN_OK;
        *found = there && status == JSN_OK;
        if (status != JSN_ERR_DATA || other)
            JSNI_TRY(status);
        else if (damaged++ == 0)
            (void)snprintf(damage, sizeof damage, "%s", jsn_last_error());
        run->saved.damaged = run->saved.damaged || (i == 0 && damaged > 0);
    }
    if (damaged == 0)
        return JSN_OK;
    if (!*found)
        return jsni_fail(JSN_ERR_DATA, "%s; %s; delete the run folder to start again",
                         damage,
                         damaged == 2 ? "both checkpoints are damaged"
                                      : "there is no other checkpoint");
    char text[1100];
    (void)snprintf(text, sizeof text, "%s; the previous checkpoint is used", damage);
    run->logger.message(run, JSN_LOG_WARNING, text);
    return JSN_OK;
}
