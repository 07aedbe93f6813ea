/* sweep/tune_data.c - see jsni_tune_check_data(): a study answers from its store, and goes
 * on comparing with what it has. Whether the data is still that of its runs is asked as
 * jsn_train() asks for a single one: by the digest in the folder of the run, and where
 * that is gone by what the trial keeps of it. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "store/record_field.h"
#include "store/run_folder.h"
#include "sweep/sweep_impl.h"
#include "train/posteriors.h"
#include "train/problem.h"

jsn_status jsni_tune_options(const jsn_sweep *sweep, jsn_train_config *config)
{
    jsn_train_config_clear(config);
    JSNI_TRY(jsni_sweep_base(sweep, config));
    return jsn_train_config_resolve(config);
}

/* The data as the options of the study make it now. */
static jsn_status mark_now(const jsn_sweep *sweep, jsni_problem_mark *mark)
{
    jsni_problem problem = {0};
    jsn_train_config config;
    jsn_status status = jsni_tune_options(sweep, &config);
    if (status == JSN_OK)
        status = jsni_problem_create(&problem, &config, jsni_posteriors_of_run, NULL);
    if (status == JSN_OK) {
        *mark = problem.mark;
        jsni_problem_release(&problem);
    }
    jsn_train_config_release(&config);
    return status;
}

static const char *text_of(const jsni_json *doc, const char *key)
{
    const jsni_json *value = jsni_json_get(doc, key);
    return jsni_json_kind_of(value) == JSNI_JSON_TEXT ? jsni_json_text(value) : NULL;
}

/* The result in the folder of a trial's run, NULL when it is gone or another run's. */
static jsn_status read_result(const jsn_sweep_trial *trial, jsni_json **out)
{
    const char *run = jsn_sweep_fact(trial, "run");
    const char *kept = jsn_sweep_fact(trial, "weights_sha256");
    *out = NULL;
    if (run == NULL)
        return JSN_OK;
    const jsn_status status = jsni_record_open(run, JSNI_RUN_RESULT, out);
    const char *there = text_of(*out, "weights_sha256");
    if (status == JSN_OK && kept != NULL && there != NULL && strcmp(kept, there) != 0) {
        jsni_json_destroy(*out);
        *out = NULL;
    }
    return status;
}

static jsn_status check_trial(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                              const jsni_problem_mark *now)
{
    static const char *const what = "put it back, or --study NAME makes another one";
    jsni_json *result = NULL;
    JSNI_TRY(read_result(trial, &result));
    const char *digest = text_of(result, "data");
    const char *text = jsn_sweep_fact(trial, "data_text");
    jsn_status status = JSN_OK;
    if (text != NULL && strcmp(text, now->text) != 0)
        status = jsni_fail(JSN_ERR_DATA,
                           "the data has changed since study '%s' was tuned: then "
                           "%.60s, now %s; %s",
                           sweep->name, text, now->text, what);
    else if (digest != NULL && strcmp(digest, now->digest) != 0)
        status = jsni_fail(JSN_ERR_DATA,
                           "the data has changed since study '%s' was tuned: as many "
                           "images, but other ones, or other labels; %s",
                           sweep->name, what);
    jsni_json_destroy(result);
    return status;
}

jsn_status jsni_tune_check_data(jsn_sweep *sweep)
{
    jsni_problem_mark now;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    bool asked = false;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        if (trials[i].state != JSN_SWEEP_COMPLETE)
            continue;
        if (!asked)
            status = mark_now(sweep, &now);
        asked = true;
        if (status == JSN_OK)
            status = check_trial(sweep, &trials[i], &now);
    }
    jsn_sweep_trials_release(trials, count);
    return status;
}
