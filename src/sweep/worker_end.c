/* sweep/worker_end.c - what a worker tells the database of trials that have ended: results
 * and failures. */
#include "sweep/worker_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/text.h"
#include "train/run.h"

enum { MOST_FACTS = 40 };

/* Attributes of a trial; names and texts live in `texts`. */
typedef struct fact_list {
    jsni_attr attrs[MOST_FACTS];
    size_t count;
    jsn_texts texts;
} fact_list;

static jsn_status add_fact(void *user, const char *name, const char *json)
{
    fact_list *list = user;
    if (list->count == MOST_FACTS)
        return JSN_OK;
    JSNI_TRY(jsn_texts_add(&list->texts, name));
    JSNI_TRY(jsn_texts_add(&list->texts, json));
    char **last = &list->texts.items[list->texts.count - 2];
    list->attrs[list->count++] = (jsni_attr){last[0], last[1]};
    return JSN_OK;
}

/* The trial's own options as " (--lr 0.05 --loss ce)"; empty where it has none or they
 * cannot be read, which spoils no result. */
static void describe_options(const jsni_worker *w, const jsni_worker_job *j, char *out,
                             size_t size)
{
    jsni_trial *t = NULL;
    size_t count = 0;
    jsni_text list = jsni_text_in(out, size);
    if (jsni_trials_read(&w->sweep->study, j->claim.trial, false, &t, &count) != JSN_OK)
        return;
    for (size_t i = 0; count == 1 && i < t[0].param_count; i++) {
        const jsni_trial_param *p = &t[0].params[i];
        char *text = NULL;
        if (jsni_axis_decode(p->distribution, p->value, &text) == JSN_OK)
            jsni_text_format(&list, "%s--%s %s", list.length == 0 ? " (" : " ", p->name,
                             text);
        jsni_free(text);
    }
    if (list.length > 0)
        jsni_text_add(&list, ")");
    jsni_trials_release(t, count);
}

static void say_end(jsni_worker *w, const jsni_worker_job *j, const char *how,
                    double value)
{
    char options[300], text[900];
    describe_options(w, j, options, sizeof options);
    (void)jsni_format(text, sizeof text, "trial %lld %s%s: %s %.4f in %.1f s (%s)",
                      (long long)j->claim.number, how, options,
                      strcmp(w->sweep->objective, "auto") == 0 ? "value"
                                                               : w->sweep->objective,
                      value, j->result.seconds, j->config.out);
    jsni_worker_say(w, JSN_LOG_INFO, text);
}

static void tell_end(const jsni_worker *w, const jsni_worker_job *j)
{
    if (w->how->ended != NULL)
        w->how->ended(j->config.out, w->user);
}

/* Why a finished run may lack its objective, for the end of a sentence. */
static const char *why_not_measured(const char *objective)
{
    if (strncmp(objective, "val", 3) == 0)
        return ": no validation data (--val-fraction, --val)";
    if (strncmp(objective, "test", 4) == 0)
        return ": no test data (--test)";
    return strcmp(objective, "consistency") == 0 ? ": --consistency is never" : "";
}

static void say_not_measured(jsni_worker *w, const jsni_worker_job *j)
{
    char text[200];
    (void)snprintf(text, sizeof text, "trial %lld failed: %s was not measured%s",
                   (long long)j->claim.number, w->sweep->objective,
                   why_not_measured(w->sweep->objective));
    jsni_worker_say(w, JSN_LOG_WARNING, text);
}

/* What is kept of a result; that the objective is missing as well. */
static jsn_status list_facts(const jsni_worker *w, const jsni_worker_job *j,
                             const char *seen, double value, fact_list *facts)
{
    JSNI_TRY(jsni_train_result_walk(&j->result, add_fact, facts));
    if (seen != NULL)
        JSNI_TRY(add_fact(facts, "data_text", seen));
    if (!isnan(value))
        return JSN_OK;
    char sentence[160];
    (void)snprintf(sentence, sizeof sentence, "\"%s was not measured%s\"",
                   w->sweep->objective, why_not_measured(w->sweep->objective));
    return add_fact(facts, "failure", sentence);
}

static jsn_status end_with_result(jsni_worker *w, jsni_worker_job *j)
{
    const double value = jsni_sweep_objective_of(w->sweep->objective, &j->result);
    char *seen = NULL;
    fact_list facts = {0};
    bool mine = false;
    JSNI_TRY(jsni_worker_data_seen(j, &seen));
    jsn_status status = list_facts(w, j, seen, value, &facts);
    /* Before the trial is: whoever is killed here leaves a trial that is taken over. */
    if (status == JSN_OK)
        tell_end(w, j);
    if (status == JSN_OK)
        status =
            jsni_trial_finish(&w->sweep->study, j->claim.trial, w->name,
                              isnan(value) ? JSNI_TRIAL_FAILED : JSNI_TRIAL_COMPLETE,
                              value, facts.attrs, facts.count, &mine);
    if (status == JSN_OK && mine) {
        w->done++;
        if (isnan(value))
            say_not_measured(w, j);
        else
            say_end(w, j, "complete", value);
        if (seen != NULL)
            status = jsni_worker_compare_data(w, j, seen);
    }
    jsn_text_release(seen);
    jsn_texts_release(&facts.texts);
    return status;
}

