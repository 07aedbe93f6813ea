/* repro/repro_evaluate.c - the finished runs of a result on its other test set; see
 * jensen/repro.h. */
#include <string.h>

#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "jensen/classifier.h"
#include "jensen/repro.h"
#include "repro/repro_impl.h"
#include "sweep/sweep_impl.h"
#include "train/classifier_impl.h"

/* The attribute of a trial that says which data its numbers are of. */
static const char data_key[] = "also_test";

/* The numbers and, last, what they are of: a trial without it is evaluated again. */
static jsn_status keep(const jsn_sweep *sweep, int64_t trial,
                       const jsni_repro_info *info, const char *data,
                       const jsn_classifier_scores *scores)
{
    for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++) {
        const jsni_repro_measure *measure = &info->measures[m];
        char number[32];
        if (measure->test == NULL)
            continue;
        (void)jsni_format(number, sizeof number, "%.17g",
                          measure->guesses == 1 ? scores->accuracy : scores->top5);
        JSNI_TRY(jsni_trial_set(sweep->store, trial, measure->metric, number));
    }
    char *quoted = NULL;
    JSNI_TRY(jsni_json_quote(data, &quoted));
    const jsn_status status = jsni_trial_set(sweep->store, trial, data_key, quoted);
    jsn_text_release(quoted);
    return status;
}

static jsn_status evaluate(const char *run, const char *data, const char *device,
                           size_t threads, const jsn_logger *logger,
                           jsn_classifier_scores *scores)
{
    jsn_classifier *classifier = NULL;
    JSNI_TRY(jsn_classifier_open(&classifier, run, device, threads));
    const jsn_status status =
        jsni_classifier_evaluate(classifier, data, 0, logger, scores);
    jsn_classifier_close(classifier);
    return status;
}

jsn_status jsni_repro_check_also(const jsni_repro_info *info, const char *data)
{
    bool has = data == NULL;
    for (size_t m = 0; m < JSNI_REPRO_MEASURES; m++)
        has = has || info->measures[m].test != NULL;
    return has ? JSN_OK
               : jsni_fail(JSN_ERR_ARGUMENT,
                           "--also-test: %s has no other test set; table2 has one",
                           info->name);
}

jsn_status jsn_repro_evaluate(jsn_sweep *sweep, const jsn_repro_settings *settings,
                              const char *device, size_t threads,
                              const jsn_logger *logger)
{
    JSNI_NEED(sweep);
    JSNI_NEED(settings);
    const jsni_repro_info *info = NULL;
    const char *data = settings->also_test;
    JSNI_TRY(jsni_repro_find(settings->name, &info));
    JSNI_TRY(jsni_repro_check_also(info, data));
    if (data == NULL)
        return JSN_OK;
    jsn_sweep_trial *trials = NULL;
    jsni_trial *stored = NULL;
    size_t count = 0, stored_count = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status =
        jsni_trials_read(&sweep->study, 0, false, &stored, &stored_count);
    for (size_t i = 0; status == JSN_OK && i < count && i < stored_count; i++) {
        const char *run = jsn_sweep_fact(&trials[i], "run");
        const char *done = jsn_sweep_fact(&trials[i], data_key);
        jsn_classifier_scores scores = {0};
        if (trials[i].state != JSN_SWEEP_COMPLETE || run == NULL ||
            (done != NULL && strcmp(done, data) == 0))
            continue;
        status = evaluate(run, data, device, threads, logger, &scores);
        if (status == JSN_OK)
            status = keep(sweep, stored[i].id, info, data, &scores);
        jsn_classifier_scores_release(&scores);
    }
    jsni_trials_release(stored, stored_count);
    jsn_sweep_trials_release(trials, count);
    return status;
}
