/* train/stages.c - see stages.h. */
#include "train/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/progress.h"
#include "core/text.h"
#include "store/run_files.h"
#include "train/init_weights.h"
#include "train/run.h"
#include "train/run_begun.h"
#include "train/tail.h"

static bool tunes_all(const jsn_train_config *c)
{
    return c->finetune != NULL && strcmp(c->finetune, "all") == 0;
}

bool jsni_stages_two(const jsn_train_config *c)
{
    return jsni_tail_wanted(c) ||
           (tunes_all(c) && (!isnan(c->layer_decay) || c->norm_stats != NULL));
}

bool jsni_stages_keep_norms(const jsn_train_config *c)
{
    return c->norm_stats != NULL && strcmp(c->norm_stats, "keep") == 0;
}

jsn_status jsni_stages_check(const jsn_train_config *c, bool gpu)
{
    const char *option = !isnan(c->layer_decay)  ? "layer-decay"
                         : c->norm_stats != NULL ? "norm-stats"
                                                 : NULL;
    if (option != NULL && !jsni_stages_two(c))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--%s is for --finetune last and --finetune all", option);
    if (jsni_stages_two(c) && gpu)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--%s works only on the CPU so far (--device cpu)",
                         option != NULL ? option : "finetune last");
    return JSN_OK;
}

/* Whether the weights of --init have no classifier for these classes. */
static jsn_status lacks_head(const jsni_job *job, bool *out)
{
    char *path = NULL;
    jsn_model *model = NULL;
    int left = 0;
    JSNI_TRY(jsni_init_path(job->config->init, &path));
    jsn_status status = jsni_head_whole(job->config, job->problem->classes, &model);
    if (status == JSN_OK)
        status = jsn_model_load(model, path, &left);
    *out = left != 0;
    jsn_model_destroy(model);
    jsni_free(path);
    return status;
}

jsn_status jsni_stages_first_config(jsn_train_config *out, const jsn_train_config *from)
{
    JSNI_TRY(jsni_config_copy(out, from));
    jsn_status status = jsn_train_config_set(out, "finetune", "head");
    if (status == JSN_OK)
        status = jsn_train_config_set(out, "epochs", JSNI_HEAD_EPOCHS);
    if (status == JSN_OK)
        status = jsn_train_config_set(out, "lr", JSNI_HEAD_RATE);
    jsni_free(out->norm_stats);
    jsni_free(out->out);
    out->norm_stats = out->out = NULL;
    out->layer_decay = out->ema = NAN;
    out->early_stop = JSN_OPTION_INT_UNSET;
    out->record_posteriors = 0;
    if (status != JSN_OK)
        jsn_train_config_release(out);
    return status;
}

/* Only who trains the run as a whole hears of its events. */
static jsn_status train_first(const jsni_job *job, jsni_watch *watch)
{
    const jsni_stop stop = jsni_watch_stop(watch);
    const jsn_watcher silent = {.user = stop.user, .stop = stop.asked};
    jsni_watch inner = jsni_watch_of(watch->logger, &silent);
    jsn_train_config config;
    jsn_train_result result = {0};
    JSNI_TRY(jsni_stages_first_config(&config, job->config));
    char *folder = jsni_path_join(job->folder, JSNI_STAGES_FIRST);
    jsni_job first = *job;
    first.config = &config;
    first.folder = folder;
    first.after = 0;
    jsn_status status = folder == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK)
        status = jsni_train_jobs(&first, 1, &inner, &result);
    if (status == JSN_OK && !result.already_finished)
        jsni_say(watch->logger, JSN_LOG_INFO,
                 "stage 2: the body as well, from the classifier of stage 1");
    jsni_free(folder);
    jsn_train_config_release(&config);
    return status;
}

/* Whether stage 2 has begun, and so has all it needs. */
static jsn_status stage_2_begun(const jsni_job *job, bool *out)
{
    JSNI_TRY(jsni_checkpoint_find(job->folder, out));
    return *out ? JSN_OK : jsni_head_body_kept(job->folder, job->config, out);
}

