/* train/train.c - jsn_train(): from a configuration to finished run folders; see
 * jensen/train.h. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/option.h"
#include "format/csv.h"
#include "store/run_rows.h"
#include "train/choose.h"
#include "train/ensemble.h"
#include "train/environment.h"
#include "train/init_kept.h"
#include "train/model_card.h"
#include "train/posteriors.h"
#include "train/run.h"
#include "train/mixup.h"
#include "train/run_differs.h"
#include "train/run_matrix.h"
#include "train/run_name.h"
#include "train/run_samples.h"
#include "train/run_plugin.h"
#include "train/spec_check.h"
#include "train/stages.h"
#include "train/train_one_of.h"
#include "train/workers.h"

/* Path, the label as given, as used, and the true one where it is known. */
static jsn_status write_labels(const jsni_run_folder *folder, const jsni_problem *p)
{
    const jsni_part *part = &p->train;
    jsni_csv_writer csv = {0};
    static const char *const columns[] = {"path", "given", "used", "true"};
    for (size_t i = 0; i < 4; i++)
        jsni_csv_add(&csv, columns[i]);
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < part->count; i++) {
        jsni_csv_add(&csv, jsn_dataset_path(part->data, part->split, part->index[i]));
        jsni_csv_add_int(&csv,
                         jsn_dataset_label(part->data, part->split, part->index[i]));
        jsni_csv_add_int(&csv, part->used[i]);
        if (jsni_problem_knows(p, part, i))
            jsni_csv_add_int(&csv, part->given[i]);
        else
            jsni_csv_add(&csv, "");
        jsni_csv_end_row(&csv);
    }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status =
            jsni_run_write(folder, JSNI_RUN_LABELS, csv.text.data, csv.text.length);
    jsni_text_release(&csv.text);
    return status;
}

/* What a run writes before its first step: config.yaml, environment.json, model.json,
 * labels.csv. `members` and `seed` are those of this folder, a member's or the whole's. */
static jsn_status write_records(const jsni_run_folder *folder,
                                const jsn_train_config *config, const jsni_problem *p,
                                size_t members, uint64_t seed)
{
    jsni_text text = {0};
    jsn_status status = jsni_run_config_text(config, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_CONFIG, text.data, text.length);
    jsni_text_release(&text);
    jsni_model_card card = {0};
    if (status == JSN_OK)
        status = jsni_environment_write(folder, config);
    if (status == JSN_OK)
        status = jsni_model_card_make(&card, config, p, folder->path);
    card.members = members;
    card.seed = seed;
    if (status == JSN_OK)
        status = jsni_model_card_write(&card, folder);
    jsni_model_card_release(&card);
    return status == JSN_OK ? write_labels(folder, p) : status;
}

/* Tells the caller that a run's files are all written. */
static jsn_status tell_finished(jsni_watch *watch, const jsni_job *job,
                                const jsn_train_result *result)
{
    const jsn_finished finished = {sizeof finished, result};
    const jsn_event event = {.size = sizeof event,
                             .kind = JSN_EVENT_FINISHED,
                             .number = job->number,
                             .member = job->part_of,
                             .run = job->folder,
                             .finished = &finished};
    return jsni_watch_tell(watch, watch->watcher.event, watch->watcher.user, &event);
}

/* Of a run that an earlier call has finished: its epochs, as far as they can be read. */
static jsn_status tell_earlier(jsni_watch *watch, const jsni_job *job,
                               const jsn_train_result *result)
{
    jsn_epoch *past = NULL;
    size_t count = 0;
    if (watch->watcher.event == NULL)
        return JSN_OK;
    const jsn_status read = jsni_run_rows_read(job->folder, &past, &count);
    for (size_t i = 0; read == JSN_OK && i < count; i++)
        past[i].epochs = job->config->epochs;
    const jsn_opened opened = {.size = sizeof opened,
                               .epoch = result->epochs,
                               .epochs = job->config->epochs,
                               .past = past,
                               .past_count = count};
    const jsn_event event = {.size = sizeof event,
                             .kind = JSN_EVENT_OPENED,
                             .number = job->number,
                             .member = job->part_of,
                             .run = job->folder,
                             .opened = &opened};
    const jsn_status status =
        jsni_watch_tell(watch, watch->watcher.event, watch->watcher.user, &event);
    jsni_free(past);
    return status == JSN_OK ? tell_finished(watch, job, result) : status;
}

