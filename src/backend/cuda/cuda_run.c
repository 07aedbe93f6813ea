/* backend/cuda/cuda_run.c - the calls of a training step, one by one: blocks in and out,
 * labels, forward, loss, backward, update, and what tests read. */
#include "backend/cuda/cuda_plan.h"

#include <math.h>
#include <string.h>

#include "backend/cuda/cuda_early.h"
#include "backend/cuda/cuda_loss.h"

/* Bytes of a block and where it is. */
static float *block_of(const jsni_cuda_plan *plan, const jsni_cuda_member *m,
                       jsni_block block, size_t *bytes)
{
    const size_t params = plan->base.graph->param_floats * sizeof(float);
    switch (block) {
    case JSNI_BLOCK_PARAMETERS:
        *bytes = params;
        return m->params;
    case JSNI_BLOCK_GRADIENTS:
        *bytes = m->grads ? params : 0;
        return m->grads;
    case JSNI_BLOCK_OPTIMISER:
        *bytes = m->state ? plan->options.optimiser_slots * params : 0;
        return m->state;
    default:
        *bytes = plan->base.graph->stat_floats * sizeof(float);
        return m->stats;
    }
}

static jsn_status end_step(jsni_cuda_plan *plan, jsni_cuda_member *m,
                           const jsni_count_args *counted)
{
    const size_t count = m->all_packs ? plan->pack_count : plan->usual_packs;
    const int blocks = m->all_packs ? plan->pack_blocks : plan->usual_blocks;
    return JSNI_CUDA(jsni_end_step(m->packs, (int)count, blocks, counted, m->stream));
}

jsn_status jsni_cuda_pack(jsni_cuda_plan *plan, jsni_cuda_member *m)
{
    return end_step(plan, m, NULL);
}

jsn_status jsni_cuda_upload(jsni_plan *base, size_t member, jsni_block block,
                            const float *from)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    size_t bytes = 0;
    float *to = block_of(plan, m, block, &bytes);
    JSNI_TRY_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, m->stream));
    if (block == JSNI_BLOCK_PARAMETERS)
        JSNI_TRY(jsni_cuda_pack(plan, m));
    return JSNI_CUDA(cudaStreamSynchronize(m->stream));
}

jsn_status jsni_cuda_download(jsni_plan *base, size_t member, jsni_block block,
                              float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    size_t bytes = 0;
    const float *from = block_of(plan, m, block, &bytes);
    JSNI_TRY_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, m->stream));
    return JSNI_CUDA(cudaStreamSynchronize(m->stream));
}

static jsn_status check_labels(const jsni_cuda_plan *plan, const int32_t *labels)
{
    const size_t classes = plan->base.graph->classes;
    for (size_t i = 0; i < plan->samples; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= classes)
            return jsni_fail(JSN_ERR_RANGE, "label %d of sample %zu is not in [0, %zu)",
                             (int)labels[i], i, classes);
    return JSN_OK;
}

static jsn_status check_weights(const double *weights, size_t count, const char *what)
{
    for (size_t i = 0; weights && i < count; i++)
        if (!(weights[i] >= 0.0) || !isfinite(weights[i]))
            return jsni_fail(JSN_ERR_RANGE, "weight %g of %s %zu", weights[i], what, i);
    return JSN_OK;
}

