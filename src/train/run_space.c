/* train/run_space.c - see run_space.h. */
#include "train/run_space.h"

#include "core/alloc.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/machine.h"
#include "core/text.h"
#include "train/run.h"

static uint64_t size_of(const jsni_run *run, const char *name)
{
    jsni_file_identity identity = {0};
    char *path = jsni_run_file(&run->folder, name);
    const bool known = path != NULL && jsni_file_identify(path, &identity) == JSN_OK;
    jsni_free(path);
    return known ? identity.size : 0;
}

static jsni_run_space measure(const jsni_run *run)
{
    static const char *const names[] = {JSNI_RUN_CHECKPOINT, JSNI_RUN_PREVIOUS,
                                        JSNI_RUN_MODEL,      JSNI_RUN_BEST,
                                        JSNI_RUN_RAW,        JSNI_RUN_POSTERIORS};
    const jsni_graph *g = run->group->model->graph;
    const uint64_t weights = 4 * (uint64_t)(g->param_floats + g->stat_floats);
    const uint64_t slots = run->group->model->options.optimiser_slots;
    const uint64_t averaged = run->average.params != NULL;
    const uint64_t rows =
        4 * (uint64_t)run->job.problem->train.count * run->job.problem->classes;
    jsni_run_space space = {.posteriors = run->samples.posteriors != NULL ? rows : 0};
    space.checkpoints =
        3 * (weights + slots * 4 * (uint64_t)g->param_floats + averaged * weights +
             space.posteriors + (run->samples.memory != NULL ? rows : 0));
    space.weights = (2 + averaged) * weights;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        space.there += size_of(run, names[i]);
    return space;
}

void jsni_run_space_text(const jsni_run_space *space, uint64_t free_bytes,
                         const char *folder, char *text, size_t size)
{
    const uint64_t need = space->checkpoints + space->weights + space->posteriors;
    jsni_text out = jsni_text_in(text, size);
    if (need <= space->there || need - space->there <= free_bytes)
        return;
    jsni_text_format(
        &out,
        "%.400s: %.1f MB are free on this disk, the run needs up to %.1f MB "
        "more (checkpoints %.1f MB, weights %.1f MB",
        folder, (double)free_bytes / 1e6, (double)(need - space->there) / 1e6,
        (double)space->checkpoints / 1e6, (double)space->weights / 1e6);
    if (space->posteriors > 0)
        jsni_text_format(&out, ", posteriors %.1f MB", (double)space->posteriors / 1e6);
    jsni_text_add(&out, "); the run stops when the disk is full; make room, and the "
                        "same command continues");
}

void jsni_run_space_tell(jsni_run *run)
{
    char text[800] = "";
    const jsni_run_space space = measure(run);
    const uint64_t free_bytes = jsni_disk_free(run->folder.path);
    /* 0 is also what a disk has that does not say; a full one will. */
    if (free_bytes > 0)
        jsni_run_space_text(&space, free_bytes, run->folder.path, text, sizeof text);
    if (text[0] != '\0')
        run->logger.message(run, JSN_LOG_WARNING, text);
}