/* The finished ones of `count` jobs give their result; the others are moved to the
 * front of `left`, with the numbers of their results. */
static jsn_status find_unfinished(const jsni_job *jobs, size_t count, jsni_watch *watch,
                                  jsni_job *left, size_t *number, size_t *left_count,
                                  jsn_train_result *results)
{
    *left_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        JSNI_TRY(jsni_run_result_read(jobs[i].folder, jobs[i].config,
                                      &jobs[i].problem->mark, &found, &results[i]));
        results[i].already_finished = found;
        results[i].classes = jobs[i].problem->classes;
        if (found) {
            jsni_run_remove_left(jobs[i].folder); /* of who was killed after the end */
            JSNI_TRY(tell_earlier(watch, &jobs[i], &results[i]));
        }
        if (!found) {
            number[*left_count] = i;
            left[(*left_count)++] = jobs[i];
        }
    }
    return JSN_OK;
}

static jsn_status finish(jsni_run *run, jsn_train_result *result)
{
    const jsn_finished finished = {sizeof finished, result};
    JSNI_TRY(jsni_run_finish(run, result));
    return jsni_run_emit(
        run, (jsn_event){.kind = JSN_EVENT_FINISHED, .finished = &finished});
}

/* Runs from their latest state to their end, side by side. */
static jsn_status train_group(const jsni_job *jobs, const size_t *number, size_t count,
                              jsni_watch *watch, jsn_train_result *results)
{
    jsni_group group;
    JSNI_TRY(jsni_group_open(&group, jobs, count, watch));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = write_records(&group.members[i].folder, jobs[i].config,
                               jobs[i].problem, 1, jobs[i].seed);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = jsni_run_matrix_keep(&group.members[i].losses,
                                      group.members[i].folder.path);
    if (status == JSN_OK)
        status = jsni_group_train(&group);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = finish(&group.members[i], &results[number[i]]);
    jsni_group_close(&group);
    return status;
}

size_t jsni_train_together(const char *device)
{
    const jsni_backend_ops *ops = jsni_backend_named(device);
    return ops == NULL ? 1 : ops->can.members;
}

jsn_status jsni_train_jobs(const jsni_job *jobs, size_t count, jsni_watch *watch,
                           jsn_train_result *results)
{
    jsni_job *left = jsni_alloc(count, sizeof *left);
    size_t *number = jsni_alloc(count, sizeof *number);
    size_t left_count = 0;
    jsn_status status = JSN_ERR_MEMORY;
    if (left != NULL && number != NULL)
        status =
            find_unfinished(jobs, count, watch, left, number, &left_count, results);
    /* Together where the device can, else one by one. */
    bool together = left_count > 1 && jsni_train_together(jobs[0].config->device) > 1;
    if (status == JSN_OK && together) {
        status = train_group(left, number, left_count, watch, results);
        together = status != JSN_ERR_UNSUPPORTED;
        status = together ? status : JSN_OK;
    }
    for (size_t i = 0; status == JSN_OK && !together && i < left_count; i++) {
        left[i].after += left_count - i - 1;
        status = jsni_stages_first(&left[i], watch);
        if (status == JSN_OK)
            status = train_group(&left[i], &number[i], 1, watch, results);
    }
    jsni_free(number);
    jsni_free(left);
    return status;
}

/* Members share the labels and differ in weights, order and augmentation. */
static jsn_status member_jobs(const jsni_job *job, jsni_job *jobs)
{
    for (size_t m = 0; m < (size_t)job->config->members; m++) {
        char name[32];
        (void)snprintf(name, sizeof name, "member-%zu", m + 1);
        jobs[m] = (jsni_job){.config = job->config,
                             .problem = job->problem,
                             .folder = jsni_path_join(job->folder, name),
                             .seed = (uint64_t)job->config->seed + m,
                             .opening = job->opening,
                             .number = job->number,
                             .part_of = m + 1};
        JSNI_TRY_ALLOC(jobs[m].folder);
        JSNI_TRY(jsni_folder_create_in(job->folder, name)); /* it may not be a link */
    }
    return JSN_OK;
}

