/* backend/host_memory.h - the machine's memory and name, and the copy of a batch's
 * labels, for the CPU backends. */
#ifndef JSNI_BACKEND_HOST_MEMORY_H
#define JSNI_BACKEND_HOST_MEMORY_H

#include "backend/backend_impl.h"

/* Bytes that can be allocated without swapping, also inside a memory-limited group;
 * SIZE_MAX when the system does not tell. */
size_t jsni_host_memory_available(void);

/* "Intel Xeon ..., 2 cores" */
void jsni_host_text(char *to, size_t size);

/* A copy of a batch's labels; `view` points to what was given, the memory itself. */
typedef struct jsni_host_labels {
    int32_t *labels;
    float *targets;
    double *weights, *class_weights;
    uint8_t *second;
    size_t classes;
    jsni_labels view;
} jsni_host_labels;

/* Room for `batch` samples; release also after a failure. */
JSN_MUST_CHECK jsn_status jsni_host_labels_create(jsni_host_labels *to, size_t batch,
                                                  size_t classes);
/* JSN_ERR_ARGUMENT  neither labels nor targets
 * JSN_ERR_RANGE     a label outside [0, classes) */
JSN_MUST_CHECK jsn_status jsni_host_labels_set(jsni_host_labels *to,
                                               const jsni_labels *from, size_t samples);
void jsni_host_labels_release(jsni_host_labels *labels);

#endif /* JSNI_BACKEND_HOST_MEMORY_H */
