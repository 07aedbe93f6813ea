/* backend/cuda/cuda_resident.c - data sets that live on the device and epochs that run
 * there: a step, from picking the samples to the update, is recorded once as a CUDA
 * graph and replayed; what changes between steps is in device memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_loss.h"
#include "backend/cuda/cuda_plan.h"
#include "core/alloc.h"
#include "core/rng.h"

static jsn_status supports(jsni_plan *base, const jsn_augment *augment, size_t height,
                           size_t width)
{
    const jsni_shape in = base->graph->nodes[0].shape;
    if (in.channels != 3 || in.height != height || in.width != width)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "images of %zux%zu for a network that reads %zux%zux%zu",
                         height, width, in.channels, in.height, in.width);
    if (augment && !jsni_gather_recipe(augment, height, width))
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "this augmentation has no kernel: it runs on the host");
    return JSN_OK;
}

static void free_set(jsni_resident_set *s)
{
    if (s->pinned)
        (void)cudaFreeHost(s->images);
    else
        (void)cudaFree(s->images);
    memset(s, 0, sizeof *s);
}

/* Whether images stay in memory of the host: asked for, or too many for the device, on
 * which some room is left for cuDNN and others. */
static bool must_stream(size_t bytes)
{
    const size_t spare = (size_t)512 << 20;
    const char *asked = getenv("JENSEN_CUDA_STREAM");
    size_t free_bytes = 0, total = 0;
    return (asked && strcmp(asked, "1") == 0) ||
           (cudaMemGetInfo(&free_bytes, &total) == cudaSuccess &&
            bytes > (free_bytes > spare ? free_bytes - spare : 0));
}

/* Room for the images of a set. The kernel that gathers a batch reads pinned memory as it
 * reads the device's: the same recorded step, the same bits. */
static jsn_status make_room(jsni_resident_set *s, size_t bytes)
{
    if (!must_stream(bytes))
        return jsni_cuda_alloc((void **)&s->images, bytes, "the images of a data set");
    const cudaError_t error =
        cudaHostAlloc((void **)&s->images, bytes ? bytes : 1,
                      cudaHostAllocMapped | cudaHostAllocWriteCombined);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        s->images = NULL;
        return jsni_fail(JSN_ERR_DEVICE,
                         "%.1f MiB for the images of a data set fit neither the device "
                         "nor pinned memory of the host",
                         (double)bytes / 1048576.0);
    }
    s->pinned = error == cudaSuccess;
    return jsni_cuda_check(error, "cudaHostAlloc");
}

static jsn_status set_images(jsni_plan *base, size_t set,
                             const jsni_resident_images *images)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_resident_set *s = &plan->sets[set];
    JSNI_TRY(jsni_cuda_synchronize(base));
    free_set(s);
    for (size_t i = 0; i < plan->members; i++)
        plan->member[i].recording.valid = false;
    if (!images)
        return JSN_OK;
    const size_t bytes = images->count * images->height * images->width * 3;
    JSNI_TRY(make_room(s, bytes));
    s->count = images->count;
    s->height = images->height;
    s->width = images->width;
    if (s->pinned) {
        memcpy(s->images, images->images, bytes);
        return JSN_OK;
    }
    JSNI_TRY_CUDA(cudaMemcpy(s->images, images->images, bytes, cudaMemcpyHostToDevice));
    return jsni_cuda_settle();
}

static jsn_status replace(void **to, const void *from, size_t bytes)
{
    (void)cudaFree(*to);
    *to = NULL;
    if (!from)
        return JSN_OK;
    JSNI_TRY(jsni_cuda_alloc(to, bytes, "the labels of a data set"));
    JSNI_TRY_CUDA(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice));
    return jsni_cuda_settle();
}

static jsn_status set_labels(jsni_plan *base, size_t member,
                             const jsni_resident_labels *labels)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    const size_t count = plan->sets[JSNI_RESIDENT_TRAIN].count;
    const size_t classes = base->graph->classes;
    if (count == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "labels before the images of the set");
    for (size_t i = 0; i < count; i++)
        if (labels->labels[i] < 0 || (size_t)labels->labels[i] >= classes)
            return jsni_fail(JSN_ERR_RANGE, "label %d of sample %zu is not in [0, %zu)",
                             (int)labels->labels[i], i, classes);
    JSNI_TRY_CUDA(cudaStreamSynchronize(m->stream));
    m->recording.valid = false;
    JSNI_TRY(
        replace((void **)&m->data_labels, labels->labels, count * sizeof(int32_t)));
    JSNI_TRY(replace((void **)&m->data_truth, labels->truth, count * sizeof(int32_t)));
    JSNI_TRY(replace((void **)&m->data_memory, labels->memory,
                     count * classes * sizeof(float)));
    return replace((void **)&m->data_second, labels->second, count);
}

