/* backend/onednn/dn_backward.c - the backward pass: one run of the pool a step, in
 * reverse. Summing the weight gradients of the step before fills the wait for the last
 * shard: its tasks are at the end of the queue. */
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "backend/onednn/dnnl_tensor.h"

static float *images_at(const dn_plan *plan, size_t buffer, size_t tensor, size_t first)
{
    return buffer == JSNI_NONE
               ? NULL
               : dn_buffer_at(plan, buffer) + first * plan->tensors[tensor].floats;
}

const float *jsni_dn_out_gradient(dn_plan *plan, dn_step *step, const dn_range *r,
                                  float *scratch)
{
    const float *direct = images_at(plan, step->direct, step->out, r->first);
    const float *x = dn_images_at(plan, step->out, r);
    if (!step->fold && !step->relu)
        return direct;
    const jsni_extent extent = jsni_dn_extent(plan, step->out, r->count);
    float *to = images_at(plan, step->g, step->out, r->first);
    if (to == NULL)
        to = scratch;
    const float *sum = direct;
    for (size_t v = 0; v < plan->value_count && step->fold; v++) {
        const dn_value *value = &plan->values[v];
        if (value->tensor != step->out || v == plan->tensors[step->out].value ||
            value->gradient == JSNI_NONE)
            continue;
        const jsni_load load = jsni_dn_load(plan, v, r->view);
        jsni_norm_back back = {NULL, NULL};
        if (value->norm != JSNI_NONE) {
            const dn_norm *norm = &plan->norms[value->norm];
            back.slope = norm->slope + r->view * norm->full;
            back.offset = norm->offset + r->view * norm->full;
        }
        plan->kernels->back(extent, x, &load, value->norm != JSNI_NONE ? &back : NULL,
                            images_at(plan, value->gradient, step->out, r->first), sum,
                            to);
        sum = to;
    }
    if (step->relu)
        plan->kernels->mask(extent, x, sum, to);
    return to;
}

bool jsni_dn_completes(const dn_plan *plan, const dn_step *step, int k)
{
    if (step->in[k] == JSNI_NONE || step->back[k].to == JSNI_NONE ||
        (k == 1 && step->in[0] == step->in[1]))
        return false;
    const dn_value *v = &plan->values[step->in[k]];
    return v->norm != JSNI_NONE && v->completed == (size_t)(step - plan->steps);
}

void jsni_dn_back_input(dn_plan *plan, const dn_step *step, int k, const dn_range *r)
{
    if (!jsni_dn_completes(plan, step, k))
        return;
    const dn_value *v = &plan->values[step->in[k]];
    const dn_norm *norm = &plan->norms[v->norm];
    const jsni_load load = jsni_dn_load(plan, step->in[k], r->view);
    const jsni_sums sums = jsni_dn_sums_at(norm->sums, norm->full, r->shard);
    plan->kernels->back_sums(
        jsni_dn_extent(plan, v->tensor, r->count),
        images_at(plan, plan->tensors[v->tensor].buffer, v->tensor, r->first), &load,
        images_at(plan, v->gradient, v->tensor, r->first), &sums);
}

void jsni_dn_pass_on(dn_plan *plan, const dn_step *step, int k, const dn_range *r,
                     const float *g)
{
    const dn_back *back = &step->back[k];
    if (step->in[k] == JSNI_NONE || back->to == JSNI_NONE || back->addend == JSNI_NONE)
        return;
    const size_t tensor = plan->values[step->in[k]].tensor;
    plan->kernels->combine(jsni_dn_extent(plan, tensor, r->count),
                           images_at(plan, back->addend, tensor, r->first), NULL, g,
                           NULL, false, images_at(plan, back->to, tensor, r->first));
}

/* The target of a step that adds to it: the addend, or zero. */
static float *begin_sum(dn_plan *plan, const dn_step *step, const dn_range *r)
{
    const size_t tensor = plan->values[step->in[0]].tensor;
    float *to = images_at(plan, step->back[0].to, tensor, r->first);
    const float *add = images_at(plan, step->back[0].addend, tensor, r->first);
    const size_t bytes = r->count * plan->tensors[tensor].floats * sizeof *to;
    if (add == NULL)
        memset(to, 0, bytes);
    else if (add != to)
        memcpy(to, add, bytes);
    return to;
}

static void pool_back(dn_plan *plan, const dn_step *step, const dn_range *r,
                      const float *g, size_t worker)
{
    const float *x = NULL;
    if (step->kind == DN_MAX_POOL)
        x = jsni_dn_read(plan, step->in[0], r, plan->workers[worker].y);
    float *to = begin_sum(plan, step, r);
    if (step->kind == DN_MAX_POOL)
        plan->kernels->max_pool_back(&step->pool, r->count, x, g, to);
    else if (step->kind == DN_AVG_POOL)
        plan->kernels->avg_pool_back(&step->pool, r->count, g, to);
    else
        plan->kernels->adaptive_pool_back(&step->pool, r->count, g, to);
}

/* Flatten and dropout: into the worker's buffer, then added. */
static void copy_back(dn_plan *plan, const dn_step *step, const dn_range *r,
                      const float *g, size_t worker)
{
    const dn_tensor *in = &plan->tensors[plan->values[step->in[0]].tensor];
    const dn_tensor *out = &plan->tensors[step->out];
    float *y = plan->workers[worker].y, *to = begin_sum(plan, step, r);
    if (step->kind == DN_DROPOUT && plan->host.pass.training)
        jsni_dn_dropout(plan, step, r, g, y);
    else if (step->kind == DN_DROPOUT)
        memcpy(y, g, r->count * in->floats * sizeof *y);
    else if (in->plain)
        for (size_t i = 0; i < r->count; i++)
            memcpy(y + i * in->floats, g + i * out->floats, in->floats * sizeof *y);
    else
        for (size_t i = 0; i < r->count; i++)
            jsni_to_blocked(g + i * out->floats, 1, in->shape, plan->kernels->lanes,
                            y + i * in->floats);
    for (size_t i = 0; i < r->count * in->floats; i++)
        to[i] += y[i];
}

