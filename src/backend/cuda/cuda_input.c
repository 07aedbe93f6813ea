/* backend/cuda/cuda_input.c - the images of a step: copied when the step is due, or, of a
 * step that is known beforehand, while the one before it runs. Such images arrive on a
 * stream of their own in a second block of planes, and the step takes that block in
 * exchange for its own. */
#include "backend/cuda/cuda_plan.h"

static size_t input_bytes(const jsni_cuda_plan *plan, size_t views, size_t samples)
{
    return views * samples * jsni_shape_count(plan->base.graph->nodes[0].shape) *
           sizeof(float);
}

static jsn_status check_room(const jsni_cuda_plan *plan, size_t views, size_t samples)
{
    if (views == 0 || samples == 0 || views > plan->options.views ||
        samples > plan->options.batch)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%zu views of %zu samples, the plan has room for %zu of %zu",
                         views, samples, plan->options.views, plan->options.batch);
    return JSN_OK;
}

bool jsni_cuda_stages(const jsni_plan_options *options)
{
    return options->training && options->members <= 1;
}

jsn_status jsni_cuda_stage_create(jsni_cuda_plan *plan)
{
    jsni_cuda_stage *s = &plan->stage;
    if (!jsni_cuda_stages(&plan->options))
        return JSN_OK;
    JSNI_TRY_CUDA(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    JSNI_TRY_CUDA(cudaEventCreateWithFlags(&s->arrived, cudaEventDisableTiming));
    JSNI_TRY_CUDA(cudaEventCreateWithFlags(&s->unused, cudaEventDisableTiming));
    return jsni_cuda_alloc((void **)&s->planes,
                           input_bytes(plan, plan->options.views, plan->options.batch),
                           "images");
}

void jsni_cuda_stage_release(jsni_cuda_plan *plan)
{
    jsni_cuda_stage *s = &plan->stage;
    if (s->stream) {
        (void)cudaStreamSynchronize(s->stream);
        (void)cudaStreamDestroy(s->stream);
    }
    if (s->arrived)
        (void)cudaEventDestroy(s->arrived);
    if (s->unused)
        (void)cudaEventDestroy(s->unused);
    (void)cudaFree(s->planes);
}

jsn_status jsni_cuda_stage_input(jsni_plan *base, const float *images, size_t views,
                                 size_t samples)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_stage *s = &plan->stage;
    JSNI_TRY(check_room(plan, views, samples));
    if (!s->planes)
        return JSN_OK;
    JSNI_TRY_CUDA(cudaStreamWaitEvent(s->stream, s->unused, 0));
    JSNI_TRY_CUDA(cudaMemcpyAsync(s->planes, images, input_bytes(plan, views, samples),
                                  cudaMemcpyHostToDevice, s->stream));
    JSNI_TRY_CUDA(cudaEventRecord(s->arrived, s->stream));
    s->images = images;
    s->views = views;
    s->samples = samples;
    return JSN_OK;
}

/* What is in the member's stream so far has read the block that it gives away. */
static jsn_status take_staged(jsni_cuda_plan *plan)
{
    jsni_cuda_stage *s = &plan->stage;
    jsni_cuda_member *m = plan->member;
    float *const taken = s->planes;
    JSNI_TRY_CUDA(cudaStreamWaitEvent(m->stream, s->arrived, 0));
    s->planes = m->planes;
    m->planes = taken;
    return JSNI_CUDA(cudaEventRecord(s->unused, m->stream));
}

jsn_status jsni_cuda_set_input(jsni_plan *base, size_t member, const float *images,
                               size_t views, size_t samples)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_stage *s = &plan->stage;
    JSNI_TRY(check_room(plan, views, samples));
    const bool staged =
        s->images == images && s->views == views && s->samples == samples;
    s->images = NULL;
    if (images != NULL && staged) {
        JSNI_TRY(take_staged(plan));
    } else {
        /* What member 0 gets, all get, unless they are given something else later. */
        const size_t end = member == 0 ? plan->members : member + 1;
        const size_t bytes = input_bytes(plan, views, samples);
        for (size_t i = member; i < end; i++)
            JSNI_TRY_CUDA(cudaMemcpyAsync(plan->member[i].planes, images, bytes,
                                          cudaMemcpyHostToDevice,
                                          plan->member[i].stream));
    }
    plan->views = views;
    plan->samples = samples;
    return JSN_OK;
}

/* Memory that cannot be pinned is copied more slowly, which is no failure. */
bool jsni_cuda_pin(jsni_plan *base, void *memory, size_t bytes)
{
    (void)jsni_cuda_enter(base);
    if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    return false;
}

void jsni_cuda_unpin(jsni_plan *base, void *memory)
{
    const jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (plan->stage.stream)
        (void)cudaStreamSynchronize(plan->stage.stream);
    (void)cudaStreamSynchronize(plan->member[0].stream);
    (void)cudaHostUnregister(memory);
}