static jsn_status copy_labels(const jsni_cuda_plan *plan, jsni_cuda_member *m,
                              const jsni_labels *labels)
{
    const size_t n = plan->samples, classes = plan->base.graph->classes;
    jsni_cuda_labels *l = &m->labels;
    const struct {
        void *to;
        const void *from;
        size_t bytes;
        bool *has;
    } copies[] = {
        {l->labels, labels->labels, n * sizeof(int32_t), NULL},
        {l->targets, labels->targets, n * classes * sizeof(float), &l->has_targets},
        {l->weights, labels->weights, n * sizeof(double), &l->has_weights},
        {l->class_weights, labels->class_weights, classes * sizeof(double),
         &l->has_class_weights},
        {l->second, labels->second, n, &l->has_second},
        {l->memory, labels->memory, n * classes * sizeof(float), NULL}};
    l->given = labels->memory;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        if (copies[i].has)
            *copies[i].has = copies[i].from != NULL;
        if (copies[i].from)
            JSNI_TRY_CUDA(cudaMemcpyAsync(copies[i].to, copies[i].from, copies[i].bytes,
                                          cudaMemcpyHostToDevice, m->stream));
    }
    return JSN_OK;
}

jsn_status jsni_cuda_set_labels(jsni_plan *base, size_t member,
                                const jsni_labels *labels)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (plan->samples == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "labels before the input");
    if ((labels->labels == NULL) == (labels->targets == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT, "labels or soft targets, one of the two");
    if (labels->labels)
        JSNI_TRY(check_labels(plan, labels->labels));
    JSNI_TRY(check_weights(labels->weights, plan->samples, "sample"));
    JSNI_TRY(check_weights(labels->class_weights, base->graph->classes, "class"));
    const size_t end = member == 0 ? plan->members : member + 1;
    for (size_t i = member; i < end; i++)
        JSNI_TRY(copy_labels(plan, &plan->member[i], labels));
    return JSN_OK;
}

/* One task on its stream; see cuda_task.h about the two. Kernels next to a fork or a
 * wait start after their predecessors have ended, not early. */
static jsn_status run_task(jsni_cuda_member *m, const jsni_task *task)
{
    const size_t joins = sizeof m->joins / sizeof m->joins[0];
    if (task->fork) {
        JSNI_TRY_CUDA(cudaEventRecord(m->fork, m->stream));
        JSNI_TRY_CUDA(cudaStreamWaitEvent(m->side, m->fork, 0));
    }
    if (task->wait)
        JSNI_TRY_CUDA(cudaStreamWaitEvent(m->stream, m->joins[task->wait % joins], 0));
    jsni_launch_hold(task->side || task->wait);
    const jsn_status status = jsni_task_run(task, task->side ? m->side : m->stream);
    jsni_launch_hold(false);
    JSNI_TRY(status);
    if (task->mark)
        JSNI_TRY_CUDA(cudaEventRecord(m->joins[task->mark % joins], m->side));
    return JSN_OK;
}

jsn_status jsni_cuda_run_tasks(jsni_cuda_member *m, const jsni_task *tasks,
                               size_t count)
{
    size_t groups = 0, waited = 0;
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(run_task(m, &tasks[i]));
        groups = tasks[i].mark ? tasks[i].mark : groups;
        waited = tasks[i].wait ? tasks[i].wait : waited;
    }
    const size_t joins = sizeof m->joins / sizeof m->joins[0];
    m->joined = waited < groups;
    if (m->joined)
        JSNI_TRY_CUDA(cudaStreamWaitEvent(m->stream, m->joins[groups % joins], 0));
    return JSN_OK;
}

static jsn_status member_forward(jsni_cuda_plan *plan, size_t number,
                                 const jsni_pass *pass)
{
    jsni_cuda_member *m = &plan->member[number];
    const jsni_shape shape = plan->base.graph->nodes[0].shape;
    /* Samples do not see one another in evaluation, so one program serves any number. */
    const size_t samples =
        pass->training || plan->views > 1 ? plan->samples : plan->options.batch;
    JSNI_TRY(
        jsni_cuda_program(plan, number, plan->views, samples, pass->training, &m->now));
    const uint32_t step = pass->step;
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->counters + 2, &step, sizeof step,
                                  cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->seed, &pass->seed, sizeof pass->seed,
                                  cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(jsni_any_from_planes(
        m->planes, m->arena + m->now->input, (long long)(plan->views * plan->samples),
        (int)shape.channels, (int)(shape.height * shape.width),
        plan->options.precision == JSN_PRECISION_BF16, m->stream));
    return jsni_cuda_run_half(m, m->now, false);
}

