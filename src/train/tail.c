/* train/tail.c - see tail.h. */
#include "train/tail.h"

#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/machine.h"
#include "core/words.h"
#include "nn/network_impl.h"
#include "nn/graph_part.h"
#include "train/run.h"

enum { BLOCKS = 2 }; /* that are trained with the classifier */

bool jsni_tail_wanted(const jsn_train_config *config)
{
    return config->finetune != NULL && strcmp(config->finetune, "last") == 0;
}

/* Where the tail of a network begins. */
static jsn_status find_cut(const jsni_graph *graph, size_t *out)
{
    size_t *depth = jsni_alloc(graph->node_count, sizeof *depth);
    JSNI_TRY_ALLOC(depth);
    jsni_graph_depths(graph, depth);
    *out = jsni_graph_cut(graph, depth, BLOCKS);
    jsni_free(depth);
    return *out > 0 ? JSN_OK
                    : jsni_fail(JSN_ERR_ARGUMENT,
                                "--finetune last: %s has no layer before its last %d "
                                "blocks; --finetune all trains all of them",
                                graph->network, BLOCKS);
}

/* Better said than to be killed for it. */
static jsn_status check_room(const jsni_run *run, const jsni_head *head)
{
    const jsni_problem *p = run->job.problem;
    const double images = (double)JSNI_HEAD_COPIES * (double)p->train.count +
                          (double)p->val.count + (double)p->test.count;
    const double bytes = images * (double)head->floats * sizeof(float);
    jsni_machine machine;
    jsni_machine_probe(&machine);
    const double room = 0.8 * (double)machine.memory_available;
    if (machine.memory_available == 0 || bytes <= room)
        return JSN_OK;
    return jsni_fail(JSN_ERR_MEMORY,
                     "--finetune last keeps what the layers before make of %zu %s: "
                     "%.1f GB, and there are %.1f; --finetune head needs less",
                     p->train.count, jsni_noun(p->train.count, "image", "images"),
                     bytes / 1e9, room / 1e9);
}

/* Copies a stretch of a block of the whole network from or to a part's. */
static jsn_status copy_block(jsn_model *whole, jsn_model *part, size_t member,
                             jsni_block block, size_t begin, bool to_part)
{
    const size_t floats = jsni_model_block_floats(whole, block);
    const size_t count = jsni_model_block_floats(part, block);
    float *values = jsni_alloc_zero(floats + count + 1, sizeof *values);
    JSNI_TRY_ALLOC(values);
    jsn_status status = jsni_model_read(whole, 0, block, values);
    if (status == JSN_OK && to_part)
        status = jsni_model_write(part, member, block, values + begin);
    if (status == JSN_OK && !to_part)
        status = jsni_model_read(part, member, block, values + floats);
    if (status == JSN_OK && !to_part) {
        memcpy(values + begin, values + floats, count * sizeof *values);
        status = jsni_model_write(whole, 0, block, values);
    }
    jsni_free(values);
    return status;
}

/* `first`: the node that the part reads. */
static jsn_status copy_part(jsn_model *whole, jsn_model *part, size_t member,
                            size_t first, bool to_part)
{
    const jsni_part_begin begin = jsni_graph_part_begin(whole->graph, first);
    JSNI_TRY(
        copy_block(whole, part, member, JSNI_BLOCK_PARAMETERS, begin.params, to_part));
    return copy_block(whole, part, member, JSNI_BLOCK_STATISTICS, begin.stats, to_part);
}

static jsni_plan_options plan_of(const jsn_model_options *o)
{
    return (jsni_plan_options){.batch = o->batch,
                               .views = o->views,
                               .threads = o->threads,
                               .precision = o->precision,
                               .training = o->optimiser != NULL,
                               .members = o->members};
}

jsn_status jsni_tail_front(const jsni_run *run, jsni_head *head, jsn_model *whole,
                           jsn_model **out)
{
    const jsn_train_config *c = run->job.config;
    jsni_graph *front = NULL;
    JSNI_TRY(find_cut(whole->graph, &head->cut));
    head->floats = jsni_shape_count(whole->graph->nodes[head->cut].shape);
    JSNI_TRY(check_room(run, head));
    JSNI_TRY(jsni_graph_part(whole->graph, 0, head->cut, &front));
    const jsni_plan_options options = whole->options;
    JSNI_TRY(jsni_model_create(out, front, c->device, NULL, &options));
    return copy_part(whole, *out, 0, 0, true);
}

jsn_status jsni_tail_model(const jsni_head *head, const jsn_model_options *options,
                           jsn_model **out)
{
    jsni_graph *whole = NULL, *tail = NULL;
    const jsni_plan_options plan = plan_of(options);
    JSNI_TRY(jsni_network_build(
        options->network,
        (jsni_shape){options->channels, options->height, options->width},
        options->classes, &whole));
    const jsn_status status =
        jsni_graph_part(whole, head->cut, whole->node_count - 1, &tail);
    jsni_graph_destroy(whole);
    JSNI_TRY(status);
    return jsni_model_create(out, tail, options->device, options->optimiser, &plan);
}

jsn_status jsni_tail_take(const jsni_run *run, jsn_model *whole)
{
    return copy_part(whole, run->group->model, run->member, run->feed.head->cut, true);
}

jsn_status jsni_tail_put(const jsni_run *run, jsn_model *whole)
{
    return copy_part(whole, run->group->model, run->member, run->feed.head->cut, false);
}
