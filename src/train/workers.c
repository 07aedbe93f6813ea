/* train/workers.c - see workers.h. */
#include "train/workers.h"

#include <string.h>

#include "core/fail.h"
#include "core/machine.h"
#include "core/progress.h"
#include "jensen/backend.h"
#include "train/loader.h"

/* Small images take no time; larger ones are decoded by several threads. A GPU is faster
 * than four of them, and leaves the cores to them. */
enum { SMALL = 64, CPU_WORKERS = 4, GPU_WORKERS = 16 };

double jsni_workers_bytes(const jsn_train_config *c, const jsni_problem *p,
                          size_t workers)
{
    const double side = (double)c->image_size;
    const double image =
        (double)JSN_IMAGE_CHANNELS * side * side * (double)sizeof(float);
    double views = (double)c->views;
    if (p->val.data != NULL)
        views++;
    if (p->test.data != NULL)
        views++;
    if (strcmp(c->consistency, "never") != 0)
        views += 2; /* the training images as they are, and a copy of each */
    return (double)jsni_loader_slots(workers) * (double)c->batch * views * image;
}

size_t jsni_workers_wanted(const jsn_train_config *c,
                           const jsni_workers_machine *machine)
{
    const size_t threads = (size_t)c->threads;
    const bool resized = strncmp(c->augment, "fit", 3) == 0;
    size_t most = CPU_WORKERS;
    if (c->image_size <= SMALL && !resized)
        most = 1;
    else if (machine->gpu && threads == 0)
        most = GPU_WORKERS;
    else if (machine->gpu &&
             threads > CPU_WORKERS) /* the share of one of several runs */
        most = threads < GPU_WORKERS ? threads : GPU_WORKERS;
    return machine->cores < most ? machine->cores : most;
}

size_t jsni_workers_for(const jsn_train_config *c, const jsni_problem *p,
                        const jsni_workers_machine *machine)
{
    const double room = (double)machine->memory / 4.0;
    size_t workers = jsni_workers_wanted(c, machine);
    while (machine->memory > 0 && workers > 1 &&
           jsni_workers_bytes(c, p, workers) > room)
        workers--;
    return workers;
}

jsn_status jsni_workers_choose(jsn_train_config *c, const jsni_problem *p,
                               const jsn_logger *logger)
{
    jsn_device_info device;
    jsni_machine probed;
    if (c->workers != JSN_OPTION_INT_UNSET)
        return JSN_OK;
    JSNI_TRY(jsn_device_describe(c->device, &device));
    jsni_machine_probe(&probed);
    const jsni_workers_machine machine = {device.gpu != 0, probed.cores,
                                          probed.memory_available};
    const size_t wanted = jsni_workers_wanted(c, &machine);
    const size_t workers = jsni_workers_for(c, p, &machine);
    c->workers = (int64_t)workers;
    if (workers < wanted)
        jsni_say(logger, JSN_LOG_INFO,
                 "workers: %zu (batches of %zu would take %.1f GB, %.1f GB are free)",
                 workers, wanted, jsni_workers_bytes(c, p, wanted) / 1e9,
                 (double)machine.memory / 1e9);
    return JSN_OK;
}
