/* backend/cuda/cuda_plugin.c - see cuda_plugin.h. Compiles in a folder of its own, which is
 * removed. What is loaded stays, as the plugin does. */
#define _GNU_SOURCE /* dladdr */
#include "backend/cuda/cuda_plugin.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cuda/cuda_check.h"
#include "core/alloc.h"
#include "core/file.h"
#include "core/text.h"
#include "loss/plugin_source.h"

enum { MOST_LOADED = 64, MOST_LOG = 1 << 20, FOLDERS = 2 };

extern char **environ;

typedef struct loaded {
    const char *file; /* of jsn_loss_load(), which keeps it */
    int device;
    cudaKernel_t kernel;
} loaded;

static loaded known[MOST_LOADED];
static size_t known_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The folders of the headers, -I before each, the caller's (jsni_free): beside this module,
 * installed or in its tree. */
static jsn_status find_headers(char *out[FOLDERS])
{
    static const char *const places[][FOLDERS] = {
        {"../include/jensen/plugin", "../include"},
        {"../../include/jensen/plugin", "../../include"},
        {"../../src", "../../include"}};
    Dl_info self;
    const char *end = NULL;
    if (dladdr((const void *)(size_t)&known, &self) != 0 && self.dli_fname != NULL)
        end = strrchr(self.dli_fname, '/');
    for (size_t i = 0; end != NULL && i < sizeof places / sizeof places[0]; i++) {
        const int length = (int)(end - self.dli_fname);
        char *header = NULL;
        jsni_text path = {0};
        jsni_text_format(&path, "%.*s/%s/backend/cuda/loss_kernel.cuh", length,
                         self.dli_fname, places[i][0]);
        JSNI_TRY(jsni_text_take(&path, &header));
        const bool there = jsni_file_exists(header);
        jsni_free(header);
        for (size_t k = 0; there && k < FOLDERS; k++) {
            jsni_text option = {0};
            jsni_text_format(&option, "-I%.*s/%s", length, self.dli_fname,
                             places[i][k]);
            JSNI_TRY(jsni_text_take(&option, &out[k]));
        }
        if (there)
            return JSN_OK;
    }
    return jsni_fail(
        JSN_ERR_UNSUPPORTED,
        "cuda: the headers that a plugin is compiled with are not beside the "
        "module libjensen_cuda.so; --device cpu needs none");
}

/* What nvcc said: its first line with an error. */
static jsn_status refused(const char *source, const char *log)
{
    char *text = NULL;
    size_t length = 0;
    if (jsni_file_read(log, MOST_LOG, &text, &length) != JSN_OK)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: nvcc does not compile it", source);
    const char *error = strstr(text, "error");
    while (error != NULL && error > text && error[-1] != '\n')
        error--;
    if (error == NULL)
        error = text;
    const jsn_status status =
        jsni_fail(JSN_ERR_ARGUMENT, "%s: nvcc does not compile it: %.*s", source,
                  (int)strcspn(error, "\n"), error);
    jsni_free(text);
    return status;
}

/* Runs a program to its end, its output in a file; *code is 0 where it went well. */
static jsn_status run_program(char *const *words, const char *log, int *code)
{
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    int state = 0;
    if (posix_spawn_file_actions_init(&files) != 0)
        return JSN_ERR_MEMORY;
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                           0);
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log,
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    const int failed = posix_spawn(&child, words[0], &files, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (failed != 0)
        return jsni_fail(JSN_ERR_IO, "%s: %s", words[0], strerror(failed));
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return jsni_fail(JSN_ERR_IO, "%s: %s", words[0], strerror(errno));
    *code = WIFEXITED(state) ? WEXITSTATUS(state) : 1;
    return JSN_OK;
}

