/* backend/host_memory.c - see host_memory.h. */
#include "backend/host_memory.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/machine.h"
#include "core/words.h"

size_t jsni_host_memory_available(void)
{
    jsni_machine machine;
    jsni_machine_probe(&machine);
    return machine.memory_available == 0 || machine.memory_available > SIZE_MAX
               ? SIZE_MAX
               : (size_t)machine.memory_available;
}

void jsni_host_text(char *to, size_t size)
{
    jsni_machine machine;
    jsni_machine_probe(&machine);
    (void)snprintf(to, size, "%.47s, %zu %s",
                   strcmp(machine.cpu, "unknown") == 0 ? "CPU" : machine.cpu,
                   machine.cores, jsni_noun(machine.cores, "core", "cores"));
}

jsn_status jsni_host_labels_create(jsni_host_labels *to, size_t batch, size_t classes)
{
    *to = (jsni_host_labels){.classes = classes};
    JSNI_TRY_ALLOC(to->labels = jsni_alloc(batch, sizeof *to->labels));
    JSNI_TRY_ALLOC(to->weights = jsni_alloc(batch, sizeof *to->weights));
    JSNI_TRY_ALLOC(to->second = jsni_alloc(batch, sizeof *to->second));
    JSNI_TRY_ALLOC(to->class_weights = jsni_alloc(classes, sizeof *to->class_weights));
    JSNI_TRY_ALLOC(to->targets = jsni_alloc(batch, classes * sizeof *to->targets));
    return JSN_OK;
}

void jsni_host_labels_release(jsni_host_labels *labels)
{
    jsni_free(labels->labels);
    jsni_free(labels->targets);
    jsni_free(labels->weights);
    jsni_free(labels->class_weights);
    jsni_free(labels->second);
    *labels = (jsni_host_labels){0};
}

/* Copies when there is something, and returns where it now is. */
static const void *keep(void *to, const void *from, size_t bytes)
{
    return from == NULL ? NULL : memcpy(to, from, bytes);
}

jsn_status jsni_host_labels_set(jsni_host_labels *to, const jsni_labels *from,
                                size_t samples)
{
    if ((from->labels == NULL) == (from->targets == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT, "labels or soft targets, one of the two");
    for (size_t i = 0; from->labels != NULL && i < samples; i++)
        if (from->labels[i] < 0 || (size_t)from->labels[i] >= to->classes)
            return jsni_fail(JSN_ERR_RANGE, "label %ld of sample %zu, %zu classes",
                             (long)from->labels[i], i, to->classes);
    to->view.labels = keep(to->labels, from->labels, samples * sizeof *to->labels);
    to->view.targets =
        keep(to->targets, from->targets, samples * to->classes * sizeof *to->targets);
    to->view.weights = keep(to->weights, from->weights, samples * sizeof *to->weights);
    to->view.class_weights = keep(to->class_weights, from->class_weights,
                                  to->classes * sizeof *to->class_weights);
    to->view.second = keep(to->second, from->second, samples * sizeof *to->second);
    to->view.memory = from->memory;
    return JSN_OK;
}
