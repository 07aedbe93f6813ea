/* backend/cuda/cuda_describe.c - how each node is run, in words, read off the tasks that run
 * it. A convolution or linear layer has three: forward / gradient of the input / gradient
 * of the weights; "-" where a program does without.
 */
#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda_plan.h"

enum { FORWARD, DATA, WEIGHTS, PARTS, PART_TEXT = 40 };

/* The part of a layer that a task is, or PARTS. */
static int part_of(const jsni_task *task, bool backward)
{
    switch (task->kind) {
    case JSNI_TASK_OWN_CONV:
        return backward ? DATA : FORWARD;
    case JSNI_TASK_STEM:
    case JSNI_TASK_CUDNN_FORWARD:
    case JSNI_TASK_STRIDED_FORWARD:
    case JSNI_TASK_ANY_FORWARD:
        return FORWARD;
    case JSNI_TASK_CUDNN_DATA:
    case JSNI_TASK_STRIDED_DATA:
    case JSNI_TASK_ANY_DATA:
        return DATA;
    case JSNI_TASK_OWN_WEIGHTS:
    case JSNI_TASK_STEM_WEIGHTS:
    case JSNI_TASK_CUDNN_WEIGHTS:
    case JSNI_TASK_ANY_WEIGHTS:
        return WEIGHTS;
    default:
        return PARTS;
    }
}

static void part_text(const jsni_task *task, int part, char *to)
{
    const char *text = "own fp32 tiles";
    int algorithm[PARTS];
    switch (task->kind) {
    case JSNI_TASK_OWN_CONV:
        text = task->as.conv.wide ? "own wgmma 3x3" : "own mma.sync 3x3";
        break;
    case JSNI_TASK_OWN_WEIGHTS:
        text = "own mma.sync 3x3";
        break;
    case JSNI_TASK_STEM:
    case JSNI_TASK_STEM_WEIGHTS:
        text = "own mma.sync stem";
        break;
    case JSNI_TASK_STRIDED_FORWARD:
    case JSNI_TASK_STRIDED_DATA:
        text = task->as.any.half_x ? "own mma.sync strided"
               : task->as.any.tf32 ? "own tf32 strided"
                                   : "own fp32 strided";
        break;
    case JSNI_TASK_CUDNN_FORWARD:
    case JSNI_TASK_CUDNN_DATA:
    case JSNI_TASK_CUDNN_WEIGHTS:
        jsni_cudnn_conv_algorithms(task->as.cudnn.conv, algorithm);
        (void)snprintf(to, PART_TEXT, "cuDNN %zu algorithm %d", jsni_cudnn_version(),
                       algorithm[part]);
        return;
    default:
        if (task->as.any.tf32 && jsni_conv3x3_float_takes(&task->as.any))
            text = "own tf32 tiles";
        else if (part == WEIGHTS && jsni_strided_weights_takes(&task->as.any))
            text = "own mma.sync strided";
        break;
    }
    (void)snprintf(to, PART_TEXT, "%s", text);
}

/* A convolution or linear layer; what repeats the part before it is "same". */
static void describe_product(const jsni_make *make, size_t n, char *to)
{
    char text[PARTS][PART_TEXT] = {"-", "-", "-"};
    bool cudnn = false, load = false, split = false;
    for (size_t i = 0; i < make->task_count; i++) {
        const jsni_task *task = &make->tasks[i];
        const int part = part_of(task, i >= make->forward_tasks);
        if (task->node != n || part == PARTS)
            continue;
        part_text(task, part, text[part]);
        cudnn = cudnn || strncmp(text[part], "cuDNN", 5) == 0;
        load = load || task->kind == JSNI_TASK_OWN_CONV;
        split = split || task->kind == JSNI_TASK_ANY_WEIGHTS;
    }
    const bool same = strcmp(text[DATA], text[FORWARD]) == 0;
    const bool again = strcmp(text[WEIGHTS], text[DATA]) == 0 && text[DATA][0] != '-';
    (void)snprintf(to, JSNI_CUDA_TEXT, "%s / %s / %s%s%s%s", text[FORWARD],
                   same ? "same" : text[DATA], again ? "same" : text[WEIGHTS],
                   cudnn ? " (deterministic)" : "",
                   load ? ", BatchNorm and ReLU on load" : "",
                   split ? ", split sums" : "");
}

static const char *norm_text(const jsni_make *make, size_t n)
{
    bool sums = false;
    for (size_t i = 0; i < make->forward_tasks; i++)
        sums = sums ||
               (make->tasks[i].node == n && make->tasks[i].kind == JSNI_TASK_NORM_SUMS);
    if (make->nodes[n].how == JSNI_HOW_LAZY)
        return !make->training ? "applied in the reader"
               : sums          ? "own sums, applied in the reader"
                               : "sums in the producer, applied in the reader";
    return !make->training ? "own, one pass"
           : sums          ? "own, two passes / two passes"
                           : "sums in the producer, own pass / two passes";
}

void jsni_cuda_describe(jsni_cuda_plan *plan, const jsni_make *make)
{
    const jsni_graph *graph = plan->base.graph;
    for (size_t n = 0; n < graph->node_count; n++) {
        const jsni_op_kind kind = graph->nodes[n].op.kind;
        const jsni_make_node *node = &make->nodes[n];
        char *to = plan->texts[n];
        if (node->how == JSNI_HOW_FUSED)
            (void)snprintf(to, JSNI_CUDA_TEXT, "in %s", graph->nodes[node->host].name);
        else if (kind == JSNI_OP_CONV || kind == JSNI_OP_LINEAR)
            describe_product(make, n, to);
        else
            (void)snprintf(to, JSNI_CUDA_TEXT, "%s",
                           kind == JSNI_OP_NORM ? norm_text(make, n) : "own");
    }
}

const char *jsni_cuda_describe_node(const jsni_plan *base, size_t node)
{
    return ((const jsni_cuda_plan *)base)->texts[node];
}
