/* backend/cuda/cuda_roof.c - what a task cannot do without: each tensor it reads and
 * writes once, its products, and the time these take at the rates of the device. Sums,
 * coefficients and weights are counted where they matter; partial sums, which a better
 * kernel might not need, are not. */
#include "backend/cuda/cuda_plan.h"

/* Tensors of the size of the node's input and output that a task reads or writes. */
typedef struct passes {
    double in, out;
    bool products; /* of convolution or linear layer */
} passes;

static passes conv_passes(const jsni_task *t)
{
    passes p = {1, 1, true};
    p.in += t->as.conv.prologue >= JSNI_CONV_NORM_BACK; /* the BatchNorm's input */
    p.in += t->as.conv.prologue == JSNI_CONV_SKIP_BACK; /* the skip's gradient */
    p.in += t->as.conv.args.xo != NULL;                 /* kept for the weights */
    p.out += t->as.conv.epilogue >= JSNI_CONV_RESIDUAL; /* added, or the mask */
    return p;
}

/* Lines of an image that some window of a convolution covers, as part of all: a window of
 * 1 with stride 2 sees every second one. */
static double seen(size_t in, size_t out, size_t kernel, size_t stride, size_t pad)
{
    size_t lines = 0;
    for (size_t h = pad; h < in + pad; h++) {
        const size_t last = h / stride < out ? h / stride : out - 1;
        lines += h - last * stride < kernel;
    }
    return (double)lines / (double)in;
}

/* Any way to run a convolution or linear layer. The gradient of the input is written
 * whole; where it is added to an earlier one, what no window sees stays as it is. */
static passes product_passes(const jsni_graph *graph, const jsni_task *t)
{
    const jsni_node *node = &graph->nodes[t->node];
    const bool data = t->kind == JSNI_TASK_CUDNN_DATA ||
                      t->kind == JSNI_TASK_STRIDED_DATA ||
                      t->kind == JSNI_TASK_ANY_DATA;
    const bool add =
        t->kind == JSNI_TASK_CUDNN_DATA ? t->as.cudnn.add : data && t->as.any.add;
    double part = 1.0;
    if (node->op.kind == JSNI_OP_CONV) {
        const jsni_window *w = &node->op.as.conv.window;
        const jsni_shape in = jsni_graph_input_shape(graph, t->node);
        part = seen(in.height, node->shape.height, w->kernel_h, w->stride_h, w->pad_h) *
               seen(in.width, node->shape.width, w->kernel_w, w->stride_w, w->pad_w);
    }
    return (passes){add ? 2.0 * part : data ? 1.0 : part, 1.0, true};
}

static passes passes_of(const jsni_graph *graph, const jsni_task *t)
{
    switch (t->kind) {
    case JSNI_TASK_OWN_CONV:
        return conv_passes(t);
    case JSNI_TASK_OWN_WEIGHTS:
    case JSNI_TASK_STEM:
    case JSNI_TASK_STEM_WEIGHTS:
    case JSNI_TASK_CUDNN_FORWARD:
    case JSNI_TASK_CUDNN_DATA:
    case JSNI_TASK_CUDNN_WEIGHTS:
    case JSNI_TASK_STRIDED_FORWARD:
    case JSNI_TASK_STRIDED_DATA:
    case JSNI_TASK_ANY_FORWARD:
    case JSNI_TASK_ANY_DATA:
    case JSNI_TASK_ANY_WEIGHTS:
        return product_passes(graph, t);
    case JSNI_TASK_NORM_SUMS:
    case JSNI_TASK_BIAS_SUM:
        return (passes){0, 1, false};
    case JSNI_TASK_NORM_APPLY:
        return (passes){1 + (t->as.norm.skip != NULL), 1, false};
    case JSNI_TASK_RELU:
    case JSNI_TASK_BIAS_ADD:
    case JSNI_TASK_DROPOUT:
    case JSNI_TASK_MAX_POOL:
    case JSNI_TASK_MAX_POOL_BACK:
    case JSNI_TASK_AVG_POOL:
    case JSNI_TASK_AVG_POOL_BACK:
    case JSNI_TASK_ADAPTIVE:
    case JSNI_TASK_ADAPTIVE_BACK:
    case JSNI_TASK_HEAD_POOL:
    case JSNI_TASK_FROM_PLANES:
    case JSNI_TASK_TO_PLANES:
        return (passes){1, 1, false};
    case JSNI_TASK_NORM_BACK_SUMS:
        return (passes){1, 1 + (t->as.norm.masked != NULL) + (t->as.norm.out != NULL),
                        false};
    case JSNI_TASK_NORM_BACK_APPLY:
        return (passes){2 + (t->as.norm.skip != NULL), 1, false};
    case JSNI_TASK_HEAD_POOL_BACK:
        return (passes){2, 1, false};
    case JSNI_TASK_RELU_BACK:
    case JSNI_TASK_ADD:
        return (passes){2, 1, false};
    default: /* coefficients and sums of partial results: small, or not needed */
        return (passes){0, 0, false};
    }
}

