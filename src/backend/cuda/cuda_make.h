/* backend/cuda/cuda_make.h - turns a graph into a program: tasks with their memory, for
 * one number of views and samples.
 *
 * Values and gradients need not exist in memory. The output of a BatchNorm with ReLU may
 * stay "lazy": its only user, an own convolution or the global pool, applies the
 * coefficients while it loads the BatchNorm's input. The gradient of a BatchNorm's input
 * may stay lazy likewise: A*g + B*x + D, plus the gradient of a skip connection, formed
 * (and then stored) by the own convolution that reads it next. Whatever reads a lazy
 * tensor and cannot do that gets it stored by a task of its own.
 *
 * Backward gives the memory of a node's output back once the node is done, so gradients of
 * the first, large layers lie where the outputs of later ones were.
 *
 * BatchNorms beside own convolutions need no task for their coefficients: the convolution
 * before leaves exact sums, and the one behind begins by making coefficients of them.
 *
 * A build without base pointers measures: it counts tasks and bytes and emits nothing.
 */
#ifndef JSNI_BACKEND_CUDA_CUDA_MAKE_H
#define JSNI_BACKEND_CUDA_CUDA_MAKE_H

#include "backend/backend_impl.h"
#include "backend/cuda/cuda_task.h"

enum { JSNI_NO_BUFFER = -1, JSNI_MAKE_LAG = 2 };

/* How a node is run. */
typedef enum jsni_how {
    JSNI_HOW_PLAIN,   /* a task of its own */
    JSNI_HOW_FUSED,   /* inside another node */
    JSNI_HOW_OWN,     /* conv: conv3x3_mma.cu, conv3x3_rows.cu, conv3x3_image.cu */
    JSNI_HOW_STEM,    /* conv: conv_stem.cu */
    JSNI_HOW_LAZY,    /* norm: applied by its user */
    JSNI_HOW_STRIDED, /* conv: conv_strided.cu; weights by cuDNN, or any_conv.cu */
    JSNI_HOW_CUDNN,
    JSNI_HOW_ANY /* conv: any_conv.cu */
} jsni_how;

typedef struct jsni_make_node {
    jsni_how how;
    /* norm: the node that holds its result, a ReLU or an add; conv: the add it contains;
     * else JSNI_NONE */
    size_t partner;
    size_t residual; /* norm: what the add inside it adds, or JSNI_NONE */
    size_t host;     /* fused: the node it runs in */
    bool half;       /* the output is bf16 */
    int value;       /* buffer of the output, or JSNI_NO_BUFFER */
    int coefs;       /* norm: buffer of the coefficients */
    int partial;     /* own conv: buffer of the weights' partial sums */
    int at;          /* max pool: buffer of the numbers of the maxima */
    /* Exact channel sums, by their places in b->exact, or SIZE_MAX: of the output, for the
     * BatchNorm that reads it; norm: of its gradient. */
    size_t sums, back_sums;
    bool unfinished; /* norm: nothing has made coefficients of its exact sums yet */
    /* gradient of the output */
    int grad;    /* buffer: stored gradient, or g of a lazy one */
    size_t lazy; /* norm node whose backward makes it lazy, or JSNI_NONE */
    int skip;    /* lazy: buffer that is added */
    bool masked; /* lazy: the ReLU's mask is in g already */
    jsni_cudnn_conv *cudnn;
} jsni_make_node;

typedef struct jsni_make_buffer {
    size_t offset, bytes;
    int users; /* 0: free */
} jsni_make_buffer;

/* Where things are on the device. All NULL: measure. */
typedef struct jsni_make_base {
    char *arena;
    float *params, *grads, *stats;
    char *packed;
    jsni_conv_final *finals;
    const uint64_t *dropout_seed;
    const uint32_t *dropout_step;
    jsni_cudnn *cudnn;
    void *workspace, *side_workspace;
    size_t workspace_bytes;
} jsni_make_base;

/* Places of a conv's weights in the packed block; SIZE_MAX: none. */
typedef struct jsni_packed_at {
    size_t plain, forward, back;
} jsni_packed_at;

typedef struct jsni_make {
    const jsni_graph *graph;
    jsni_plan_options options;
    /* What the device and the code for it can do: wgmma, clusters, the shared memory that
     * the own bf16 convolutions take. */
    bool wide, clusters, roomy;
    bool no_own; /* plain kernels alone, for comparison */
    int turns;   /* as in jsni_conv_args */
    size_t views, samples, images;
    /* Images that memory is laid out for, so that a program of fewer fits where one of as
     * many does; 0: its own. */
    size_t room;
    bool training;
    jsni_make_base base;
    const jsni_packed_at *packed; /* [node_count] */

    jsni_make_node *nodes;     /* owned, [node_count] */
    jsni_make_buffer *buffers; /* owned */
    size_t buffer_count, buffer_capacity;
    size_t high; /* bytes of the arena that are ever in use */

    jsni_task *tasks; /* borrowed, [task_capacity]; NULL: measure */
    size_t task_count, task_capacity;
    size_t forward_tasks;    /* the first ones */
    jsni_conv_final *finals; /* borrowed host array, or NULL */
    size_t final_count;
    int final_blocks;

    /* Groups of side work so far; what they read stays in use until the main line has
     * waited for them, JSNI_MAKE_LAG groups later. */
    size_t groups;
    bool in_group, group_begun;
    size_t wait_next;
    int late[JSNI_MAKE_LAG][3];

    int input, output_grad, input_grad, part, exact; /* buffers */
    size_t exact_bytes;
    size_t part_bytes;
    jsn_status status; /* the first failure */
} jsni_make;

