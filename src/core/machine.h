/* core/machine.h - what the machine offers: cores, memory, instruction sets, an
 * NVIDIA driver, ONNX Runtime, room on disk. What `jensen doctor` prints. */
#ifndef JSNI_CORE_MACHINE_H
#define JSNI_CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_machine {
    char cpu[96];          /* the model's name, "unknown" when the system hides it */
    size_t cores;          /* that this process may use, at least 1 */
    uint64_t memory;       /* bytes in the machine, 0 when unknown */
    uint64_t memory_limit; /* bytes that a container allows; `memory` without a limit */
    uint64_t
        memory_available; /* bytes that are free now within that, without swapping */
} jsni_machine;

/* Never fails: what cannot be found out is "unknown" or 0. */
void jsni_machine_probe(jsni_machine *out);

/* An instruction set that some code of the library has a faster path for. */
typedef struct jsni_instruction_set {
    const char *name; /* static: "AVX2" */
    bool present;
} jsni_instruction_set;

/* How many instruction sets the program knows. */
size_t jsni_instruction_set_count(void);

/* The record at `index`; all zero when index >= jsni_instruction_set_count(). */
jsni_instruction_set jsni_instruction_set_at(size_t index);

enum { JSNI_GPU_MAX = 16 };

typedef struct jsni_gpu {
    char name[96];
    uint64_t memory; /* bytes */
} jsni_gpu;

/* What NVIDIA's driver library (libcuda.so.1, looked up at run time) says. Calling this
 * starts the driver in the process. */
typedef struct jsni_gpu_driver {
    bool loadable;  /* the library is there */
    int version;    /* CUDA version that it serves, 13000 for 13.0; 0 when it fails */
    char text[128]; /* why there is no GPU; "" when there is one */
    size_t gpus;    /* at most JSNI_GPU_MAX */
    jsni_gpu gpu[JSNI_GPU_MAX];
} jsni_gpu_driver;

/* Asks the driver itself, without the CUDA module. */
void jsni_gpu_probe(jsni_gpu_driver *out);

/* ONNX Runtime, which is looked for when it is needed: JENSEN_ONNXRUNTIME names its library,
 * else libonnxruntime.so is searched where the system has its libraries, and in the wheel of
 * a Python environment that is active. It stays loaded: its threads may still be on their way
 * out when nobody needs it any more. */
typedef struct jsni_onnx_library {
    const char *version; /* "1.31.1"; the library's */
    const void *api;     /* its table of functions, as version 1 has it */
} jsni_onnx_library;

/* JSN_ERR_UNSUPPORTED: there is none, and the sentence says what is missing. */
JSN_MUST_CHECK jsn_status jsni_onnx_library_find(jsni_onnx_library *out);

/* Bytes that may still be written below `path`; 0 when there is no such folder. */
uint64_t jsni_disk_free(const char *path);

#endif /* JSNI_CORE_MACHINE_H */
