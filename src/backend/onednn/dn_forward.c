/* backend/onednn/dn_forward.c - the forward pass: one run of the pool a step. */
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "backend/onednn/dnnl_tensor.h"
#include "core/rng.h"

dn_range jsni_dn_range_of(const dn_plan *plan, const dn_step *step, size_t shard,
                          size_t worker)
{
    const size_t of_view = dn_shards_of_view(plan, step);
    dn_range r = {.view = shard / of_view, .shard = shard, .worker = worker};
    const size_t within = shard % of_view * step->shard;
    r.first = r.begin = r.view * plan->host.samples + within;
    r.count = plan->host.samples - within < step->shard ? plan->host.samples - within
                                                        : step->shard;
    return r;
}

jsni_extent jsni_dn_extent(const dn_plan *plan, size_t tensor, size_t images)
{
    const dn_tensor *t = &plan->tensors[tensor];
    return (jsni_extent){images, t->blocks, t->pixels};
}

jsni_load jsni_dn_load(const dn_plan *plan, size_t value, size_t view)
{
    return plan->values[value].stored ? (jsni_load){.mean = NULL}
                                      : jsni_dn_finish(plan, value, view);
}

jsni_load jsni_dn_finish(const dn_plan *plan, size_t value, size_t view)
{
    const dn_value *v = &plan->values[value];
    jsni_load load = {.relu = v->relu, .six = v->six};
    if (v->norm == JSNI_NONE)
        return load;
    const dn_norm *norm = &plan->norms[v->norm];
    const size_t at = plan->host.pass.training ? view * norm->full : 0;
    load.mean = norm->mean + at;
    load.scale = norm->scale + at;
    load.shift = norm->shift + at;
    return load;
}

jsni_sums jsni_dn_sums_at(jsni_sums sums, size_t channels, size_t shard)
{
    return (jsni_sums){sums.first + shard * channels, sums.second + shard * channels,
                       sums.origin == NULL ? NULL : sums.origin + shard * channels};
}

void jsni_dn_fail(dn_plan *plan, dnnl_status_t status)
{
    if (status != dnnl_success)
        atomic_store(&plan->failure, (int)status);
}

const float *jsni_dn_read(const dn_plan *plan, size_t value, const dn_range *r,
                          float *scratch)
{
    const size_t tensor = plan->values[value].tensor;
    const float *x = dn_images_at(plan, tensor, r);
    const jsni_load load = jsni_dn_load(plan, value, r->view);
    if (dn_load_plain(&load))
        return x;
    plan->kernels->combine(jsni_dn_extent(plan, tensor, r->count), x, &load, NULL, NULL,
                           false, scratch);
    return scratch;
}

static void combine(dn_plan *plan, const dn_step *step, const dn_range *r)
{
    const float *from[2] = {NULL, NULL};
    jsni_load load[2];
    for (int k = 0; k < 2; k++)
        if (step->in[k] != JSNI_NONE) {
            load[k] = jsni_dn_load(plan, step->in[k], r->view);
            from[k] = dn_images_at(plan, plan->values[step->in[k]].tensor, r);
        }
    plan->kernels->combine(jsni_dn_extent(plan, step->out, r->count), from[0], &load[0],
                           from[1], &load[1], step->relu,
                           dn_images_at(plan, step->out, r));
}

static void pool(dn_plan *plan, const dn_step *step, const dn_range *r, size_t worker)
{
    const float *x = jsni_dn_read(plan, step->in[0], r, plan->workers[worker].y);
    float *y = dn_images_at(plan, step->out, r);
    if (step->kind == DN_MAX_POOL)
        plan->kernels->max_pool(&step->pool, r->count, x, y);
    else if (step->kind == DN_AVG_POOL)
        plan->kernels->avg_pool(&step->pool, r->count, x, y);
    else
        plan->kernels->adaptive_pool(&step->pool, r->count, x, y);
}

