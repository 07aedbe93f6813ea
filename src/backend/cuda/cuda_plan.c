/* backend/cuda/cuda_plan.c - makes and unmakes plans: what a node takes, how much memory
 * all of it needs, the blocks of each member. */
#include "backend/cuda/cuda_plan.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_loss.h"
#include "core/alloc.h"

/* Bytes that the packed layouts of a layer may take beyond its weights. */
enum { PACK_ROUNDING = 64 << 10 };

/* What cuDNN may use beside the tensors. In bf16 it copies an input whose channels are not
 * a multiple of 8, such as photographs, into one where they are. */
static size_t workspace_of(const jsni_graph *graph, const jsni_plan_options *options)
{
    size_t most = (size_t)64 << 20;
    for (size_t n = 0; n < graph->node_count; n++) {
        if (graph->nodes[n].op.kind != JSNI_OP_CONV ||
            options->precision != JSN_PRECISION_BF16)
            continue;
        const jsni_shape in = jsni_graph_input_shape(graph, n);
        const size_t channels = (in.channels + 7) / 8 * 8;
        const size_t copied =
            channels == in.channels
                ? 0
                : options->views * options->batch * in.height * in.width * channels * 2;
        most = copied + copied / 4 > most ? copied + copied / 4 : most;
    }
    return most;
}

jsn_status jsni_cuda_supports(const jsni_backend *backend, const jsni_graph *graph,
                              size_t node, const jsni_plan_options *options)
{
    (void)backend;
    const jsni_node *n = &graph->nodes[node];
    if (options->batch * options->views * jsni_shape_count(n->shape) > (size_t)1 << 40)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: too large for the CUDA backend",
                         n->name);
    if (options->views > 16)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "the CUDA backend takes at most 16 views, not %zu",
                         options->views);
    if (node == graph->node_count - 1 && options->precision == JSN_PRECISION_BF16 &&
        n->op.kind != JSNI_OP_LINEAR)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "%s: in bf16 the last layer must be a linear one", n->name);
    return JSN_OK;
}

/* For measuring members with fewer, longer blocks. */
static int asked_turns(void)
{
    const char *text = getenv("JENSEN_CUDA_TURNS");
    const long turns = text ? strtol(text, NULL, 10) : 1;
    return turns >= 1 && turns <= 64 ? (int)turns : 1;
}

void jsni_cuda_base_make(jsni_make *make, const jsni_cuda *device,
                         const jsni_graph *graph, const jsni_plan_options *options,
                         bool no_own)
{
    memset(make, 0, sizeof *make);
    make->graph = graph;
    make->options = *options;
    make->wide = device->wide;
    make->clusters = device->clusters;
    make->roomy = device->roomy;
    make->no_own = no_own;
    make->turns = asked_turns();
    make->views = options->views;
    make->samples = options->batch;
    make->training = options->training;
}

/* For comparing with the plain kernels, and for finding out which one is at fault. */
static bool own_kernels_off(void)
{
    const char *text = getenv("JENSEN_CUDA_PLAIN");
    return text && strcmp(text, "1") == 0;
}

static void add_pack(jsni_cuda_plan *plan, size_t n, int kind, size_t *at)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_node *node = &graph->nodes[n];
    const jsni_window *w = &node->op.as.conv.window;
    jsni_pack *pack = &plan->packs[plan->pack_count];
    pack->kind = kind;
    pack->out_channels = (int)node->shape.channels;
    pack->in_channels = (int)jsni_graph_input_shape(graph, n).channels;
    pack->taps = (int)(w->kernel_h * w->kernel_w);
    pack->first_block = plan->pack_blocks;
    plan->pack_nodes[plan->pack_count++] = n;
    *at = plan->packed_bytes;
    plan->packed_bytes += (jsni_pack_bytes(pack) + 1023) / 1024 * 1024;
    plan->pack_blocks += jsni_pack_blocks(pack);
}

/* Packed layouts of every convolution. The plain layout of those with own kernels comes
 * last: it is needed only when a program of another size does without these. */