jsn_status jsni_cuda_forward(jsni_plan *base, const jsni_pass *pass)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (plan->samples == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "forward before the input");
    if (pass->training && !plan->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "the plan was made for evaluation alone");
    for (size_t i = 0; i < plan->members; i++)
        JSNI_TRY(member_forward(plan, i, pass));
    plan->ran_training = pass->training;
    return JSN_OK;
}

static float *output_of(const jsni_cuda_plan *plan, const jsni_cuda_member *m,
                        const jsni_program *program)
{
    return (float *)(m->arena + program->values[plan->base.graph->node_count - 1]);
}

/* A loss for this program's output, which fits the device. */
static jsn_status check_loss(const jsni_cuda_plan *plan, const jsni_program *program,
                             const jsni_loss_device *loss)
{
    const jsni_cuda *cuda = (const jsni_cuda *)plan->base.backend;
    const size_t classes = plan->base.graph->classes;
    if (loss->views != program->views || loss->classes != classes)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "a loss for %zu views and %zu classes, the batch has %zu views "
            "and the network %zu classes",
            loss->views, loss->classes, program->views, classes);
    const size_t shared = jsni_cuda_loss_shared(loss);
    if (shared > cuda->shared)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "a loss of %zu classes and %zu views needs %zu KB of shared "
                         "memory on a GPU, this one has %zu: use --device cpu",
                         loss->classes, loss->joint ? loss->views_read : 1,
                         (shared + 1023) / 1024, cuda->shared / 1024);
    return JSN_OK;
}

jsn_status jsni_cuda_member_loss(jsni_cuda_plan *plan, jsni_cuda_member *m,
                                 const jsni_program *program, const jsni_losses *losses)
{
    const jsni_cuda_labels *l = &m->labels;
    const bool resident = l->given == NULL;
    float *memory = !losses->first->method ? NULL
                    : resident             ? m->data_memory
                                           : l->memory;
    jsni_loss_device first, second;
    const bool two = losses->second && l->has_second;
    JSNI_TRY(jsni_loss_check_use(losses->first, two ? losses->second : NULL,
                                 l->has_targets));
    if (losses->first->method && memory == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "a method without the memory of its samples");
    JSNI_TRY(jsni_cuda_loss_describe(losses->first, &first));
    if (two)
        JSNI_TRY(jsni_cuda_loss_describe(losses->second, &second));
    JSNI_TRY(check_loss(plan, program, &first));
    if (two)
        JSNI_TRY(check_loss(plan, program, &second));
    const jsni_cuda_loss_batch batch = {program->samples,
                                        output_of(plan, m, program),
                                        l->has_targets ? NULL : l->labels,
                                        l->has_targets ? l->targets : NULL,
                                        l->has_class_weights ? l->class_weights : NULL,
                                        l->has_weights ? l->weights : NULL,
                                        two ? l->second : NULL,
                                        NULL,
                                        memory,
                                        resident ? l->places : NULL};
    const jsni_cuda_loss_out out = {m->loss_values, m->loss_values + 1,
                                    (float *)(m->arena + program->output_grad),
                                    m->loss_room, NULL};
    return jsni_cuda_check((cudaError_t)jsni_cuda_loss_run(&first, two ? &second : NULL,
                                                           &batch, &out, m->stream),
                           "the loss kernel");
}

jsn_status jsni_cuda_plan_loss(jsni_plan *base, const jsni_losses *losses)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (!plan->ran_training)
        return jsni_fail(JSN_ERR_ARGUMENT, "a loss needs a training pass before it");
    for (size_t i = 0; i < plan->members; i++) {
        jsni_cuda_member *m = &plan->member[i];
        const jsni_cuda_labels *l = &m->labels;
        JSNI_TRY(jsni_cuda_member_loss(plan, m, m->now, losses));
        if (l->given)
            JSNI_TRY_CUDA(
                cudaMemcpyAsync(l->given, l->memory,
                                plan->samples * base->graph->classes * sizeof(float),
                                cudaMemcpyDeviceToHost, m->stream));
    }
    return JSN_OK;
}

