/* sweep/sweep_worker.c - see jsn_sweep_work() in jensen/sweep.h: claims trials, trains
 * them, reports epochs, ends them.
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
#include "core/file.h"
#include "core/hd.h"
#include "store/run_folder.h"
#include "sweep/heartbeat.h"
#include "sweep/sweep_impl.h"
#include "train/run.h"

typedef struct job {
    jsni_claim claim;
    jsn_train_config config;
    jsn_train_result result;
    int64_t reported; /* epochs in the database */
    double best;      /* of the objective so far, for pruning */
} job;

typedef struct work {
    jsn_sweep *sweep;
    const jsn_sweep_worker *how;
    const jsn_logger *logger; /* may be NULL */
    int (*stop)(void *user);
    void *user;
    char name[128]; /* of this worker */
    job *jobs;      /* [JSNI_MOST_TOGETHER] */
    size_t count;
    bool pruned;
    jsn_status store_status; /* of a report that failed */
    char store_sentence[400];
    jsni_heartbeat heartbeat;
    double start;
    size_t done, started;
    size_t alone; /* trials to run one by one, after a group of so many has failed */
} work;

void jsn_sweep_worker_init(jsn_sweep_worker *worker)
{
    *worker = (jsn_sweep_worker){.grace = 60.0, .retries = 3, .wait = true};
}

static void say(const work *w, jsn_log_level level, const char *text)
{
    if (w->logger != NULL && w->logger->message != NULL)
        w->logger->message(w->logger->user, level, text);
}

/* HOST-PID-TIME: unlike any other worker's, also after a restart. */
static void name_worker(work *w)
{
    char host[64] = "host";
    struct timespec now;
    (void)gethostname(host, sizeof host - 1);
    for (char *c = host; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 32)
            *c = '-';
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(w->name, sizeof w->name, "%.40s-%ld-%llx", host, (long)getpid(),
                   (unsigned long long)now.tv_sec * 1000000000ull +
                       (unsigned long long)now.tv_nsec);
}

static int ask_stop(void *user)
{
    work *w = user;
    return w->pruned || w->store_status != JSN_OK || atomic_load(&w->heartbeat.lost) ||
           (w->stop != NULL && w->stop(w->user));
}