static void list_packs(jsni_cuda_plan *plan, const jsni_make_node *nodes)
{
    const jsni_graph *graph = plan->base.graph;
    const int plain = plan->options.precision == JSN_PRECISION_BF16 ? JSNI_PACK_HALF
                                                                    : JSNI_PACK_FLOAT;
    for (int extra = 0; extra < 2; extra++) {
        for (size_t n = 0; n < graph->node_count; n++) {
            const jsni_node *node = &graph->nodes[n];
            jsni_packed_at *at = &plan->packed[n];
            if (node->op.kind != JSNI_OP_CONV)
                continue;
            const bool own = nodes[n].how == JSNI_HOW_OWN;
            const bool wide = plan->wide;
            if (own == (bool)extra)
                add_pack(plan, n, plain, &at->plain);
            if (own && !extra) {
                add_pack(plan, n, wide ? JSNI_PACK_WIDE : JSNI_PACK_MMA, &at->forward);
                add_pack(plan, n, wide ? JSNI_PACK_WIDE_BACK : JSNI_PACK_MMA_BACK,
                         &at->back);
            }
        }
        if (!extra) {
            plan->usual_packs = plan->pack_count;
            plan->usual_blocks = plan->pack_blocks;
        }
    }
}

/* Arena and task count of a plan: the largest of the programs it may run. */
static jsn_status measure(const jsni_cuda *device, const jsni_graph *graph,
                          const jsni_plan_options *options, bool no_own, size_t *arena,
                          size_t *tasks)
{
    *arena = *tasks = 0;
    for (int plain = 0; plain < 2; plain++)
        for (int training = 0; training <= (int)options->training; training++) {
            jsni_make make;
            jsni_cuda_base_make(&make, device, graph, options, plain || no_own);
            make.training = training;
            JSNI_TRY(jsni_make_run(&make));
            *arena = make.high > *arena ? make.high : *arena;
            *tasks = make.task_count > *tasks ? make.task_count : *tasks;
            jsni_make_release(&make);
        }
    *tasks += 16;
    return JSN_OK;
}

/* The same for every number of views and samples that the plan takes. */
static jsn_status measure_all(const jsni_cuda *device, const jsni_graph *graph,
                              const jsni_plan_options *options, bool no_own,
                              size_t *arena, size_t *tasks)
{
    JSNI_TRY(measure(device, graph, options, no_own, arena, tasks));
    for (int plain = 0; plain < 2; plain++)
        for (int training = 0; training <= (int)options->training; training++) {
            jsni_make make;
            jsni_cuda_base_make(&make, device, graph, options, plain || no_own);
            make.training = training;
            JSNI_TRY(jsni_make_measure_fewer(&make, arena, tasks));
        }
    return JSN_OK;
}

/* Images of an evaluation pass: activations are not kept, so several batches fit the
 * memory that one view of a training batch takes. Of the network and the batch alone:
 * the same for a run by itself and among others. */
static jsn_status measure_evaluation(const jsni_cuda *device, const jsni_graph *graph,
                                     const jsni_plan_options *options, bool no_own,
                                     size_t *images)
{
    enum { MOST = 1024 };
    jsni_plan_options one = *options;
    size_t room = 0, tasks = 0;
    one.views = 1;
    JSNI_TRY(measure(device, graph, &one, no_own, &room, &tasks));
    *images = options->batch;
    for (size_t next = 2 * options->batch; next <= MOST; next *= 2) {
        jsni_make make;
        jsni_cuda_base_make(&make, device, graph, &one, no_own);
        make.training = false;
        make.samples = next;
        JSNI_TRY(jsni_make_run(&make));
        const bool fits = make.high <= room;
        jsni_make_release(&make);
        if (!fits)
            break;
        *images = next;
    }
    return JSN_OK;
}

static size_t count_chunks(const jsni_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->param_count; i++)
        count += (graph->params[i].count + JSNI_UPDATE_CHUNK - 1) / JSNI_UPDATE_CHUNK;
    return count;
}

