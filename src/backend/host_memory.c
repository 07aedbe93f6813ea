/* backend/host_memory.c - see host_memory.h. */
#include "backend/host_memory.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"

/* The number in the first line of `path` that starts with `key`, in bytes; SIZE_MAX
 * when there is none ("max" is none). */
static size_t read_number(const char *path, const char *key, size_t unit)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return SIZE_MAX;
    char line[256];
    unsigned long long value = 0;
    size_t found = SIZE_MAX;
    while (found == SIZE_MAX && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), "%llu", &value) == 1 && value < SIZE_MAX / unit)
            found = (size_t)value * unit;
    (void)fclose(file);
    return found;
}

size_t jsni_host_memory_available(void)
{
    size_t available = read_number("/proc/meminfo", "MemAvailable:", 1024);
    const size_t limit = read_number("/sys/fs/cgroup/memory.max", "", 1);
    const size_t used = read_number("/sys/fs/cgroup/memory.current", "", 1);
    if (limit != SIZE_MAX && used != SIZE_MAX) {
        const size_t left = limit > used ? limit - used : 0;
        if (left < available)
            available = left;
    }
    return available;
}

void jsni_host_text(char *to, size_t size)
{
    char model[48] = "CPU";
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            (void)snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"),
                           colon + 2);
            break;
        }
    }
    if (file != NULL)
        (void)fclose(file);
    const size_t cores = jsni_usable_cores();
    (void)snprintf(to, size, "%s, %zu %s", model, cores,
                   jsn_noun(cores, "core", "cores"));
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
    return JSN_OK;
}
