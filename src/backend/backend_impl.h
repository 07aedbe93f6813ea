/* backend/backend_impl.h - what a backend implements.
 *
 * A backend opens a device and turns a graph into a plan: the graph made ready for one
 * batch size, with all memory a training step needs. Inside a plan a backend keeps
 * parameters, gradients and activations in whatever layout is fastest; upload() and
 * download() convert from and to the canonical blocks of nn/graph.h (fp32, PyTorch
 * layouts), which is what initial weights, files, checksums and tests use.
 *
 * A training step is
 *
 *     set_input, set_labels, forward(training), loss, backward, update
 *
 * and may run asynchronously; read_loss(), read_output(), download() and synchronize()
 * wait. An evaluation is set_input, forward(evaluation), read_output. One thread uses a
 * plan at a time. No entry but open and plan_create allocates.
 *
 * Views are a dimension: inputs, outputs and their gradients are [views][samples]...
 * BatchNorm statistics are those of one view, running statistics are updated once a
 * view, in order, exactly as if each view had its own forward pass.
 *
 * The same bits for any number of threads: work is cut into pieces that depend on the
 * shapes alone, and sums are combined in the order of the pieces.
 *
 * A backend is a folder backend/<name>/ with backend_<name>.c, which defines
 * jsni_backend_<name>, and a row in backend_list.h. Of the row itself only name, summary,
 * can, device_count and open are used; everything else is called through the `ops` of
 * what open made, which a backend that is loaded at run time brings with it.
 */
#ifndef JSNI_BACKEND_IMPL_H
#define JSNI_BACKEND_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend_list.h"
#include "backend/optim_impl.h"
#include "jensen/backend.h"
#include "jensen/status.h"
#include "nn/graph.h"

typedef struct jsn_loss jsn_loss;
struct jsn_loss_gpu_batch; /* jensen/loss_gpu.h */
struct jsn_loss_gpu_scale;

/* Each backend defines what is behind these. The first member of both structs is the
 * base struct below, so that common code finds the table. */
typedef struct jsni_backend jsni_backend; /* an open device */
typedef struct jsni_plan jsni_plan;

typedef struct jsni_backend_ops jsni_backend_ops;

struct jsni_backend {
    const jsni_backend_ops *ops;
};

struct jsni_plan {
    const jsni_backend_ops *ops;
    jsni_backend *backend;   /* borrowed; outlives the plan */
    const jsni_graph *graph; /* borrowed; outlives the plan */
};

typedef struct jsni_plan_options {
    size_t batch;   /* most samples of one call, >= 1 */
    size_t views;   /* most views of one call, >= 1 */
    size_t threads; /* 0: one a usable core; ignored by a GPU */
    jsn_precision precision;
    bool training;          /* false: forward in evaluation mode only */
    bool input_gradient;    /* backward also makes the gradient of the images */
    size_t optimiser_slots; /* floats of optimiser state a parameter: optim_impl.h */
    size_t members;         /* networks trained side by side; 0 and 1: one */
} jsni_plan_options;

/* What a plan will allocate, known before anything is. Bytes. */
typedef struct jsni_memory {
    size_t parameters;
    size_t gradients;
    size_t optimiser;
    size_t statistics;
    size_t activations; /* and their gradients */
    size_t workspace;   /* scratch, partial sums, copies of weights in other layouts */
} jsni_memory;

static inline size_t jsni_memory_total(const jsni_memory *m)
{
    return m->parameters + m->gradients + m->optimiser + m->statistics +
           m->activations + m->workspace;
}

/* The canonical blocks, all float32. */
typedef enum jsni_block {
    JSNI_BLOCK_PARAMETERS, /* [graph->param_floats] */
    JSNI_BLOCK_GRADIENTS,  /* [graph->param_floats], as the latest backward left it */
    JSNI_BLOCK_OPTIMISER,  /* [optimiser_slots][graph->param_floats] */
    JSNI_BLOCK_STATISTICS  /* [graph->stat_floats] */
} jsni_block;