jsn_status jsni_cuda_plan_memory(const jsni_backend *backend, const jsni_graph *graph,
                                 const jsni_plan_options *options, jsni_memory *out)
{
    const size_t members = options->members > 1 ? options->members : 1;
    const size_t params = graph->param_floats * sizeof(float);
    size_t arena = 0, tasks = 0;
    const bool no_own = own_kernels_off();
    JSNI_TRY(
        measure((const jsni_cuda *)backend, graph, options, no_own, &arena, &tasks));
    const size_t planes = (jsni_cuda_stages(options) ? 2 : 1) * options->views *
                          options->batch * jsni_shape_count(graph->nodes[0].shape) *
                          sizeof(float);
    memset(out, 0, sizeof *out);
    out->parameters = members * params;
    out->gradients = options->training ? members * params : 0;
    out->optimiser = members * options->optimiser_slots * params;
    out->statistics = members * graph->stat_floats * sizeof(float);
    out->activations = members * arena;
    /* Packed weights: a copy in float, or three in bf16 where own kernels run. */
    const size_t packed =
        (options->precision == JSN_PRECISION_BF16 ? 3 * params / 2 : params) +
        graph->node_count * PACK_ROUNDING;
    out->workspace = members * (packed + planes + 2 * workspace_of(graph, options));
    return JSN_OK;
}

jsn_status jsni_cuda_settle(void)
{
    return JSNI_CUDA(cudaStreamSynchronize(NULL));
}

jsn_status jsni_cuda_alloc(void **out, size_t bytes, const char *what)
{
    *out = NULL;
    const cudaError_t error = cudaMalloc(out, bytes ? bytes : 1);
    if (error == cudaErrorMemoryAllocation) {
        size_t free_bytes = 0, total = 0;
        (void)cudaGetLastError();
        (void)cudaMemGetInfo(&free_bytes, &total);
        return jsni_fail(JSN_ERR_DEVICE,
                         "out of device memory: %.1f MiB for %s, %.1f of %.1f MiB are "
                         "free",
                         (double)bytes / 1048576.0, what,
                         (double)free_bytes / 1048576.0, (double)total / 1048576.0);
    }
    JSNI_TRY(jsni_cuda_check(error, "cudaMalloc"));
    JSNI_TRY_CUDA(cudaMemset(*out, 0, bytes ? bytes : 1));
    return jsni_cuda_settle();
}

#define TRY_DEVICE(pointer, bytes, what) \
    JSNI_TRY(jsni_cuda_alloc((void **)&(pointer), (bytes), (what)))

static jsn_status make_tables(jsni_cuda_plan *plan, jsni_cuda_member *m)
{
    const jsni_graph *g = plan->base.graph;
    jsni_update_chunk *chunks = jsni_alloc_zero(plan->chunk_count + 1, sizeof *chunks);
    jsni_pack *packs = jsni_alloc_zero(plan->pack_count + 1, sizeof *packs);
    jsn_status status = chunks && packs ? JSN_OK : JSN_ERR_MEMORY;
    size_t chunk = 0, pack = 0;
    for (size_t i = 0; status == JSN_OK && i < g->param_count; i++) {
        const jsni_tensor *t = &g->params[i];
        for (size_t at = 0; at < t->count; at += JSNI_UPDATE_CHUNK) {
            const size_t rest = t->count - at;
            chunks[chunk].offset = (uint32_t)(t->offset + at);
            chunks[chunk].count =
                (uint32_t)(rest < JSNI_UPDATE_CHUNK ? rest : JSNI_UPDATE_CHUNK);
            chunks[chunk].decay = t->role == JSNI_ROLE_WEIGHT;
            chunk++;
        }
    }
    for (; status == JSN_OK && pack < plan->pack_count; pack++) {
        const size_t n = plan->pack_nodes[pack];
        const jsni_packed_at *at = &plan->packed[n];
        const int kind = plan->packs[pack].kind;
        packs[pack] = plan->packs[pack];
        packs[pack].from = m->params + g->params[g->nodes[n].weight].offset;
        packs[pack].to =
            m->packed + (kind == JSNI_PACK_FLOAT || kind == JSNI_PACK_HALF ? at->plain
                         : kind == JSNI_PACK_MMA || kind == JSNI_PACK_WIDE ? at->forward
                                                                           : at->back);
    }
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaMemcpy(m->chunks, chunks, chunk * sizeof *chunks,
                                      cudaMemcpyHostToDevice));
    if (status == JSN_OK && pack)
        status = JSNI_CUDA(
            cudaMemcpy(m->packs, packs, pack * sizeof *packs, cudaMemcpyHostToDevice));
    jsni_free(chunks);
    jsni_free(packs);
    return status;
}