jsn_status jsni_cuda_copy_output(jsni_plan *base)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (!plan->ran_training)
        return jsni_fail(JSN_ERR_ARGUMENT, "a copy needs a training pass before it");
    const size_t bytes = plan->views * plan->samples *
                         jsni_shape_count(jsni_graph_output(base->graph)->shape) *
                         sizeof(float);
    for (size_t i = 0; i < plan->members; i++) {
        const jsni_cuda_member *m = &plan->member[i];
        JSNI_TRY_CUDA(cudaMemcpyAsync(m->arena + m->now->output_grad,
                                      output_of(plan, m, m->now), bytes,
                                      cudaMemcpyDeviceToDevice, m->stream));
    }
    return JSN_OK;
}

jsn_status jsni_cuda_backward(jsni_plan *base)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    if (!plan->ran_training)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "backward needs a training pass before it");
    for (size_t i = 0; i < plan->members; i++)
        JSNI_TRY(jsni_cuda_run_half(&plan->member[i], plan->member[i].now, true));
    return JSN_OK;
}

void jsni_cuda_rule(const jsni_update *update, jsni_step_rule *rule)
{
    jsni_optim_prepare(update, JSNI_ROLE_BIAS, rule->constant[0]);
    jsni_optim_prepare(update, JSNI_ROLE_WEIGHT, rule->constant[1]);
}

jsn_status jsni_cuda_run_update(jsni_cuda_plan *plan, jsni_cuda_member *m,
                                size_t optimiser, const uint32_t *step,
                                const jsni_count_args *counted)
{
    const jsni_update_args args = {m->chunks,
                                   m->rules,
                                   step,
                                   m->params,
                                   m->grads,
                                   m->state,
                                   (long long)plan->base.graph->param_floats,
                                   (int)plan->chunk_count};
    jsni_launch_hold(m->joined);
    const jsn_status status = JSNI_CUDA(jsni_update_all(optimiser, &args, m->stream));
    jsni_launch_hold(false);
    JSNI_TRY(status);
    return end_step(plan, m, counted);
}

jsn_status jsni_cuda_update(jsni_plan *base, const jsni_update *update)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_step_rule rule;
    jsni_cuda_rule(update, &rule);
    for (size_t i = 0; i < plan->members; i++) {
        jsni_cuda_member *m = &plan->member[i];
        JSNI_TRY_CUDA(cudaMemcpyAsync(m->rules, &rule, sizeof rule,
                                      cudaMemcpyHostToDevice, m->stream));
        JSNI_TRY(jsni_cuda_run_update(plan, m, update->optimiser, m->counters, NULL));
    }
    return JSN_OK;
}

jsn_status jsni_cuda_read_loss(jsni_plan *base, size_t member, double *mean,
                               double *values)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    JSNI_TRY_CUDA(cudaMemcpyAsync(mean, m->loss_values, sizeof *mean,
                                  cudaMemcpyDeviceToHost, m->stream));
    if (values)
        JSNI_TRY_CUDA(cudaMemcpyAsync(values, m->loss_values + 1,
                                      plan->samples * sizeof *values,
                                      cudaMemcpyDeviceToHost, m->stream));
    JSNI_TRY_CUDA(cudaStreamSynchronize(m->stream));
    if (!isfinite(*mean))
        return jsni_fail(JSN_ERR_NUMERIC, "the loss is not finite: %g", *mean);
    return JSN_OK;
}

/* A tensor of the arena, as planes of floats. It goes through a buffer of its own:
 * training reads plain vectors of floats, which need none. */
