/* backend/cuda/cudnn_conv.c - descriptors, the choice of algorithms and the three calls.
 *
 * The choice is cuDNN's own order of preference, without measuring (a measurement could
 * choose differently from run to run), restricted to what is deterministic and fits the
 * workspace. In fp32 the algorithms that transform (Winograd, FFT) are left out: they lose
 * digits that the strict precision promises.
 */
#include "backend/cuda/cudnn_conv.h"

#include <cudnn.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { MOST_ALGORITHMS = 16 };
static const size_t most_workspace = (size_t)512 << 20;

struct jsni_cudnn {
    cudnnHandle_t handle;
};

struct jsni_cudnn_conv {
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnConvolutionFwdAlgo_t forward;
    cudnnConvolutionBwdDataAlgo_t data;
    cudnnConvolutionBwdFilterAlgo_t weights;
    size_t workspace;
    bool strict; /* fp32 */
};

static jsn_status check(cudnnStatus_t code, const char *call)
{
    if (code == CUDNN_STATUS_SUCCESS)
        return JSN_OK;
    return jsni_fail(JSN_ERR_DEVICE, "cuDNN: %s failed: %s", call,
                     cudnnGetErrorString(code));
}

#define TRY_CUDNN(call) JSNI_TRY(check((call), #call))

jsn_status jsni_cudnn_create(jsni_cudnn **out)
{
    *out = NULL;
    jsni_cudnn *cudnn = jsni_alloc_zero(1, sizeof *cudnn);
    JSNI_TRY_ALLOC(cudnn);
    const jsn_status status = check(cudnnCreate(&cudnn->handle), "cudnnCreate");
    if (status != JSN_OK) {
        jsni_cudnn_destroy(cudnn);
        return status;
    }
    *out = cudnn;
    return JSN_OK;
}

void jsni_cudnn_destroy(jsni_cudnn *cudnn)
{
    if (cudnn && cudnn->handle)
        (void)cudnnDestroy(cudnn->handle);
    jsni_free(cudnn);
}

size_t jsni_cudnn_version(void)
{
    return cudnnGetVersion();
}

