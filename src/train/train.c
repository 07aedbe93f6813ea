/* train/train.c - jsn_train(): from a configuration to finished run folders; see
 * jensen/train.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/pool.h"
#include "format/csv.h"
#include "train/choose.h"
#include "train/ensemble.h"
#include "train/model_card.h"
#include "train/posteriors.h"
#include "train/run.h"
#include "train/run_name.h"

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
        jsni_csv_add_int(&csv, part->given[i]);
        jsni_csv_add_int(&csv, part->used[i]);
        if (part->truth)
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

/* What a run writes before its first step: config.yaml, model.json, labels.csv. */
static jsn_status write_records(const jsni_run_folder *folder,
                                const jsn_train_config *config, const jsni_problem *p)
{
    jsni_text text = {0};
    jsn_status status = jsni_run_config_text(config, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_CONFIG, text.data, text.length);
    jsni_text_release(&text);
    jsni_model_card card = {0};
    if (status == JSN_OK)
        status = jsni_model_card_make(&card, config, p);
    if (status == JSN_OK)
        status = jsni_model_card_write(&card, folder);
    jsni_model_card_release(&card);
    return status == JSN_OK ? write_labels(folder, p) : status;
}

/* One network in one folder, from its latest state to its end. */
static jsn_status train_one(const jsn_train_config *config, const jsni_problem *p,
                            const char *folder, uint64_t seed, const jsn_logger *logger,
                            jsni_stop stop, jsn_train_result *result)
{
    bool found = false;
    JSNI_TRY(jsni_run_result_read(folder, config, &found, result));
    result->already_finished = found;
    if (found)
        return JSN_OK;
    jsni_run run;
    JSNI_TRY(jsni_run_open(&run, config, p, folder, seed, logger, stop));
    jsn_status status = write_records(&run.folder, config, p);
    if (status == JSN_OK)
        status = jsni_run_train(&run);
    if (status == JSN_OK)
        status = jsni_run_finish(&run, result);
    jsni_run_close(&run);
    return status;
}

/* Members share the labels and differ in weights, order and augmentation. */
static jsn_status train_members(const jsn_train_config *config, const jsni_problem *p,
                                const char *folder, const jsn_logger *logger,
                                jsni_stop stop, jsn_train_result *result)
{
    bool found = false;
    JSNI_TRY(jsni_run_result_read(folder, config, &found, result));
    result->already_finished = found;
    if (found)
        return JSN_OK;
    const size_t members = (size_t)config->members;
    jsni_run_folder whole;
    JSNI_TRY(jsni_run_folder_open(&whole, folder));
    jsn_train_result *each = jsni_alloc_zero(members, sizeof *each);
    jsn_status status =
        each == NULL ? JSN_ERR_MEMORY : write_records(&whole, config, p);
    for (size_t m = 0; status == JSN_OK && m < members; m++) {
        char name[32];
        (void)snprintf(name, sizeof name, "member-%zu", m + 1);
        char *path = jsni_path_join(folder, name);
        status = path == NULL ? JSN_ERR_MEMORY
                              : train_one(config, p, path, (uint64_t)config->seed + m,
                                          logger, stop, &each[m]);
        jsni_free(path);
    }
    if (status == JSN_OK)
        status = jsni_ensemble_finish(config, p, &whole, each, logger, stop, result);
    jsni_free(each);
    jsni_run_folder_close(&whole);
    return status;
}

static jsn_status find_folder(const jsn_train_config *config, char **folder)
{
    if (config->out == NULL)
        return jsni_run_default_folder(config, folder);
    *folder = jsni_text_copy(config->out);
    return *folder == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsn_train(jsn_train_config *config, const jsn_logger *logger,
                     int (*stop)(void *user), void *user, jsn_train_result *result)
{
    jsni_problem problem = {0};
    char *folder = NULL;
    const jsni_stop ask = {stop, user};
    *result = (jsn_train_result){0};
    JSNI_TRY(jsn_train_config_resolve(config));
    JSNI_TRY(jsni_problem_create(&problem, config, jsni_posteriors_of_run, logger));
    jsn_status status = jsni_choose(config, &problem, logger);
    if (status == JSN_OK && config->workers == JSN_OPTION_INT_UNSET) {
        /* Small images take no time; photographs are decoded by several threads. */
        const size_t cores = jsni_usable_cores();
        const size_t most = config->image_size > 64 ? 4 : 1;
        config->workers = (int64_t)(cores < most ? cores : most);
    }
    if (status == JSN_OK)
        status = find_folder(config, &folder);
    if (status == JSN_OK)
        status = config->members > 1
                     ? train_members(config, &problem, folder, logger, ask, result)
                     : train_one(config, &problem, folder, (uint64_t)config->seed,
                                 logger, ask, result);
    jsni_free(folder);
    jsni_problem_release(&problem);
    return status;
}