/* The last row of a run's metrics; *out is NULL when there is none. */
static jsn_status read_last_row(const char *folder, jsn_json **out)
{
    enum { MOST = 1 << 28 };
    char *path = jsni_path_join(folder, JSNI_RUN_METRICS);
    char *data = NULL;
    size_t length = 0;
    *out = NULL;
    JSNI_TRY_ALLOC(path);
    jsn_status status = JSN_OK;
    if (jsni_file_exists(path))
        status = jsni_file_read(path, MOST, &data, &length);
    jsni_free(path);
    if (status != JSN_OK || data == NULL)
        return status;
    while (length > 0 && data[length - 1] == '\n')
        data[--length] = '\0';
    const char *line = strrchr(data, '\n');
    line = line == NULL ? data : line + 1;
    if (*line != '\0')
        status = jsn_json_parse(out, JSNI_RUN_METRICS, line, strlen(line));
    jsni_free(data);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether the run is worse than the median of the finished ones at this epoch; five of
 * them are needed for a judgement. */
static jsn_status judge(work *w, job *j, int64_t epoch)
{
    enum { FEWEST = 5 };
    double *values = NULL;
    size_t count = 0;
    if (!w->sweep->median || epoch <= w->sweep->prune_after)
        return JSN_OK;
    JSNI_TRY(jsni_study_step_values(&w->sweep->study, epoch, &values, &count));
    if (count >= FEWEST) {
        qsort(values, count, sizeof *values, by_size);
        const double median = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
        w->pruned = w->sweep->study.maximize ? j->best < median : j->best > median;
    }
    jsni_free(values);
    return JSN_OK;
}

/* Puts the objective after the latest epoch into the database. */
static jsn_status report(work *w, job *j)
{
    jsn_json *row = NULL;
    JSNI_TRY(read_last_row(j->config.out, &row));
    const int64_t epoch = jsn_json_int(jsn_json_get(row, "epoch"));
    const double value = jsni_sweep_objective_of(w->sweep->objective, row);
    jsn_json_destroy(row);
    if (epoch <= j->reported)
        return JSN_OK;
    j->reported = epoch;
    JSNI_TRY(jsni_trial_report(w->sweep->store, j->claim.trial, epoch, value));
    const bool better = isnan(j->best) ||
                        (w->sweep->study.maximize ? value > j->best : value < j->best);
    if (better && !isnan(value))
        j->best = value;
    return judge(w, j, epoch);
}

static void on_message(void *user, jsn_log_level level, const char *text)
{
    work *w = user;
    if (strncmp(text, "epoch ", 6) == 0)
        for (size_t i = 0; w->store_status == JSN_OK && i < w->count; i++)
            w->store_status = report(w, &w->jobs[i]);
    if (w->store_status != JSN_OK && w->store_sentence[0] == '\0')
        (void)snprintf(w->store_sentence, sizeof w->store_sentence, "%s",
                       jsn_last_error());
    say(w, level == JSN_LOG_INFO ? JSN_LOG_DEBUG : level, text);
}

static void on_progress(void *user, const char *what, uint64_t done, uint64_t total,
                        const char *detail)
{
    const work *w = user;
    char text[96];
    if (w->logger == NULL || w->logger->progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "trial %lld, %.60s",
                   (long long)w->jobs[0].claim.number, what);
    w->logger->progress(w->logger->user, text, done, total, detail);
}

/* runs/STUDY/trial-00012, the name as far as it can be part of a path. */
static jsn_status run_folder(const work *w, int64_t number, char **out)
{
    jsni_text text = {0};
    jsni_text_format(&text, "%s/", w->how->folder == NULL ? "runs" : w->how->folder);
    for (const char *c = w->sweep->name; *c != '\0'; c++) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                           (*c >= '0' && *c <= '9') || *c == '_' || *c == '+' ||
                           (*c == '.' && c != w->sweep->name);
        jsni_text_add_n(&text, plain ? c : "-", 1);
    }
    jsni_text_format(&text, "/trial-%05lld", (long long)number);
    return jsni_text_take(&text, out);
}

static jsn_status prepare(work *w, job *j)
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
    j->reported = 0;
    j->best = NAN;
    return status;
}

enum { MOST_FACTS = 40 };

/* The fields of the result as attributes; texts live in `texts`. */
static jsn_status result_facts(const jsn_json *result, jsni_attr *attrs, size_t *count,
                               jsn_texts *texts)
{
    jsn_json_writer *w = NULL;
    JSNI_TRY(jsn_json_writer_create(&w, 0));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < jsn_json_count(result); i++) {
        const jsn_json *entry = jsn_json_at(result, i);
        char *json = NULL;
        if (jsn_json_kind_of(entry) == JSN_JSON_NULL || *count == MOST_FACTS)
            continue;
        jsn_json_put_value(w, NULL, entry);
        status = jsn_json_writer_take(w, &json);
        if (status == JSN_OK)
            status = jsn_texts_add(texts, json);
        if (status == JSN_OK)
            attrs[(*count)++] = (jsni_attr){(char *)jsn_json_key(entry),
                                            texts->items[texts->count - 1]};
        jsn_text_release(json);
    }
    jsn_json_writer_destroy(w);
    return status;
}

static void say_end(work *w, const job *j, const char *how, double value)
{
    char text[400];
    (void)snprintf(text, sizeof text, "trial %lld %s: %s %.4f in %.1f s (%s)",
                   (long long)j->claim.number, how,
                   strcmp(w->sweep->objective, "auto") == 0 ? "value"
                                                            : w->sweep->objective,
                   value, j->result.seconds, j->config.out);
    say(w, JSN_LOG_INFO, text);
}