static jsn_status describe(jsni_cudnn_conv *c, const jsni_cudnn_shape *s)
{
    const cudnnDataType_t type =
        s->precision == JSN_PRECISION_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    TRY_CUDNN(cudnnCreateTensorDescriptor(&c->x));
    TRY_CUDNN(cudnnCreateTensorDescriptor(&c->y));
    TRY_CUDNN(cudnnCreateFilterDescriptor(&c->w));
    TRY_CUDNN(cudnnCreateConvolutionDescriptor(&c->conv));
    TRY_CUDNN(cudnnSetTensor4dDescriptor(c->x, CUDNN_TENSOR_NHWC, type, (int)s->images,
                                         (int)s->in_channels, (int)s->in_h,
                                         (int)s->in_w));
    TRY_CUDNN(cudnnSetTensor4dDescriptor(c->y, CUDNN_TENSOR_NHWC, type, (int)s->images,
                                         (int)s->out_channels, (int)s->out_h,
                                         (int)s->out_w));
    TRY_CUDNN(cudnnSetFilter4dDescriptor(c->w, type, CUDNN_TENSOR_NHWC,
                                         (int)s->out_channels, (int)s->in_channels,
                                         (int)s->kernel_h, (int)s->kernel_w));
    TRY_CUDNN(cudnnSetConvolution2dDescriptor(
        c->conv, (int)s->pad_h, (int)s->pad_w, (int)s->stride_h, (int)s->stride_w, 1, 1,
        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    TRY_CUDNN(cudnnSetConvolutionMathType(
        c->conv, s->precision == JSN_PRECISION_FP32   ? CUDNN_FMA_MATH
                 : s->precision == JSN_PRECISION_TF32 ? CUDNN_DEFAULT_MATH
                                                      : CUDNN_TENSOR_OP_MATH));
    return JSN_OK;
}

/* The first of a list that may be taken; its workspace is remembered. */
#define PICK(list, count, field, most_exact)                                       \
    for (int i = 0; i < (count); i++)                                              \
        if ((list)[i].status == CUDNN_STATUS_SUCCESS &&                            \
            (!c->strict || (int)(list)[i].algo <= (int)(most_exact)) &&            \
            (list)[i].determinism == CUDNN_DETERMINISTIC &&                        \
            (list)[i].memory <= most_workspace) {                                  \
            c->field = (list)[i].algo;                                             \
            c->workspace =                                                         \
                (list)[i].memory > c->workspace ? (list)[i].memory : c->workspace; \
            return true;                                                           \
        }                                                                          \
    return false

static bool pick_forward(jsni_cudnn_conv *c, cudnnHandle_t handle)
{
    cudnnConvolutionFwdAlgoPerf_t list[MOST_ALGORITHMS];
    int count = 0;
    if (cudnnGetConvolutionForwardAlgorithm_v7(handle, c->x, c->w, c->conv, c->y,
                                               MOST_ALGORITHMS, &count, list))
        return false;
    PICK(list, count, forward, CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
}

static bool pick_data(jsni_cudnn_conv *c, cudnnHandle_t handle)
{
    cudnnConvolutionBwdDataAlgoPerf_t list[MOST_ALGORITHMS];
    int count = 0;
    if (cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, c->w, c->y, c->conv, c->x,
                                                    MOST_ALGORITHMS, &count, list))
        return false;
    PICK(list, count, data, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1);
}

static bool pick_weights(jsni_cudnn_conv *c, cudnnHandle_t handle)
{
    cudnnConvolutionBwdFilterAlgoPerf_t list[MOST_ALGORITHMS];
    int count = 0;
    if (cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, c->x, c->y, c->conv, c->w,
                                                      MOST_ALGORITHMS, &count, list))
        return false;
    PICK(list, count, weights, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
}

jsn_status jsni_cudnn_conv_create(jsni_cudnn_conv **out, jsni_cudnn *cudnn,
                                  const jsni_cudnn_shape *shape, size_t *workspace)
{
    *out = NULL;
    *workspace = 0;
    if (!cudnn)
        return JSN_OK;
    jsni_cudnn_conv *c = jsni_alloc_zero(1, sizeof *c);
    JSNI_TRY_ALLOC(c);
    c->strict = shape->precision == JSN_PRECISION_FP32;
    const jsn_status status = describe(c, shape);
    if (status != JSN_OK) {
        jsni_cudnn_conv_destroy(c);
        return status;
    }
    if ((shape->forward && !pick_forward(c, cudnn->handle)) ||
        (shape->data && !pick_data(c, cudnn->handle)) ||
        (shape->weights && !pick_weights(c, cudnn->handle))) {
        jsni_cudnn_conv_destroy(c);
        return JSN_OK;
    }
    *workspace = c->workspace;
    *out = c;
    return JSN_OK;
}

void jsni_cudnn_conv_destroy(jsni_cudnn_conv *conv)
{
    if (!conv)
        return;
    if (conv->x)
        (void)cudnnDestroyTensorDescriptor(conv->x);
    if (conv->y)
        (void)cudnnDestroyTensorDescriptor(conv->y);
    if (conv->w)
        (void)cudnnDestroyFilterDescriptor(conv->w);
    if (conv->conv)
        (void)cudnnDestroyConvolutionDescriptor(conv->conv);
    jsni_free(conv);
}

static const float one = 1.0f, zero = 0.0f;

jsn_status jsni_cudnn_forward(const jsni_cudnn_args *a, cudaStream_t stream)
{
    TRY_CUDNN(cudnnSetStream(a->cudnn->handle, stream));
    return check(cudnnConvolutionForward(a->cudnn->handle, &one, a->conv->x, a->x,
                                         a->conv->w, a->w, a->conv->conv,
                                         a->conv->forward, a->workspace,
                                         a->workspace_bytes, &zero, a->conv->y, a->y),
                 "cudnnConvolutionForward");
}

jsn_status jsni_cudnn_data(const jsni_cudnn_args *a, cudaStream_t stream)
{
    TRY_CUDNN(cudnnSetStream(a->cudnn->handle, stream));
    return check(cudnnConvolutionBackwardData(
                     a->cudnn->handle, &one, a->conv->w, a->w, a->conv->y, a->y,
                     a->conv->conv, a->conv->data, a->workspace, a->workspace_bytes,
                     a->add ? &one : &zero, a->conv->x, a->x),
                 "cudnnConvolutionBackwardData");
}

jsn_status jsni_cudnn_weights(const jsni_cudnn_args *a, cudaStream_t stream)
{
    TRY_CUDNN(cudnnSetStream(a->cudnn->handle, stream));
    return check(cudnnConvolutionBackwardFilter(
                     a->cudnn->handle, &one, a->conv->x, a->x, a->conv->y, a->y,
                     a->conv->conv, a->conv->weights, a->workspace, a->workspace_bytes,
                     &zero, a->conv->w, a->w),
                 "cudnnConvolutionBackwardFilter");
}

void jsni_cudnn_conv_algorithms(const jsni_cudnn_conv *conv, int algorithms[3])
{
    algorithms[0] = (int)conv->forward;
    algorithms[1] = (int)conv->data;
    algorithms[2] = (int)conv->weights;
}
