/* backend/cuda/cuda_task.h - one piece of device work with its arguments: what a plan's
 * programs are made of. A program is an array of tasks that run in order on one stream;
 * a recorded CUDA graph is the same array, captured. */
#ifndef JSNI_BACKEND_CUDA_CUDA_TASK_H
#define JSNI_BACKEND_CUDA_CUDA_TASK_H

#include "backend/cuda/any_kernels.h"
#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/cudnn_conv.h"
#include "backend/cuda/norm_kernels.h"
#include "jensen/status.h"

/* Kind and the words that timings print. */
#define JSNI_TASK_KINDS(ROW)                                           \
    ROW(JSNI_TASK_OWN_CONV, "own conv3x3")                             \
    ROW(JSNI_TASK_OWN_WEIGHTS, "own conv3x3 weights")                  \
    ROW(JSNI_TASK_CLEAR, "clear sums")                                 \
    ROW(JSNI_TASK_STEM, "own stem")                                    \
    ROW(JSNI_TASK_STEM_WEIGHTS, "own stem weights")                    \
    ROW(JSNI_TASK_CUDNN_FORWARD, "cudnn conv forward")                 \
    ROW(JSNI_TASK_CUDNN_DATA, "cudnn conv data")                       \
    ROW(JSNI_TASK_CUDNN_WEIGHTS, "cudnn conv weights")                 \
    ROW(JSNI_TASK_STRIDED_FORWARD, "own strided forward")              \
    ROW(JSNI_TASK_STRIDED_DATA, "own strided data")                    \
    ROW(JSNI_TASK_ANY_FORWARD, "own product forward")                  \
    ROW(JSNI_TASK_ANY_DATA, "own product data")                        \
    ROW(JSNI_TASK_ANY_WEIGHTS, "own product weights")                  \
    ROW(JSNI_TASK_WEIGHT_SUM, "weight gradient sum")                   \
    ROW(JSNI_TASK_BIAS_SUM, "bias gradient")                           \
    ROW(JSNI_TASK_BIAS_ADD, "bias")                                    \
    ROW(JSNI_TASK_NORM_SUMS, "batchnorm sums")                         \
    ROW(JSNI_TASK_NORM_FINISH, "batchnorm coefficients")               \
    ROW(JSNI_TASK_NORM_EVAL, "batchnorm running coefficients")         \
    ROW(JSNI_TASK_NORM_APPLY, "batchnorm apply")                       \
    ROW(JSNI_TASK_NORM_BACK_SUMS, "batchnorm backward sums")           \
    ROW(JSNI_TASK_NORM_BACK_FINISH, "batchnorm backward coefficients") \
    ROW(JSNI_TASK_NORM_BACK_APPLY, "batchnorm backward apply")         \
    ROW(JSNI_TASK_MAX_POOL, "maxpool")                                 \
    ROW(JSNI_TASK_MAX_POOL_BACK, "maxpool backward")                   \
    ROW(JSNI_TASK_AVG_POOL, "avgpool")                                 \
    ROW(JSNI_TASK_AVG_POOL_BACK, "avgpool backward")                   \
    ROW(JSNI_TASK_ADAPTIVE, "adaptive pool")                           \
    ROW(JSNI_TASK_ADAPTIVE_BACK, "adaptive pool backward")             \
    ROW(JSNI_TASK_HEAD_POOL, "batchnorm, relu and global pool")        \
    ROW(JSNI_TASK_HEAD_POOL_BACK, "global pool, relu backward")        \
    ROW(JSNI_TASK_RELU, "relu")                                        \
    ROW(JSNI_TASK_RELU_BACK, "relu backward")                          \
    ROW(JSNI_TASK_RELU6, "relu6")                                      \
    ROW(JSNI_TASK_RELU6_BACK, "relu6 backward")                        \
    ROW(JSNI_TASK_ADD, "add")                                          \
    ROW(JSNI_TASK_DROPOUT, "dropout")                                  \
    ROW(JSNI_TASK_FROM_PLANES, "layout to NHWC")                       \
    ROW(JSNI_TASK_TO_PLANES, "layout from NHWC")                       \
    ROW(JSNI_TASK_FINAL_SUMS, "weight gradient sums")

#define JSNI_TASK_ENUMERATOR(kind, text) kind,
typedef enum jsni_task_kind {
    JSNI_TASK_KINDS(JSNI_TASK_ENUMERATOR) JSNI_TASK_KIND_COUNT
} jsni_task_kind;
#undef JSNI_TASK_ENUMERATOR

/* Element-wise work, layout changes and sums of weight gradients. */
typedef struct jsni_task_map {
    const void *a, *b;
    void *y;
    float *room;     /* sums of parts */
    long long count; /* values; layout: images */
    int channels, pixels, taps, splits;
    bool half, add;
} jsni_task_map;

typedef struct jsni_task {
    jsni_task_kind kind;
    size_t node; /* of the graph */
    union {
        struct {
            jsni_conv_args args;
            int channels;
            jsni_conv_prologue prologue;
            jsni_conv_epilogue epilogue;
            bool wide;
        } conv;
        struct {
            jsni_conv_weight_args args;
            int channels;
            bool clusters;
        } weights;
        struct {
            const void *x, *w;
            void *y;
            jsni_exact_word *sums; /* or NULL */
            int images, view_images;
        } stem;
        jsni_cudnn_args cudnn;
        jsni_any_conv any;
        jsni_norm_args norm;
        jsni_any_pool pool;
        jsni_any_dropout dropout;
        jsni_task_map map;
        struct {
            const jsni_conv_final *layers; /* on the device */
            int count, blocks;
        } sums;
    } as;
    bool flag; /* NORM_BACK_FINISH: centred; NORM_BACK_APPLY: masked */
    /* Work beside the main line: groups of tasks on a second stream. A group starts when
     * the tasks before it have ended (`fork`, on its first task) and ends with `mark`,
     * its number from 1; a later task of the main line waits for group `wait`. */
    bool side, fork;
    size_t mark, wait;
} jsni_task;

JSN_MUST_CHECK jsn_status jsni_task_run(const jsni_task *task, cudaStream_t stream);

/* "forward: own conv3x3"; static */
const char *jsni_task_text(jsni_task_kind kind, bool backward);

#endif /* JSNI_BACKEND_CUDA_CUDA_TASK_H */