static jsn_status read_planes(jsni_cuda_plan *plan, jsni_cuda_member *m, size_t offset,
                              jsni_shape shape, bool half, float *to)
{
    const size_t images = plan->views * plan->samples;
    const size_t bytes = images * jsni_shape_count(shape) * sizeof(float);
    if (!half && shape.height * shape.width == 1) {
        JSNI_TRY_CUDA(cudaMemcpyAsync(to, m->arena + offset, bytes,
                                      cudaMemcpyDeviceToHost, m->stream));
        return JSNI_CUDA(cudaStreamSynchronize(m->stream));
    }
    void *planes = NULL;
    JSNI_TRY(jsni_cuda_alloc(&planes, bytes, "a tensor to be read"));
    jsn_status status = JSNI_CUDA(jsni_any_to_planes(
        m->arena + offset, planes, (long long)images, (int)shape.channels,
        (int)(shape.height * shape.width), half, m->stream));
    if (status == JSN_OK)
        status = JSNI_CUDA(
            cudaMemcpyAsync(to, planes, bytes, cudaMemcpyDeviceToHost, m->stream));
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaStreamSynchronize(m->stream));
    (void)cudaFree(planes);
    return status;
}

jsn_status jsni_cuda_read_output(jsni_plan *base, size_t member, float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    const size_t last = base->graph->node_count - 1;
    if (!m->now)
        return jsni_fail(JSN_ERR_ARGUMENT, "the output before a forward pass");
    return read_planes(plan, m, m->now->values[last], base->graph->nodes[last].shape,
                       m->now->halves[last], to);
}

jsn_status jsni_cuda_synchronize(jsni_plan *base)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    for (size_t i = 0; i < plan->members; i++)
        JSNI_TRY_CUDA(cudaStreamSynchronize(plan->member[i].stream));
    return JSN_OK;
}

jsn_status jsni_cuda_write_output_gradient(jsni_plan *base, size_t member,
                                           const float *from)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    const size_t last = base->graph->node_count - 1;
    const jsni_shape shape = base->graph->nodes[last].shape;
    const size_t images = plan->views * plan->samples;
    const size_t bytes = images * jsni_shape_count(shape) * sizeof *from;
    void *planes = NULL;
    JSNI_TRY(jsni_cuda_alloc(&planes, bytes, "a gradient to be written"));
    jsn_status status = JSNI_CUDA(
        cudaMemcpyAsync(planes, from, bytes, cudaMemcpyHostToDevice, m->stream));
    if (status == JSN_OK)
        status = JSNI_CUDA(jsni_any_from_planes(planes, m->arena + m->now->output_grad,
                                                (long long)images, (int)shape.channels,
                                                (int)(shape.height * shape.width),
                                                m->now->halves[last], m->stream));
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaStreamSynchronize(m->stream));
    (void)cudaFree(planes);
    return status;
}

jsn_status jsni_cuda_read_output_gradient(jsni_plan *base, size_t member, float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    const size_t last = base->graph->node_count - 1;
    return read_planes(plan, m, m->now->output_grad, base->graph->nodes[last].shape,
                       m->now->halves[last], to);
}

jsn_status jsni_cuda_read_input_gradient(jsni_plan *base, size_t member, float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    if (!m->now || m->now->input_grad == SIZE_MAX)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "the plan makes no gradient of the images");
    return read_planes(plan, m, m->now->input_grad, base->graph->nodes[0].shape,
                       plan->options.precision == JSN_PRECISION_BF16, to);
}

jsn_status jsni_cuda_read_node(jsni_plan *base, size_t member, size_t node, float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    if (!m->now || m->now->values[node] == SIZE_MAX)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s is never in memory as a whole",
                         base->graph->nodes[node].name);
    return read_planes(plan, m, m->now->values[node], base->graph->nodes[node].shape,
                       m->now->halves[node], to);
}