static jsn_status compile(const char *nvcc, const char *source, int device,
                          const char *log, const char *cubin)
{
    int major = 0, minor = 0, code = 1;
    char architecture[32], *headers[FOLDERS] = {NULL};
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    JSNI_TRY_CUDA(
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    (void)snprintf(architecture, sizeof architecture, "-arch=sm_%d%d", major, minor);
    jsn_status status = find_headers(headers);
    const char *const words[] = {nvcc,
                                 "-cubin",
                                 "-std=c++17",
                                 "-O3",
                                 architecture,
                                 "-Xcudafe",
                                 "--diag_suppress=177",
                                 headers[0],
                                 headers[1],
                                 "-x",
                                 "cu",
                                 source,
                                 "-o",
                                 cubin,
                                 NULL};
    if (status == JSN_OK)
        status = run_program((char *const *)(size_t)words, log, &code);
    if (status == JSN_OK && code != 0)
        status = refused(source, log);
    for (size_t k = 0; k < FOLDERS; k++)
        jsni_free(headers[k]);
    return status;
}

/* The only kernel of a cubin. The library stays loaded. */
static jsn_status load(const char *source, const char *cubin, cudaKernel_t *kernel)
{
    cudaLibrary_t library = NULL;
    unsigned count = 0;
    JSNI_TRY_CUDA(
        cudaLibraryLoadFromFile(&library, cubin, NULL, NULL, 0, NULL, NULL, 0));
    jsn_status status = JSNI_CUDA(cudaLibraryGetKernelCount(&count, library));
    if (status == JSN_OK && count != 1)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: has %u kernels, a plugin has one JSNI_LOSS_DEFINE()",
                           source, count);
    if (status == JSN_OK)
        status = JSNI_CUDA(cudaLibraryEnumerateKernels(kernel, 1, library));
    if (status != JSN_OK)
        (void)cudaLibraryUnload(library);
    return status;
}

/* From the plugin to its kernel, in a folder that nobody else writes to. */
static jsn_status build(const char *file, int device, cudaKernel_t *kernel)
{
    const char *temporary = getenv("TMPDIR");
    char folder[3072], log[3200], cubin[3200], *source = NULL, *nvcc = NULL;
    JSNI_TRY(jsni_plugin_source(file, &source));
    jsn_status status = jsni_plugin_compiler(&nvcc);
    (void)snprintf(folder, sizeof folder, "%.3000s/jensen-plugin-XXXXXX",
                   temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary);
    if (status == JSN_OK && mkdtemp(folder) == NULL)
        status = jsni_fail(JSN_ERR_IO, "%s: %s", folder, strerror(errno));
    if (status == JSN_OK) {
        (void)snprintf(log, sizeof log, "%s/log.txt", folder);
        (void)snprintf(cubin, sizeof cubin, "%s/loss.cubin", folder);
        status = compile(nvcc, source, device, log, cubin);
        if (status == JSN_OK)
            status = load(source, cubin, kernel);
        (void)unlink(cubin);
        (void)unlink(log);
        (void)rmdir(folder);
    }
    jsni_free(nvcc);
    jsni_free(source);
    return status;
}

static jsn_status find(const char *file, int device, cudaKernel_t *kernel)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].file == file && known[i].device == device) {
            *kernel = known[i].kernel;
            return JSN_OK;
        }
    if (known_count == MOST_LOADED)
        return jsni_fail(JSN_ERR_RANGE,
                         "cuda: at most %d kernels of plugins are loaded",
                         (int)MOST_LOADED);
    JSNI_TRY(build(file, device, kernel));
    known[known_count++] = (loaded){file, device, *kernel};
    return JSN_OK;
}

jsn_status jsni_cuda_plugin_kernel(const char *file, size_t shared, const void **kernel)
{
    enum { WITHOUT_ASKING = 48 * 1024 };
    cudaKernel_t found = NULL;
    int device = 0;
    JSNI_TRY_CUDA(cudaGetDevice(&device));
    (void)pthread_mutex_lock(&lock);
    jsn_status status = find(file, device, &found);
    (void)pthread_mutex_unlock(&lock);
    JSNI_TRY(status);
    if (shared > WITHOUT_ASKING)
        JSNI_TRY_CUDA(cudaFuncSetAttribute((const void *)found,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)shared));
    *kernel = (const void *)found;
    return JSN_OK;
}
