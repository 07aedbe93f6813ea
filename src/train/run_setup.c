/* train/run_setup.c - opening and closing a run; see run.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "core/words.h"
#include "format/safetensors.h"
#include "loss/loss_mode.h"
#include "store/record_epoch.h"
#include "store/run_rows.h"
#include "train/init_weights.h"
#include "train/mixup.h"
#include "train/model_card.h"
#include "train/run.h"
#include "train/run_memory.h"
#include "train/run_space.h"

static void log_message(void *user, jsn_log_level level, const char *text)
{
    const jsni_run *run = user;
    jsni_run_log(&run->folder, text);
    const jsn_logger *to = run->group->watch->logger;
    if (to != NULL && to->message != NULL)
        to->message(to->user, level, text);
}

static jsn_status first_weights(jsni_run *run)
{
    const char *init = run->config->init;
    jsni_model_select(run->group->model, run->member);
    if (run->head != NULL) /* a linear layer needs no other weights to begin with */
        return JSN_OK;
    JSNI_TRY(jsn_model_init(run->group->model, run->seed));
    if (init == NULL)
        return JSN_OK;
    int head_left = 0;
    char *path = NULL;
    JSNI_TRY(jsni_init_path(init, &path));
    const jsn_status status = jsn_model_load(run->group->model, path, &head_left);
    jsni_free(path);
    JSNI_TRY(status);
    if (head_left)
        run->logger.message(run, JSN_LOG_INFO,
                            "the weights file has another number of classes: the "
                            "classifier starts anew");
    return JSN_OK;
}

static jsn_status check_device(const jsn_train_config *c, const char *option,
                               const jsn_loss *loss)
{
    const jsni_backend_ops *backend = jsni_backend_named(c->device);
    if (jsni_loss_host_only(loss) && backend != NULL && backend->can.gpu)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--%s: logitclip works on the CPU alone so far (--device cpu)",
                         option);
    return JSN_OK;
}

static jsn_status open_losses(jsni_run *run)
{
    const jsn_train_config *c = run->config;
    const size_t views = (size_t)c->views;
    size_t wants = 0;
    JSNI_TRY(jsni_loss_create_method(&run->loss, c->loss, c->method,
                                     run->problem->classes, views));
    JSNI_TRY(check_device(c, "loss", run->loss));
    if (c->loss_noisy == NULL)
        return JSN_OK;
    JSNI_TRY(
        jsn_loss_create(&run->loss_noisy, c->loss_noisy, run->problem->classes, views));
    JSNI_TRY(check_device(c, "loss-noisy", run->loss_noisy));
    /* In a mixed batch all views are forwarded; a one-view loss reads the first. */
    JSNI_TRY(jsn_loss_check(c->loss, &wants));
    jsni_loss_first_view_only(run->loss, wants == 1);
    JSNI_TRY(jsn_loss_check(c->loss_noisy, &wants));
    jsni_loss_first_view_only(run->loss_noisy, wants == 1);
    return JSN_OK;
}

static jsn_status open_loader(jsni_run *run)
{
    const jsn_train_config *c = run->config;
    const jsni_loader_options o = {
        .part = &run->problem->train,
        .classes = run->problem->classes,
        .augment = run->group->augment,
        .features = run->head == NULL ? NULL : &run->head->train,
        .height = (size_t)c->image_size,
        .width = (size_t)c->image_size,
        .batch = (size_t)c->batch,
        .views = (size_t)c->views,
        .workers = (size_t)c->workers,
        .order = strcmp(c->sampling, "balanced") == 0 ? JSNI_ORDER_BALANCED
                                                      : JSNI_ORDER_SHUFFLED,
        .seed = run->seed,
        .max_steps = (size_t)c->max_steps,
        .max_bad = (size_t)c->max_bad,
        .tally = run->tally,
        .scaled_decode = c->scaled_decode,
        .mixup = jsni_mixup_on(c) ? c->mixup : 0.0,
    };
    JSNI_TRY(jsni_loader_create(&run->train, &o));
    const size_t steps = jsni_loader_batches(run->train);
    if (run->member > 0 && steps != run->group->steps)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "these runs cannot be trained side by side");
    run->group->steps = steps;
    return JSN_OK;
}

/* Inverse class frequencies, scaled so that the mean weight of a sample is 1. */
static jsn_status weigh_classes(jsni_run *run)
{
    const jsni_part *part = &run->problem->train;
    const size_t classes = run->problem->classes;
    if (strcmp(run->config->class_weights, "balanced") != 0)
        return JSN_OK;
    JSNI_TRY_ALLOC(run->class_weights =
                       jsni_alloc_zero(classes, sizeof *run->class_weights));
    size_t present = 0;
    for (size_t i = 0; i < part->count; i++)
        present += run->class_weights[part->used[i]]++ == 0.0;
    for (size_t k = 0; k < classes; k++)
        if (run->class_weights[k] > 0.0)
            run->class_weights[k] =
                (double)part->count / ((double)present * run->class_weights[k]);
    return JSN_OK;
}

