/* sweep/sweep_worker.c - see jsn_sweep_work() in jensen/sweep.h: claims trials and
 * trains them; worker_report.c hears their epochs, worker_end.c ends them.
 *
 * Trials of the same network and data are claimed together where a device trains several
 * at once. Everything a dead worker leaves is in the run folder and the database: the
 * next one finds the checkpoint, or the finished result, and goes on from there. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sha256.h"
#include "core/words.h"
#include "sweep/worker_impl.h"
#include "train/run.h"
#include "train/run_differs.h"

void jsn_sweep_worker_init(jsn_sweep_worker *worker)
{
    if (worker == NULL)
        return;
    *worker = (jsn_sweep_worker){.grace = 60.0, .retries = 3, .wait = true};
}

void jsni_worker_say(const jsni_worker *w, jsn_log_level level, const char *text)
{
    if (w->logger != NULL && w->logger->message != NULL)
        w->logger->message(w->logger->user, level, text);
}

static bool stop_wanted(const jsni_worker *w)
{
    return w->stop != NULL && w->stop(w->user);
}

bool jsni_worker_outage(jsni_worker *w, jsn_status status)
{
    const double now = jsni_clock();
    if (status != JSN_ERR_NETWORK && status != JSN_ERR_BUSY) {
        if (status == JSN_OK && w->outage > 0.0) {
            jsni_worker_say(w, JSN_LOG_WARNING, "the store answers again");
            w->outage = 0.0;
            w->back = now;
        }
        return false;
    }
    if (!(w->outage > 0.0)) {
        char text[500];
        (void)snprintf(text, sizeof text, "%.350s; trying again for %.0f s",
                       jsn_last_error(), w->how->grace);
        jsni_worker_say(w, JSN_LOG_WARNING, text);
        w->outage = now;
    }
    return now - w->outage < w->how->grace;
}

static void pause_for(double seconds)
{
    const long whole = (long)seconds;
    const struct timespec pause = {whole, (long)(1e9 * (seconds - (double)whole))};
    (void)nanosleep(&pause, NULL);
}

static int ask_stop(void *user)
{
    const jsni_worker *w = user;
    return atomic_load(&w->heartbeat.lost) || stop_wanted(w);
}

/* A study tells of its trials; what a run says is for those who want to know more. */
static void on_message(void *user, jsn_log_level level, const char *text)
{
    jsni_worker_say(user, level == JSN_LOG_INFO ? JSN_LOG_DEBUG : level, text);
}

static void on_progress(void *user, const jsn_progress *progress)
{
    const jsni_worker *w = user;
    char text[96];
    if (w->logger == NULL || w->logger->progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "trial %lld, %.60s",
                   (long long)w->jobs[0].claim.number, progress->what);
    jsn_progress told = *progress;
    told.what = text;
    w->logger->progress(w->logger->user, &told);
}