static jsn_status end_with_result(work *w, job *j)
{
    char *json = NULL;
    jsn_json *result = NULL;
    jsni_attr attrs[MOST_FACTS];
    jsn_texts texts = {0};
    size_t count = 0;
    bool mine = false;
    JSNI_TRY(jsn_train_result_json(&j->result, &json));
    jsn_status status = jsn_json_parse(&result, "result", json, strlen(json));
    if (status == JSN_OK)
        status = result_facts(result, attrs, &count, &texts);
    const double value =
        status == JSN_OK ? jsni_sweep_objective_of(w->sweep->objective, result) : NAN;
    char word[] = "failure", sentence[] = "\"the objective was not measured\"";
    if (isnan(value) && count < MOST_FACTS)
        attrs[count++] = (jsni_attr){word, sentence};
    if (status == JSN_OK)
        status =
            jsni_trial_finish(&w->sweep->study, j->claim.trial, w->name,
                              isnan(value) ? JSNI_TRIAL_FAILED : JSNI_TRIAL_COMPLETE,
                              value, attrs, count, &mine);
    if (status == JSN_OK && mine) {
        w->done++;
        say_end(w, j, isnan(value) ? "failed" : "complete", value);
    }
    jsn_texts_release(&texts);
    jsn_json_destroy(result);
    jsn_text_release(json);
    return status;
}

/* Ends a trial without a result. */
static jsn_status end_without(work *w, job *j, jsni_trial_state state, double value,
                              const char *sentence)
{
    jsn_json_writer *writer = NULL;
    char *quoted = NULL, *run = NULL;
    char word_failure[] = "failure", word_run[] = "run";
    bool mine = false;
    jsni_attr attrs[2];
    size_t count = 0;
    JSNI_TRY(jsn_json_writer_create(&writer, 0));
    jsn_status status = JSN_OK;
    if (sentence != NULL) {
        jsn_json_put_text(writer, NULL, sentence);
        status = jsn_json_writer_take(writer, &quoted);
        attrs[count++] = (jsni_attr){word_failure, quoted};
    }
    if (status == JSN_OK && j->config.out != NULL && state != JSNI_TRIAL_WAITING) {
        jsn_json_put_text(writer, NULL, j->config.out);
        status = jsn_json_writer_take(writer, &run);
        attrs[count++] = (jsni_attr){word_run, run};
    }
    if (status == JSN_OK)
        status = jsni_trial_finish(&w->sweep->study, j->claim.trial, w->name, state,
                                   value, attrs, count, &mine);
    if (status == JSN_OK && mine && state != JSNI_TRIAL_WAITING)
        w->done++;
    jsn_json_writer_destroy(writer);
    jsn_text_release(quoted);
    jsn_text_release(run);
    return status;
}

/* Gives trials back; the attempt counts only when `fault` is the machine's. */
static jsn_status give_back(work *w, bool counts)
{
    for (size_t i = 0; i < w->count; i++) {
        char text[24];
        if (!counts) {
            (void)snprintf(text, sizeof text, "%lld",
                           (long long)(w->jobs[i].claim.attempts - 1));
            JSNI_TRY(jsni_trial_set(w->sweep->store, w->jobs[i].claim.trial, "attempts",
                                    text));
        }
        JSNI_TRY(end_without(w, &w->jobs[i], JSNI_TRIAL_WAITING, NAN, NULL));
    }
    return JSN_OK;
}

/* Marks the one trial as failed with the sentence of the latest failure. */
static jsn_status fail_trial(work *w, const char *sentence)
{
    char text[500];
    (void)snprintf(text, sizeof text, "trial %lld failed: %s",
                   (long long)w->jobs[0].claim.number, sentence);
    say(w, JSN_LOG_WARNING, text);
    return end_without(w, &w->jobs[0], JSNI_TRIAL_FAILED, NAN, sentence);
}

