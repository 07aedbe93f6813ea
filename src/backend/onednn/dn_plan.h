/* backend/onednn/dn_plan.h - a graph made ready for the oneDNN backend.
 *
 * Tensors are what is stored: results of convolutions, of residual adds, of pools.
 * BatchNorm and ReLU are not: they are a way of reading a tensor. A *value* is a tensor
 * together with the BatchNorm and the ReLU it is read through. Steps run in order
 * forward and in reverse order backward; each is one run of the pool over fixed shards
 * of images, with one barrier at its end, because only BatchNorm's sums need all images.
 *
 *     forward   x read through BN+ReLU -> convolution -> + residual -> sums of the result
 *     backward  gradient of the result, through the BN+ReLU of its readers -> backward
 *               data -> sums for the BN before -> backward weights
 *
 * A shard lies within one view. What is summed over images is summed within a shard by
 * whoever runs it, stored by shard and combined in shard order: the same bits for any
 * number of threads.
 *
 * Gradients of values, weight-gradient parts and tensors live in one arena; who may use
 * which memory when is decided before anything is allocated (dn_memory.c).
 */
#ifndef JSNI_BACKEND_ONEDNN_DN_PLAN_H
#define JSNI_BACKEND_ONEDNN_DN_PLAN_H

#include <stdatomic.h>

#include "backend/host_plan.h"
#include "backend/onednn/dnnl_conv.h"
#include "backend/onednn/kernel_set.h"

typedef struct dn_backend {
    jsni_host_device host;
    const jsni_kernel_set *kernels;
    dnnl_engine_t engine;
} dn_backend;

typedef struct dn_tensor {
    jsni_shape shape;
    size_t blocks, pixels;
    size_t floats; /* an image */
    bool plain;    /* [c][h][w] instead of blocks: the images, where that suits */
    bool needs;    /* its gradient is wanted */
    bool normed;   /* some BatchNorm reads it: its sums are wanted */
    size_t step;   /* that makes it */
    size_t value;  /* that reads it as it is */
    size_t buffer;
    /* What `buffer` is in the forward pass, and in the backward one from where its reader
     * needs it: the same, unless it is made again (dn_again.c). */
    size_t forward, again;
    bool own;       /* every worker has its own, for the images it works on */
    float *rows;    /* [source_images] of what the later steps read, or NULL */
    jsni_sums sums; /* [shards][channels], borrowed from the plan */
} dn_tensor;

typedef struct dn_value {
    size_t tensor;
    size_t norm;    /* JSNI_NONE: none */
    bool relu, six; /* six: ReLU6 */
    bool stored;    /* its tensor has it so already: step->finish */
    bool needs;
    size_t completed; /* the step that adds the last part of its gradient */
    size_t gradient;  /* buffer; while planning the latest, then the final one */
} dn_value;

typedef struct dn_norm {
    size_t node, tensor;
    size_t channels, full;       /* real, rounded up to whole blocks */
    float *mean, *scale, *shift; /* [views][full]: jsni_load */
    float *slope, *offset;       /* [views][full]: jsni_norm_back */
    double *exact, *inverse;     /* [views][full] mean, 1/sqrt(variance + epsilon) */
    jsni_sums sums;              /* [shards][full] backward */
} dn_norm;

typedef enum dn_kind {
    DN_INPUT,
    DN_CONV,
    DN_DEPTHWISE,
    DN_COMBINE, /* relu?(a + b), b optional */
    DN_MAX_POOL,
    DN_AVG_POOL,
    DN_ADAPTIVE_POOL,
    DN_LINEAR,
    DN_FLATTEN,
    DN_DROPOUT
} dn_kind;

/* The gradient that a step adds to the value it reads. */
typedef struct dn_back {
    size_t addend; /* buffer of what later readers gave, or JSNI_NONE */
    size_t to;     /* buffer, or JSNI_NONE: not wanted. The step's own `g` without an
                    * addend: passed on as it is, no work */
} dn_back;

typedef struct dn_step {
    dn_kind kind;
    size_t node;
    size_t in[2]; /* values; the second: other summand, or residual of a conv */
    size_t out;   /* tensor */
    bool relu;    /* of a combine */
    /* The value as which a depthwise convolution stores its result, since nobody reads it
     * otherwise, or JSNI_NONE. */
    size_t finish;
    size_t shard; /* images of a shard, at most */
    size_t unit;  /* images that go through a step at a time */
    bool own;     /* conv: own Winograd, else oneDNN */
    jsni_wino wino, wino_back;
    jsni_dnnl_conv conv;
    size_t weights_forward, weights_back; /* floats, offsets in plan->weights */
    size_t part;                          /* floats of one shard's weight gradient */
    double *bias_sums;                    /* [shards][channels] */
    jsni_pool_shape pool; /* also the window of a depthwise convolution */

    /* backward */
    size_t again;  /* the step to run once more before this one, or JSNI_NONE */
    bool active;   /* some gradient arrives */
    bool fold;     /* it goes through BatchNorm or ReLU of its readers first */
    size_t direct; /* buffer of the gradient of the tensor as it is, or JSNI_NONE */
    size_t g;      /* buffer of the gradient of `out`; JSNI_NONE: worker's scratch */
    dn_back back[2];
    size_t parts; /* buffer of the shards' weight gradients */
    char text[160];
} dn_step;

