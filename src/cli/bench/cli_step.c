/* cli/bench/cli_step.c - see cli_step.h. */
#define _XOPEN_SOURCE 700
#include "cli/bench/cli_step.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "backend/model.h"
#include "cli/bench/cli_bench.h"
#include "jensen/loss.h"
#include "jensen/network.h"

jsn_status cli_step_options(jsn_model_options *options, const char *network,
                            int64_t classes, int64_t size)
{
    const jsn_network_info *info = jsn_network_find(network);
    if (info == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    jsn_model_options_init(options);
    options->network = network;
    options->classes = (size_t)classes;
    options->channels = info->channels;
    options->height = size > 0 ? (size_t)size : info->height;
    options->width = size > 0 ? (size_t)size : info->width;
    return JSN_OK;
}

size_t cli_step_planned(const jsn_model_info *m)
{
    return m->memory_parameters + m->memory_gradients + m->memory_optimiser +
           m->memory_statistics + m->memory_activations + m->memory_workspace;
}

/* Values in [-1.7, 1.7] with mean 0 and variance 1, from a linear congruence: what is
 * in the images does not matter, but that they are not all alike does. */
void cli_step_fill(float *images, size_t count)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        images[i] = (float)(3.4641016 * ((double)state / 4294967296.0 - 0.5));
    }
}

static jsn_status time_steps(cli_step *c, jsn_loss *loss, const jsn_model_batch *batch,
                             double start)
{
    double times[CLI_MOST_STEPS];
    clock_t processor = 0;
    const jsn_model_batch again = {.views = batch->views, .samples = batch->samples};
    for (size_t i = 0; i <= c->steps; i++) {
        const jsn_model_step step = {.loss = loss,
                                     .rate = 0.01,
                                     .weight_decay = 5e-4,
                                     .decay_all = 1,
                                     .step = (uint64_t)i + 1};
        const double before = cli_seconds();
        jsn_status status = jsn_model_train_step(c->model, i == 0 ? batch : &again,
                                                 &step, &c->value, NULL);
        if (status == JSN_OK)
            status = jsni_model_synchronize(c->model);
        if (status != JSN_OK)
            return status;
        if (i == 0) {
            c->first_end = cli_seconds();
            c->first = c->first_end - start;
            processor = clock();
        } else {
            times[i - 1] = cli_seconds() - before;
        }
    }
    c->processor = (double)(clock() - processor) / CLOCKS_PER_SEC / (double)c->steps;
    cli_bench taken;
    cli_bench_take(&taken, times, c->steps);
    c->peak_mib = cli_peak_mib();
    c->best = taken.best;
    c->median = taken.median;
    return JSN_OK;
}

jsn_status cli_step_run(cli_step *c)
{
    const double start = cli_seconds();
    const jsn_model_options *o = &c->options;
    const size_t count = c->views * o->batch * o->channels * o->height * o->width;
    float *images = NULL;
    int32_t *labels = NULL;
    jsn_loss *loss = NULL;
    /* The model first: it knows whether the batch fits. */
    jsn_status status = jsn_model_create(&c->model, o);
    if (status == JSN_OK)
        status = jsn_model_init(c->model, 1);
    if (status == JSN_OK)
        status = jsn_loss_create(&loss, c->loss, o->classes, c->views);
    if (status != JSN_OK)
        goto done;
    images = malloc(count * sizeof *images);
    labels = malloc(o->batch * sizeof *labels);
    if (images == NULL || labels == NULL) {
        status = JSN_ERR_MEMORY;
        goto done;
    }
    cli_step_fill(images, count);
    for (size_t i = 0; i < o->batch; i++)
        labels[i] = (int32_t)(i * 7 % o->classes);
    const jsn_model_batch batch = {
        .images = images, .views = c->views, .samples = o->batch, .labels = labels};
    status = time_steps(c, loss, &batch, start);
done:
    jsn_loss_destroy(loss);
    free(images);
    free(labels);
    return status;
}