static jsn_status read_memory(jsni_plan *base, size_t member, float *to)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    if (!m->data_memory)
        return jsni_fail(JSN_ERR_ARGUMENT, "there is no memory of a method to read");
    JSNI_TRY_CUDA(cudaMemcpyAsync(to, m->data_memory,
                                  plan->sets[JSNI_RESIDENT_TRAIN].count *
                                      base->graph->classes * sizeof *to,
                                  cudaMemcpyDeviceToHost, m->stream));
    return JSNI_CUDA(cudaStreamSynchronize(m->stream));
}

/* Room that grows with the longest epoch seen. */
static jsn_status reserve(void **block, size_t *capacity, size_t count, size_t size,
                          jsni_cuda_member *m)
{
    if (count <= *capacity)
        return JSN_OK;
    (void)cudaFree(*block);
    *block = NULL;
    *capacity = 0;
    m->recording.valid = false;
    JSNI_TRY(jsni_cuda_alloc(block, count * size, "the order of an epoch"));
    *capacity = count;
    return JSN_OK;
}

static jsn_status upload_rules(jsni_cuda_member *m, const jsni_resident_epoch *e,
                               const jsni_resident_member *own)
{
    jsni_step_rule *rules = jsni_alloc(e->steps, sizeof *rules);
    JSNI_TRY_ALLOC(rules);
    jsni_update update = own->update;
    for (size_t s = 0; s < e->steps; s++) {
        update.rate = own->rates[s];
        update.step = (uint64_t)e->first_step + s + 1;
        jsni_cuda_rule(&update, &rules[s]);
    }
    const jsn_status status = JSNI_CUDA(cudaMemcpyAsync(
        m->rules, rules, e->steps * sizeof *rules, cudaMemcpyHostToDevice, m->stream));
    jsni_free(rules);
    return status;
}

static jsn_status upload_recipe(jsni_cuda_member *m, const void *recipe)
{
    if (!recipe)
        return JSN_OK;
    if (!m->recipe)
        JSNI_TRY(jsni_cuda_alloc(&m->recipe, jsni_gather_recipe_bytes(), "a recipe"));
    return JSNI_CUDA(cudaMemcpyAsync(m->recipe, recipe, jsni_gather_recipe_bytes(),
                                     cudaMemcpyHostToDevice, m->stream));
}

static jsn_status upload_mixup(jsni_cuda_member *m, const jsni_resident_epoch *e,
                               const jsni_resident_member *own)
{
    const size_t count = e->steps * e->batch;
    if (!own->walk)
        return JSN_OK;
    JSNI_TRY(reserve((void **)&m->walk, &m->walk_capacity, count, sizeof *m->walk, m));
    JSNI_TRY(reserve((void **)&m->shares, &m->share_capacity, e->steps,
                     sizeof *m->shares, m));
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->walk, own->walk, count * sizeof *m->walk,
                                  cudaMemcpyHostToDevice, m->stream));
    return JSNI_CUDA(cudaMemcpyAsync(m->shares, own->shares,
                                     e->steps * sizeof *m->shares,
                                     cudaMemcpyHostToDevice, m->stream));
}

