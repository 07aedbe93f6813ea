/* backend/onednn/dn_memory.c - all memory of a plan: sizes first, then one allocation a
 * block. The arena's buffers are placed by their times of use, largest first, each at
 * the lowest place that nothing alive at the same time holds. */
#include <stdint.h>
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"

/* Floats. Tensors often have a power of two of them; with the gap the same image of two
 * tensors does not fall on the same sets of the caches (2% of a step). */
enum { ALIGN = 16, GAP = 8272 };

static size_t round_up(size_t floats)
{
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

jsn_status jsni_dn_buffer_add(dn_plan *plan, size_t floats, size_t from, size_t to,
                              size_t *out)
{
    /* at most: a tensor, three gradients and a set of parts for every step */
    const size_t most = 6 * plan->step_count + 4;
    if (plan->buffers == NULL)
        JSNI_TRY_ALLOC(plan->buffers = jsni_alloc(most, sizeof *plan->buffers));
    *out = plan->buffer_count++;
    plan->buffers[*out] = (dn_buffer){
        .floats = round_up(floats) + GAP, .from = from, .to = to, .share = JSNI_NONE};
    return JSN_OK;
}

void jsni_dn_buffer_use(dn_plan *plan, size_t buffer, size_t time)
{
    if (buffer != JSNI_NONE && time > plan->buffers[buffer].to)
        plan->buffers[buffer].to = time;
}

/* A buffer that takes over another's memory becomes one with it, if the other is really
 * used for the last time when this one begins; else it is on its own. */
static void settle_shares(dn_plan *plan)
{
    for (size_t b = 0; b < plan->buffer_count; b++) {
        dn_buffer *buffer = &plan->buffers[b];
        if (buffer->share == JSNI_NONE)
            continue;
        size_t root = buffer->share;
        const bool last =
            plan->buffers[root].to == buffer->from && !plan->buffers[root].given;
        if (last)
            plan->buffers[root].given = true;
        while (plan->buffers[root].share != JSNI_NONE)
            root = plan->buffers[root].share;
        buffer->share = last ? root : JSNI_NONE;
    }
    /* the memory lives as long as its last holder */
    for (size_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].share != JSNI_NONE)
            jsni_dn_buffer_use(plan, plan->buffers[b].share, plan->buffers[b].to);
}

/* The lowest offset at which `b` overlaps none of the `count` placed ones. */
static size_t find_place(const dn_plan *plan, const size_t *placed, size_t count,
                         size_t b)
{
    const dn_buffer *buffer = &plan->buffers[b];
    size_t offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const dn_buffer *other = &plan->buffers[placed[i]];
            if (other->own == buffer->own && other->from <= buffer->to &&
                buffer->from <= other->to && other->offset < offset + buffer->floats &&
                offset < other->offset + other->floats) {
                offset = other->offset + other->floats;
                moved = true;
            }
        }
    }
    return offset;
}

static jsn_status place_buffers(dn_plan *plan)
{
    size_t *placed = jsni_alloc(plan->buffer_count, sizeof *placed);
    JSNI_TRY_ALLOC(placed);
    size_t count = 0;
    for (;;) {
        size_t largest = JSNI_NONE;
        for (size_t b = 0; b < plan->buffer_count; b++)
            if (plan->buffers[b].share == JSNI_NONE &&
                plan->buffers[b].offset == SIZE_MAX &&
                (largest == JSNI_NONE ||
                 plan->buffers[b].floats > plan->buffers[largest].floats))
                largest = b;
        if (largest == JSNI_NONE)
            break;
        dn_buffer *buffer = &plan->buffers[largest];
        buffer->offset = find_place(plan, placed, count, largest);
        placed[count++] = largest;
        size_t *total = buffer->own ? &plan->own_floats : &plan->arena_floats;
        if (buffer->offset + buffer->floats > *total)
            *total = buffer->offset + buffer->floats;
    }
    jsni_free(placed);
    for (size_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].share != JSNI_NONE)
            plan->buffers[b].offset = plan->buffers[plan->buffers[b].share].offset;
    return JSN_OK;
}

