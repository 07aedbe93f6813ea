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
#include "jensen/loss_gpu.h"
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
        (void)snprintf(problem, sizeof problem, "%s is not a module of jensen",
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

static jsn_status need_module(void)
{
    (void)pthread_once(&once, load);
    if (module == NULL)
        return jsni_fail(JSN_ERR_DEVICE,
                         "cuda: the module %s cannot be loaded (JENSEN_CUDA_MODULE can "
                         "name it): %s",
                         JSNI_CUDA_MODULE_FILE, problem);
    return JSN_OK;
}

static jsn_status backend_open(jsni_backend **out, size_t device)
{
    *out = NULL;
    JSNI_TRY(need_module());
    return module->open(out, device);
}

static jsn_status loss_launch(const jsn_loss *loss, const jsn_loss_gpu_batch *batch)
{
    JSNI_TRY(need_module());
    return module->loss_launch(loss, batch);
}

static jsn_status loss_scale(const jsn_loss_gpu_scale *scale)
{
    JSNI_TRY(need_module());
    return module->loss_scale(scale);
}

/* Everything beyond opening is the module's: what it opens has the module's table. */
const jsni_backend_ops jsni_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs, by a module found at run time",
    .can = JSNI_CUDA_CAN,
    .device_count = device_count,
    .open = backend_open,
    .loss_launch = loss_launch,
    .loss_scale = loss_scale};