typedef struct jsni_pass {
    bool training; /* batch statistics, dropout, running statistics updated */
    uint64_t seed; /* of the dropout streams */
    uint32_t step; /* counts training steps from 0: names the dropout streams */
} jsni_pass;

/* Host memory, borrowed for the duration of the call. The meaning is that of
 * jsn_loss_batch in jensen/loss.h. */
typedef struct jsni_labels {
    const int32_t *labels; /* [samples], each in [0, classes); NULL with targets */
    const float *targets;  /* [samples][classes] soft labels, or NULL */
    const double *weights; /* [samples] >= 0, or NULL: all 1 */
    const double *class_weights; /* [classes] >= 0, or NULL: all 1 */
    const uint8_t *second;       /* [samples] != 0: the second loss, or NULL: never */
    /* [samples][classes] of a method, or NULL: borrowed until the loss has been read,
     * which renews it. */
    float *memory;
} jsni_labels;

/* Where the images of an evaluation come from, each when it is wanted. */
typedef struct jsni_source {
    /* Image `sample` to `to` [C][H][W]; false: there is none, and the output has no row
     * for it. Several threads ask at a time, each as a `worker` of its own. */
    bool (*fn)(void *user, size_t sample, size_t worker, float *to);
    void *user;
} jsni_source;

/* Losses made for the graph's classes and the views of the pass; a loss that is to read
 * the first view alone was told so by jsni_loss_first_view_only(). */
typedef struct jsni_losses {
    jsn_loss *first;
    jsn_loss *second; /* for the samples marked in jsni_labels.second, or NULL */
} jsni_losses;

typedef struct jsni_task_time {
    size_t node;
    const char *what; /* static; starts with "forward" in the forward pass */
    double seconds;
    double bytes, flops; /* that the task cannot do without, 0 where not counted */
} jsni_task_time;

/* What a backend can, for those who choose by it: nobody asks for a backend's name. */
typedef struct jsni_backend_can {
    bool gpu;            /* "auto" may take it, "cpu" never does */
    bool resident;       /* data sets live on the device; the table has `resident` */
    size_t members;      /* networks that are best trained side by side; 1: no more */
    unsigned precisions; /* JSNI_CAN() of each jsn_precision that it computes in */
} jsni_backend_can;

#define JSNI_CAN(precision) (1u << (precision))

struct jsni_backend_ops {
    const char *name;    /* "onednn" */
    const char *summary; /* one line */
    jsni_backend_can can;

    /* Devices that can be opened now; 0 when the library or the hardware is missing. */
    size_t (*device_count)(void);
    /* JSN_ERR_DEVICE when there is no such device. */
    jsn_status (*open)(jsni_backend **out, size_t device);
    void (*close)(jsni_backend *backend);                    /* accepts NULL */
    const char *(*device_text)(const jsni_backend *backend); /* "NVIDIA H200, ..." */
    size_t (*memory_available)(const jsni_backend *backend); /* bytes */

    /* Whether a node can run at all: JSN_OK, or JSN_ERR_UNSUPPORTED with a sentence. */
    jsn_status (*supports)(const jsni_backend *backend, const jsni_graph *graph,
                           size_t node, const jsni_plan_options *options);

    /* The memory of a plan with these options. JSN_ERR_RANGE when it overflows. */
    jsn_status (*plan_memory)(const jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_memory *out);
    /* `graph` and `backend` stay borrowed. All blocks start as zero. Common code has
     * checked the options, every node by supports() and the memory.
     *   JSN_ERR_MEMORY, JSN_ERR_DEVICE */
    jsn_status (*plan_create)(jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_plan **out);
    void (*plan_destroy)(jsni_plan *plan); /* accepts NULL */