static jsn_status begin_epoch(jsni_cuda_plan *plan, size_t number,
                              const jsni_resident_epoch *e)
{
    jsni_cuda_member *m = &plan->member[number];
    const jsni_resident_member *own = &e->members[number];
    const size_t count = e->steps * e->batch;
    if (!m->data_labels)
        return jsni_fail(JSN_ERR_ARGUMENT, "member %zu has no labels", number);
    JSNI_TRY(
        reserve((void **)&m->order, &m->order_capacity, count, sizeof *m->order, m));
    JSNI_TRY(
        reserve((void **)&m->rules, &m->rule_capacity, e->steps, sizeof *m->rules, m));
    JSNI_TRY(upload_rules(m, e, own));
    JSNI_TRY(upload_mixup(m, e, own));
    const jsni_resident_set *train = &plan->sets[JSNI_RESIDENT_TRAIN];
    JSNI_TRY(
        upload_recipe(m, jsni_gather_recipe(e->augment, train->height, train->width)));
    const jsni_gather_key key = {own->seed, e->epoch, JSNI_RNG_AUGMENT};
    const uint32_t counters[4] = {0, 0, e->first_step, 0};
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->order, own->order, count * sizeof *m->order,
                                  cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(
        cudaMemcpyAsync(m->key, &key, sizeof key, cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->counters, counters, sizeof counters,
                                  cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(cudaMemcpyAsync(m->seed, &own->seed, sizeof own->seed,
                                  cudaMemcpyHostToDevice, m->stream));
    JSNI_TRY_CUDA(cudaMemsetAsync(m->counts, 0, sizeof *m->counts, m->stream));
    JSNI_TRY_CUDA(cudaMemcpyAsync(&m->counts->loss_sum, &own->loss_sum,
                                  sizeof own->loss_sum, cudaMemcpyHostToDevice,
                                  m->stream));
    m->labels.has_weights = m->labels.has_class_weights = false;
    m->labels.has_targets = own->walk != NULL;
    m->labels.has_second = m->data_second != NULL;
    m->labels.given = NULL;
    return JSN_OK;
}

/* The images of the step that were gathered, and their labels as targets. */
static jsn_status mix(const jsni_cuda_plan *plan, jsni_cuda_member *m,
                      const jsni_gather_args *g)
{
    const int classes = (int)plan->base.graph->classes;
    const jsni_mixup_args images = {g->out,
                                    m->walk,
                                    m->shares,
                                    g->step,
                                    g->views,
                                    g->samples,
                                    g->height * g->width * 3,
                                    g->half};
    const jsni_mixup_args targets = {m->labels.targets, m->walk, m->shares, g->step, 1,
                                     g->samples,        classes, false};
    JSNI_TRY_CUDA(jsni_mixup(&images, m->stream));
    JSNI_TRY_CUDA(jsni_one_hot(m->labels.labels, m->labels.targets, g->samples, classes,
                               m->stream));
    return JSNI_CUDA(jsni_mixup(&targets, m->stream));
}

static jsn_status step_tasks(jsni_cuda_plan *plan, jsni_cuda_member *m,
                             const jsni_program *p, const jsni_resident_epoch *e,
                             const jsni_resident_member *own)
{
    const jsni_resident_set *train = &plan->sets[JSNI_RESIDENT_TRAIN];
    jsni_gather_args g;
    memset(&g, 0, sizeof g);
    g.images = train->images;
    g.order = m->order;
    g.step = m->counters + 1;
    g.key = m->key;
    g.recipe = m->recipe;
    g.out = m->arena + p->input;
    g.labels_from = m->data_labels;
    g.truth_from = m->data_truth;
    g.second_from = m->data_second;
    g.labels = m->labels.labels;
    g.truth = m->labels.truth;
    g.second = m->labels.second;
    g.places = m->data_memory ? m->labels.places : NULL;
    g.count = UINT32_MAX;
    g.views = (int)own->views;
    g.samples = (int)e->batch;
    g.height = (int)train->height;
    g.width = (int)train->width;
    g.half = plan->options.precision == JSN_PRECISION_BF16;
    JSNI_TRY_CUDA(jsni_gather(&g, m->stream));
    if (own->walk)
        JSNI_TRY(mix(plan, m, &g));
    JSNI_TRY(jsni_cuda_run_tasks(m, p->tasks, p->forward_tasks));
    JSNI_TRY(jsni_cuda_member_loss(plan, m, p, &own->losses));
    JSNI_TRY(jsni_cuda_run_tasks(m, p->tasks + p->forward_tasks,
                                 p->task_count - p->forward_tasks));
    const size_t last = plan->base.graph->node_count - 1;
    const jsni_count_args c = {(const float *)(m->arena + p->values[last]),
                               m->loss_values,
                               m->labels.labels,
                               m->labels.truth,
                               m->counts,
                               m->counters + 1,
                               m->counters + 2,
                               (int)own->views,
                               (int)e->batch,
                               (int)plan->base.graph->classes};
    return jsni_cuda_run_update(plan, m, own->update.optimiser, m->counters + 1, &c);
}

/* One step a graph, no more: convolutions load their weights before they wait for earlier
 * kernels, so packing must have ended when a step begins. */
static jsn_status record(jsni_cuda_plan *plan, size_t number,
                         const jsni_resident_epoch *e)
{
    jsni_cuda_member *m = &plan->member[number];
    jsni_recording *r = &m->recording;
    const jsni_resident_member *own = &e->members[number];
    JSNI_TRY(jsni_cuda_program(plan, number, own->views, e->batch, true, &m->now));
    if (r->valid && r->views == own->views && r->samples == e->batch &&
        r->loss == own->losses.first && r->second == own->losses.second &&
        r->optimiser == own->update.optimiser && r->mixed == (own->walk != NULL))
        return JSN_OK;
    if (r->graph)
        (void)cudaGraphExecDestroy(r->graph);
    memset(r, 0, sizeof *r);
    jsni_loss_device ready; /* its memory is there before the capture */
    JSNI_TRY(jsni_cuda_loss_describe(own->losses.first, &ready));
    if (own->losses.second)
        JSNI_TRY(jsni_cuda_loss_describe(own->losses.second, &ready));
    JSNI_TRY_CUDA(cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal));
    JSNI_TRY(jsni_cuda_recorded(m->stream, step_tasks(plan, m, m->now, e, own),
                                "recording a training step", &r->graph));
    r->views = own->views;
    r->samples = e->batch;
    r->loss = own->losses.first;
    r->second = own->losses.second;
    r->optimiser = own->update.optimiser;
    r->mixed = own->walk != NULL;
    r->valid = true;
    return JSN_OK;
}

static jsn_status check_epoch(const jsni_cuda_plan *plan, const jsni_resident_epoch *e)
{
    const jsni_resident_set *train = &plan->sets[JSNI_RESIDENT_TRAIN];
    if (!train->images || !plan->options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "an epoch without a resident training set");
    for (size_t i = 0; i < plan->members; i++) {
        const size_t views = e->members[i].views;
        if (views == 0 || e->batch == 0 || views > plan->options.views ||
            e->batch > plan->options.batch || views > JSNI_RESIDENT_VIEWS)
            return jsni_fail(
                JSN_ERR_ARGUMENT,
                "%zu views of %zu samples, the plan has room for %zu of %zu", views,
                e->batch, plan->options.views, plan->options.batch);
    }
    for (size_t i = 0; i < plan->members; i++)
        for (size_t k = 0; k < e->steps * e->batch; k++)
            if (e->members[i].order[k] >= train->count)
                return jsni_fail(JSN_ERR_RANGE,
                                 "sample %u of an order, the set has %zu",
                                 (unsigned)e->members[i].order[k], train->count);
    return JSN_OK;
}

static jsn_status end_epoch(jsni_cuda_plan *plan, size_t number,
                            jsni_resident_result *result)
{
    jsni_cuda_member *m = &plan->member[number];
    jsni_step_counts c;
    JSNI_TRY_CUDA(
        cudaMemcpyAsync(&c, m->counts, sizeof c, cudaMemcpyDeviceToHost, m->stream));
    JSNI_TRY_CUDA(cudaStreamSynchronize(m->stream));
    result->loss_sum = c.loss_sum;
    result->samples = c.samples;
    result->true_samples = c.true_samples;
    for (size_t v = 0; v < JSNI_RESIDENT_VIEWS; v++) {
        result->fits[v] = c.fits[v];
        result->fits_true[v] = c.fits_true[v];
        result->correct[v] = c.correct[v];
    }
    if (c.not_finite)
        return jsni_fail(JSN_ERR_NUMERIC, "the loss was not finite in %u steps",
                         (unsigned)c.not_finite);
    return JSN_OK;
}

static jsn_status epoch(jsni_plan *base, const jsni_resident_epoch *e,
                        int (*stop)(void *user), void *user, size_t *steps_done,
                        jsni_resident_result *result)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    *steps_done = 0;
    JSNI_TRY(check_epoch(plan, e));
    JSNI_TRY(supports(base, e->augment, plan->sets[JSNI_RESIDENT_TRAIN].height,
                      plan->sets[JSNI_RESIDENT_TRAIN].width));
    for (size_t i = 0; i < plan->members; i++) {
        JSNI_TRY(begin_epoch(plan, i, e));
        JSNI_TRY(record(plan, i, e));
    }
    bool stopped = false;
    for (size_t s = 0; s < e->steps && !stopped; s++) {
        for (size_t i = 0; i < plan->members; i++)
            JSNI_TRY_CUDA(cudaGraphLaunch(plan->member[i].recording.graph,
                                          plan->member[i].stream));
        ++*steps_done;
        stopped = stop && stop(user);
    }
    plan->ran_training = false; /* backward() has nothing of its own to start from */
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < plan->members; i++) {
        const jsn_status one = end_epoch(plan, i, &result[i]);
        status = status == JSN_OK ? one : status;
    }
    if (status == JSN_OK && stopped && *steps_done < e->steps)
        return jsni_fail(JSN_ERR_STOPPED, "stopped after %zu of %zu steps", *steps_done,
                         e->steps);
    return status;
}