/* Products a second: those of the tensor units by capability, or of plain fp32. */
static double product_rate(const jsni_cuda_plan *plan, double cycles)
{
    const jsni_cuda *cuda = (const jsni_cuda *)plan->base.backend;
    const bool hopper = cuda->major >= 9;
    switch (plan->options.precision) {
    case JSN_PRECISION_BF16:
        return cycles * (hopper ? 4096 : 2048);
    case JSN_PRECISION_TF32:
        return cycles * (hopper ? 2048 : 1024);
    default:
        return cycles * (hopper ? 256 : 128);
    }
}

jsn_status jsni_cuda_roof_of(const jsni_cuda_plan *plan, jsni_cuda_roof *out)
{
    const int device = ((const jsni_cuda *)plan->base.backend)->device;
    int units = 0, clock = 0, memory_clock = 0, width = 0;
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device));
    JSNI_TRY_CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, device));
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device));
    out->flops = product_rate(plan, 1e3 * (double)clock * (double)units);
    out->bytes = 2.0 * 1e3 * (double)memory_clock * (double)width / 8.0;
    return JSN_OK;
}

void jsni_cuda_work(const jsni_cuda_plan *plan, const jsni_task *task,
                    const jsni_cuda_roof *roof, jsni_task_time *out)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_node *node = &graph->nodes[task->node];
    const double images = (double)(plan->options.views * plan->options.batch);
    const double size = plan->options.precision == JSN_PRECISION_BF16 ? 2.0 : 4.0;
    const double in =
        node->inputs == 0
            ? 0.0
            : (double)jsni_shape_count(jsni_graph_input_shape(graph, task->node));
    const passes p = passes_of(graph, task);
    out->bytes =
        images * size * (p.in * in + p.out * (double)jsni_shape_count(node->shape));
    out->flops = 0.0;
    if (p.products) {
        out->flops = 2.0 * images * (double)jsni_node_multiplies(graph, task->node);
        if (node->weight != JSNI_NONE)
            out->bytes += size * (double)graph->params[node->weight].count;
    }
    const double moving = roof->bytes > 0.0 ? out->bytes / roof->bytes : 0.0;
    const double counting = roof->flops > 0.0 ? out->flops / roof->flops : 0.0;
    out->seconds = moving > counting ? moving : counting;
}

jsn_status jsni_cuda_time_limit(jsni_plan *base, jsni_task_time *times, size_t room,
                                size_t *count)
{
    jsni_cuda_plan *plan = jsni_cuda_enter(base);
    jsni_program *p = NULL;
    jsni_cuda_roof roof;
    JSNI_TRY(jsni_cuda_roof_of(plan, &roof));
    JSNI_TRY(jsni_cuda_program(plan, 0, plan->options.views, plan->options.batch,
                               plan->options.training, &p));
    for (size_t i = 0; i < p->task_count && i < room; i++) {
        times[i].node = p->tasks[i].node;
        times[i].what = jsni_task_text(p->tasks[i].kind, i >= p->forward_tasks);
        jsni_cuda_work(plan, &p->tasks[i], &roof, &times[i]);
    }
    *count = p->task_count;
    return JSN_OK;
}