/* A stretch of the arena. */
typedef struct dn_buffer {
    size_t floats;
    size_t from, to; /* first and last time of use */
    size_t share;    /* buffer whose memory it takes over, or JSNI_NONE */
    bool given;      /* some buffer takes over this one's */
    bool own;        /* one a worker: in its block instead of the arena */
    size_t offset;   /* floats */
} dn_buffer;

typedef struct dn_worker {
    jsni_wino_scratch wino;
    float *y, *g, *t; /* loaded input, gradient, result of a unit of images */
    float *dw;        /* weight gradient of a unit */
    float *ring;      /* rows of a depthwise convolution */
    void *scratch;    /* oneDNN's */
    dnnl_stream_t stream;
} dn_worker;

/* What a step's time is spent on. */
typedef enum dn_part {
    DN_FORWARD,
    DN_GRADIENT, /* BatchNorm, ReLU and sums, backward */
    DN_DATA,
    DN_WEIGHTS,
    DN_SUM, /* of the shards' weight gradients */
    DN_PARTS
} dn_part;

/* A piece of preparing weights for the convolutions. */
typedef struct dn_prepare {
    size_t step;
    bool back;
    size_t from, to; /* blocks; oneDNN's do all at once */
} dn_prepare;

typedef struct dn_need {
    size_t y, g, t, dw, ring, scratch;
    jsni_wino_need wino;
} dn_need;

typedef struct dn_plan {
    jsni_host_plan host;            /* its logits are owned here */
    const jsni_kernel_set *kernels; /* borrowed */
    dnnl_engine_t engine;           /* borrowed */
    size_t threads;

    dn_tensor *tensors;
    size_t tensor_count;
    dn_value *values;
    size_t value_count;
    dn_norm *norms;
    size_t norm_count;
    dn_step *steps;
    size_t step_count;
    dn_buffer *buffers;
    size_t buffer_count;
    size_t *node_value; /* [nodes] or JSNI_NONE: the output is never in memory */
    size_t *node_step;  /* [nodes] the step it runs in */
    dn_prepare *prepares;
    size_t prepare_count;
    size_t output, output_gradient; /* tensor, buffer */
    size_t input_gradient;          /* buffer or JSNI_NONE */

    /* Without training the first `deep` steps need no barrier: a worker takes its images
     * through all of them before the next ones, so that little memory is used and most of
     * it stays in the cache. 0: every step for all images. */
    size_t deep;
    size_t own_floats; /* of the tensors that every worker has */
    /* Of an evaluation that asks for its images (dn_source.c): its source while the first
     * steps run, else NULL; how many images it takes at most; which of them were not
     * there. 0 and NULL where the plan asks for none. */
    const jsni_source *source;
    size_t source_images;
    bool *absent; /* [source_images] */

    size_t arena_floats, weight_floats, norm_floats, sum_doubles;
    dn_need need; /* of one worker */

    float *arena, *own, *weights, *norm_block;
    double *sum_block;
    dn_worker *workers;
    char *worker_block;

    bool stale;         /* weights changed since they were prepared */
    bool reverse;       /* the next run walks the shards from the last one */
    size_t pending;     /* step whose weight gradients are still to be summed */
    atomic_int failure; /* a dnnl_status_t of some worker */
    double *times;      /* [threads][steps][DN_PARTS] while timed, else NULL */
} dn_plan;

static inline size_t dn_capacity(const dn_plan *plan)
{
    return plan->host.options.views * plan->host.options.batch;
}

static inline float *dn_buffer_at(const dn_plan *plan, size_t buffer)
{
    return buffer == JSNI_NONE ? NULL : plan->arena + plan->buffers[buffer].offset;
}

static inline float *dn_tensor_at(const dn_plan *plan, size_t tensor)
{
    return dn_buffer_at(plan, plan->tensors[tensor].buffer);
}

/* Some images of one view. */
typedef struct dn_range {
    size_t view, first, count; /* first: counted through all views */
    size_t shard;              /* counted through all views */
    size_t begin, worker;      /* first image of the shard, and who works on it */
} dn_range;

/* `count` images of a range from its image number `from` on. */
static inline dn_range dn_part_of(const dn_range *r, size_t from, size_t count)
{
    dn_range part = *r;
    part.first += from;
    part.count = count;
    return part;
}