static jsn_status upload_normal(jsni_cuda_member *m, const jsni_resident_query *q)
{
    float normal[3][256];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 256; i++)
            normal[c][i] = ((float)i / 255.0f - q->mean[c]) / q->deviation[c];
    if (!m->normal)
        JSNI_TRY(jsni_cuda_alloc((void **)&m->normal, sizeof normal, "a table"));
    return JSNI_CUDA(cudaMemcpyAsync(m->normal, normal, sizeof normal,
                                     cudaMemcpyHostToDevice, m->stream));
}

/* One batch of an evaluation. The coefficients of BatchNorm stay as the first batch made
 * them. */
static jsn_status evaluate_batch(const jsni_program *p, cudaStream_t stream, bool first)
{
    for (size_t i = 0; i < p->forward_tasks; i++)
        if (first || p->tasks[i].kind != JSNI_TASK_NORM_EVAL)
            JSNI_TRY(jsni_task_run(&p->tasks[i], stream));
    return JSN_OK;
}

static jsn_status evaluate(jsni_plan *base, size_t member, const jsni_resident_query *q,
                           float *logits)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_cuda_member *m = &plan->member[member];
    const jsni_resident_set *set = &plan->sets[q->set];
    const size_t batch = plan->evaluated;
    if (!set->images || q->first + q->count > set->count)
        return jsni_fail(JSN_ERR_ARGUMENT, "samples %zu to %zu of a set of %zu",
                         q->first, q->first + q->count, set->count);
    JSNI_TRY(supports(base, q->augment, set->height, set->width));
    const size_t classes = base->graph->classes;
    JSNI_TRY(jsni_cuda_program(plan, member, 1, batch, false, &m->now));
    plan->ran_training = false;
    JSNI_TRY(upload_normal(m, q));
    if (q->augment)
        JSNI_TRY(
            upload_recipe(m, jsni_gather_recipe(q->augment, set->height, set->width)));
    const jsni_gather_key key = {q->seed, q->epoch, q->purpose};
    JSNI_TRY_CUDA(
        cudaMemcpyAsync(m->key, &key, sizeof key, cudaMemcpyHostToDevice, m->stream));
    jsni_gather_args g;
    memset(&g, 0, sizeof g);
    g.images = set->images;
    g.key = m->key;
    g.recipe = q->augment ? m->recipe : NULL;
    g.normal = m->normal;
    g.out = m->arena + m->now->input;
    g.count = (uint32_t)set->count;
    g.views = 1;
    g.samples = (int)batch;
    g.height = (int)set->height;
    g.width = (int)set->width;
    g.half = plan->options.precision == JSN_PRECISION_BF16;
    for (size_t done = 0; done < q->count; done += batch) {
        const size_t rest = q->count - done;
        g.first = (uint32_t)(q->first + done);
        JSNI_TRY_CUDA(jsni_gather(&g, m->stream));
        JSNI_TRY(evaluate_batch(m->now, m->stream, done == 0));
        JSNI_TRY_CUDA(
            cudaMemcpyAsync(logits + done * classes,
                            m->arena + m->now->values[base->graph->node_count - 1],
                            (rest < batch ? rest : batch) * classes * sizeof *logits,
                            cudaMemcpyDeviceToHost, m->stream));
    }
    return JSNI_CUDA(cudaStreamSynchronize(m->stream));
}

void jsni_cuda_resident_release(jsni_cuda_plan *plan)
{
    for (size_t i = 0; i < JSNI_RESIDENT_SETS; i++)
        free_set(&plan->sets[i]);
}

const struct jsni_resident_ops jsni_cuda_resident = {supports, set_images,  set_labels,
                                                     epoch,    read_memory, evaluate};
