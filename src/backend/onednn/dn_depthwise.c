/* backend/onednn/dn_depthwise.c - a depthwise convolution step: one shard forward and
 * backward by the own kernels, and the sum of the shards' weight gradients. */
#include "backend/onednn/dn_plan.h"

static size_t area_of(const dn_step *step)
{
    return step->pool.kernel_h * step->pool.kernel_w;
}

void jsni_dn_depthwise_create(dn_plan *plan, dn_step *step)
{
    const size_t need = plan->kernels->depthwise_need(&step->pool);
    if (need > plan->need.ring)
        plan->need.ring = need;
    step->part = step->pool.blocks * area_of(step) * plan->kernels->lanes;
    step->weights_forward = plan->weight_floats;
    plan->weight_floats += step->part;
}

void jsni_dn_depthwise_prepare(dn_plan *plan, const dn_step *step)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_tensor *weight = &graph->params[graph->nodes[step->node].weight];
    plan->kernels->depthwise_weights(plan->host.params + weight->offset, weight->dim[0],
                                     area_of(step),
                                     plan->weights + step->weights_forward);
}

void jsni_dn_depthwise_forward(dn_plan *plan, const dn_step *step, const dn_range *r,
                               size_t worker, const jsni_sums *sums, bool first)
{
    const jsni_graph *graph = plan->host.base.graph;
    const size_t bias = graph->nodes[step->node].bias;
    jsni_load finish;
    if (step->finish != JSNI_NONE)
        finish = jsni_dn_finish(plan, step->finish, r->view);
    const jsni_depthwise_call call = {
        .x = dn_images_at(plan, plan->values[step->in[0]].tensor, r),
        .load = jsni_dn_load(plan, step->in[0], r->view),
        .weights = plan->weights + step->weights_forward,
        .bias =
            bias == JSNI_NONE ? NULL : plan->host.params + graph->params[bias].offset,
        .finish = step->finish == JSNI_NONE ? NULL : &finish,
        .out = dn_images_at(plan, step->out, r),
        .sums = sums,
        .first = first,
        .images = r->count,
    };
    plan->kernels->depthwise(&step->pool, &call, plan->workers[worker].ring);
}

static void data_unit(dn_plan *plan, const dn_step *step, const dn_range *r,
                      const float *g, size_t worker)
{
    const dn_back *back = &step->back[0];
    if (back->to == JSNI_NONE)
        return;
    const size_t at = r->first * plan->tensors[plan->values[step->in[0]].tensor].floats;
    plan->kernels->depthwise_back(
        &step->pool, r->count, g, plan->weights + step->weights_forward,
        back->addend == JSNI_NONE ? NULL : dn_buffer_at(plan, back->addend) + at,
        dn_buffer_at(plan, back->to) + at, plan->workers[worker].ring);
    jsni_dn_back_input(plan, step, 0, r);
}

void jsni_dn_depthwise_backward(dn_plan *plan, dn_step *step, const dn_range *r,
                                size_t worker)
{
    const dn_worker *w = &plan->workers[worker];
    const size_t channels = plan->tensors[step->out].blocks * plan->kernels->lanes;
    const jsni_load load = jsni_dn_load(plan, step->in[0], r->view);
    double *bias =
        step->bias_sums == NULL ? NULL : step->bias_sums + r->shard * channels;
    for (size_t c = 0; bias != NULL && c < channels; c++)
        bias[c] = 0.0;
    for (size_t i = 0; i < r->count; i += step->unit) {
        const size_t n = r->count - i < step->unit ? r->count - i : step->unit;
        const dn_range part = dn_part_of(r, i, n);
        double start = jsni_dn_time_begin(plan);
        const float *g = jsni_dn_out_gradient(plan, step, &part, w->g);
        if (bias != NULL)
            plan->kernels->channel_sums(jsni_dn_extent(plan, step->out, n), g, bias);
        jsni_dn_time_end(plan, step, DN_GRADIENT, worker, start);
        start = jsni_dn_time_begin(plan);
        data_unit(plan, step, &part, g, worker);
        jsni_dn_time_end(plan, step, DN_DATA, worker, start);
        start = jsni_dn_time_begin(plan);
        plan->kernels->depthwise_gradient(
            &step->pool, n, dn_images_at(plan, plan->values[step->in[0]].tensor, &part),
            &load, g, i == 0, dn_buffer_at(plan, step->parts) + r->shard * step->part,
            w->ring);
        jsni_dn_time_end(plan, step, DN_WEIGHTS, worker, start);
    }
}

void jsni_dn_depthwise_reduce(dn_plan *plan, const dn_step *step)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_tensor *weight = &graph->params[graph->nodes[step->node].weight];
    const size_t lanes = plan->kernels->lanes, area = area_of(step);
    const size_t shards = dn_shards(plan, step);
    const float *parts = dn_buffer_at(plan, step->parts);
    float *to = plan->host.grads + weight->offset;
    for (size_t c = 0; c < weight->dim[0]; c++)
        for (size_t i = 0; i < area; i++) {
            const float *at = parts + (c / lanes * area + i) * lanes + c % lanes;
            double sum = 0.0;
            for (size_t s = 0; s < shards; s++)
                sum += (double)at[s * step->part];
            *to++ = (float)sum;
        }
}