jsn_status jsni_study_folder(const char *name, const char *runs, char **out)
{
    enum { MOST_LETTERS = 100 }; /* a file system allows 255 */
    jsni_text text = {0};
    bool same = strlen(name) <= MOST_LETTERS;
    jsni_text_format(&text, "%s/", runs == NULL ? "runs" : runs);
    for (size_t i = 0; name[i] != '\0' && i < MOST_LETTERS; i++) {
        const char c = name[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' ||
                           (c == '.' && i > 0);
        jsni_text_add_n(&text, plain ? &c : "-", 1);
        same = same && plain;
    }
    if (!same) {
        char hex[JSNI_SHA256_HEX];
        jsni_sha256 sha;
        jsni_sha256_init(&sha);
        jsni_sha256_add(&sha, name, strlen(name));
        jsni_sha256_hex(&sha, hex);
        jsni_text_format(&text, "-%.8s", hex);
    }
    return jsni_text_take(&text, out);
}

static jsn_status run_folder(const jsni_worker *w, int64_t number, char **out)
{
    char *study = NULL;
    jsni_text text = {0};
    JSNI_TRY(jsni_study_folder(w->sweep->name, w->how->folder, &study));
    jsni_text_format(&text, "%s/trial-%05lld", study, (long long)number);
    jsni_free(study);
    return jsni_text_take(&text, out);
}

static jsn_status prepare(jsni_worker *w, jsni_worker_job *j)
{
    char *folder = NULL, threads[24];
    jsn_train_config_clear(&j->config);
    JSNI_TRY(jsni_sweep_config(w->sweep, j->claim.trial, &j->config));
    JSNI_TRY(run_folder(w, j->claim.number, &folder));
    jsn_status status = jsn_train_config_set(&j->config, "out", folder);
    jsni_free(folder);
    (void)snprintf(threads, sizeof threads, "%lld", (long long)w->how->threads);
    if (status == JSN_OK && w->how->threads > 0)
        status = jsn_train_config_set(&j->config, "threads", threads);
    if (status == JSN_OK && w->how->device != NULL)
        status = jsn_train_config_set(&j->config, "device", w->how->device);
    jsni_worker_job_clear(j);
    return status;
}

/* Claims a waiting trial as the next of the group if it can be trained beside the first.
 * Fails with the store. */
static jsn_status claim_beside(jsni_worker *w, int64_t trial, int64_t number)
{
    jsni_worker_job *j = &w->jobs[w->count];
    bool done = false;
    j->claim = (jsni_claim){.trial = trial, .number = number};
    jsn_status status = prepare(w, j);
    /* A trial that cannot even be resolved says so when its own turn comes. */
    const bool wrong = status == JSN_ERR_ARGUMENT || status == JSN_ERR_UNKNOWN_NAME ||
                       status == JSN_ERR_RANGE || status == JSN_ERR_DATA;
    if (status == JSN_OK && jsn_train_config_resolve(&j->config) == JSN_OK &&
        jsni_train_alike(&w->jobs[0].config, &j->config) == JSN_OK)
        status = jsni_trial_claim_one(&w->sweep->study, trial, w->name,
                                      &j->claim.attempts, &done);
    if (status == JSN_OK && done)
        w->count++;
    else
        jsn_train_config_release(&j->config);
    return wrong ? JSN_OK : status;
}

/* The next waiting trials that can be trained beside the first; fewer, where the store
 * fails: what is claimed is trained. */
static void claim_more(jsni_worker *w, size_t most)
{
    jsni_claim waiting[JSNI_STUDY_WAITING];
    size_t count = 0;
    jsn_status status =
        jsni_study_waiting(&w->sweep->study, w->jobs[0].claim.trial, waiting, &count);
    for (size_t i = 0; status == JSN_OK && i < count && w->count < most; i++)
        status = claim_beside(w, waiting[i].trial, waiting[i].number);
}

static size_t group_size(const jsni_worker *w)
{
    if (w->sweep->median || w->alone > 0)
        return 1; /* one that is pruned or fails would stop the others */
    size_t size = jsni_train_together(w->jobs[0].config.device);
    if (w->how->group > 0)
        size = (size_t)w->how->group;
    if (w->how->most > 0 && size > (size_t)w->how->most - w->started)
        size = (size_t)w->how->most - w->started;
    return size < JSNI_MOST_TOGETHER ? size : JSNI_MOST_TOGETHER;
}

/* Side by side where the device can. */
static jsn_status train_together(jsni_worker *w)
{
    const jsn_logger logger = {w, on_message, on_progress};
    const jsn_watcher watcher = {w, jsni_worker_hear, ask_stop};
    jsn_train_config *configs = jsni_alloc(w->count, sizeof *configs);
    jsn_train_result *results = jsni_alloc_zero(w->count, sizeof *results);
    jsn_status status = configs == NULL || results == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK) {
        for (size_t i = 0; i < w->count; i++)
            configs[i] = w->jobs[i].config;
        status = jsn_train_watched(configs, w->count, &logger, &watcher, results);
        for (size_t i = 0; i < w->count; i++) {
            w->jobs[i].config = configs[i];
            w->jobs[i].result = results[i];
        }
    }
    jsni_free(configs);
    jsni_free(results);
    return status;
}

/* Trains what is prepared, its heartbeat kept up. */
static jsn_status train_claimed(jsni_worker *w)
{
    const size_t most = group_size(w);
    w->alone -= w->alone > 0;
    if (most > 1)
        claim_more(w, most);
    w->heartbeat.count = w->count;
    for (size_t i = 0; i < w->count; i++)
        w->heartbeat.trials[i] = w->jobs[i].claim.trial;
    JSNI_TRY(jsni_heartbeat_begin(&w->heartbeat));
    const jsn_status status = train_together(w);
    char sentence[500];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    jsni_heartbeat_end(&w->heartbeat);
    return status == JSN_OK ? JSN_OK : jsni_fail(status, "%s", sentence);
}

/* What the trials at hand came to goes into the store, after an outage if need be. */
static jsn_status conclude(jsni_worker *w, jsn_status status)
{
    char sentence[500];
    jsn_status verdict = JSN_OK;
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    for (;;) {
        if (status != JSN_OK)
            (void)jsni_fail(status, "%s", sentence);
        const jsn_status stored = jsni_worker_conclude(w, status, &verdict);
        if (stored == JSN_OK && verdict != JSN_OK)
            return verdict;
        if (!jsni_worker_outage(w, stored) || stop_wanted(w))
            return stored;
        pause_for(1.0);
    }
}

static jsn_status run_claimed(jsni_worker *w)
{
    w->count = 1;
    w->returned = 0;
    w->pruned = false;
    w->store_status = JSN_OK;
    w->store_sentence[0] = '\0';
    w->heartbeat = (jsni_heartbeat){.url = w->sweep->store->url,
                                    .worker = w->name,
                                    .interval = w->how->grace / 4.0};
    jsn_status status = prepare(w, &w->jobs[0]);
    while (jsni_worker_outage(w, status) && !stop_wanted(w)) {
        pause_for(1.0);
        jsn_train_config_release(&w->jobs[0].config);
        status = prepare(w, &w->jobs[0]);
    }
    if (status == JSN_OK)
        status = jsn_train_config_resolve(&w->jobs[0].config);
    if (status == JSN_OK)
        status = train_claimed(w);
    status = conclude(w, status);
    for (size_t i = 0; i < w->count; i++)
        jsn_train_config_release(&w->jobs[i].config);
    return status;
}