static jsn_status train_members(const jsni_job *job, jsni_watch *watch,
                                jsn_train_result *result)
{
    const jsn_train_config *config = job->config;
    const jsni_problem *p = job->problem;
    const char *folder = job->folder;
    bool found = false;
    JSNI_TRY(jsni_run_result_read(folder, config, &p->mark, &found, result));
    result->already_finished = found;
    result->classes = p->classes;
    if (found)
        return tell_finished(watch, job, result);
    const size_t members = (size_t)config->members;
    jsni_run_folder whole;
    JSNI_TRY(jsni_run_folder_open(&whole, folder));
    jsn_train_result *each = jsni_alloc_zero(members, sizeof *each);
    jsni_job *jobs = jsni_alloc_zero(members, sizeof *jobs);
    jsn_status status = each == NULL || jobs == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK)
        status = write_records(&whole, config, p, members, (uint64_t)config->seed);
    if (status == JSN_OK)
        status = member_jobs(job, jobs);
    if (status == JSN_OK)
        status = jsni_train_jobs(jobs, members, watch, each);
    if (status == JSN_OK)
        status = jsni_ensemble_finish(config, p, &whole, each, watch, result);
    if (status == JSN_OK)
        status = tell_finished(watch, job, result);
    for (size_t m = 0; jobs != NULL && m < members; m++)
        jsni_free((void *)(uintptr_t)jobs[m].folder);
    jsni_free(jobs);
    jsni_free(each);
    jsni_run_folder_close(&whole);
    return status;
}

/* Keeps what is said before there is a run folder, for its log. */
typedef struct recorder {
    const jsn_logger *user; /* borrowed, may be NULL */
    jsni_text said;
} recorder;

static void record_message(void *user, jsn_log_level level, const char *text)
{
    recorder *r = user;
    jsni_text_format(&r->said, "%s\n", text);
    if (r->user != NULL && r->user->message != NULL)
        r->user->message(r->user->user, level, text);
}

static void record_progress(void *user, const jsn_progress *progress)
{
    const recorder *r = user;
    if (r->user != NULL && r->user->progress != NULL)
        r->user->progress(r->user->user, progress);
}

static jsn_status find_job(jsn_train_config *config, jsni_problem *problem,
                           const jsn_logger *logger, jsni_job *job)
{
    char *folder = NULL;
    JSNI_TRY(jsn_train_config_resolve(config));
    JSNI_TRY(jsni_run_plugins(config));
    JSNI_TRY(jsni_train_check_specs(config));
    JSNI_TRY(jsni_run_samples_check(config));
    JSNI_TRY(jsni_problem_create(problem, config, jsni_posteriors_of_run, logger));
    JSNI_TRY(jsni_choose(config, problem, logger));
    JSNI_TRY(jsni_mixup_check(config));
    JSNI_TRY(jsni_workers_choose(config, problem, logger));
    JSNI_TRY(jsni_run_folder_name(config, &folder));
    *job = (jsni_job){.config = config,
                      .problem = problem,
                      .folder = folder,
                      .seed = (uint64_t)config->seed};
    JSNI_TRY(jsni_init_tell(config, folder, logger));
    return jsni_run_place_check(folder);
}

/* From the options to a job: data, choices, folder. The job borrows `problem` and owns
 * its folder and its opening. */
static jsn_status make_job(jsn_train_config *config, jsni_problem *problem,
                           const jsn_logger *logger, jsni_job *job)
{
    recorder recording = {.user = logger};
    const jsn_logger both = {&recording, record_message, record_progress};
    jsn_status status = find_job(config, problem, &both, job);
    char *said = NULL;
    if (status == JSN_OK)
        status = jsni_text_take(&recording.said, &said);
    job->opening = said;
    jsni_text_release(&recording.said);
    return status;
}

