/* train/run_setup.c - opening and closing a run; see run.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "format/safetensors.h"
#include "loss/loss_mode.h"
#include "store/record_epoch.h"
#include "train/run.h"
#include "train/run_matrix.h"
#include "train/run_space.h"
#include "train/stages.h"

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
    const char *init = run->job.config->init;
    jsni_model_select(run->group->model, run->member);
    if (run->feed.head != NULL)
        return jsni_head_first_weights(run);
    JSNI_TRY(jsn_model_init(run->group->model, run->job.seed));
    bool saved =
        false; /* then the checkpoint has all of them, and --init may be gone */
    JSNI_TRY(jsni_checkpoint_find(run->folder.path, &saved));
    if (init == NULL || saved)
        return JSN_OK;
    int head_left = 0;
    char *path = NULL;
    JSNI_TRY(jsni_stages_path(run, &path));
    const jsn_status status = jsn_model_load(run->group->model, path, &head_left);
    jsni_free(path);
    JSNI_TRY(status);
    if (head_left)
        run->logger.message(run, JSN_LOG_INFO,
                            "the weights file has another number of classes: the "
                            "classifier starts anew");
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
    JSNI_TRY(jsni_run_history_read(&run->history, run->folder.path,
                                   (size_t)run->state.epoch, run->job.config->epochs));
    if (found)
        JSNI_TRY(check_best(run));
    JSNI_TRY(jsni_bad_images_read(run));
    if (run->job.opening != NULL)
        jsni_run_log(&run->folder, run->job.opening);
    return JSN_OK;
}

jsn_status jsni_run_load(jsni_run *run)
{
    JSNI_TRY(first_weights(run));
    if (!isnan(run->job.config->ema))
        JSNI_TRY(jsni_average_create(&run->average, run->group->model));
    JSNI_TRY(load_state(run));
    JSNI_TRY(jsni_stages_judge_first(run));
    jsni_run_space_tell(run);
    return JSN_OK;
}

jsn_status jsni_run_open(jsni_run *run, jsni_group *group, const jsni_job *job)
{
    const jsn_train_config *config = job->config;
    run->group = group;
    run->job = *job;
    run->logger = (jsn_logger){run, log_message, jsni_run_progress};
    run->state = jsni_run_state_begin();
    run->history.last = jsni_epoch_none();
    JSNI_TRY(jsni_run_folder_open(&run->folder, job->folder));
    JSNI_TRY(jsni_run_losses_open(&run->losses, config, job->problem->classes));
    if (group->training)
        JSNI_TRY(jsni_run_matrix_open(&run->losses, run->folder.path,
                                      job->problem->classes));
    JSNI_TRY(
        jsni_schedule_parse(config->schedule, (size_t)config->epochs, &run->schedule));
    JSNI_TRY(jsni_run_feed_open(run));
    JSNI_TRY(jsni_step_arrays_create(&run->arrays, config, job->problem,
                                     run->losses.noisy != NULL));
    return jsni_run_samples_create(
        &run->samples, config, &job->problem->train, job->problem->classes,
        jsni_loss_memory_spread(run->losses.main), job->seed);
}

void jsni_run_close(jsni_run *run)
{
    jsni_run_history_release(&run->history);
    jsni_average_release(&run->average);
    jsni_run_samples_release(&run->samples);
    jsni_step_arrays_release(&run->arrays);
    jsni_run_feed_release(&run->feed);
    jsni_run_losses_release(&run->losses);
    jsni_run_folder_close(&run->folder);
}
