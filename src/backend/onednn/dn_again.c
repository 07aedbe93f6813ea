/* backend/onednn/dn_again.c - results that are made again for the backward pass instead of
 * being kept. The widening 1x1 convolution in front of a depthwise one has a result many times
 * the size of its input, at few products a value: most of the memory of a training step of
 * EfficientNets and MobileNets. Its memory is free from the end of its reader on; backward it
 * is computed once more, with the same bits, just before it is read. */
#include "backend/onednn/dn_plan.h"
#include "core/fail.h"

enum {
    WIDENING = 3,     /* times the channels of the input, at least */
    FEW_CHANNELS = 48 /* of the input, at most: products a value */
};

size_t jsni_dn_only_reader(const dn_plan *plan, size_t tensor, size_t *as)
{
    size_t found = JSNI_NONE;
    *as = JSNI_NONE;
    for (size_t s = 0; s < plan->step_count; s++)
        for (int k = 0; k < 2; k++) {
            const size_t value = plan->steps[s].in[k];
            if (value == JSNI_NONE || plan->values[value].tensor != tensor)
                continue;
            if (found != JSNI_NONE)
                return JSNI_NONE;
            found = s;
            *as = value;
        }
    return found;
}

static bool suits(const dn_plan *plan, size_t number)
{
    const dn_step *step = &plan->steps[number];
    if (step->kind != DN_CONV || step->own || step->in[1] != JSNI_NONE)
        return false;
    const dn_tensor *in = &plan->tensors[plan->values[step->in[0]].tensor];
    const dn_tensor *out = &plan->tensors[step->out];
    const jsni_window *w = jsni_op_window(&plan->host.base.graph->nodes[step->node].op);
    size_t as;
    const size_t reader = jsni_dn_only_reader(plan, step->out, &as);
    return w->kernel_h == 1 && w->kernel_w == 1 && in->pixels == out->pixels &&
           in->shape.channels <= FEW_CHANNELS && !in->plain &&
           out->shape.channels >= WIDENING * in->shape.channels &&
           step->out != plan->output && reader != JSNI_NONE &&
           plan->steps[reader].kind == DN_DEPTHWISE;
}

jsn_status jsni_dn_again_plan(dn_plan *plan)
{
    for (size_t s = 0; s < plan->step_count; s++) {
        dn_tensor *t = &plan->tensors[plan->steps[s].out];
        t->forward = t->again = t->buffer;
        if (!plan->host.options.training || !suits(plan, s))
            continue;
        size_t as;
        const size_t reader = jsni_dn_only_reader(plan, plan->steps[s].out, &as);
        JSNI_TRY(jsni_dn_buffer_add(plan, dn_capacity(plan) * t->floats,
                                    dn_back_time(plan, reader), dn_back_time(plan, s),
                                    &t->again));
        plan->buffers[t->forward].to = reader;
        plan->steps[reader].again = s;
    }
    return JSN_OK;
}

typedef struct again_job {
    dn_plan *plan;
    dn_step *step;
} again_job;

static void run_shard(void *user, size_t shard, size_t worker)
{
    const again_job *job = user;
    const dn_range all = jsni_dn_range_of(job->plan, job->step, shard, worker);
    const double start = jsni_dn_time_begin(job->plan);
    jsni_dnnl_threads(1);
    jsni_dn_conv_again(job->plan, job->step, &all, worker);
    jsni_dn_time_end(job->plan, job->step, DN_FORWARD, worker, start);
}

void jsni_dn_again_forward(dn_plan *plan)
{
    for (size_t t = 0; t < plan->tensor_count; t++)
        plan->tensors[t].buffer = plan->tensors[t].forward;
}

void jsni_dn_again_backward(dn_plan *plan, const dn_step *reader)
{
    if (reader->again == JSNI_NONE)
        return;
    again_job job = {plan, &plan->steps[reader->again]};
    dn_tensor *t = &plan->tensors[job.step->out];
    t->buffer = t->again;
    jsni_pool_run(plan->host.pool, dn_shards(plan, job.step), run_shard, &job);
}