static void flatten(dn_plan *plan, const dn_step *step, const dn_range *r,
                    size_t worker)
{
    const dn_tensor *in = &plan->tensors[plan->values[step->in[0]].tensor];
    const dn_tensor *out = &plan->tensors[step->out];
    const float *x = jsni_dn_read(plan, step->in[0], r, plan->workers[worker].y);
    float *y = dn_images_at(plan, step->out, r);
    for (size_t i = 0; i < r->count; i++, x += in->floats, y += out->floats) {
        const size_t count = out->shape.channels;
        if (in->plain)
            memcpy(y, x, count * sizeof *y);
        else
            jsni_from_blocked(x, 1, in->shape, plan->kernels->lanes, y);
        memset(y + count, 0, (out->floats - count) * sizeof *y);
    }
}

static void dropout(dn_plan *plan, const dn_step *step, const dn_range *r,
                    size_t worker)
{
    const dn_tensor *t = &plan->tensors[step->out];
    const float *x = jsni_dn_read(plan, step->in[0], r, plan->workers[worker].y);
    float *y = dn_images_at(plan, step->out, r);
    if (plan->host.pass.training)
        jsni_dn_dropout(plan, step, r, x, y);
    else
        memcpy(y, x, r->count * t->floats * sizeof *y);
}

/* y = x where kept, scaled, else 0; the same forward and backward. */
void jsni_dn_dropout(const dn_plan *plan, const dn_step *step, const dn_range *r,
                     const float *x, float *y)
{
    const dn_tensor *t = &plan->tensors[step->out];
    const size_t lanes = plan->kernels->lanes, features = jsni_shape_count(t->shape);
    const double rate = plan->host.base.graph->nodes[step->node].op.as.dropout.rate;
    const double limit = rate * 4294967296.0;
    const float factor = (float)(1.0 / (1.0 - rate));
    for (size_t i = 0; i < r->count; i++) {
        const size_t sample = r->first + i - r->view * plan->host.samples;
        /* word sample * features + f of the stream, as nn/dropout.h says */
        jsni_rng rng = jsni_rng_stream(plan->host.pass.seed, JSNI_RNG_DROPOUT,
                                       plan->host.pass.step, (uint32_t)step->node,
                                       (uint32_t)r->view);
        rng.counter[0] = (uint32_t)(sample * features / 4);
        for (size_t skip = sample * features % 4; skip > 0; skip--)
            (void)jsni_rng_u32(&rng);
        for (size_t f = 0; f < features; f++) {
            const size_t c = f / t->pixels, p = f % t->pixels;
            const size_t at =
                i * t->floats + (c / lanes * t->pixels + p) * lanes + c % lanes;
            y[at] = (double)jsni_rng_u32(&rng) >= limit ? x[at] * factor : 0.0f;
        }
        jsni_clear_fill(y + i * t->floats, 1, t->shape, lanes);
    }
}

typedef struct forward_job {
    dn_plan *plan;
    dn_step *step;
} forward_job;

static void run_unit(dn_plan *plan, dn_step *step, const dn_range *r, size_t worker)
{
    switch (step->kind) {
    case DN_COMBINE:
        combine(plan, step, r);
        break;
    case DN_MAX_POOL:
    case DN_AVG_POOL:
    case DN_ADAPTIVE_POOL:
        pool(plan, step, r, worker);
        break;
    case DN_FLATTEN:
        flatten(plan, step, r, worker);
        break;
    case DN_DROPOUT:
        dropout(plan, step, r, worker);
        break;
    default:
        break;
    }
}

static void clear_sums(const jsni_sums *sums, size_t channels)
{
    memset(sums->first, 0, channels * sizeof *sums->first);
    memset(sums->second, 0, channels * sizeof *sums->second);
}

