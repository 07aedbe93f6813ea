/* backend/cuda/cuda_time.c - how long each task of a training step takes, by itself: ten
 * launches recorded as a graph, replayed, the median divided by ten. The data is in the
 * cache more than in a real step, and no task overlaps its neighbour's start; the sum is
 * a guide, not the time of a step. */
#include "backend/cuda/cuda_plan.h"

#include <string.h>

enum { LAUNCHES = 10, REPLAYS = 7 };

static void sort(float *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const float swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
}

static jsn_status replay(cudaGraphExec_t graph, cudaStream_t stream, cudaEvent_t first,
                         cudaEvent_t last, double *seconds)
{
    float times[REPLAYS];
    for (size_t i = 0; i < REPLAYS; i++) {
        JSNI_TRY_CUDA(cudaEventRecord(first, stream));
        JSNI_TRY_CUDA(cudaGraphLaunch(graph, stream));
        JSNI_TRY_CUDA(cudaEventRecord(last, stream));
        JSNI_TRY_CUDA(cudaEventSynchronize(last));
        JSNI_TRY_CUDA(cudaEventElapsedTime(&times[i], first, last));
    }
    sort(times, REPLAYS);
    *seconds = (double)times[REPLAYS / 2] * 1e-3 / LAUNCHES;
    return JSN_OK;
}

static jsn_status time_task(const jsni_task *task, cudaStream_t stream,
                            cudaEvent_t first, cudaEvent_t last, double *seconds)
{
    JSNI_TRY_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    jsn_status status = JSN_OK;
    for (int i = 0; i < LAUNCHES && status == JSN_OK; i++)
        status = jsni_task_run(task, stream);
    cudaGraphExec_t exec = NULL;
    status = jsni_cuda_recorded(stream, status, "recording a task", &exec);
    if (status == JSN_OK)
        status = replay(exec, stream, first, last, seconds);
    if (exec)
        (void)cudaGraphExecDestroy(exec);
    return status;
}

jsn_status jsni_cuda_time_tasks(jsni_plan *base, jsni_task_time *times, size_t room,
                                size_t *count)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = plan->member;
    jsni_program *p = NULL;
    JSNI_TRY(jsni_cuda_program(plan, 0, plan->options.views, plan->options.batch,
                               plan->options.training, &p));
    jsni_cuda_roof roof;
    JSNI_TRY(jsni_cuda_roof_of(plan, &roof));
    cudaEvent_t first = NULL, last = NULL;
    jsn_status status = JSNI_CUDA(cudaEventCreate(&first));
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaEventCreate(&last));
    if (status == JSN_OK)
        status = jsni_cuda_run_tasks(m, p->tasks, p->task_count);
    for (size_t i = 0; i < p->task_count && i < room && status == JSN_OK; i++) {
        times[i].node = p->tasks[i].node;
        times[i].what = jsni_task_text(p->tasks[i].kind, i >= p->forward_tasks);
        jsni_cuda_work(plan, &p->tasks[i], &roof, &times[i]);
        status = time_task(&p->tasks[i], m->stream, first, last, &times[i].seconds);
    }
    *count = p->task_count;
    if (first)
        (void)cudaEventDestroy(first);
    if (last)
        (void)cudaEventDestroy(last);
    return status;
}
