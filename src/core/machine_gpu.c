/* core/machine_gpu.c - asks NVIDIA's driver library what is there, without linking to
 * it; see core/machine.h. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/machine.h"

typedef struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *out);
    int (*count)(int *out);
    int (*device)(int *out, int number);
    int (*name)(char *out, int size, int device);
    int (*memory)(size_t *out, int device);
    int (*error_text)(int code, const char **out);
} driver;

/* POSIX promises that a function's address fits a pointer; ISO C has no cast for it. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library, driver *d)
{
    return find(library, "cuInit", &d->init) &&
           find(library, "cuDriverGetVersion", &d->version) &&
           find(library, "cuDeviceGetCount", &d->count) &&
           find(library, "cuDeviceGet", &d->device) &&
           find(library, "cuDeviceGetName", &d->name) &&
           find(library, "cuDeviceTotalMem_v2", &d->memory) &&
           find(library, "cuGetErrorString", &d->error_text);
}

static void explain(jsni_gpu_driver *out, const driver *d, int code)
{
    const char *text = NULL;
    if (d->error_text(code, &text) != 0 || text == NULL)
        text = "unknown error";
    (void)snprintf(out->text, sizeof out->text, "the driver says: %s", text);
}

static void list_gpus(jsni_gpu_driver *out, const driver *d)
{
    int count = 0;
    int code = d->init(0);
    if (code == 0)
        code = d->count(&count);
    if (code != 0) {
        explain(out, d, code);
        return;
    }
    for (int i = 0; i < count && out->gpus < JSNI_GPU_MAX; i++) {
        jsni_gpu *gpu = &out->gpu[out->gpus];
        int device = 0;
        size_t memory = 0;
        if (d->device(&device, i) != 0 ||
            d->name(gpu->name, (int)sizeof gpu->name, device) != 0)
            continue;
        if (d->memory(&memory, device) == 0)
            gpu->memory = memory;
        out->gpus++;
    }
    if (out->gpus == 0)
        (void)snprintf(out->text, sizeof out->text, "the driver lists no GPU");
}

void jsni_gpu_probe(jsni_gpu_driver *out)
{
    if (out == NULL)
        return;
    driver d = {0};
    memset(out, 0, sizeof *out);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        (void)snprintf(out->text, sizeof out->text, "no driver library libcuda.so.1");
        return;
    }
    out->loadable = true;
    if (find_all(library, &d)) {
        if (d.version(&out->version) != 0)
            out->version = 0;
        list_gpus(out, &d);
    } else {
        (void)snprintf(out->text, sizeof out->text, "libcuda.so.1 is too old");
    }
    /* The library stays: unloading a started driver is not supported. */
}