static jsn_status end_stopped(work *w)
{
    if (w->store_status != JSN_OK)
        return jsni_fail(w->store_status, "%s", w->store_sentence);
    if (atomic_load(&w->heartbeat.lost)) {
        say(w, JSN_LOG_WARNING, "another worker has taken this trial over");
        return JSN_OK;
    }
    if (w->pruned) {
        say_end(w, &w->jobs[0], "pruned", w->jobs[0].best);
        return end_without(w, &w->jobs[0], JSNI_TRIAL_PRUNED, w->jobs[0].best, NULL);
    }
    JSNI_TRY(give_back(w, false));
    return jsni_fail(JSN_ERR_STOPPED, "stopped; the same command continues");
}

/* What a status of training means for the trials of this round. */
static jsn_status conclude(work *w, jsn_status status)
{
    char sentence[400];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    switch (status) {
    case JSN_OK:
        for (size_t i = 0; i < w->count; i++) {
            JSNI_TRY(report(w, &w->jobs[i]));
            JSNI_TRY(end_with_result(w, &w->jobs[i]));
        }
        return JSN_OK;
    case JSN_ERR_STOPPED:
        return end_stopped(w);
    case JSN_ERR_BUSY: {
        /* The former worker is not dead after all: leave it the folder. */
        const struct timespec pause = {1, 0};
        (void)nanosleep(&pause, NULL);
        return give_back(w, false);
    }
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
        return jsni_fail(status, "%s", sentence);
    }
}

/* The next waiting trials that can be trained beside the first. */
static jsn_status claim_more(work *w, size_t most)
{
    char study[24], after[24];
    jsni_store_rows rows = {0};
    (void)snprintf(study, sizeof study, "%lld", (long long)w->sweep->study.id);
    (void)snprintf(after, sizeof after, "%lld", (long long)w->jobs[0].claim.trial);
    const char *const params[] = {study, after};
    JSNI_TRY(jsni_store_run(w->sweep->store,
                            "SELECT trial_id, number FROM trials WHERE study_id = $1 "
                            "AND state = 'WAITING' AND trial_id > $2 ORDER BY trial_id "
                            "LIMIT 200",
                            params, 2, &rows, NULL));
    jsn_status status = JSN_OK;
    for (size_t r = 0; status == JSN_OK && r < rows.rows && w->count < most; r++) {
        job *j = &w->jobs[w->count];
        bool done = false;
        j->claim = (jsni_claim){strtoll(jsni_store_cell(&rows, r, 0), NULL, 10),
                                strtoll(jsni_store_cell(&rows, r, 1), NULL, 10), 1};
        status = prepare(w, j);
        /* A trial that cannot even be resolved says so when its own turn comes. */
        if (status == JSN_OK && jsn_train_config_resolve(&j->config) == JSN_OK &&
            jsn_train_alike(&w->jobs[0].config, &j->config) == JSN_OK)
            status =
                jsni_trial_claim_one(&w->sweep->study, j->claim.trial, w->name, &done);
        if (status == JSN_OK && done)
            w->count++;
        else
            jsn_train_config_release(&j->config);
    }
    jsni_store_rows_release(&rows);
    return status;
}

static size_t group_size(const work *w)
{
    const char *device = w->jobs[0].config.device;
    if (w->sweep->median || w->alone > 0)
        return 1; /* one that is pruned or fails would stop the others */
    if (w->how->group > 0)
        return w->how->group < JSNI_MOST_TOGETHER ? (size_t)w->how->group
                                                  : JSNI_MOST_TOGETHER;
    return device != NULL && strncmp(device, "cuda", 4) == 0 ? 8 : 1;
}

/* Side by side where the device can. */
static jsn_status train_together(work *w, const jsn_logger *logger)
{
    jsn_train_config *configs = jsni_alloc(w->count, sizeof *configs);
    jsn_train_result *results = jsni_alloc_zero(w->count, sizeof *results);
    jsn_status status = configs == NULL || results == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK) {
        for (size_t i = 0; i < w->count; i++)
            configs[i] = w->jobs[i].config;
        status = jsn_train_many(configs, w->count, logger, ask_stop, w, results);
        for (size_t i = 0; i < w->count; i++) {
            w->jobs[i].config = configs[i];
            w->jobs[i].result = results[i];
        }
    }
    jsni_free(configs);
    jsni_free(results);
    return status;
}

