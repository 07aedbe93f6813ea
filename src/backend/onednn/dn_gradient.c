/* backend/onednn/dn_gradient.c - the backward pass on paper: for every step, where the
 * gradient of its result comes from, where the gradients it makes go to, and until when
 * each is needed.
 *
 * Walking the steps backward, a value's gradient is the buffer that the latest reader
 * wrote. A reader that finds one already there adds to it: the addend of its own result,
 * whose memory it may take over. Adds pass their gradient on without copying it. */
#include "backend/onednn/dn_plan.h"
#include "core/fail.h"

/* Whether `tensor` is read through BatchNorm or ReLU by something with a gradient. */
static bool has_folds(const dn_plan *plan, size_t tensor)
{
    for (size_t v = 0; v < plan->value_count; v++)
        if (plan->values[v].tensor == tensor && v != plan->tensors[tensor].value &&
            plan->values[v].gradient != JSNI_NONE)
            return true;
    return false;
}

static jsn_status image_buffer(dn_plan *plan, size_t tensor, size_t time, size_t *out)
{
    return jsni_dn_buffer_add(plan, dn_capacity(plan) * plan->tensors[tensor].floats,
                              time, time, out);
}

/* Lets `buffer` have the memory of `from` if that is used for the last time now; checked
 * when all uses are known. */
static void take_over(dn_plan *plan, size_t buffer, size_t from)
{
    plan->buffers[buffer].share = from;
}

static bool keeps_gradient(const dn_step *step)
{
    return step->kind == DN_COMBINE || step->kind == DN_LINEAR ||
           step->kind == DN_INPUT || step->in[1] != JSNI_NONE;
}

/* The gradient of the step's result. */
static jsn_status plan_result(dn_plan *plan, size_t number)
{
    dn_step *step = &plan->steps[number];
    const size_t time = dn_back_time(plan, number);
    const dn_tensor *out = &plan->tensors[step->out];
    step->direct = plan->values[out->value].gradient;
    step->fold = has_folds(plan, step->out);
    step->active = out->needs && (step->fold || step->direct != JSNI_NONE);
    if (!step->active)
        return JSN_OK;
    for (size_t v = 0; v < plan->value_count; v++)
        if (plan->values[v].tensor == step->out &&
            plan->values[v].gradient != JSNI_NONE)
            jsni_dn_buffer_use(plan, plan->values[v].gradient, time);
    if (step->fold || step->relu)
        jsni_dn_buffer_use(plan, out->buffer, time);
    if (!step->fold && !step->relu) {
        step->g = step->direct;
        return JSN_OK;
    }
    if (!keeps_gradient(step))
        return JSN_OK;
    JSNI_TRY(image_buffer(plan, step->out, time, &step->g));
    if (step->direct != JSNI_NONE)
        take_over(plan, step->g, step->direct);
    return JSN_OK;
}

/* Input `k` gets the step's own gradient, unchanged. */
static jsn_status pass_on(dn_plan *plan, size_t number, int k)
{
    dn_step *step = &plan->steps[number];
    dn_value *v = &plan->values[step->in[k]];
    if (v->gradient == JSNI_NONE) {
        step->back[k] = (dn_back){JSNI_NONE, step->g};
    } else {
        const size_t time = dn_back_time(plan, number);
        step->back[k].addend = v->gradient;
        JSNI_TRY(image_buffer(plan, v->tensor, time, &step->back[k].to));
        jsni_dn_buffer_use(plan, v->gradient, time);
        if (v->gradient != step->g)
            take_over(plan, step->back[k].to, v->gradient);
    }
    v->gradient = step->back[k].to;
    v->completed = number;
    return JSN_OK;
}

/* Input 0 gets what the step computes. */
static jsn_status compute(dn_plan *plan, size_t number)
{
    dn_step *step = &plan->steps[number];
    dn_value *v = &plan->values[step->in[0]];
    const size_t time = dn_back_time(plan, number);
    step->back[0].addend = v->gradient;
    JSNI_TRY(image_buffer(plan, v->tensor, time, &step->back[0].to));
    if (v->gradient != JSNI_NONE) {
        jsni_dn_buffer_use(plan, v->gradient, time);
        if (v->gradient != step->g)
            take_over(plan, step->back[0].to, v->gradient);
    }
    v->gradient = step->back[0].to;
    v->completed = number;
    return JSN_OK;
}

static bool reads_input_backward(const dn_step *step)
{
    return step->kind == DN_CONV || step->kind == DN_DEPTHWISE ||
           step->kind == DN_LINEAR || step->kind == DN_MAX_POOL;
}