static void release_job(jsni_job *job, jsni_problem *problem)
{
    jsni_free((void *)(uintptr_t)job->folder);
    jsn_text_release((char *)(uintptr_t)job->opening);
    jsni_problem_release(problem);
}

/* Of each run's own where several share one model on the device. */
static bool own_option(const char *name)
{
    static const char *const own[] = {
        "seed",         "noise",     "loss",        "loss-noisy", "lr", "schedule",
        "weight-decay", "decay-all", "consistency", "views",      "l1"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

static jsn_status same_option(const jsn_option_info *row, const jsn_train_config *a,
                              const jsn_train_config *b)
{
    char *x = NULL, *y = NULL;
    jsn_status status = jsni_options_text(row, a, &x);
    if (status == JSN_OK)
        status = jsni_options_text(row, b, &y);
    if (status == JSN_OK && strcmp(x, y) != 0)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "runs side by side must agree in --%s ('%s', '%s')",
                           row->name, x, y);
    jsn_text_release(x);
    jsn_text_release(y);
    return status;
}

jsn_status jsni_train_alike(const jsn_train_config *a, const jsn_train_config *b)
{
    JSNI_NEED(a);
    JSNI_NEED(b);
    size_t rows = 0;
    const jsn_option_info *table = jsn_train_options(&rows);
    if (a->members > 1 || b->members > 1)
        return jsni_fail(JSN_ERR_ARGUMENT, "an ensemble cannot be one of several runs");
    for (size_t r = 0; r < rows; r++)
        if (jsn_train_option_matters(&table[r]) && !own_option(table[r].name))
            JSNI_TRY(same_option(&table[r], a, b));
    return JSN_OK;
}

/* One configuration may be an ensemble; several are runs. */
static jsn_status train_all(const jsni_job *jobs, size_t count, jsni_watch *watch,
                            jsn_train_result *results)
{
    return jobs[0].config->members > 1 ? train_members(&jobs[0], watch, results)
                                       : jsni_train_jobs(jobs, count, watch, results);
}

static jsn_status train_watched(jsn_train_config *configs, size_t count, size_t after,
                                const jsn_logger *logger, const jsn_watcher *watcher,
                                jsn_train_result *results)
{
    jsni_watch watch = jsni_watch_of(logger, watcher);
    jsni_problem *problems = jsni_alloc_zero(count, sizeof *problems);
    jsni_job *jobs = jsni_alloc_zero(count, sizeof *jobs);
    jsn_status status = problems == NULL || jobs == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        results[i] = (jsn_train_result){0};
        /* The choices are the same for all: said once. */
        status = make_job(&configs[i], &problems[i], i == 0 ? logger : NULL, &jobs[i]);
        jobs[i].number = i;
        jobs[i].after = after;
    }
    for (size_t i = 1; status == JSN_OK && i < count; i++)
        status = jsni_train_alike(&configs[0], &configs[i]);
    if (status == JSN_OK)
        status = train_all(jobs, count, &watch, results);
    for (size_t i = 0; jobs != NULL && problems != NULL && i < count; i++)
        release_job(&jobs[i], &problems[i]);
    jsni_free(jobs);
    jsni_free(problems);
    return status;
}

jsn_status jsn_train_watched(jsn_train_config *configs, size_t count,
                             const jsn_logger *logger, const jsn_watcher *watcher,
                             jsn_train_result *results)
{
    JSNI_NEED(configs);
    JSNI_NEED(results);
    if (count == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "no run is named");
    return train_watched(configs, count, 0, logger, watcher, results);
}

jsn_status jsni_train_one_of(jsn_train_config *config, size_t after,
                             const jsn_logger *logger, const jsn_watcher *watcher,
                             jsn_train_result *result)
{
    return train_watched(config, 1, after, logger, watcher, result);
}

jsn_status jsn_train(jsn_train_config *config, const jsn_logger *logger,
                     int (*stop)(void *user), void *user, jsn_train_result *result)
{
    JSNI_NEED(config);
    JSNI_NEED(result);
    return jsn_train_watched(config, 1, logger,
                             &(jsn_watcher){.user = user, .stop = stop}, result);
}