static jsn_status run_claimed(work *w)
{
    const jsn_logger logger = {w, on_message, on_progress};
    w->count = 1;
    w->pruned = false;
    w->store_status = JSN_OK;
    w->store_sentence[0] = '\0';
    jsn_status status = prepare(w, &w->jobs[0]);
    if (status == JSN_OK)
        status = jsn_train_config_resolve(&w->jobs[0].config);
    if (status == JSN_OK) {
        const size_t most = group_size(w);
        w->alone -= w->alone > 0;
        if (most > 1)
            JSNI_TRY(claim_more(w, most));
        w->heartbeat = (jsni_heartbeat){.url = w->sweep->store->url,
                                        .worker = w->name,
                                        .count = w->count,
                                        .interval = w->how->grace / 4.0};
        for (size_t i = 0; i < w->count; i++)
            w->heartbeat.trials[i] = w->jobs[i].claim.trial;
        status = jsni_heartbeat_begin(&w->heartbeat);
    }
    if (status == JSN_OK)
        status = w->count > 1 ? train_together(w, &logger)
                              : jsn_train(&w->jobs[0].config, &logger, ask_stop, w,
                                          &w->jobs[0].result);
    char sentence[500];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    jsni_heartbeat_end(&w->heartbeat);
    if (status != JSN_OK)
        (void)jsni_fail(status, "%s", sentence);
    status = conclude(w, status);
    for (size_t i = 0; i < w->count; i++)
        jsn_train_config_release(&w->jobs[i].config);
    return status;
}

static bool spent(const work *w)
{
    return (w->how->most > 0 && w->started >= (size_t)w->how->most) ||
           (w->how->seconds > 0.0 && jsni_clock() - w->start > w->how->seconds);
}

/* Nothing to claim: whether to look again later. */
static jsn_status idle(work *w, bool more, bool *again)
{
    jsn_sweep_counts counts;
    const struct timespec pause = {0, 200000000L};
    JSNI_TRY(jsn_sweep_count(w->sweep, &counts));
    *again = counts.waiting > 0 || more || (w->how->wait && counts.running > 0);
    if (*again && counts.waiting == 0)
        (void)nanosleep(&pause, NULL);
    return JSN_OK;
}

static jsn_status loop(work *w)
{
    bool again = true;
    while (again && !spent(w)) {
        bool more = false;
        jsni_claim claim;
        if (w->stop != NULL && w->stop(w->user))
            return jsni_fail(JSN_ERR_STOPPED, "stopped; the same command continues");
        JSNI_TRY(jsni_stages_advance(w->sweep, &more));
        JSNI_TRY(jsni_trial_claim(&w->sweep->study, w->name, w->how->grace,
                                  w->how->retries, &claim));
        if (claim.trial == 0) {
            JSNI_TRY(idle(w, more, &again));
            continue;
        }
        w->jobs[0].claim = claim;
        JSNI_TRY(run_claimed(w));
        w->started += w->count;
    }
    return JSN_OK;
}

jsn_status jsn_sweep_work(jsn_sweep *sweep, const jsn_sweep_worker *worker,
                          const jsn_logger *logger, int (*stop)(void *user), void *user,
                          size_t *done)
{
    work w = {.sweep = sweep,
              .how = worker,
              .logger = logger,
              .stop = stop,
              .user = user,
              .start = jsni_clock()};
    JSNI_TRY_ALLOC(w.jobs = jsni_alloc_zero(JSNI_MOST_TOGETHER, sizeof *w.jobs));
    name_worker(&w);
    const jsn_status status = loop(&w);
    if (done != NULL)
        *done = w.done;
    jsni_free(w.jobs);
    return status;
}