/* Ends a trial without a result; *mine is false when another worker has it. */
static jsn_status end_without(jsni_worker *w, jsni_worker_job *j,
                              jsni_trial_state state, double value,
                              const char *sentence, bool *mine)
{
    char *quoted = NULL, *run = NULL;
    char word_failure[] = "failure", word_run[] = "run";
    jsni_attr attrs[2];
    size_t count = 0;
    jsn_status status = JSN_OK;
    if (sentence != NULL) {
        status = jsni_json_quote(sentence, &quoted);
        attrs[count++] = (jsni_attr){word_failure, quoted};
    }
    if (status == JSN_OK && j->config.out != NULL) {
        status = jsni_json_quote(j->config.out, &run);
        attrs[count++] = (jsni_attr){word_run, run};
    }
    if (status == JSN_OK)
        status = jsni_trial_finish(&w->sweep->study, j->claim.trial, w->name, state,
                                   value, attrs, count, mine);
    if (status == JSN_OK && *mine)
        w->done++;
    jsn_text_release(quoted);
    jsn_text_release(run);
    return status;
}

/* Gives the trials back that are still this worker's; the attempt counts only when the
 * fault may be the trial's. */
static jsn_status give_back(jsni_worker *w, bool counts)
{
    for (size_t i = 0; i < w->count; i++) {
        const jsni_worker_job *j = &w->jobs[i];
        char text[24], word[] = "attempts", said[80];
        bool mine = false;
        (void)snprintf(text, sizeof text, "%lld", (long long)(j->claim.attempts - 1));
        const jsni_attr attempts = {word, text};
        JSNI_TRY(jsni_trial_finish(&w->sweep->study, j->claim.trial, w->name,
                                   JSNI_TRIAL_WAITING, NAN, &attempts, counts ? 0 : 1,
                                   &mine));
        if (mine) {
            w->returned++;
        } else if (atomic_load(&w->heartbeat.lost)) {
            (void)snprintf(said, sizeof said,
                           "another worker has taken trial %lld over",
                           (long long)j->claim.number);
            jsni_worker_say(w, JSN_LOG_WARNING, said);
        }
    }
    return JSN_OK;
}

/* Marks the one trial as failed with the sentence of the latest failure. */
static jsn_status fail_trial(jsni_worker *w, const char *sentence)
{
    char text[500];
    bool mine = false;
    JSNI_TRY(end_without(w, &w->jobs[0], JSNI_TRIAL_FAILED, NAN, sentence, &mine));
    (void)snprintf(text, sizeof text, "trial %lld failed: %s",
                   (long long)w->jobs[0].claim.number, sentence);
    if (mine)
        jsni_worker_say(w, JSN_LOG_WARNING, text);
    return JSN_OK;
}

static jsn_status end_stopped(jsni_worker *w, jsn_status *verdict)
{
    bool mine = false;
    if (w->store_status != JSN_OK) {
        /* The store may still be out of reach; the trials are then taken over later. */
        const jsn_status status = give_back(w, false);
        (void)status;
        *verdict = jsni_fail(w->store_status, "%s", w->store_sentence);
        return JSN_OK;
    }
    if (w->pruned && !atomic_load(&w->heartbeat.lost)) {
        JSNI_TRY(end_without(w, &w->jobs[0], JSNI_TRIAL_PRUNED, w->jobs[0].best, NULL,
                             &mine));
        if (mine) {
            say_end(w, &w->jobs[0], "pruned", w->jobs[0].best);
            tell_end(w, &w->jobs[0]);
        }
        return JSN_OK;
    }
    /* Of a group that has lost one the others go on from their checkpoints. */
    JSNI_TRY(give_back(w, false));
    if (!atomic_load(&w->heartbeat.lost))
        *verdict = jsni_fail(JSN_ERR_STOPPED, "stopped; the same command continues");
    return JSN_OK;
}

/* The former worker is not dead after all: it is left the folder, and other trials come
 * first. */
static jsn_status end_locked(jsni_worker *w, const char *sentence)
{
    char text[500];
    if (w->count > 1) { /* which one it is shows when they run alone */
        w->alone = w->count;
        return give_back(w, false);
    }
    (void)snprintf(text, sizeof text, "trial %lld waits: %s",
                   (long long)w->jobs[0].claim.number, sentence);
    if (w->locked != w->jobs[0].claim.trial)
        jsni_worker_say(w, JSN_LOG_WARNING, text);
    w->locked = w->after = w->jobs[0].claim.trial;
    return give_back(w, false);
}

jsn_status jsni_worker_conclude(jsni_worker *w, jsn_status status, jsn_status *verdict)
{
    char sentence[400];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    *verdict = JSN_OK;
    switch (status) {
    case JSN_OK:
        for (size_t i = 0; i < w->count; i++) {
            JSNI_TRY(jsni_worker_report(w, &w->jobs[i]));
            JSNI_TRY(end_with_result(w, &w->jobs[i]));
        }
        return JSN_OK;
    case JSN_ERR_STOPPED:
        return end_stopped(w, verdict);
    case JSN_ERR_BUSY:
        return end_locked(w, sentence);
    case JSN_ERR_ARGUMENT:
    case JSN_ERR_UNKNOWN_NAME:
    case JSN_ERR_RANGE:
    case JSN_ERR_NUMERIC:
        if (w->count > 1) { /* which one is to blame shows when they run alone */
            w->alone = w->count;
            return give_back(w, true);
        }
        return fail_trial(w, sentence);
    default:
        if (w->count == 1 && status == JSN_ERR_DATA &&
            w->jobs[0].claim.attempts > w->how->retries)
            return fail_trial(w, sentence);
        JSNI_TRY(give_back(w, status == JSN_ERR_DATA));
        *verdict = jsni_fail(status, "%s", sentence);
        return JSN_OK;
    }
}