/* The images of one shard; their sums are set where `sums` is not NULL. */
static void run_images(dn_plan *plan, dn_step *step, const dn_range *all,
                       const jsni_sums *sums)
{
    const size_t worker = all->worker;
    if (step->kind == DN_CONV) {
        jsni_dnnl_threads(1);
        jsni_dn_conv_forward(plan, step, all, worker);
        return;
    }
    for (size_t i = 0; i < all->count; i += step->unit) {
        const dn_range r = dn_part_of(
            all, i, all->count - i < step->unit ? all->count - i : step->unit);
        if (step->kind == DN_DEPTHWISE)
            jsni_dn_depthwise_forward(plan, step, &r, worker, sums, i == 0);
        else
            run_unit(plan, step, &r, worker);
        if (sums != NULL && step->kind != DN_DEPTHWISE)
            plan->kernels->sums(jsni_dn_extent(plan, step->out, r.count),
                                dn_images_at(plan, step->out, &r), sums, i == 0);
    }
}

static void run_shard(void *user, size_t index, size_t worker)
{
    const forward_job *job = user;
    dn_plan *plan = job->plan;
    dn_step *step = job->step;
    const size_t shard = dn_turn(plan, index, dn_shards(plan, step));
    const dn_tensor *out = &plan->tensors[step->out];
    const dn_range all = jsni_dn_range_of(plan, step, shard, worker);
    const size_t channels = out->blocks * plan->kernels->lanes;
    const bool sums = out->normed && plan->host.pass.training;
    jsni_sums at = {NULL, NULL, NULL};
    if (sums) {
        at = jsni_dn_sums_at(out->sums, channels, shard);
        clear_sums(&at, channels);
    }
    const double start = jsni_dn_time_begin(plan);
    run_images(plan, step, &all, sums ? &at : NULL);
    jsni_dn_time_end(plan, step, DN_FORWARD, worker, start);
}

/* One shard through the steps without a barrier. */
static void run_deep(void *user, size_t shard, size_t worker)
{
    dn_plan *plan = user;
    if (plan->source != NULL) {
        const dn_range all = jsni_dn_range_of(plan, &plan->steps[1], shard, worker);
        jsni_dn_source_ask(plan, &all);
    }
    for (size_t s = 1; s < plan->deep; s++) {
        const dn_range all = jsni_dn_range_of(plan, &plan->steps[s], shard, worker);
        run_images(plan, &plan->steps[s], &all, NULL);
    }
}

static void run_step(dn_plan *plan, dn_step *step)
{
    const dn_tensor *out = &plan->tensors[step->out];
    const bool sums = out->normed && plan->host.pass.training;
    forward_job job = {plan, step};
    double start = jsni_dn_time_begin(plan);
    if (step->kind == DN_LINEAR) {
        jsni_dn_linear_forward(plan, step);
        jsni_dn_time_end_alone(plan, step, DN_FORWARD, start);
    }
    /* these two have nothing left but the sums */
    if ((step->kind != DN_INPUT && step->kind != DN_LINEAR) || sums)
        jsni_pool_run(plan->host.pool, dn_shards(plan, step), run_shard, &job);
    plan->reverse = !plan->reverse;
    start = jsni_dn_time_begin(plan);
    for (size_t n = 0; n < plan->norm_count && sums; n++)
        if (plan->norms[n].tensor == step->out)
            jsni_dn_norm_forward(plan, n);
    jsni_dn_time_end_alone(plan, step, DN_FORWARD, start);
}

void jsni_dn_forward_begin(dn_plan *plan)
{
    if (plan->stale)
        jsni_dn_prepare_weights(plan);
    plan->stale = false;
    jsni_dn_again_forward(plan);
    if (!plan->host.pass.training)
        for (size_t n = 0; n < plan->norm_count; n++)
            jsni_dn_norm_evaluation(plan, n);
}

void jsni_dn_forward_deep(dn_plan *plan)
{
    if (plan->deep > 0)
        jsni_pool_run(plan->host.pool, dn_shards(plan, &plan->steps[1]), run_deep,
                      plan);
}

void jsni_dn_forward_rest(dn_plan *plan)
{
    for (size_t s = plan->deep; s < plan->step_count; s++)
        run_step(plan, &plan->steps[s]);
}

void jsni_dn_forward_run(dn_plan *plan)
{
    jsni_dn_forward_begin(plan);
    jsni_dn_forward_deep(plan);
    jsni_dn_forward_rest(plan);
}