    /* Whole blocks, canonical layout. `member` < members. */
    jsn_status (*upload)(jsni_plan *plan, size_t member, jsni_block block,
                         const float *from);
    jsn_status (*download)(jsni_plan *plan, size_t member, jsni_block block, float *to);

    /* Images [views][samples][C][H][W] of float, copied; fixes views and samples of the
     * calls that follow. They and the labels stay until the next call, so that a step
     * can be repeated on them. Every member sees them unless set_input is called for it. */
    jsn_status (*set_input)(jsni_plan *plan, size_t member, const float *images,
                            size_t views, size_t samples);
    /* Optional, all or none. Begins to copy the input of a later step beside what the
     * device does; set_input with the same arguments then takes it, any other one forgets
     * it. Until then the images stay as they are. Without room for it nothing happens.
     * And whether memory of the host was pinned, from which such a copy is as fast as the
     * bus; it is unpinned before it is freed, which waits for copies out of it. */
    jsn_status (*stage_input)(jsni_plan *plan, const float *images, size_t views,
                              size_t samples);
    bool (*pin)(jsni_plan *plan, void *memory, size_t bytes);
    void (*unpin)(jsni_plan *plan, void *memory);
    /* After set_input. Copied. */
    jsn_status (*set_labels)(jsni_plan *plan, size_t member, const jsni_labels *labels);

    jsn_status (*forward)(jsni_plan *plan, const jsni_pass *pass);
    /* The mean loss over the samples, the values of the samples, and the gradient of
     * the mean with respect to the output, which backward starts from. Not finite:
     * JSN_ERR_NUMERIC, from here or from read_loss. */
    jsn_status (*loss)(jsni_plan *plan, const jsni_losses *losses);
    /* Copies the output to where loss() puts its gradient, for the time it takes: no loss
     * can do with less. After a training pass. */
    jsn_status (*copy_output)(jsni_plan *plan);
    /* Fills the gradients (overwrites them). After a training pass; after an evaluation
     * pass a backend may answer JSN_ERR_UNSUPPORTED. */
    jsn_status (*backward)(jsni_plan *plan);
    /* One optimiser step with the gradients of the latest backward. */
    jsn_status (*update)(jsni_plan *plan, const jsni_update *update);

    /* Waits. `values` [samples] may be NULL; NaN for a loss without such values. */
    jsn_status (*read_loss)(jsni_plan *plan, size_t member, double *mean,
                            double *values);
    /* The output node, [views][samples][outputs]. */
    jsn_status (*read_output)(jsni_plan *plan, size_t member, float *to);
    jsn_status (*synchronize)(jsni_plan *plan);

    /* How node `node` is run: a short text that names the kernels, forward / backward
     * data / backward weights where they differ, e.g. "own winograd f4x3 / same / same"
     * or "in conv1" when it is fused into another node. The plan owns it. */
    const char *(*describe_node)(const jsni_plan *plan, size_t node);

    /* For tests. The gradient of the output, [views][samples][outputs], in place of
     * loss(); the gradient of the images after backward (options.input_gradient); the
     * gradient that loss() made. */
    jsn_status (*write_output_gradient)(jsni_plan *plan, size_t member,
                                        const float *from);
    jsn_status (*read_output_gradient)(jsni_plan *plan, size_t member, float *to);
    jsn_status (*read_input_gradient)(jsni_plan *plan, size_t member, float *to);
    /* The output of any node, [views][samples][C][H][W], after a training forward and
     * before backward, which may reuse the memory. JSN_ERR_UNSUPPORTED when the node's
     * output never exists in memory (fused). */
    jsn_status (*read_node)(jsni_plan *plan, size_t member, size_t node, float *to);

    /* Where the backend can.resident, else NULL: a data set that lives on the device,
     * with augmentation there, and epochs that run without the host. See resident.h. */
    const struct jsni_resident_ops *resident;