/* Makes the program. On failure nothing is held. After success the caller reads what it
 * needs and calls jsni_make_release(). cudnn descriptors belong to the caller, who
 * takes them from the nodes. */
JSN_MUST_CHECK jsn_status jsni_make_run(jsni_make *b);
void jsni_make_release(jsni_make *b);
/* Raises `arena` and `tasks` to what any program of fewer views or samples takes, `full`
 * being what jsni_make_run() takes for all of them. What runs a convolution, and with it the
 * memory, depends on the factors of two in the samples, up to JSNI_STRIDED_ROWS. */
JSN_MUST_CHECK jsn_status jsni_make_measure_fewer(const jsni_make *full, size_t *arena,
                                                  size_t *tasks);

/* Decides how every node is run (also without memory). */
JSN_MUST_CHECK jsn_status jsni_make_analyse(jsni_make *b);
/* The same for a batch that own kernels take: what one of them runs in any program, it
 * runs here. */
JSN_MUST_CHECK jsn_status jsni_make_analyse_own(jsni_make *b);

/* ---- shared by the two halves of the build ---- */
int jsni_make_buffer_new(jsni_make *b, size_t bytes);
void jsni_make_keep(jsni_make *b, int buffer);
void jsni_make_drop(jsni_make *b, int buffer);
void *jsni_make_at(const jsni_make *b, int buffer);
jsni_task *jsni_make_task(jsni_make *b, jsni_task_kind kind, size_t node);
/* Tasks between the two run beside the main line, as a group. `last` is the group's last
 * task; it reads the buffers `x` and `dy` and works in `room` (the caller's hold on that
 * one passes over). */
void jsni_make_begin_group(jsni_make *b);
void jsni_make_end_group(jsni_make *b, jsni_task *last, int x, int dy, int room);
size_t jsni_make_bytes(const jsni_make *b, size_t node);  /* of the output */
size_t jsni_make_pixels(const jsni_make *b, size_t node); /* of a view of it */
jsni_norm_args jsni_make_norm_args(const jsni_make *b, size_t norm);
/* Exact sums at a place of the above, or NULL. */
jsni_exact_word *jsni_make_exact(const jsni_make *b, size_t place);
/* A task that makes the coefficients of an unfinished BatchNorm's gradient, if it is one. */
void jsni_make_finish_back(jsni_make *b, size_t norm);
jsni_any_conv jsni_make_any_conv(const jsni_make *b, size_t node);
jsni_any_pool jsni_make_pool(const jsni_make *b, size_t node);
void jsni_make_set_cudnn(const jsni_make *b, size_t node, jsni_cudnn_args *args);
void jsni_make_dropout(const jsni_make *b, size_t node, jsni_any_dropout *drop);
/* The node that a lazy or stored norm reads, and the node that holds its result. */
size_t jsni_make_norm_source(const jsni_make *b, size_t norm);
/* A tensor of a block; NULL without one. */
float *jsni_make_tensor(float *block, const jsni_tensor *list, size_t number);
/* ---- gradients of outputs, cuda_make_grad.c ---- */
bool jsni_grad_wanted(const jsni_make *b, size_t n);
bool jsni_grad_exists(const jsni_make *b, size_t n);
void jsni_grad_forget(jsni_make *b, size_t n);
/* Makes the gradient of node n a stored one, held by buffer `to` (kept). */
void jsni_grad_now_stored(jsni_make *b, size_t n, int to);
/* Stores a lazy gradient by a task of its own and returns the buffer. */
int jsni_grad_stored(jsni_make *b, size_t n);
/* Adds the stored gradient `buffer`, which the caller goes on holding. */
void jsni_grad_add(jsni_make *b, size_t n, int buffer);
/* Adds the gradient that goes through BatchNorm `norm`, whose g is in `g` (the caller's
 * hold on it passes over); `masked`: by the ReLU already. */
void jsni_grad_add_lazy(jsni_make *b, size_t norm, int g, bool masked);

void jsni_make_forward(jsni_make *b, size_t n); /* one node */
void jsni_make_backward(jsni_make *b);          /* all of them */

#endif /* JSNI_BACKEND_CUDA_CUDA_MAKE_H */
