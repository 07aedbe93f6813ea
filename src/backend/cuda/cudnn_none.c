/* backend/cuda/cudnn_none.c - the build without cuDNN: no convolution is ever found. */
#include "backend/cuda/cudnn_conv.h"

#include "core/fail.h"

jsn_status jsni_cudnn_create(jsni_cudnn **out)
{
    *out = NULL;
    return JSN_OK;
}

void jsni_cudnn_destroy(jsni_cudnn *cudnn)
{
    (void)cudnn;
}

size_t jsni_cudnn_version(void)
{
    return 0;
}

jsn_status jsni_cudnn_conv_create(jsni_cudnn_conv **out, jsni_cudnn *cudnn,
                                  const jsni_cudnn_shape *shape, size_t *workspace)
{
    (void)cudnn;
    (void)shape;
    *out = NULL;
    *workspace = 0;
    return JSN_OK;
}

void jsni_cudnn_conv_destroy(jsni_cudnn_conv *conv)
{
    (void)conv;
}

static jsn_status absent(void)
{
    return jsni_fail(JSN_ERR_UNSUPPORTED,
                     "this build of the CUDA backend has no cuDNN");
}

jsn_status jsni_cudnn_forward(const jsni_cudnn_args *args, cudaStream_t stream)
{
    (void)args;
    (void)stream;
    return absent();
}

jsn_status jsni_cudnn_data(const jsni_cudnn_args *args, cudaStream_t stream)
{
    (void)args;
    (void)stream;
    return absent();
}

jsn_status jsni_cudnn_weights(const jsni_cudnn_args *args, cudaStream_t stream)
{
    (void)args;
    (void)stream;
    return absent();
}

void jsni_cudnn_conv_algorithms(const jsni_cudnn_conv *conv, int algorithms[3])
{
    (void)conv;
    algorithms[0] = algorithms[1] = algorithms[2] = -1;
}
