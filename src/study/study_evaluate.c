/* study/study_evaluate.c - see study_evaluate.h. */
#include "study/study_evaluate.h"

#include <string.h>

#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/text.h"
#include "jensen/classifier.h"
#include "sweep/sweep_impl.h"
#include "train/classifier_impl.h"

/* The attribute of a trial that says which data its numbers are of. */
static const char data_key[] = "also_test";

static jsn_status keep_number(const jsn_sweep *sweep, int64_t trial, const char *name,
                              double value)
{
    char number[32];
    (void)jsni_format(number, sizeof number, "%.17g", value);
    return jsni_trial_set(sweep->store, trial, name, number);
}

/* What the numbers are of comes last: a trial without it is evaluated again. */
static jsn_status keep_data(const jsn_sweep *sweep, int64_t trial, const char *data)
{
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

jsn_status jsni_study_evaluate(jsn_sweep *sweep, const char *data, const char *accuracy,
                               const char *top5, const char *device, size_t threads,
                               const jsn_logger *logger)
{
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
            status = keep_number(sweep, stored[i].id, accuracy, scores.accuracy);
        if (status == JSN_OK)
            status = keep_number(sweep, stored[i].id, top5, scores.top5);
        if (status == JSN_OK)
            status = keep_data(sweep, stored[i].id, data);
        jsn_classifier_scores_release(&scores);
    }
    jsni_trials_release(stored, stored_count);
    jsn_sweep_trials_release(trials, count);
    return status;
}