static jsn_status plan_step(dn_plan *plan, size_t number)
{
    dn_step *step = &plan->steps[number];
    const size_t time = dn_back_time(plan, number);
    JSNI_TRY(plan_result(plan, number));
    if (!step->active)
        return JSN_OK;
    if (step->kind == DN_CONV || step->kind == DN_DEPTHWISE)
        JSNI_TRY(jsni_dn_buffer_add(
            plan,
            step->part * plan->host.options.views *
                ((plan->host.options.batch + step->shard - 1) / step->shard),
            time, time + 1, &step->parts));
    for (int k = 0; k < 2; k++) {
        if (step->in[k] == JSNI_NONE)
            continue;
        const dn_value *v = &plan->values[step->in[k]];
        if (v->norm != JSNI_NONE || (k == 0 && reads_input_backward(step)))
            jsni_dn_buffer_use(plan, plan->tensors[v->tensor].buffer, time);
        if (!v->needs)
            continue;
        if (k == 1 || step->kind == DN_COMBINE)
            JSNI_TRY(pass_on(plan, number, k));
        else
            JSNI_TRY(compute(plan, number));
        jsni_dn_buffer_use(plan, step->back[k].to, time);
    }
    return JSN_OK;
}

/* How many of the first steps a worker can take its images through, and which tensors are
 * then its own. A linear layer wants all images. */
static void plan_deep(dn_plan *plan)
{
    size_t deep = 0;
    while (deep < plan->step_count && plan->steps[deep].kind != DN_LINEAR)
        deep++;
    if (plan->host.options.training || deep < 2)
        return;
    plan->deep = deep;
    for (size_t t = 1; t < plan->tensor_count; t++)
        plan->tensors[t].own = plan->tensors[t].step < deep && t != plan->output;
    for (size_t s = deep; s < plan->step_count; s++)
        for (int k = 0; k < 2; k++)
            if (plan->steps[s].in[k] != JSNI_NONE)
                plan->tensors[plan->values[plan->steps[s].in[k]].tensor].own = false;
}

/* Without training a depthwise convolution stores its result as its only reader wants it,
 * which saves that one a pass over memory. */
static void plan_finish(dn_plan *plan)
{
    for (size_t s = 1; s < plan->deep; s++) {
        dn_step *step = &plan->steps[s];
        if (step->kind != DN_DEPTHWISE || !plan->tensors[step->out].own)
            continue;
        size_t value;
        if (jsni_dn_only_reader(plan, step->out, &value) == JSNI_NONE ||
            plan->values[value].norm == JSNI_NONE)
            continue;
        step->finish = value;
        plan->values[value].stored = true;
    }
}

/* Tensors with their forward times. */
static jsn_status plan_tensors(dn_plan *plan)
{
    for (size_t t = 0; t < plan->tensor_count; t++) {
        dn_tensor *tensor = &plan->tensors[t];
        size_t images = tensor->own ? plan->steps[1].shard : dn_capacity(plan);
        if (t == 0 && plan->source_images > 0 &&
            images < plan->threads * plan->steps[1].shard)
            images = plan->threads * plan->steps[1].shard;
        JSNI_TRY(jsni_dn_buffer_add(plan, images * tensor->floats, tensor->step,
                                    tensor->step, &tensor->buffer));
        plan->buffers[tensor->buffer].own = tensor->own;
    }
    for (size_t s = 0; s < plan->step_count; s++)
        for (int k = 0; k < 2; k++)
            if (plan->steps[s].in[k] != JSNI_NONE)
                jsni_dn_buffer_use(
                    plan,
                    plan->tensors[plan->values[plan->steps[s].in[k]].tensor].buffer, s);
    /* the images come before, the output is read after everything else */
    jsni_dn_buffer_use(plan, plan->tensors[0].buffer, 2 * plan->step_count);
    jsni_dn_buffer_use(plan, plan->tensors[plan->output].buffer, 2 * plan->step_count);
    return JSN_OK;
}

jsn_status jsni_dn_gradients(dn_plan *plan)
{
    plan->output_gradient = plan->input_gradient = JSNI_NONE;
    plan_deep(plan);
    plan_finish(plan);
    jsni_dn_source_plan(plan);
    JSNI_TRY(plan_tensors(plan));
    if (!plan->host.options.training)
        return JSN_OK;
    dn_value *output = &plan->values[plan->tensors[plan->output].value];
    JSNI_TRY(
        image_buffer(plan, plan->output, plan->step_count, &plan->output_gradient));
    output->gradient = plan->output_gradient;
    for (size_t s = plan->step_count; s-- > 0;)
        JSNI_TRY(plan_step(plan, s));
    if (plan->host.options.input_gradient && plan->steps[0].active) {
        plan->input_gradient = plan->steps[0].g;
        jsni_dn_buffer_use(plan, plan->input_gradient, 2 * plan->step_count + 1);
    }
    return JSN_OK;
}
