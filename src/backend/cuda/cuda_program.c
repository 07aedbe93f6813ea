/* backend/cuda/cuda_program.c - the programs of a member: the tasks of a pass for one
 * number of views and samples, made when that shape first comes. A few are kept; the
 * oldest makes room for the next. */
#include <string.h>

#include "backend/cuda/cuda_plan.h"
#include "core/alloc.h"

void jsni_cuda_program_release(jsni_cuda_plan *plan, jsni_program *p)
{
    for (size_t n = 0; p->convs && n < plan->base.graph->node_count; n++)
        jsni_cudnn_conv_destroy(p->convs[n]);
    for (size_t half = 0; half < 2; half++)
        if (p->graphs[half])
            (void)cudaGraphExecDestroy(p->graphs[half]);
    jsni_free(p->tasks);
    jsni_free(p->values);
    jsni_free(p->halves);
    jsni_free(p->convs);
    jsni_free(p->finals);
    (void)cudaFree(p->device_finals);
    memset(p, 0, sizeof *p);
}

static jsn_status program_memory(jsni_cuda_plan *plan, jsni_program *p)
{
    const size_t nodes = plan->base.graph->node_count;
    JSNI_TRY_ALLOC(p->tasks = jsni_alloc_zero(plan->task_capacity, sizeof *p->tasks));
    JSNI_TRY_ALLOC(p->values = jsni_alloc_zero(nodes, sizeof *p->values));
    JSNI_TRY_ALLOC(p->halves = jsni_alloc_zero(nodes, sizeof *p->halves));
    JSNI_TRY_ALLOC(p->convs = jsni_alloc_zero(nodes, sizeof *p->convs));
    JSNI_TRY_ALLOC(p->finals = jsni_alloc_zero(nodes, sizeof *p->finals));
    return jsni_cuda_alloc((void **)&p->device_finals, nodes * sizeof *p->finals,
                           "tables");
}

static size_t offset_of(const jsni_make *make, int buffer)
{
    return buffer == JSNI_NO_BUFFER ? SIZE_MAX : make->buffers[buffer].offset;
}

static jsn_status program_make(jsni_cuda_plan *plan, jsni_cuda_member *m,
                               jsni_program *p, size_t views, size_t samples,
                               bool training)
{
    JSNI_TRY(program_memory(plan, p));
    jsni_make make;
    jsni_cuda_base_make(&make, (const jsni_cuda *)plan->base.backend, plan->base.graph,
                        &plan->options, plan->no_own);
    make.views = views;
    make.samples = samples;
    make.training = training;
    make.packed = plan->packed;
    make.tasks = p->tasks;
    make.task_capacity = plan->task_capacity;
    make.finals = p->finals;
    const jsni_make_base base = {.arena = m->arena,
                                 .params = m->params,
                                 .grads = m->grads,
                                 .stats = m->stats,
                                 .packed = m->packed,
                                 .finals = p->device_finals,
                                 .dropout_seed = m->seed,
                                 .dropout_step = m->counters + 2,
                                 .cudnn = m->cudnn,
                                 .workspace = m->workspace,
                                 .side_workspace = m->side_workspace,
                                 .workspace_bytes = plan->workspace_bytes};
    make.base = base;
    make.room = training ? plan->options.views * plan->options.batch : 0;
    JSNI_TRY(jsni_make_run(&make));
    if (make.high > plan->arena_bytes) {
        for (size_t n = 0; n < plan->base.graph->node_count; n++)
            jsni_cudnn_conv_destroy(make.nodes[n].cudnn);
        jsni_make_release(&make);
        return jsni_fail(JSN_ERR_DEVICE,
                         "a program needs %zu bytes of activations, the plan has %zu",
                         make.high, plan->arena_bytes);
    }
    p->forward_tasks = make.forward_tasks;
    p->task_count = make.task_count;
    p->input = offset_of(&make, make.input);
    p->output_grad = offset_of(&make, make.output_grad);
    p->input_grad = offset_of(&make, make.input_grad);
    bool plain = false;
    for (size_t n = 0; n < plan->base.graph->node_count; n++) {
        /* A convolution with own kernels that this program runs without them. */
        plain = plain || (plan->packed[n].forward != SIZE_MAX &&
                          make.nodes[n].how != JSNI_HOW_OWN);
        p->values[n] = offset_of(&make, make.nodes[n].value);
        p->halves[n] = make.nodes[n].half;
        p->convs[n] = make.nodes[n].cudnn;
    }
    if (m == plan->member && (training || !plan->options.training))
        jsni_cuda_describe(plan, &make);
    jsni_make_release(&make);
    JSNI_TRY_CUDA(cudaMemcpy(p->device_finals, p->finals,
                             make.final_count * sizeof *p->finals,
                             cudaMemcpyHostToDevice));
    JSNI_TRY(jsni_cuda_settle());
    p->views = views;
    p->samples = samples;
    p->training = training;
    if (plain && !m->all_packs) {
        m->all_packs = true;
        return jsni_cuda_pack(plan, m);
    }
    return JSN_OK;
}

jsn_status jsni_cuda_program(jsni_cuda_plan *plan, size_t member, size_t views,
                             size_t samples, bool training, jsni_program **out)
{
    jsni_cuda_member *m = &plan->member[member];
    for (size_t i = 0; i < JSNI_CUDA_PROGRAMS; i++) {
        jsni_program *p = &m->programs[i];
        if (p->samples == samples && p->views == views && p->training == training) {
            *out = p;
            return JSN_OK;
        }
    }
    jsni_program *p = &m->programs[m->next_program];
    JSNI_TRY_CUDA(cudaStreamSynchronize(m->stream));
    m->next_program = (m->next_program + 1) % JSNI_CUDA_PROGRAMS;
    m->recording.valid = false;
    jsni_cuda_program_release(plan, p);
    const jsn_status status = program_make(plan, m, p, views, samples, training);
    if (status != JSN_OK) {
        jsni_cuda_program_release(plan, p);
        return status;
    }
    *out = p;
    return JSN_OK;
}

jsn_status jsni_cuda_recorded(cudaStream_t stream, jsn_status status, const char *what,
                              cudaGraphExec_t *out)
{
    cudaGraph_t graph = NULL;
    *out = NULL;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (status == JSN_OK)
        status = jsni_cuda_check(ended, what);
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaGraphInstantiate(out, graph, 0));
    if (graph)
        (void)cudaGraphDestroy(graph);
    return status;
}

jsn_status jsni_cuda_run_half(jsni_cuda_member *m, jsni_program *p, bool backward)
{
    const jsni_task *tasks = p->tasks + (backward ? p->forward_tasks : 0);
    const size_t count = backward ? p->task_count - p->forward_tasks : p->forward_tasks;
    cudaGraphExec_t *graph = &p->graphs[backward];
    if (!p->ran[backward]) {
        p->ran[backward] = true;
        return jsni_cuda_run_tasks(m, tasks, count);
    }
    if (!*graph) {
        JSNI_TRY_CUDA(
            cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal));
        JSNI_TRY(jsni_cuda_recorded(m->stream, jsni_cuda_run_tasks(m, tasks, count),
                                    "recording a pass", graph));
    }
    m->joined = true;
    return JSNI_CUDA(cudaGraphLaunch(*graph, m->stream));
}