jsn_status jsni_stages_first(const jsni_job *job, jsni_watch *watch)
{
    jsni_run_folder folder;
    bool there = false, begun = false, needed = false;
    if (!jsni_stages_two(job->config))
        return JSN_OK;
    JSNI_TRY(jsni_folder_find(job->folder, JSNI_STAGES_FIRST, &there));
    JSNI_TRY(stage_2_begun(job, &begun));
    if (begun)
        return JSN_OK;
    if (!there)
        JSNI_TRY(lacks_head(job, &needed));
    if (!there && !needed)
        return JSN_OK;
    JSNI_TRY(jsni_run_folder_open(&folder, job->folder));
    jsn_status status = jsni_head_keep_choice(&folder, job);
    if (status == JSN_OK)
        status = jsni_folder_create_in(job->folder, JSNI_STAGES_FIRST);
    if (status == JSN_OK && !there)
        jsni_say(watch->logger, JSN_LOG_INFO, "stage 1: only the classifier");
    if (status == JSN_OK)
        status = train_first(job, watch);
    jsni_run_folder_close(&folder);
    return status;
}

jsn_status jsni_stages_path(const jsni_run *run, char **out)
{
    bool there = false;
    *out = NULL;
    char *folder = jsni_path_join(run->folder.path, JSNI_STAGES_FIRST);
    JSNI_TRY_ALLOC(folder);
    jsn_status status = JSN_OK;
    if (jsni_stages_two(run->job.config))
        status = jsni_file_find(folder, JSNI_RUN_MODEL, &there);
    if (status == JSN_OK)
        status = jsni_init_path(there ? folder : run->job.config->init, out);
    jsni_free(folder);
    return status;
}

jsn_status jsni_stages_judge_first(jsni_run *run)
{
    jsni_evaluation val = {0};
    if (!jsni_stages_two(run->job.config) || run->job.problem->val.data == NULL ||
        run->state.step > 0)
        return JSN_OK;
    jsn_status status = jsni_evaluation_create(&val, run->job.problem->classes);
    if (status == JSN_OK)
        status = jsni_run_evaluate(run, JSNI_PASS_VAL, &val, NULL);
    if (status == JSN_OK) {
        const bool noisy = strcmp(run->job.config->val_labels, "noisy") == 0;
        run->state.best_val = noisy ? jsni_evaluation_accuracy_used(&val)
                                    : jsni_evaluation_accuracy(&val);
        status = jsni_run_save_model(run, JSNI_RUN_BEST, NULL);
    }
    jsni_evaluation_release(&val);
    return status;
}

static jsn_status load_best(jsni_run *run)
{
    jsn_model *whole = NULL;
    if (run->feed.head == NULL)
        return jsni_model_load_in(run->group->model, run->folder.path, JSNI_RUN_BEST,
                                  NULL);
    JSNI_TRY(jsni_head_whole(run->job.config, run->job.problem->classes, &whole));
    jsn_status status =
        jsni_model_load_in(whole, run->folder.path, JSNI_RUN_BEST, NULL);
    if (status == JSN_OK)
        status = jsni_tail_take(run, whole);
    jsn_model_destroy(whole);
    return status;
}

jsn_status jsni_stages_choose(jsni_run *run)
{
    char text[200];
    bool there = false;
    if (!jsni_stages_two(run->job.config) || isnan(run->state.best_val))
        return JSN_OK;
    JSNI_TRY(jsni_file_find(run->folder.path, JSNI_RUN_BEST, &there));
    if (!there || run->state.best_epoch == run->state.epoch)
        return JSN_OK;
    JSNI_TRY(load_best(run));
    jsni_predictions_release(&run->history.seen); /* they are the last epoch's */
    run->history.seen = (jsni_predictions){0};
    if (run->state.best_epoch > 0)
        (void)snprintf(text, sizeof text,
                       "the weights of epoch %lld are kept, the best ones by the "
                       "validation images",
                       (long long)run->state.best_epoch);
    else
        (void)snprintf(text, sizeof text,
                       "the weights that stage 2 began with are kept: by the "
                       "validation images no epoch was better");
    run->logger.message(run, JSN_LOG_INFO, text);
    return JSN_OK;
}