static size_t most_shards(const dn_plan *plan, const dn_step *step)
{
    return plan->host.options.views *
           ((plan->host.options.batch + step->shard - 1) / step->shard);
}

/* The most shards of any step: sums of every BatchNorm have room for them. */
static size_t all_shards(const dn_plan *plan)
{
    size_t most = 1;
    for (size_t s = 0; s < plan->step_count; s++)
        if (most_shards(plan, &plan->steps[s]) > most)
            most = most_shards(plan, &plan->steps[s]);
    return most;
}

/* Hands out the small arrays; with `block` NULL and `sums` NULL only counts them. */
static void share_out(dn_plan *plan, float *block, double *sums)
{
    const size_t views = plan->host.options.views, shards = all_shards(plan);
    size_t floats = 0, doubles = 0;
#define FLOATS(count) \
    (floats += (count), block == NULL ? NULL : block + floats - (count))
#define DOUBLES(count) \
    (doubles += (count), sums == NULL ? NULL : sums + doubles - (count))
    for (size_t n = 0; n < plan->norm_count; n++) {
        dn_norm *norm = &plan->norms[n];
        const size_t all = views * norm->full;
        norm->mean = FLOATS(all);
        norm->scale = FLOATS(all);
        norm->shift = FLOATS(all);
        norm->slope = FLOATS(all);
        norm->offset = FLOATS(all);
        norm->exact = DOUBLES(all);
        norm->inverse = DOUBLES(all);
        norm->sums.first = DOUBLES(shards * norm->full);
        norm->sums.second = DOUBLES(shards * norm->full);
        norm->sums.origin = NULL;
    }
    for (size_t t = 0; t < plan->tensor_count; t++) {
        dn_tensor *tensor = &plan->tensors[t];
        if (!tensor->normed)
            continue;
        const size_t all = shards * tensor->blocks * plan->kernels->lanes;
        tensor->sums.first = DOUBLES(all);
        tensor->sums.second = DOUBLES(all);
        tensor->sums.origin = FLOATS(all);
    }
    for (size_t s = 0; s < plan->step_count; s++) {
        dn_step *step = &plan->steps[s];
        const jsni_node *node = &plan->host.base.graph->nodes[step->node];
        if ((step->kind == DN_CONV || step->kind == DN_DEPTHWISE) &&
            node->bias != JSNI_NONE)
            step->bias_sums = DOUBLES(shards * plan->tensors[step->out].blocks *
                                      plan->kernels->lanes);
    }
#undef FLOATS
#undef DOUBLES
    plan->norm_floats = floats;
    plan->sum_doubles = doubles;
}

jsn_status jsni_dn_memory_check(const dn_plan *plan)
{
    /* a tensor has at most its values, two gradients and a share of everything else */
    size_t floats = 1;
    for (size_t t = 0; t < plan->tensor_count; t++)
        floats += plan->tensors[t].floats;
    const size_t most = SIZE_MAX / (64 * sizeof(float)) / floats;
    if (plan->host.options.batch > most ||
        plan->host.options.views > most / plan->host.options.batch)
        return jsni_fail(JSN_ERR_RANGE,
                         "a batch of %zu samples in %zu %s: the sizes overflow",
                         plan->host.options.batch, plan->host.options.views,
                         jsni_noun(plan->host.options.views, "view", "views"));
    return JSN_OK;
}

jsn_status jsni_dn_memory_layout(dn_plan *plan)
{
    for (size_t b = 0; b < plan->buffer_count; b++)
        plan->buffers[b].offset = SIZE_MAX;
    settle_shares(plan);
    JSNI_TRY(place_buffers(plan));
    share_out(plan, NULL, NULL);
    return JSN_OK;
}

static size_t worker_floats(const dn_need *n)
{
    return round_up(n->wino.pad) + round_up(n->wino.input) + round_up(n->wino.output) +
           round_up(n->wino.gradient) + round_up(n->y) + round_up(n->g) +
           round_up(n->t) + round_up(n->dw) + round_up(n->ring) +
           round_up(n->scratch / sizeof(float) + 1);
}