static bool spent(const jsni_worker *w)
{
    return (w->how->most > 0 && w->started >= (size_t)w->how->most) ||
           (w->how->seconds > 0.0 && jsni_clock() - w->start > w->how->seconds);
}

/* Says once what it waits for, when that takes a while. */
static void say_waiting(jsni_worker *w, size_t running)
{
    enum { A_WHILE = 10 }; /* seconds */
    char text[120];
    if (!(w->waiting > 0.0))
        w->waiting = jsni_clock();
    if (w->said || jsni_clock() - w->waiting < A_WHILE)
        return;
    w->said = true;
    (void)snprintf(text, sizeof text, "waiting for %zu %s that other workers run",
                   running, jsni_noun(running, "trial", "trials"));
    jsni_worker_say(w, JSN_LOG_INFO, text);
}

/* Nothing to claim: whether to look again later. Trials that no worker of ours runs are
 * not waited for: whether they will ever end cannot be known. */
static jsn_status idle(jsni_worker *w, bool more, bool *again)
{
    jsn_sweep_counts counts;
    size_t silent = 0;
    int64_t first = -1;
    JSNI_TRY(jsn_sweep_count(w->sweep, &counts));
    JSNI_TRY(jsni_study_silent(&w->sweep->study, &silent, &first));
    const size_t running = counts.running > silent ? counts.running - silent : 0;
    if (w->after > 0) { /* what is left has locked folders */
        w->after = 0;
        *again = w->how->wait;
        if (*again)
            pause_for(1.0);
        return JSN_OK;
    }
    *again = counts.waiting > 0 || (more && silent == 0) ||
             ((w->how->wait || more) && running > 0);
    if (*again && counts.waiting == 0) {
        say_waiting(w, running);
        pause_for(0.2);
    }
    if (!*again && silent > 0) {
        char text[300];
        (void)snprintf(text, sizeof text,
                       "not waiting for trial %lld: it runs without a heartbeat, so no "
                       "worker of jensen has it; if it is dead, end it with Optuna's "
                       "study.tell(%lld, state=TrialState.FAIL)%s",
                       (long long)first, (long long)first,
                       silent > 1 ? "; there are more of them" : "");
        jsni_worker_say(w, JSN_LOG_WARNING, text);
    }
    return JSN_OK;
}

/* The next trial, if there is one; else whether to look again. */
static jsn_status next(jsni_worker *w, jsni_claim *claim, bool *again)
{
    enum { NEVER = 1000000000 };
    bool more = false;
    JSNI_TRY(jsni_stages_advance(w->sweep, &more));
    /* After an outage other workers need a moment to show that they live. */
    const bool early = w->back > 0.0 && jsni_clock() - w->back < 0.5 * w->how->grace;
    const jsni_takeover how = {early ? NEVER : w->how->grace, w->how->retries,
                               jsni_worker_is_gone};
    JSNI_TRY(jsni_trial_claim(&w->sweep->study, w->after, w->name, &how, claim));
    if (claim->trial != 0) {
        w->waiting = 0.0;
        w->said = false;
        return JSN_OK;
    }
    return idle(w, more, again);
}

static jsn_status loop(jsni_worker *w)
{
    bool again = true;
    while (again && !spent(w)) {
        jsni_claim claim = {0};
        if (stop_wanted(w))
            return jsni_fail(JSN_ERR_STOPPED, "stopped; the same command continues");
        const jsn_status status = next(w, &claim, &again);
        if (jsni_worker_outage(w, status)) {
            pause_for(1.0);
            continue;
        }
        JSNI_TRY(status);
        if (claim.trial == 0)
            continue;
        w->jobs[0].claim = claim;
        JSNI_TRY(run_claimed(w));
        /* What was given back, to be run alone or since it is locked, is not used up of
         * --max-trials. */
        w->started += w->count - w->returned;
    }
    return JSN_OK;
}

jsn_status jsn_sweep_work(jsn_sweep *sweep, const jsn_sweep_worker *worker,
                          const jsn_logger *logger, int (*stop)(void *user), void *user,
                          size_t *done)
{
    JSNI_NEED(sweep);
    JSNI_NEED(worker);
    jsni_worker w = {.sweep = sweep,
                     .how = worker,
                     .logger = logger,
                     .stop = stop,
                     .user = user,
                     .start = jsni_clock()};
    JSNI_TRY_ALLOC(w.jobs = jsni_alloc_zero(JSNI_MOST_TOGETHER, sizeof *w.jobs));
    jsni_worker_name(w.name);
    const jsn_status status = loop(&w);
    if (done != NULL)
        *done = w.done;
    for (size_t i = 0; i < JSNI_MOST_TOGETHER; i++)
        jsni_worker_job_clear(&w.jobs[i]);
    jsni_free(w.jobs);
    return status;
}
