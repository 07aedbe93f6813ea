/* backend/cuda/cuda_task.c - runs tasks. */
#include "backend/cuda/cuda_task.h"

#include <string.h>

#include "backend/cuda/cuda_check.h"

const char *jsni_task_text(jsni_task_kind kind, bool backward)
{
#define TEXTS(kind, text) {"forward: " text, "backward: " text},
    static const char *const texts[][2] = {JSNI_TASK_KINDS(TEXTS)};
#undef TEXTS
    return texts[kind][backward];
}

static cudaError_t run_norm(const jsni_task *task, cudaStream_t stream)
{
    switch (task->kind) {
    case JSNI_TASK_NORM_SUMS:
        return jsni_norm_sums(&task->as.norm, stream);
    case JSNI_TASK_NORM_FINISH:
        return jsni_norm_finish(&task->as.norm, true, stream);
    case JSNI_TASK_NORM_EVAL:
        return jsni_norm_finish(&task->as.norm, false, stream);
    case JSNI_TASK_NORM_APPLY:
        return jsni_norm_apply(&task->as.norm, stream);
    case JSNI_TASK_NORM_BACK_SUMS:
        return jsni_norm_back_sums(&task->as.norm, stream);
    case JSNI_TASK_NORM_BACK_FINISH:
        return jsni_norm_back_finish(&task->as.norm, task->flag, stream);
    default:
        return jsni_norm_back_apply(&task->as.norm, task->flag, stream);
    }
}

static cudaError_t run_pool(const jsni_task *task, cudaStream_t stream)
{
    switch (task->kind) {
    case JSNI_TASK_MAX_POOL:
        return jsni_any_max_pool(&task->as.pool, stream);
    case JSNI_TASK_MAX_POOL_BACK:
        return jsni_any_max_pool_back(&task->as.pool, stream);
    case JSNI_TASK_AVG_POOL:
        return jsni_any_avg_pool(&task->as.pool, stream);
    case JSNI_TASK_AVG_POOL_BACK:
        return jsni_any_avg_pool_back(&task->as.pool, stream);
    case JSNI_TASK_ADAPTIVE:
        return jsni_any_adaptive(&task->as.pool, stream);
    case JSNI_TASK_ADAPTIVE_BACK:
        return jsni_any_adaptive_back(&task->as.pool, stream);
    case JSNI_TASK_HEAD_POOL:
        return jsni_head_pool(&task->as.pool, stream);
    default:
        return jsni_head_pool_back(&task->as.pool, stream);
    }
}

static cudaError_t run_map(const jsni_task *task, cudaStream_t stream)
{
    const jsni_task_map *m = &task->as.map;
    switch (task->kind) {
    case JSNI_TASK_RELU:
        return jsni_any_relu(m->a, m->y, m->count, m->half, stream);
    case JSNI_TASK_RELU_BACK:
        return jsni_any_relu_back(m->a, m->b, m->y, m->count, m->half, m->add, stream);
    case JSNI_TASK_RELU6:
        return jsni_any_relu6(m->a, m->y, m->count, m->half, stream);
    case JSNI_TASK_RELU6_BACK:
        return jsni_any_relu6_back(m->a, m->b, m->y, m->count, m->half, stream);
    case JSNI_TASK_ADD:
        return jsni_any_add(m->a, m->b, m->y, m->count, m->half, stream);
    case JSNI_TASK_FROM_PLANES:
        return jsni_any_from_planes(m->a, m->y, m->count, m->channels, m->pixels,
                                    m->half, stream);
    case JSNI_TASK_TO_PLANES:
        return jsni_any_to_planes(m->a, m->y, m->count, m->channels, m->pixels, m->half,
                                  stream);
    case JSNI_TASK_WEIGHT_SUM:
        return jsni_any_weight_sum(m->a, m->splits, m->half, m->y, m->channels,
                                   m->pixels, m->taps, stream);
    case JSNI_TASK_BIAS_SUM:
        return jsni_any_bias_sum(m->a, m->half, m->room, m->y, m->count, m->channels,
                                 stream);
    default:
        return jsni_any_bias_add(m->y, m->half, m->b, m->count, m->channels, stream);
    }
}

