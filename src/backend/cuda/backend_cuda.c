/* backend/cuda/backend_cuda.c - the cuda row of the table of backends: finds and loads
 * the module on first use. Part of the library, built everywhere; it needs no CUDA.
 *
 * The module is looked for as $JENSEN_CUDA_MODULE, beside the program or library that
 * holds this code, in ../lib beside it, and where the system's loader looks.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_module.h"
#include "core/fail.h"
#include "jensen/version.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Written once, under `once`. */
static const jsni_backend_ops *module;
static char problem[1024];

static jsn_status record(jsn_status status, const char *sentence)
{
    return jsni_fail(status, "%s", sentence);
}

static void *try_file(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        /* Keep what is wrong with a file that is there over "no such file". */
        const char *text = dlerror();
        if (problem[0] == '\0' || strstr(problem, "No such file") != NULL)
            (void)snprintf(problem, sizeof problem, "%s", text ? text : path);
    }
    return handle;
}

static void *find_module(void)
{
    static const char *const beside[] = {"", "/../lib"};
    const char *named = getenv("JENSEN_CUDA_MODULE");
    if (named != NULL && named[0] != '\0')
        return try_file(named);
    Dl_info self;
    if (dladdr((const void *)(size_t)&once, &self) && self.dli_fname != NULL) {
        const char *slash = strrchr(self.dli_fname, '/');
        const int length = slash ? (int)(slash - self.dli_fname) : 0;
        for (size_t i = 0; slash && i < sizeof beside / sizeof beside[0]; i++) {
            char path[1024];
            (void)snprintf(path, sizeof path, "%.*s%s/%s", length, self.dli_fname,
                           beside[i], JSNI_CUDA_MODULE_FILE);
            void *handle = try_file(path);
            if (handle != NULL)
                return handle;
        }
    }
    return try_file(JSNI_CUDA_MODULE_FILE);
}

static void load(void)
{
    static jsni_cuda_host host = {NULL, JSNI_CUDA_MODULE_SIZES, record};
    host.version = jsn_version();
    void *handle = find_module();
    if (handle == NULL)
        return;
    union {
        void *object;
        jsni_cuda_module_fn *function;
    } entry;
    entry.object = dlsym(handle, JSNI_CUDA_MODULE_ENTRY);
    if (entry.object == NULL) {
        (void)snprintf(problem, sizeof problem, "%s is no module of jensen",
                       JSNI_CUDA_MODULE_FILE);
        return;
    }
    module = entry.function(&host);
    if (module == NULL)
        (void)snprintf(problem, sizeof problem, "%s", jsn_last_error());
}

static size_t device_count(void)
{
    (void)pthread_once(&once, load);
    return module ? module->device_count() : 0;
}

static jsn_status backend_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    (void)pthread_once(&once, load);
    if (module == NULL)
        return jsni_fail(JSN_ERR_DEVICE,
                         "cuda: the module %s cannot be loaded (JENSEN_CUDA_MODULE can "
                         "name it): %s",
                         JSNI_CUDA_MODULE_FILE, problem);
    return module->open(out, device);
}

/* Everything beyond opening is the module's; plans and devices know its table. */
static void backend_close(jsni_backend *backend)
{
    if (backend != NULL)
        backend->ops->close(backend);
}

static const char *device_text(const jsni_backend *backend)
{
    return backend->ops->device_text(backend);
}

static size_t memory_available(const jsni_backend *backend)
{
    return backend->ops->memory_available(backend);
}

static jsn_status supports(const jsni_backend *backend, const jsni_graph *graph,
                           size_t node, const jsni_plan_options *options)
{
    return backend->ops->supports(backend, graph, node, options);
}

static jsn_status plan_memory(const jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_memory *out)
{
    return backend->ops->plan_memory(backend, graph, options, out);
}

static jsn_status plan_create(jsni_backend *backend, const jsni_graph *graph,
                              const jsni_plan_options *options, jsni_plan **out)
{
    return backend->ops->plan_create(backend, graph, options, out);
}

static void plan_destroy(jsni_plan *plan)
{
    if (plan != NULL)
        plan->ops->plan_destroy(plan);
}

static jsn_status upload(jsni_plan *plan, size_t member, jsni_block block,
                         const float *from)
{
    return plan->ops->upload(plan, member, block, from);
}

static jsn_status download(jsni_plan *plan, size_t member, jsni_block block, float *to)
{
    return plan->ops->download(plan, member, block, to);
}

static jsn_status set_input(jsni_plan *plan, size_t member, const float *images,
                            size_t views, size_t samples)
{
    return plan->ops->set_input(plan, member, images, views, samples);
}

static jsn_status set_labels(jsni_plan *plan, size_t member, const jsni_labels *labels)
{
    return plan->ops->set_labels(plan, member, labels);
}

static jsn_status forward(jsni_plan *plan, const jsni_pass *pass)
{
    return plan->ops->forward(plan, pass);
}

static jsn_status loss(jsni_plan *plan, const jsni_losses *losses)
{
    return plan->ops->loss(plan, losses);
}

static jsn_status backward(jsni_plan *plan)
{
    return plan->ops->backward(plan);
}

static jsn_status update(jsni_plan *plan, const jsni_update *step)
{
    return plan->ops->update(plan, step);
}

static jsn_status read_loss(jsni_plan *plan, size_t member, double *mean,
                            double *values)
{
    return plan->ops->read_loss(plan, member, mean, values);
}

static jsn_status read_output(jsni_plan *plan, size_t member, float *to)
{
    return plan->ops->read_output(plan, member, to);
}

static jsn_status synchronize(jsni_plan *plan)
{
    return plan->ops->synchronize(plan);
}

static const char *describe_node(const jsni_plan *plan, size_t node)
{
    return plan->ops->describe_node(plan, node);
}

static jsn_status write_output_gradient(jsni_plan *plan, size_t member,
                                        const float *from)
{
    return plan->ops->write_output_gradient(plan, member, from);
}

static jsn_status read_output_gradient(jsni_plan *plan, size_t member, float *to)
{
    return plan->ops->read_output_gradient(plan, member, to);
}

static jsn_status read_input_gradient(jsni_plan *plan, size_t member, float *to)
{
    return plan->ops->read_input_gradient(plan, member, to);
}

static jsn_status read_node(jsni_plan *plan, size_t member, size_t node, float *to)
{
    return plan->ops->read_node(plan, member, node, to);
}

const jsni_backend_ops jsni_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs, by a module found at run time",
    .device_count = device_count,
    .open = backend_open,
    .close = backend_close,
    .device_text = device_text,
    .memory_available = memory_available,
    .supports = supports,
    .plan_memory = plan_memory,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .upload = upload,
    .download = download,
    .set_input = set_input,
    .set_labels = set_labels,
    .forward = forward,
    .loss = loss,
    .backward = backward,
    .update = update,
    .read_loss = read_loss,
    .read_output = read_output,
    .synchronize = synchronize,
    .describe_node = describe_node,
    .write_output_gradient = write_output_gradient,
    .read_output_gradient = read_output_gradient,
    .read_input_gradient = read_input_gradient,
    .read_node = read_node};