/* The images of a range. */
static inline float *dn_images_at(const dn_plan *plan, size_t tensor, const dn_range *r)
{
    const dn_tensor *t = &plan->tensors[tensor];
    if (plan->source != NULL && tensor == 0) /* a place for the images of each worker */
        return dn_tensor_at(plan, 0) +
               (r->worker * plan->steps[1].shard + r->first - r->begin) * t->floats;
    if (plan->source != NULL && t->rows != NULL)
        return t->rows + r->first * t->floats;
    if (!t->own)
        return dn_tensor_at(plan, tensor) + r->first * t->floats;
    return plan->own + r->worker * plan->own_floats + plan->buffers[t->buffer].offset +
           (r->first - r->begin) * t->floats;
}

/* Forward times are 0 .. steps-1, the loss is at steps, backward runs at steps+1 (the
 * last step) .. 2*steps (the first). */
static inline size_t dn_back_time(const dn_plan *plan, size_t step)
{
    return 2 * plan->step_count - step;
}

/* dn_fuse.c: graph to tensors, values, norms and steps. */
JSN_MUST_CHECK jsn_status jsni_dn_fuse(dn_plan *plan);
/* dn_steps.c: kernels, shards and primitives of every step. */
JSN_MUST_CHECK jsn_status jsni_dn_steps_create(dn_plan *plan);
void jsni_dn_steps_destroy(dn_plan *plan);
/* dn_gradient.c: which buffer holds which gradient when. */
JSN_MUST_CHECK jsn_status jsni_dn_gradients(dn_plan *plan);
/* dn_again.c: which tensors are made again backward; after jsni_dn_gradients(). */
JSN_MUST_CHECK jsn_status jsni_dn_again_plan(dn_plan *plan);
/* dn_memory.c: buffers, offsets, sizes; then the memory itself. */
JSN_MUST_CHECK jsn_status jsni_dn_buffer_add(dn_plan *plan, size_t floats, size_t from,
                                             size_t to, size_t *out);
void jsni_dn_buffer_use(dn_plan *plan, size_t buffer, size_t time);
JSN_MUST_CHECK jsn_status jsni_dn_memory_check(const dn_plan *plan); /* sizes fit */
JSN_MUST_CHECK jsn_status jsni_dn_memory_layout(dn_plan *plan);
jsni_memory jsni_dn_memory_need(const dn_plan *plan);
JSN_MUST_CHECK jsn_status jsni_dn_memory_allocate(dn_plan *plan);
void jsni_dn_memory_release(dn_plan *plan);

/* ---- running ---- */

/* backend_onednn.c: the output of a pass to where read_output() finds it; what the workers
 * could not say. */
JSN_MUST_CHECK jsn_status jsni_dn_end_pass(dn_plan *plan);

static inline size_t dn_shards_of_view(const dn_plan *plan, const dn_step *step)
{
    return (plan->host.samples + step->shard - 1) / step->shard;
}

static inline size_t dn_shards(const dn_plan *plan, const dn_step *step)
{
    return plan->host.views * dn_shards_of_view(plan, step);
}

/* Shard number `index` of a run of the pool: every other run starts with what the one
 * before left in the cache. The order of the shards has no effect on results. */
static inline size_t dn_turn(const dn_plan *plan, size_t index, size_t shards)
{
    return plan->reverse ? shards - 1 - index : index;
}

dn_range jsni_dn_range_of(const dn_plan *plan, const dn_step *step, size_t shard,
                          size_t worker);
jsni_extent jsni_dn_extent(const dn_plan *plan, size_t tensor, size_t images);
/* How a value is read in a view; `relu` and normalisation of the present pass. */
jsni_load jsni_dn_load(const dn_plan *plan, size_t value, size_t view);
static inline bool dn_load_plain(const jsni_load *load)
{
    return load->mean == NULL && !load->relu;
}
/* The same even where the tensor is stored as that value: for the step that stores it. */
jsni_load jsni_dn_finish(const dn_plan *plan, size_t value, size_t view);
/* The images of a range of a value as they are read: the tensor itself or loaded into
 * `scratch`. */
const float *jsni_dn_read(const dn_plan *plan, size_t value, const dn_range *r,
                          float *scratch);
/* Shard `shard` of some sums. */
jsni_sums jsni_dn_sums_at(jsni_sums sums, size_t channels, size_t shard);
void jsni_dn_fail(dn_plan *plan, dnnl_status_t status);

/* dn_time.c: seconds that a worker spends on a part of a step, noted while the plan is
 * timed. What worker 0 does alone is `alone`: all the others wait for it. */
double jsni_dn_time_begin(const dn_plan *plan);
void jsni_dn_time_end(dn_plan *plan, const dn_step *step, dn_part part, size_t worker,
                      double from);