    /* Optional: times the pieces of device work of a training step of the plan's full
     * size, in order, each by itself; *count may exceed `room`. Leaves gradients and
     * running statistics of no use. */
    jsn_status (*time_tasks)(jsni_plan *plan, jsni_task_time *times, size_t room,
                             size_t *count);
    /* Optional: times what the library's own primitives take for the layers of that
     * step, each by itself, several entries a node; on a GPU the roof: bytes and products
     * at the rates of the card. Changes nothing in the plan. */
    jsn_status (*time_limit)(jsni_plan *plan, jsni_task_time *times, size_t room,
                             size_t *count);

    /* Where the backend can.gpu: jsn_loss_gpu_run() and jsn_loss_gpu_rescale(), which have
     * checked what they were given. */
    jsn_status (*loss_launch)(const jsn_loss *loss,
                              const struct jsn_loss_gpu_batch *batch);
    jsn_status (*loss_scale)(const struct jsn_loss_gpu_scale *scale);

    /* Optional, all or none. How many workers ask a source for images; 0: a plan of this
     * network takes none. And for how many images at most in one call. */
    size_t (*source_workers)(const jsni_plan *plan);
    size_t (*source_images)(const jsni_plan *plan);
    /* set_input, forward and read_output of an evaluation in one. A thread asks for the
     * images that it then takes through the network: there is no time when all of them
     * read, or all of them wait, and images do not lie in memory in between. *there counts
     * the rows of `to`. The bits are those of one call for each batch of the samples, of
     * those that are there. Nothing of the input stays: set_input comes before forward(). */
    jsn_status (*evaluate_from)(jsni_plan *plan, const jsni_source *source,
                                size_t samples, size_t *there, float *to);
};

#define JSNI_BACKEND_DECLARE(id) extern const jsni_backend_ops jsni_backend_##id;
JSNI_BACKEND_LIST(JSNI_BACKEND_DECLARE)
#undef JSNI_BACKEND_DECLARE

/* The table, in the order in which "auto" and "cpu" prefer. NULL beyond the last. */
const jsni_backend_ops *jsni_backend_at(size_t index);

/* The backend that a device spec names itself ("cuda:1"); NULL for the groups "auto" and
 * "cpu", for an unknown name and for NULL. Opens nothing. */
const jsni_backend_ops *jsni_backend_named(const char *device);

/* Opens the device a spec names: "auto", "cpu", "ref", "onednn", "cuda", "cuda:1".
 *   JSN_ERR_UNKNOWN_NAME  no such backend in any build
 *   JSN_ERR_DEVICE        this build or machine lacks it */
JSN_MUST_CHECK jsn_status jsni_backend_open(jsni_backend **out, const char *device);
void jsni_backend_close(jsni_backend *backend); /* accepts NULL */

/* Checks options, ops and memory, then makes the plan.
 *   JSN_ERR_ARGUMENT     batch or views 0, a precision that the backend lacks
 *   JSN_ERR_RANGE        a size overflows
 *   JSN_ERR_MEMORY       the need exceeds what is available; the sentence has both
 *   JSN_ERR_UNSUPPORTED  a node, or several members */
JSN_MUST_CHECK jsn_status jsni_plan_create(jsni_backend *backend,
                                           const jsni_graph *graph,
                                           const jsni_plan_options *options,
                                           jsni_plan **out);
void jsni_plan_destroy(jsni_plan *plan); /* accepts NULL */

/* Host evaluation for CPU backends: float logits [views][samples][classes] to the mean,
 * values [samples] (NaN for a loss that has none) and the gradient of the mean, which is
 * shaped as the logits. JSN_ERR_NUMERIC when a value is not finite. */
JSN_MUST_CHECK jsn_status jsni_loss_run(const jsni_losses *losses,
                                        const jsni_labels *labels, const float *logits,
                                        size_t samples, double *mean, double *values,
                                        float *gradient);

#endif /* JSNI_BACKEND_IMPL_H */
