/* backend/cuda/cuda_plan.h - the open device, the plan and its members. A member is one
 * network with memory, a stream and programs of its own, so several train side by side.
 */
#ifndef JSNI_BACKEND_CUDA_CUDA_PLAN_H
#define JSNI_BACKEND_CUDA_CUDA_PLAN_H

#include "backend/backend_impl.h"
#include "backend/cuda/cuda_check.h"
#include "backend/cuda/cuda_make.h"
#include "backend/cuda/gather_kernels.h"
#include "backend/cuda/step_kernels.h"
#include "backend/resident.h"

typedef struct jsni_cuda {
    jsni_backend base;
    int device;
    int major;                  /* compute capability */
    bool wide, clusters, roomy; /* as in jsni_make */
    size_t shared;              /* bytes of shared memory that a block can have */
    char text[128];
} jsni_cuda;

enum { JSNI_CUDA_PROGRAMS = 4, JSNI_CUDA_TEXT = 128 };

/* A graph made ready for one number of views and samples. */
typedef struct jsni_program {
    size_t views, samples; /* samples 0: empty slot */
    bool training;
    jsni_task *tasks; /* owned, [task_capacity of the plan] */
    size_t forward_tasks, task_count;
    size_t *values;          /* owned, [node_count] offsets; SIZE_MAX: not in memory */
    bool *halves;            /* owned, [node_count]: bf16 */
    jsni_cudnn_conv **convs; /* owned, [node_count] */
    jsni_conv_final *finals; /* owned, host, [node_count] */
    jsni_conv_final *device_finals;
    size_t input, output_grad, input_grad; /* offsets */
    /* Its halves as graphs, recorded when they run for the second time: launching some
     * hundred kernels one by one takes the host longer than the device takes to run them. */
    cudaGraphExec_t graphs[2]; /* forward, backward */
    bool ran[2];
} jsni_program;

/* A recorded training step on resident data, and what it was recorded for. */
typedef struct jsni_recording {
    cudaGraphExec_t graph;
    size_t views, samples;
    const void *loss, *second;
    size_t optimiser;
    bool mixed; /* mixup is part of it */
    bool valid;
} jsni_recording;

typedef struct jsni_cuda_labels {
    int32_t *labels, *truth; /* [batch] */
    float *targets;          /* [batch][classes] */
    double *weights, *class_weights;
    uint8_t *second;
    float *memory;    /* [batch][classes] */
    float *given;     /* on the host, borrowed: where the memory goes after the loss */
    uint32_t *places; /* [batch] sample numbers of a resident step */
    bool has_targets, has_weights, has_class_weights, has_second;
} jsni_cuda_labels;

typedef struct jsni_cuda_member {
    cudaStream_t stream, side;
    cudaEvent_t fork, joins[2 * JSNI_MAKE_LAG];
    bool joined; /* the last tasks ended with a wait for `side` */
    jsni_cudnn *cudnn;
    float *params, *grads, *state, *stats;
    char *arena;
    char *packed;
    char *workspace, *side_workspace;
    jsni_pack *packs;          /* device, [pack_count] */
    bool all_packs;            /* a program needs more than the usual ones */
    jsni_update_chunk *chunks; /* device, [chunk_count] */
    float *planes;             /* device, [views][batch][C][H][W] */
    double *loss_values;       /* device, [1 + batch]: mean, then samples */
    jsni_cuda_labels labels;
    jsni_step_rule *rules; /* device, [rule_capacity] */
    size_t rule_capacity;
    /* device: [0] always 0, [1] step of the epoch; dropout step; seeds */
    uint32_t *counters;
    uint64_t *seed;
    jsni_program programs[JSNI_CUDA_PROGRAMS];
    size_t next_program; /* slot to replace */
    jsni_program *now;   /* of the latest forward */
    void *loss_room;     /* device: the loss kernel's workspace */
    /* resident.h */
    int32_t *data_labels, *data_truth; /* device, [count] */
    uint8_t *data_second;
    float *data_memory; /* device, [count][classes], or NULL: no method */
    uint32_t *order;    /* device, [order_capacity] */
    size_t order_capacity;
    uint32_t *walk; /* device, [walk_capacity] of mixup */
    float *shares;  /* device, [share_capacity] */
    size_t walk_capacity, share_capacity;
    jsni_gather_key *key;
    void *recipe; /* device */
    const void *recipe_of;
    float *normal; /* device, [3][256] */
    jsni_step_counts *counts;
    jsni_recording recording;
} jsni_cuda_member;