static jsn_status member_create(jsni_cuda_plan *plan, jsni_cuda_member *m)
{
    const jsni_graph *g = plan->base.graph;
    const jsni_plan_options *o = &plan->options;
    const size_t floats = g->param_floats * sizeof(float);
    JSNI_TRY_CUDA(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking));
    JSNI_TRY_CUDA(cudaStreamCreateWithFlags(&m->side, cudaStreamNonBlocking));
    JSNI_TRY_CUDA(cudaEventCreateWithFlags(&m->fork, cudaEventDisableTiming));
    for (size_t i = 0; i < sizeof m->joins / sizeof m->joins[0]; i++)
        JSNI_TRY_CUDA(cudaEventCreateWithFlags(&m->joins[i], cudaEventDisableTiming));
    JSNI_TRY(jsni_cudnn_create(&m->cudnn));
    TRY_DEVICE(m->params, floats, "parameters");
    TRY_DEVICE(m->stats, g->stat_floats * sizeof(float), "running statistics");
    TRY_DEVICE(m->arena, plan->arena_bytes, "activations and their gradients");
    TRY_DEVICE(m->packed, plan->packed_bytes, "packed weights");
    TRY_DEVICE(m->workspace, plan->workspace_bytes, "cuDNN's workspace");
    TRY_DEVICE(m->side_workspace, o->training ? plan->workspace_bytes : 0,
               "cuDNN's workspace");
    TRY_DEVICE(m->packs, (plan->pack_count + 1) * sizeof *m->packs, "tables");
    TRY_DEVICE(m->chunks, (plan->chunk_count + 1) * sizeof *m->chunks, "tables");
    TRY_DEVICE(m->planes,
               o->views * o->batch * jsni_shape_count(g->nodes[0].shape) *
                   sizeof(float),
               "images");
    TRY_DEVICE(m->loss_values, (1 + o->batch) * sizeof(double), "losses");
    TRY_DEVICE(m->loss_room, jsni_cuda_loss_workspace(o->batch), "losses");
    TRY_DEVICE(m->labels.labels, o->batch * sizeof(int32_t), "labels");
    TRY_DEVICE(m->labels.truth, o->batch * sizeof(int32_t), "labels");
    TRY_DEVICE(m->labels.targets, o->batch * g->classes * sizeof(float), "labels");
    TRY_DEVICE(m->labels.weights, o->batch * sizeof(double), "weights");
    TRY_DEVICE(m->labels.class_weights, g->classes * sizeof(double), "weights");
    TRY_DEVICE(m->labels.second, o->batch, "labels");
    TRY_DEVICE(m->labels.memory, o->batch * g->classes * sizeof(float), "labels");
    TRY_DEVICE(m->labels.places, o->batch * sizeof(uint32_t), "labels");
    TRY_DEVICE(m->counters, 4 * sizeof(uint32_t), "counters");
    TRY_DEVICE(m->seed, sizeof(uint64_t), "counters");
    TRY_DEVICE(m->counts, sizeof *m->counts, "counters");
    TRY_DEVICE(m->key, sizeof *m->key, "counters");
    if (o->training) {
        TRY_DEVICE(m->grads, floats, "gradients");
        TRY_DEVICE(m->state, o->optimiser_slots * floats, "optimiser state");
        TRY_DEVICE(m->rules, sizeof *m->rules, "rules");
        m->rule_capacity = 1;
    }
    return make_tables(plan, m);
}

static void member_release(jsni_cuda_plan *plan, jsni_cuda_member *m)
{
    if (m->stream)
        (void)cudaStreamSynchronize(m->stream);
    if (m->recording.graph)
        (void)cudaGraphExecDestroy(m->recording.graph);
    for (size_t i = 0; i < JSNI_CUDA_PROGRAMS; i++)
        jsni_cuda_program_release(plan, &m->programs[i]);
    void *const blocks[] = {
        m->params,         m->grads,          m->state,
        m->stats,          m->arena,          m->packed,
        m->workspace,      m->side_workspace, m->loss_room,
        m->packs,          m->chunks,         m->planes,
        m->loss_values,    m->labels.labels,  m->labels.truth,
        m->labels.targets, m->labels.weights, m->labels.class_weights,
        m->labels.second,  m->rules,          m->counters,
        m->seed,           m->counts,         m->key,
        m->data_labels,    m->data_truth,     m->data_second,
        m->order,          m->recipe,         m->normal,
        m->labels.memory,  m->labels.places,  m->data_memory,
        m->walk,           m->shares};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        (void)cudaFree(blocks[i]);
    jsni_cudnn_destroy(m->cudnn);
    for (size_t i = 0; i < sizeof m->joins / sizeof m->joins[0]; i++)
        if (m->joins[i])
            (void)cudaEventDestroy(m->joins[i]);
    if (m->fork)
        (void)cudaEventDestroy(m->fork);
    if (m->side)
        (void)cudaStreamDestroy(m->side);
    if (m->stream)
        (void)cudaStreamDestroy(m->stream);
}