static void run_unit(dn_plan *plan, dn_step *step, const dn_range *r, size_t worker)
{
    const float *g = jsni_dn_out_gradient(plan, step, r, plan->workers[worker].g);
    if (step->kind == DN_COMBINE) {
        jsni_dn_pass_on(plan, step, 0, r, g);
        jsni_dn_pass_on(plan, step, 1, r, g);
    } else if (step->back[0].to != JSNI_NONE) {
        if (step->kind == DN_FLATTEN || step->kind == DN_DROPOUT)
            copy_back(plan, step, r, g, worker);
        else if (step->kind != DN_INPUT && step->kind != DN_LINEAR)
            pool_back(plan, step, r, g, worker);
    }
}

typedef struct backward_job {
    dn_plan *plan;
    dn_step *step;
    size_t shards;
    size_t reduce; /* step whose weight gradients are summed behind the shards */
} backward_job;

static void clear_back_sums(dn_plan *plan, const dn_step *step, size_t shard)
{
    for (int k = 0; k < 2; k++) {
        if (step->in[k] == JSNI_NONE || plan->values[step->in[k]].norm == JSNI_NONE)
            continue;
        const dn_norm *norm = &plan->norms[plan->values[step->in[k]].norm];
        const jsni_sums sums = jsni_dn_sums_at(norm->sums, norm->full, shard);
        memset(sums.first, 0, norm->full * sizeof *sums.first);
        memset(sums.second, 0, norm->full * sizeof *sums.second);
    }
}

static void run_task(void *user, size_t index, size_t worker)
{
    const backward_job *job = user;
    dn_plan *plan = job->plan;
    dn_step *step = job->step;
    const double start = jsni_dn_time_begin(plan);
    jsni_dnnl_threads(1);
    if (index >= job->shards) {
        jsni_dn_reduce(plan, job->reduce, index - job->shards, worker);
        jsni_dn_time_end(plan, &plan->steps[job->reduce], DN_SUM, worker, start);
        return;
    }
    const size_t shard = dn_turn(plan, index, job->shards);
    const dn_range all = jsni_dn_range_of(plan, step, shard, worker);
    clear_back_sums(plan, step, shard);
    if (step->kind == DN_CONV) {
        jsni_dn_conv_backward(plan, step, &all, worker);
        return;
    }
    if (step->kind == DN_DEPTHWISE) {
        jsni_dn_depthwise_backward(plan, step, &all, worker);
        return;
    }
    for (size_t i = 0; i < all.count; i += step->unit) {
        const dn_range r = dn_part_of(
            &all, i, all.count - i < step->unit ? all.count - i : step->unit);
        run_unit(plan, step, &r, worker);
        for (int k = 0; k < 2 && step->kind != DN_LINEAR; k++)
            jsni_dn_back_input(plan, step, k, &r);
    }
    jsni_dn_time_end(plan, step, DN_GRADIENT, worker, start);
}

static void run_pending(dn_plan *plan)
{
    backward_job job = {plan, NULL, 0, plan->pending};
    jsni_pool_run(plan->host.pool, jsni_dn_reduce_tasks(plan, plan->pending), run_task,
                  &job);
    plan->pending = JSNI_NONE;
}

static void sum_task(void *user, size_t index, size_t worker)
{
    const backward_job *job = user;
    const dn_range r = jsni_dn_range_of(job->plan, job->step, index, worker);
    clear_back_sums(job->plan, job->step, index);
    jsni_dn_back_input(job->plan, job->step, 0, &r);
}

static void run_step(dn_plan *plan, size_t number)
{
    dn_step *step = &plan->steps[number];
    if (!step->active) {
        run_pending(plan);
        return;
    }
    jsni_dn_again_backward(plan, step);
    backward_job job = {plan, step, dn_shards(plan, step), plan->pending};
    const bool linear = step->kind == DN_LINEAR;
    if (linear && !step->fold)
        run_pending(plan);
    else
        jsni_pool_run(plan->host.pool,
                      job.shards + jsni_dn_reduce_tasks(plan, plan->pending), run_task,
                      &job);
    plan->reverse = !plan->reverse;
    plan->pending =
        step->kind == DN_CONV || step->kind == DN_DEPTHWISE ? number : JSNI_NONE;
    const double start = jsni_dn_time_begin(plan);
    if (linear) {
        jsni_dn_linear_backward(plan, step);
        jsni_pool_run(plan->host.pool, job.shards, sum_task, &job);
    }
    for (size_t v = 0; v < plan->value_count; v++)
        if (plan->values[v].norm != JSNI_NONE && plan->values[v].completed == number &&
            plan->values[v].gradient != JSNI_NONE)
            jsni_dn_norm_backward(plan, plan->values[v].norm);
    jsni_dn_time_end_alone(plan, step, DN_GRADIENT, start);
}

void jsni_dn_backward_run(dn_plan *plan)
{
    plan->pending = JSNI_NONE;
    for (size_t s = plan->step_count; s-- > 0;)
        run_step(plan, s);
    run_pending(plan);
}