static jsn_status allocate(jsni_run *run)
{
    const size_t batch = (size_t)run->config->batch;
    const size_t views = (size_t)run->config->views;
    const size_t classes = run->problem->classes;
    JSNI_TRY(weigh_classes(run));
    JSNI_TRY_ALLOC(run->labels = jsni_alloc(batch, sizeof *run->labels));
    JSNI_TRY_ALLOC(run->logits =
                       jsni_alloc(views * batch, classes * sizeof *run->logits));
    JSNI_TRY_ALLOC(run->probabilities = jsni_alloc(classes, sizeof(double)));
    if (run->problem->train.soft != NULL || jsni_mixup_on(run->config))
        JSNI_TRY_ALLOC(run->targets = jsni_alloc(batch, classes * sizeof(float)));
    if (jsni_mixup_on(run->config))
        JSNI_TRY_ALLOC(run->target = jsni_alloc(classes, sizeof *run->target));
    if (run->class_weights != NULL)
        JSNI_TRY_ALLOC(run->weights = jsni_alloc(batch, sizeof *run->weights));
    if (run->loss_noisy != NULL)
        JSNI_TRY_ALLOC(run->second = jsni_alloc(batch, 1));
    if (run->config->record_posteriors)
        JSNI_TRY_ALLOC(run->posteriors = jsni_alloc_zero(run->problem->train.count,
                                                         classes * sizeof(float)));
    return jsni_run_memory_create(run);
}

/* The rows of the epochs that the checkpoint knows of; later ones are made again. */
static jsn_status load_rows(jsni_run *run)
{
    const size_t epochs = (size_t)run->state.epoch;
    if (epochs == 0)
        return JSN_OK;
    JSNI_TRY(jsni_run_rows_read(run->folder.path, &run->past, &run->past_count));
    if (run->past_count < epochs)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: %zu %s, but the checkpoint is at epoch %zu; delete the "
                         "run folder to start again",
                         JSNI_RUN_METRICS, run->past_count,
                         jsni_noun(run->past_count, "row", "rows"), epochs);
    run->past_count = epochs;
    for (size_t i = 0; i < epochs; i++)
        run->past[i].epochs = run->config->epochs;
    run->last = run->past[epochs - 1];
    return JSN_OK;
}

/* The best weights so far, which the run does not read but hands on at its end. */
static jsn_status check_best(const jsni_run *run)
{
    jsni_safetensors *file = NULL;
    bool there = false;
    JSNI_TRY(jsni_file_find(run->folder.path, JSNI_RUN_BEST, &there));
    if (!there)
        return JSN_OK;
    jsn_status status =
        jsni_safetensors_open_in(&file, run->folder.path, JSNI_RUN_BEST);
    if (status == JSN_OK)
        status = jsni_safetensors_verify(file);
    jsni_safetensors_close(file);
    if (status != JSN_ERR_DATA)
        return status;
    return jsni_fail(JSN_ERR_DATA,
                     "%s; the checkpoint is sound: delete this file, and the same "
                     "command continues without the best weights so far",
                     jsn_last_error());
}

static jsn_status load_state(jsni_run *run)
{
    bool found = false;
    JSNI_TRY(jsni_checkpoint_load(run, &found));
    JSNI_TRY(load_rows(run));
    if (found)
        JSNI_TRY(check_best(run));
    JSNI_TRY(jsni_bad_images_read(run));
    if (run->opening != NULL)
        jsni_run_log(&run->folder, run->opening);
    return JSN_OK;
}

jsn_status jsni_run_load(jsni_run *run)
{
    JSNI_TRY(first_weights(run));
    if (!isnan(run->config->ema))
        JSNI_TRY(jsni_average_create(&run->average, run->group->model));
    JSNI_TRY(load_state(run));
    jsni_run_space_tell(run);
    return JSN_OK;
}

jsn_status jsni_run_open(jsni_run *run, jsni_group *group, const jsni_job *job)
{
    run->group = group;
    run->config = job->config;
    run->problem = job->problem;
    run->seed = job->seed;
    run->number = job->number;
    run->part_of = job->member;
    run->opening = job->opening;
    run->last = jsni_epoch_none();
    run->logger = (jsn_logger){run, log_message, jsni_run_progress};
    run->state.best_val = run->state.best_test = NAN;
    JSNI_TRY(jsni_run_folder_open(&run->folder, job->folder));
    JSNI_TRY(open_losses(run));
    JSNI_TRY(jsni_schedule_parse(run->config->schedule, (size_t)run->config->epochs,
                                 &run->schedule));
    JSNI_TRY(jsni_bad_tally_create(&run->tally));
    if (group->training && jsni_head_alone(run->config))
        JSNI_TRY(jsni_head_open(run));
    JSNI_TRY(open_loader(run));
    return allocate(run);
}

void jsni_run_close(jsni_run *run)
{
    jsni_free(run->past);
    jsni_bad_images_release(&run->bad);
    jsni_predictions_release(&run->seen);
    jsni_average_release(&run->average);
    jsni_free(run->memory_batch);
    jsni_free(run->memory);
    jsni_free(run->posteriors);
    jsni_free(run->probabilities);
    jsni_free(run->logits);
    jsni_free(run->second);
    jsni_free(run->weights);
    jsni_free(run->targets);
    jsni_free(run->target);
    jsni_free(run->labels);
    jsni_free(run->class_weights);
    for (size_t i = 0; i < JSNI_PASSES; i++)
        jsni_loader_destroy(run->passes[i]);
    jsni_loader_destroy(run->train);
    jsni_head_close(run->head);
    jsni_bad_tally_destroy(run->tally);
    jsn_loss_destroy(run->loss_noisy);
    jsn_loss_destroy(run->loss);
    jsni_run_folder_close(&run->folder);
}