typedef struct jsni_resident_set {
    uint8_t *images; /* device, or pinned memory of the host that the device reads */
    size_t count, height, width;
    bool pinned;
} jsni_resident_set;

/* Where the images of a later step arrive while another one runs; see cuda_input.c. */
typedef struct jsni_cuda_stage {
    cudaStream_t stream;
    cudaEvent_t arrived, unused; /* the images; what `planes` held before them */
    float *planes;               /* device, as those of the member; NULL: no room */
    const float *images; /* on the host, borrowed: of which copies; NULL: of none */
    size_t views, samples;
} jsni_cuda_stage;

typedef struct jsni_cuda_plan {
    jsni_plan base;
    jsni_plan_options options;
    size_t members;
    bool wide, clusters, no_own;
    jsni_memory memory;
    size_t arena_bytes, packed_bytes, workspace_bytes;
    size_t task_capacity;
    size_t evaluated;       /* images of a pass over a resident set */
    jsni_packed_at *packed; /* owned, [node_count] */
    jsni_pack *packs;       /* owned, host, without pointers */
    size_t *pack_nodes;     /* owned, the node of each */
    size_t pack_count, usual_packs;
    int pack_blocks, usual_blocks;
    size_t chunk_count;
    jsni_cuda_member *member; /* owned, [members] */
    size_t views, samples;    /* of the present input; 0 before the first */
    jsni_cuda_stage stage;
    bool ran_training;
    char (*texts)[JSNI_CUDA_TEXT]; /* owned, [node_count] */
    jsni_resident_set sets[JSNI_RESIDENT_SETS];
} jsni_cuda_plan;

/* The plan, with its device the thread's present one: every call into a plan begins so,
 * since a process may use several devices, from several threads. */
static inline jsni_cuda_plan *jsni_cuda_enter(jsni_plan *base)
{
    (void)cudaSetDevice(((const jsni_cuda *)base->backend)->device);
    return (jsni_cuda_plan *)base;
}

/* What the module's table points at; backend_impl.h says what each does. */
jsn_status jsni_cuda_supports(const jsni_backend *backend, const jsni_graph *graph,
                              size_t node, const jsni_plan_options *options);
jsn_status jsni_cuda_plan_memory(const jsni_backend *backend, const jsni_graph *graph,
                                 const jsni_plan_options *options, jsni_memory *out);
jsn_status jsni_cuda_plan_create(jsni_backend *backend, const jsni_graph *graph,
                                 const jsni_plan_options *options, jsni_plan **out);
void jsni_cuda_plan_destroy(jsni_plan *plan);
const char *jsni_cuda_describe_node(const jsni_plan *plan, size_t node);

jsn_status jsni_cuda_upload(jsni_plan *plan, size_t member, jsni_block block,
                            const float *from);
jsn_status jsni_cuda_download(jsni_plan *plan, size_t member, jsni_block block,
                              float *to);
jsn_status jsni_cuda_set_input(jsni_plan *plan, size_t member, const float *images,
                               size_t views, size_t samples);
jsn_status jsni_cuda_stage_input(jsni_plan *plan, const float *images, size_t views,
                                 size_t samples);
bool jsni_cuda_pin(jsni_plan *plan, void *memory, size_t bytes);
void jsni_cuda_unpin(jsni_plan *plan, void *memory);
jsn_status jsni_cuda_set_labels(jsni_plan *plan, size_t member,
                                const jsni_labels *labels);
jsn_status jsni_cuda_forward(jsni_plan *plan, const jsni_pass *pass);
jsn_status jsni_cuda_plan_loss(jsni_plan *plan, const jsni_losses *losses);
jsn_status jsni_cuda_copy_output(jsni_plan *plan);
jsn_status jsni_cuda_backward(jsni_plan *plan);
jsn_status jsni_cuda_update(jsni_plan *plan, const jsni_update *update);
jsn_status jsni_cuda_read_loss(jsni_plan *plan, size_t member, double *mean,
                               double *values);
jsn_status jsni_cuda_read_output(jsni_plan *plan, size_t member, float *to);
jsn_status jsni_cuda_synchronize(jsni_plan *plan);
jsn_status jsni_cuda_write_output_gradient(jsni_plan *plan, size_t member,
                                           const float *from);
