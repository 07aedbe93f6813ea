/* backend/cuda/cuda_module.c - the module's entry, its table, and devices. */
#include "backend/cuda/cuda_module.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda_code.h"
#include "backend/cuda/cuda_loss.h"
#include "backend/cuda/cuda_plan.h"
#include "core/alloc.h"
#include "jensen/version.h"

/* Set once, when the module is opened, before anything else runs in it. */
static const jsni_cuda_host *library;

/* The module's own core/status.c: sentences live in the library. */
jsn_status jsni_fail(jsn_status status, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return library->fail(status, sentence);
}

static size_t device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return (size_t)count;
}

static jsn_status no_device(cudaError_t error, size_t device, int count)
{
    int driver = 0, runtime = 0;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
        return jsni_fail(
            JSN_ERR_DEVICE,
            "cuda: no NVIDIA driver on this machine (the backend needs one "
            "for CUDA %d.%d)",
            runtime / 1000, runtime % 1000 / 10);
    if (error == cudaErrorInsufficientDriver || driver / 1000 < runtime / 1000)
        return jsni_fail(
            JSN_ERR_DEVICE,
            "cuda: the driver is for CUDA %d.%d, the backend was built with "
            "%d.%d: a newer driver is needed",
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    if (error != cudaSuccess)
        return jsni_fail(JSN_ERR_DEVICE, "cuda: %s (driver for CUDA %d.%d)",
                         cudaGetErrorString(error), driver / 1000, driver % 1000 / 10);
    return jsni_fail(JSN_ERR_DEVICE, "cuda:%zu: there are %d CUDA devices", device,
                     count);
}

static jsn_status device_open(jsni_backend **out, size_t device);

static void device_close(jsni_backend *backend)
{
    jsni_free(backend);
}

static const char *device_text(const jsni_backend *backend)
{
    return ((const jsni_cuda *)backend)->text;
}

static size_t memory_available(const jsni_backend *backend)
{
    size_t free_bytes = 0, total = 0;
    int before = 0;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(((const jsni_cuda *)backend)->device);
    (void)cudaMemGetInfo(&free_bytes, &total);
    (void)cudaSetDevice(before);
    return free_bytes;
}

static const jsni_backend_ops table = {
    .name = "cuda",
    .summary = "NVIDIA GPUs: own kernels, cuDNN for other shapes",
    .can = JSNI_CUDA_CAN,
    .device_count = device_count,
    .open = device_open,
    .close = device_close,
    .device_text = device_text,
    .memory_available = memory_available,
    .supports = jsni_cuda_supports,
    .plan_memory = jsni_cuda_plan_memory,
    .plan_create = jsni_cuda_plan_create,
    .plan_destroy = jsni_cuda_plan_destroy,
    .upload = jsni_cuda_upload,
    .download = jsni_cuda_download,
    .set_input = jsni_cuda_set_input,
    .stage_input = jsni_cuda_stage_input,
    .pin = jsni_cuda_pin,
    .unpin = jsni_cuda_unpin,
    .set_labels = jsni_cuda_set_labels,
    .forward = jsni_cuda_forward,
    .loss = jsni_cuda_plan_loss,
    .copy_output = jsni_cuda_copy_output,
    .backward = jsni_cuda_backward,
    .update = jsni_cuda_update,
    .read_loss = jsni_cuda_read_loss,
    .read_output = jsni_cuda_read_output,
    .synchronize = jsni_cuda_synchronize,
    .describe_node = jsni_cuda_describe_node,
    .write_output_gradient = jsni_cuda_write_output_gradient,
    .read_output_gradient = jsni_cuda_read_output_gradient,
    .read_input_gradient = jsni_cuda_read_input_gradient,
    .read_node = jsni_cuda_read_node,
    .resident = &jsni_cuda_resident,
    .time_tasks = jsni_cuda_time_tasks,
    .time_limit = jsni_cuda_time_limit,
    .loss_launch = jsni_cuda_loss_launch,
    .loss_scale = jsni_cuda_loss_rescale};

static jsn_status device_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || device >= (size_t)count)
        return no_device(error, device, count);
    struct cudaDeviceProp properties;
    JSNI_TRY_CUDA(cudaGetDeviceProperties(&properties, (int)device));
    if (properties.major < 8)
        return jsni_fail(JSN_ERR_DEVICE,
                         "cuda:%zu: %s has compute capability %d.%d, the backend needs "
                         "8.0 or above",
                         device, properties.name, properties.major, properties.minor);
    JSNI_TRY_CUDA(cudaSetDevice((int)device));
    JSNI_TRY_CUDA(cudaFree(NULL)); /* makes the context: a broken one shows here */
    jsni_cuda_code code;
    JSNI_TRY_CUDA(jsni_cuda_code_of(&code));
    jsni_cuda *cuda = jsni_alloc_zero(1, sizeof *cuda);
    JSNI_TRY_ALLOC(cuda);
    cuda->base.ops = &table;
    cuda->device = (int)device;
    cuda->major = properties.major;
    cuda->wide = code.sm90a;
    cuda->clusters = code.sm90;
    cuda->shared = properties.sharedMemPerBlockOptin;
    cuda->roomy = cuda->shared >= JSNI_CONV_SHARED;
    (void)snprintf(cuda->text, sizeof cuda->text, "%.60s, %d multiprocessors, %.0f GiB",
                   properties.name, properties.multiProcessorCount,
                   (double)properties.totalGlobalMem / 1073741824.0);
    *out = &cuda->base;
    return JSN_OK;
}

JSN_API const jsni_backend_ops *jsni_cuda_module_open(const jsni_cuda_host *host);

const jsni_backend_ops *jsni_cuda_module_open(const jsni_cuda_host *host)
{
    static const size_t sizes[4] = JSNI_CUDA_MODULE_SIZES;
    library = host;
    if (strcmp(host->version, jsn_version()) != 0 ||
        memcmp(host->sizes, sizes, sizeof sizes) != 0) {
        (void)jsni_fail(JSN_ERR_DEVICE,
                        "cuda: the module is of version %s and another build, the "
                        "library of version %s",
                        jsn_version(), host->version);
        return NULL;
    }
    return &table;
}