static cudaError_t run_conv(const jsni_task *task, cudaStream_t stream)
{
    switch (task->kind) {
    case JSNI_TASK_OWN_CONV:
        return jsni_conv3x3(&task->as.conv.args, task->as.conv.channels,
                            task->as.conv.prologue, task->as.conv.epilogue,
                            task->as.conv.wide, stream);
    case JSNI_TASK_OWN_WEIGHTS:
        return jsni_conv3x3_weights(&task->as.weights.args, task->as.weights.channels,
                                    task->as.weights.clusters, stream);
    case JSNI_TASK_CLEAR:
        return jsni_any_fill(task->as.map.y, 0.0f, task->as.map.count, stream);
    case JSNI_TASK_STEM:
        return jsni_conv_stem(task->as.stem.x, task->as.stem.w, task->as.stem.y,
                              task->as.stem.sums, task->as.stem.images,
                              task->as.stem.view_images, stream);
    case JSNI_TASK_STEM_WEIGHTS:
        return jsni_conv_stem_weights(&task->as.conv.args, task->as.conv.prologue,
                                      stream);
    case JSNI_TASK_STRIDED_FORWARD:
        return jsni_conv_strided_forward(&task->as.any, stream);
    case JSNI_TASK_STRIDED_DATA:
        return jsni_conv_strided_data(&task->as.any, stream);
    case JSNI_TASK_ANY_FORWARD:
        return jsni_any_conv_forward(&task->as.any, stream);
    case JSNI_TASK_ANY_DATA:
        return jsni_any_conv_data(&task->as.any, stream);
    case JSNI_TASK_ANY_WEIGHTS:
        return jsni_any_conv_weights(&task->as.any, stream);
    case JSNI_TASK_DROPOUT:
        return jsni_any_dropout_run(&task->as.dropout, stream);
    default:
        return jsni_conv_final_sums(task->as.sums.layers, task->as.sums.count,
                                    task->as.sums.blocks, stream);
    }
}

jsn_status jsni_task_run(const jsni_task *task, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    switch (task->kind) {
    case JSNI_TASK_CUDNN_FORWARD:
        return jsni_cudnn_forward(&task->as.cudnn, stream);
    case JSNI_TASK_CUDNN_DATA:
        return jsni_cudnn_data(&task->as.cudnn, stream);
    case JSNI_TASK_CUDNN_WEIGHTS:
        return jsni_cudnn_weights(&task->as.cudnn, stream);
    case JSNI_TASK_NORM_SUMS:
    case JSNI_TASK_NORM_FINISH:
    case JSNI_TASK_NORM_EVAL:
    case JSNI_TASK_NORM_APPLY:
    case JSNI_TASK_NORM_BACK_SUMS:
    case JSNI_TASK_NORM_BACK_FINISH:
    case JSNI_TASK_NORM_BACK_APPLY:
        error = run_norm(task, stream);
        break;
    case JSNI_TASK_MAX_POOL:
    case JSNI_TASK_MAX_POOL_BACK:
    case JSNI_TASK_AVG_POOL:
    case JSNI_TASK_AVG_POOL_BACK:
    case JSNI_TASK_ADAPTIVE:
    case JSNI_TASK_ADAPTIVE_BACK:
    case JSNI_TASK_HEAD_POOL:
    case JSNI_TASK_HEAD_POOL_BACK:
        error = run_pool(task, stream);
        break;
    case JSNI_TASK_RELU:
    case JSNI_TASK_RELU_BACK:
    case JSNI_TASK_RELU6:
    case JSNI_TASK_RELU6_BACK:
    case JSNI_TASK_ADD:
    case JSNI_TASK_FROM_PLANES:
    case JSNI_TASK_TO_PLANES:
    case JSNI_TASK_WEIGHT_SUM:
    case JSNI_TASK_BIAS_SUM:
    case JSNI_TASK_BIAS_ADD:
        error = run_map(task, stream);
        break;
    default:
        error = run_conv(task, stream);
        break;
    }
    return jsni_cuda_check(error,
                           jsni_task_text(task->kind, false) + strlen("forward: "));
}
