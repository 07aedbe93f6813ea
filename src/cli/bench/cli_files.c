/* cli/bench/cli_files.c - see cli_files.h. */
#include "cli/bench/cli_files.h"

#include <stdlib.h>

#include "cli/bench/cli_bench.h"
#include "cli/bench/cli_step.h"
#include "cli/cli.h"
#include "jensen/image_file.h"
#include "train/classifier_stream.h"

/* What is measured, with room for a batch. */
typedef struct measured {
    jsn_classifier *classifier;
    const char *const *paths;
    size_t images, batch;
    float *tensors;        /* [batch][3][size][size] */
    double *probabilities; /* [batch][classes] */
} measured;

/* What cannot be read would make the parts differ in what they do. */
static jsn_status check_file(void *user, const jsn_classifier_file *file)
{
    (void)user;
    return file->probabilities != NULL
               ? JSN_OK
               : cli_fail(JSN_ERR_DATA, "%s: %s", file->path, file->reason);
}

/* As many images as there are files. */
static jsn_status run_network(measured *m)
{
    for (size_t done = 0; done < m->images; done += m->batch) {
        const size_t left = m->images - done;
        const jsn_status status = jsn_classifier_predict_tensors(
            m->classifier, m->tensors, left < m->batch ? left : m->batch,
            m->probabilities, NULL);
        if (status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

static jsn_status run_part(measured *m, cli_files_part part, double *seconds)
{
    const double start = cli_seconds();
    jsn_status status = JSN_OK;
    if (part == CLI_FILES_NETWORK)
        status = run_network(m);
    else if (part == CLI_FILES_READING)
        status = jsni_classifier_read_files(m->classifier, m->paths, m->images);
    else
        status = jsn_classifier_predict_files(m->classifier, m->paths, m->images,
                                              check_file, NULL);
    *seconds = cli_seconds() - start;
    return status;
}

static double slower(double network, double reading)
{
    return network > reading ? network : reading;
}

/* Round 0 is not counted. Every other round goes through the parts backwards. */
static jsn_status run_rounds(measured *m, cli_files *f)
{
    double seconds[CLI_FILES_PARTS][CLI_MOST_ROUNDS], shares[CLI_MOST_ROUNDS];
    for (size_t r = 0; r <= f->rounds; r++) {
        double now[CLI_FILES_PARTS];
        for (int k = 0; k < CLI_FILES_PARTS; k++) {
            const int part = r % 2 == 0 ? k : CLI_FILES_PARTS - 1 - k;
            const jsn_status status = run_part(m, (cli_files_part)part, &now[part]);
            if (status != JSN_OK)
                return status;
        }
        if (r == 0)
            continue;
        for (int k = 0; k < CLI_FILES_PARTS; k++)
            seconds[k][r - 1] = now[k];
        shares[r - 1] = slower(now[CLI_FILES_NETWORK], now[CLI_FILES_READING]) /
                        now[CLI_FILES_WHOLE];
    }
    cli_bench taken;
    for (int k = 0; k < CLI_FILES_PARTS; k++) {
        cli_bench_take(&taken, seconds[k], f->rounds);
        f->median[k] = taken.median;
        f->best[k] = taken.best;
    }
    cli_bench_take(&taken, shares, f->rounds); /* sorts them */
    f->share = taken.median;
    f->share_low = shares[f->rounds / 4];
    f->share_high = shares[f->rounds - 1 - f->rounds / 4];
    return JSN_OK;
}

static jsn_status measure(measured *m, cli_files *f)
{
    const size_t floats = 3 * f->size * f->size;
    m->tensors = calloc(m->batch, floats * sizeof *m->tensors);
    m->probabilities = calloc(m->batch, f->classes * sizeof *m->probabilities);
    if (m->tensors == NULL || m->probabilities == NULL)
        return JSN_ERR_MEMORY;
    cli_step_fill(m->tensors, m->batch * floats);
    return run_rounds(m, f);
}

jsn_status cli_files_run(cli_files *f)
{
    jsn_texts paths = {0};
    measured m = {0};
    jsn_status status = jsn_image_find(&paths, f->path, NULL);
    if (status == JSN_OK && paths.count == 0)
        status = cli_fail(JSN_ERR_DATA, "%s: it holds no images", f->path);
    if (status == JSN_OK && f->options.batch > paths.count)
        f->options.batch = paths.count; /* as `predict` does */
    const double before = cli_seconds();
    if (status == JSN_OK)
        status = jsn_classifier_create(&m.classifier, &f->options);
    f->start = cli_seconds() - before;
    if (status == JSN_OK) {
        m.paths = (const char *const *)paths.items;
        f->images = m.images = paths.count;
        m.batch = f->options.batch;
        f->classes = jsn_classifier_classes(m.classifier);
        f->size = jsn_classifier_image_size(m.classifier);
        status = measure(&m, f);
    }
    free(m.tensors);
    free(m.probabilities);
    jsn_classifier_close(m.classifier);
    jsn_texts_release(&paths);
    return status;
}

double cli_files_slower(const cli_files *f)
{
    return slower(f->median[CLI_FILES_NETWORK], f->median[CLI_FILES_READING]);
}

double cli_files_in_turn(const cli_files *f)
{
    return f->median[CLI_FILES_NETWORK] + f->median[CLI_FILES_READING];
}