void jsni_dn_time_end_alone(dn_plan *plan, const dn_step *step, dn_part part,
                            double from);
JSN_MUST_CHECK jsn_status jsni_dn_time_tasks(jsni_plan *plan, jsni_task_time *times,
                                             size_t room, size_t *count);
/* dn_limit.c: oneDNN's primitives alone. */
JSN_MUST_CHECK jsn_status jsni_dn_time_limit(jsni_plan *plan, jsni_task_time *times,
                                             size_t room, size_t *count);

/* dn_norm.c: after all shards have their sums. */
void jsni_dn_norm_forward(dn_plan *plan, size_t norm);
void jsni_dn_norm_backward(dn_plan *plan, size_t norm);
void jsni_dn_norm_evaluation(dn_plan *plan, size_t norm);

/* dn_again.c: the step that reads a tensor, and the value as which it does, where only one
 * step does so and once, else JSNI_NONE; when a forward pass begins, and before a step runs
 * backward. */
size_t jsni_dn_only_reader(const dn_plan *plan, size_t tensor, size_t *as);
void jsni_dn_again_forward(dn_plan *plan);
void jsni_dn_again_backward(dn_plan *plan, const dn_step *reader);

/* dn_source.c: whether and how far a plan asks, once its steps are known; its memory; the
 * entries; and what a worker does before it takes a range of images through the steps. */
void jsni_dn_source_plan(dn_plan *plan);
size_t jsni_dn_source_floats(const dn_plan *plan);
JSN_MUST_CHECK jsn_status jsni_dn_source_allocate(dn_plan *plan);
void jsni_dn_source_release(dn_plan *plan);
size_t jsni_dn_source_workers(const jsni_plan *base);
size_t jsni_dn_source_images(const jsni_plan *base);
JSN_MUST_CHECK jsn_status jsni_dn_evaluate_from(jsni_plan *base,
                                                const jsni_source *source,
                                                size_t samples, size_t *there,
                                                float *to);
void jsni_dn_source_ask(dn_plan *plan, const dn_range *r);

/* dn_forward.c, dn_backward.c, dn_conv.c, dn_linear.c */
void jsni_dn_dropout(const dn_plan *plan, const dn_step *step, const dn_range *r,
                     const float *x, float *y);
void jsni_dn_forward_run(dn_plan *plan);
/* Its three parts: what comes before the first step, the steps without a barrier, the rest. */
void jsni_dn_forward_begin(dn_plan *plan);
void jsni_dn_forward_deep(dn_plan *plan);
void jsni_dn_forward_rest(dn_plan *plan);
void jsni_dn_backward_run(dn_plan *plan);
void jsni_dn_prepare_weights(dn_plan *plan);
void jsni_dn_conv_forward(dn_plan *plan, dn_step *step, const dn_range *r,
                          size_t worker);
/* The result of oneDNN's convolution once more, without its sums. */
void jsni_dn_conv_again(dn_plan *plan, dn_step *step, const dn_range *r, size_t worker);
void jsni_dn_conv_backward(dn_plan *plan, dn_step *step, const dn_range *r,
                           size_t worker);
/* The gradient of step->out for some images of `r`: where it lies. */
const float *jsni_dn_out_gradient(dn_plan *plan, dn_step *step, const dn_range *r,
                                  float *scratch);
/* Passes g on to input k, added to what later readers gave it. */
void jsni_dn_pass_on(dn_plan *plan, const dn_step *step, int k, const dn_range *r,
                     const float *g);
/* Whether the step adds the last part of input k's gradient and a BatchNorm waits for
 * its sums; and these sums. */
bool jsni_dn_completes(const dn_plan *plan, const dn_step *step, int k);
void jsni_dn_back_input(dn_plan *plan, const dn_step *step, int k, const dn_range *r);
/* dn_depthwise.c */
void jsni_dn_depthwise_create(dn_plan *plan, dn_step *step);
void jsni_dn_depthwise_prepare(dn_plan *plan, const dn_step *step);
void jsni_dn_depthwise_forward(dn_plan *plan, const dn_step *step, const dn_range *r,
                               size_t worker, const jsni_sums *sums, bool first);
void jsni_dn_depthwise_backward(dn_plan *plan, dn_step *step, const dn_range *r,
                                size_t worker);
void jsni_dn_depthwise_reduce(dn_plan *plan, const dn_step *step);
size_t jsni_dn_reduce_tasks(const dn_plan *plan, size_t step);
void jsni_dn_reduce(dn_plan *plan, size_t step, size_t task, size_t worker);
void jsni_dn_linear_forward(dn_plan *plan, dn_step *step);
void jsni_dn_linear_backward(dn_plan *plan, dn_step *step);

#endif /* JSNI_BACKEND_ONEDNN_DN_PLAN_H */