jsni_memory jsni_dn_memory_need(const dn_plan *plan)
{
    const jsni_graph *graph = plan->host.base.graph;
    const size_t params = graph->param_floats * sizeof(float);
    const size_t logits =
        dn_capacity(plan) * graph->nodes[graph->node_count - 1].shape.channels;
    return (jsni_memory){
        .parameters = params,
        .gradients = plan->host.options.training ? params : 0,
        .optimiser = plan->host.options.training
                         ? plan->host.options.optimiser_slots * params
                         : 0,
        .statistics = graph->stat_floats * sizeof(float),
        .activations =
            (plan->arena_floats + plan->threads * plan->own_floats) * sizeof(float),
        .workspace =
            (plan->weight_floats + plan->norm_floats + jsni_dn_source_floats(plan) +
             plan->threads * worker_floats(&plan->need) + 2 * logits) *
                sizeof(float) +
            plan->sum_doubles * sizeof(double),
    };
}

static void cut_worker(dn_worker *w, float *at, const dn_need *n)
{
    float **to[] = {&w->wino.pad, &w->wino.input, &w->wino.output, &w->wino.gradient,
                    &w->y,        &w->g,          &w->t,           &w->dw,
                    &w->ring};
    const size_t floats[] = {
        n->wino.pad, n->wino.input, n->wino.output, n->wino.gradient, n->y,
        n->g,        n->t,          n->dw,          n->ring};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        *to[i] = at;
        at += round_up(floats[i]);
    }
    w->scratch = at;
}

jsn_status jsni_dn_memory_allocate(dn_plan *plan)
{
    const size_t logits =
        dn_capacity(plan) *
        jsni_shape_count(jsni_graph_output(plan->host.base.graph)->shape);
    const size_t each = worker_floats(&plan->need);
    JSNI_TRY(jsni_host_plan_allocate(&plan->host));
    JSNI_TRY_ALLOC(plan->arena = jsni_alloc_zero(plan->arena_floats, sizeof(float)));
    JSNI_TRY_ALLOC(
        plan->own = jsni_alloc_zero(plan->threads * plan->own_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->weights = jsni_alloc_zero(plan->weight_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->norm_block =
                       jsni_alloc_zero(plan->norm_floats, sizeof(float)));
    JSNI_TRY_ALLOC(plan->sum_block =
                       jsni_alloc_zero(plan->sum_doubles, sizeof(double)));
    JSNI_TRY_ALLOC(plan->host.logits = jsni_alloc_zero(logits, sizeof(float)));
    JSNI_TRY_ALLOC(plan->host.logit_gradient = jsni_alloc_zero(logits, sizeof(float)));
    JSNI_TRY_ALLOC(plan->workers =
                       jsni_alloc_zero(plan->threads, sizeof *plan->workers));
    JSNI_TRY_ALLOC(plan->worker_block =
                       jsni_alloc_zero(plan->threads, each * sizeof(float)));
    JSNI_TRY(jsni_dn_source_allocate(plan));
    for (size_t k = 0; k < plan->threads; k++)
        cut_worker(&plan->workers[k], (float *)(void *)plan->worker_block + k * each,
                   &plan->need);
    share_out(plan, plan->norm_block, plan->sum_block);
    return JSN_OK;
}

void jsni_dn_memory_release(dn_plan *plan)
{
    for (size_t k = 0; plan->workers != NULL && k < plan->threads; k++)
        if (plan->workers[k].stream != NULL)
            jsni_dnnl.stream_destroy(plan->workers[k].stream);
    void *all[] = {plan->tensors,
                   plan->values,
                   plan->norms,
                   plan->steps,
                   plan->buffers,
                   plan->node_value,
                   plan->node_step,
                   plan->prepares,
                   plan->arena,
                   plan->own,
                   plan->weights,
                   plan->norm_block,
                   plan->sum_block,
                   plan->workers,
                   plan->worker_block,
                   plan->host.logits,
                   plan->host.logit_gradient};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        jsni_free(all[i]);
}