jsn_status jsni_cuda_read_output_gradient(jsni_plan *plan, size_t member, float *to);
jsn_status jsni_cuda_read_input_gradient(jsni_plan *plan, size_t member, float *to);
jsn_status jsni_cuda_read_node(jsni_plan *plan, size_t member, size_t node, float *to);
jsn_status jsni_cuda_time_tasks(jsni_plan *plan, jsni_task_time *times, size_t room,
                                size_t *count);
jsn_status jsni_cuda_time_limit(jsni_plan *plan, jsni_task_time *times, size_t room,
                                size_t *count);

/* Rates of the device by its clocks: bytes, and operations of the plan's precision. */
typedef struct jsni_cuda_roof {
    double bytes, flops;
} jsni_cuda_roof;

jsn_status jsni_cuda_roof_of(const jsni_cuda_plan *plan, jsni_cuda_roof *out);
/* The bytes and operations of a task, and the seconds they take at best. */
void jsni_cuda_work(const jsni_cuda_plan *plan, const jsni_task *task,
                    const jsni_cuda_roof *roof, jsni_task_time *out);
extern const struct jsni_resident_ops jsni_cuda_resident;

/* ---- between the files of the plan ---- */

/* Fills the texts of all nodes from a program being made. */
void jsni_cuda_describe(jsni_cuda_plan *plan, const jsni_make *make);

/* A program in the making for the plan's largest shape; the caller adjusts it and gives
 * it to jsni_make_run(). */
void jsni_cuda_base_make(jsni_make *make, const jsni_cuda *device,
                         const jsni_graph *graph, const jsni_plan_options *options,
                         bool no_own);

/* Whether such a plan has room for the images of a later step, and that room. */
bool jsni_cuda_stages(const jsni_plan_options *options);
JSN_MUST_CHECK jsn_status jsni_cuda_stage_create(jsni_cuda_plan *plan);
void jsni_cuda_stage_release(jsni_cuda_plan *plan);

/* The program for this shape, made when it does not exist yet. */
JSN_MUST_CHECK jsn_status jsni_cuda_program(jsni_cuda_plan *plan, size_t member,
                                            size_t views, size_t samples, bool training,
                                            jsni_program **out);
void jsni_cuda_program_release(jsni_cuda_plan *plan, jsni_program *p);
JSN_MUST_CHECK jsn_status jsni_cuda_run_tasks(jsni_cuda_member *m,
                                              const jsni_task *tasks, size_t count);
/* The forward half of a program, or the backward one. */
JSN_MUST_CHECK jsn_status jsni_cuda_run_half(jsni_cuda_member *m, jsni_program *p,
                                             bool backward);
/* Ends the recording of a stream; `status` is of what was recorded. */
JSN_MUST_CHECK jsn_status jsni_cuda_recorded(cudaStream_t stream, jsn_status status,
                                             const char *what, cudaGraphExec_t *out);
void jsni_cuda_rule(const jsni_update *update, jsni_step_rule *rule);
/* Brings the packed weights up to the parameters. */
JSN_MUST_CHECK jsn_status jsni_cuda_pack(jsni_cuda_plan *plan, jsni_cuda_member *m);
JSN_MUST_CHECK jsn_status jsni_cuda_run_update(jsni_cuda_plan *plan,
                                               jsni_cuda_member *m, size_t optimiser,
                                               const uint32_t *step,
                                               const jsni_count_args *counted);
/* Evaluates both losses on the device: mean and values to loss_values, the gradient to
 * the program's output gradient. */
JSN_MUST_CHECK jsn_status jsni_cuda_member_loss(jsni_cuda_plan *plan,
                                                jsni_cuda_member *m,
                                                const jsni_program *program,
                                                const jsni_losses *losses);
/* Device memory; *out is NULL on failure. The sentence has the bytes. */
JSN_MUST_CHECK jsn_status jsni_cuda_alloc(void **out, size_t bytes, const char *what);
/* Fills and copies outside a member's stream may still be under way when their call
 * returns, and the streams of members do not wait for them: this does. */
JSN_MUST_CHECK jsn_status jsni_cuda_settle(void);
void jsni_cuda_resident_release(jsni_cuda_plan *plan);

#endif /* JSNI_BACKEND_CUDA_CUDA_PLAN_H */