void jsni_cuda_plan_destroy(jsni_plan *base)
{
    if (!base)
        return;
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    for (size_t i = 0; plan->member && i < plan->members; i++)
        member_release(plan, &plan->member[i]);
    jsni_cuda_stage_release(plan);
    jsni_cuda_resident_release(plan);
    jsni_free(plan->member);
    jsni_free(plan->packed);
    jsni_free(plan->packs);
    jsni_free(plan->pack_nodes);
    jsni_free(plan->texts);
    jsni_free(plan);
}

static jsn_status plan_make(jsni_cuda_plan *plan)
{
    const jsni_graph *g = plan->base.graph;
    const jsni_cuda *device = (const jsni_cuda *)plan->base.backend;
    const jsni_plan_options *o = &plan->options;
    size_t arena = 0;
    JSNI_TRY_CUDA(cudaSetDevice(device->device));
    JSNI_TRY(measure_all(device, g, o, plan->no_own, &arena, &plan->task_capacity));
    JSNI_TRY(measure_evaluation(device, g, o, plan->no_own, &plan->evaluated));
    plan->arena_bytes = arena;
    plan->workspace_bytes = workspace_of(g, o);
    plan->chunk_count = count_chunks(g);
    JSNI_TRY_ALLOC(plan->packed = jsni_alloc_zero(g->node_count, sizeof *plan->packed));
    JSNI_TRY_ALLOC(plan->packs =
                       jsni_alloc_zero(3 * g->node_count, sizeof *plan->packs));
    JSNI_TRY_ALLOC(plan->pack_nodes =
                       jsni_alloc_zero(3 * g->node_count, sizeof *plan->pack_nodes));
    JSNI_TRY_ALLOC(plan->texts = jsni_alloc_zero(g->node_count, sizeof *plan->texts));
    for (size_t n = 0; n < g->node_count; n++)
        plan->packed[n].plain = plan->packed[n].forward = plan->packed[n].back =
            SIZE_MAX;
    jsni_make make;
    jsni_cuda_base_make(&make, device, g, o, plan->no_own);
    /* Whatever the plan's batch: programs of other sizes, such as an evaluation's, may run
     * own kernels where it does not. */
    const jsn_status status = jsni_make_analyse_own(&make);
    plan->wide = make.wide;
    plan->clusters = make.clusters;
    if (status == JSN_OK)
        list_packs(plan, make.nodes);
    jsni_make_release(&make);
    JSNI_TRY(status);
    JSNI_TRY_ALLOC(plan->member = jsni_alloc_zero(plan->members, sizeof *plan->member));
    for (size_t i = 0; i < plan->members; i++)
        JSNI_TRY(member_create(plan, &plan->member[i]));
    JSNI_TRY(jsni_cuda_stage_create(plan));
    jsni_program *unused = NULL;
    for (size_t i = 0; i < plan->members; i++)
        JSNI_TRY(jsni_cuda_program(plan, i, o->training ? o->views : 1, o->batch,
                                   o->training, &unused));
    return JSNI_CUDA(cudaDeviceSynchronize());
}

jsn_status jsni_cuda_plan_create(jsni_backend *backend, const jsni_graph *graph,
                                 const jsni_plan_options *options, jsni_plan **out)
{
    *out = NULL;
    jsni_cuda_plan *plan = jsni_alloc_zero(1, sizeof *plan);
    JSNI_TRY_ALLOC(plan);
    plan->base.ops = backend->ops;
    plan->base.backend = backend;
    plan->base.graph = graph;
    plan->options = *options;
    plan->members = options->members > 1 ? options->members : 1;
    plan->no_own = own_kernels_off();
    const jsn_status status = plan_make(plan);
    if (status != JSN_OK) {
        jsni_cuda_plan_destroy(&plan->base);
        return status;
    }
    *out = &plan->base;
    return JSN_OK;
}
