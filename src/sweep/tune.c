/* sweep/tune.c - see jsn_tune() in jensen/sweep.h.
 *
 * Two lines through the plane of learning rate and loss weight instead of a grid: the
 * rate matters more and depends little on the weight, so rates come first, at pi1 = 0.5,
 * from the one that training would take by itself outwards; then weights at the best
 * rate. Accuracy on a validation part with the same kind of wrong labels ranks settings
 * as clean labels would, since the errors lower all of them alike.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "core/text.h"
#include "sweep/sweep_impl.h"
#include "train/choose.h"
#include "train/posteriors.h"
#include "train/run.h"

/* Of the usual rate, in the order of their distance from it. */
static const double rates[] = {1.0, 2.0, 0.4, 0.2, 0.1};
static const char *const losses[] = {"gjs:pi1=0.3", "gjs:pi1=0.7", "gjs:pi1=0.1",
                                     "gjs:pi1=0.9"};
static const char middle[] = "gjs:pi1=0.5";

/* A copy of the options that are set, with those of file and recipe and the initial
 * values. To be released also on failure. */
static jsn_status resolve(const jsn_train_config *base, jsn_train_config *out)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsn_train_config_clear(out);
    for (size_t i = 0; i < count; i++) {
        char *text = NULL;
        if (table[i].kind == JSN_OPTION_TEXTS || !jsni_options_is_set(&table[i], base))
            continue;
        JSNI_TRY(jsni_options_text(&table[i], base, &text));
        const jsn_status status = jsn_train_config_set(out, table[i].name, text);
        jsn_text_release(text);
        JSNI_TRY(status);
    }
    return jsn_train_config_resolve(out);
}

static jsn_status check_option(const jsn_sweep *sweep, const jsn_option_info *row,
                               const jsn_train_config *a, const jsn_train_config *b)
{
    char *then = NULL, *now = NULL;
    jsn_status status = JSN_OK;
    if (jsni_options_is_set(row, a))
        status = jsni_options_text(row, a, &then);
    if (status == JSN_OK && jsni_options_is_set(row, b))
        status = jsni_options_text(row, b, &now);
    if (status == JSN_OK && (then == NULL) != (now == NULL))
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "study '%s' was tuned %s --%s %s; --study NAME makes "
                           "another one",
                           sweep->name, then == NULL ? "without" : "with", row->name,
                           then == NULL ? now : then);
    else if (status == JSN_OK && then != NULL && strcmp(then, now) != 0)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "study '%s' was tuned with --%s %s, not %s; --study "
                           "NAME makes another one",
                           sweep->name, row->name, then, now);
    jsn_text_release(then);
    jsn_text_release(now);
    return status;
}

/* Every trial has its own, whatever the options say. */
static bool is_tuned(const char *option)
{
    return strcmp(option, "lr") == 0 || strcmp(option, "loss") == 0;
}

/* Refuses to continue a study with other data, noise, network ...: its results would
 * be taken for those of the options given now. */
static jsn_status check_same(const jsn_sweep *sweep, const jsn_train_config *base)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsn_train_config then, now;
    jsn_train_config_clear(&now);
    jsn_status status = jsni_tune_options(sweep, &then);
    if (status == JSN_OK)
        status = resolve(base, &now);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (jsn_train_option_matters(&table[i]) &&
            strcmp(table[i].name, "device") != 0 && !is_tuned(table[i].name))
            status = check_option(sweep, &table[i], &then, &now);
    jsn_train_config_release(&then);
    jsn_train_config_release(&now);
    return status;
}

/* The learning rate that training with these options takes by itself. */
static jsn_status usual_rate(const jsn_train_config *base, double *out)
{
    jsni_problem problem = {0};
    jsn_train_config config;
    jsn_status status = resolve(base, &config);
    if (status == JSN_OK)
        status = jsn_train_config_set(&config, "loss", middle);
    if (status == JSN_OK)
        status = jsni_problem_create(&problem, &config, jsni_posteriors_of_run, NULL);
    if (status == JSN_OK) {
        status = jsni_choose(&config, &problem, NULL);
        jsni_problem_release(&problem);
    }
    *out = config.lr;
    jsn_train_config_release(&config);
    return status;
}

/* The rate in the middle of a study's others: its first, whatever the rule was then. */
static jsn_status first_rate(jsn_sweep *sweep, const jsn_train_config *base,
                             double *out)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    *out = NAN;
    for (size_t i = 0; isnan(*out) && i < count; i++) {
        const char *group = jsn_sweep_fact(&trials[i], "group");
        if (group != NULL && strcmp(group, "rates") == 0)
            *out = jsni_sweep_number(&trials[i], "lr");
    }
    jsn_sweep_trials_release(trials, count);
    return isnan(*out) ? usual_rate(base, out) : JSN_OK;
}

/* The study of a tuning, made when it is missing, and the rate that it begins with. */
static jsn_status open_study(jsn_sweep **out, const char *url, const char *name,
                             const jsn_train_config *base, double *rate)
{
    bool found = false;
    JSNI_TRY(jsni_sweep_exists(url, name, &found));
    if (found) {
        JSNI_TRY(jsn_sweep_open(out, url, name));
        jsn_status same = check_same(*out, base);
        if (same == JSN_OK)
            same = jsni_tune_check_data(*out);
        if (same == JSN_OK)
            same = first_rate(*out, base, rate);
        if (same != JSN_OK) {
            jsn_sweep_close(*out);
            *out = NULL;
        }
        return same;
    }
    /* Data that cannot be opened, a mistyped path, shall leave no study behind. */
    JSNI_TRY(usual_rate(base, rate));
    return jsni_sweep_make(out, url, name, "val_acc_noisy", NULL, base);
}

static jsn_status add_rate(jsn_sweep *sweep, double rate)
{
    char lr[32];
    (void)jsni_format(lr, sizeof lr, "%g", rate);
    const jsn_sweep_pair pairs[] = {{"lr", lr}, {"loss", middle}};
    return jsni_sweep_append(sweep, pairs, 2, "rates", NULL);
}

static jsn_status add_weight(jsn_sweep *sweep, const char *lr, const char *loss)
{
    const jsn_sweep_pair pairs[] = {{"lr", lr}, {"loss", loss}};
    return jsni_sweep_append(sweep, pairs, 2, "weights", NULL);
}

/* The best setting so far; *found is false before the first result. */
static jsn_status choose(jsn_sweep *sweep, jsn_tune_result *out, bool *found)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    const size_t best = jsni_sweep_best(sweep, trials, count, NULL);
    *found = best != SIZE_MAX;
    out->runs = out->failed = 0;
    for (size_t i = 0; i < count; i++) {
        out->runs += trials[i].state == JSN_SWEEP_COMPLETE;
        out->failed += trials[i].state == JSN_SWEEP_FAILED;
    }
    if (*found) {
        (void)snprintf(out->lr, sizeof out->lr, "%s",
                       jsn_sweep_option(&trials[best], "lr"));
        (void)snprintf(out->loss, sizeof out->loss, "%s",
                       jsn_sweep_option(&trials[best], "loss"));
        out->val_acc_noisy = trials[best].value;
    }
    jsn_sweep_trials_release(trials, count);
    return JSN_OK;
}

/* Whether the budget has room for another run: a run takes about what the mean one
 * took. */
static bool room(double start, double budget, size_t done)
{
    const double elapsed = jsni_clock() - start;
    return budget <= 0.0 || done == 0 || elapsed + elapsed / (double)done <= budget;
}

static jsn_status tune(const char *url, const char *name, const jsn_train_config *base,
                       int64_t runs, const jsn_sweep_worker *worker,
                       const jsn_logger *logger, int (*stop)(void *user), void *user,
                       jsn_tune_result *out)
{
    jsn_sweep *sweep = NULL;
    jsn_sweep_worker one = *worker;
    const double start = jsni_clock();
    double rate = NAN;
    const size_t plan = JSNI_COUNT_OF(rates) + JSNI_COUNT_OF(losses);
    size_t here = 0;
    bool found = false;
    *out = (jsn_tune_result){.val_acc_noisy = NAN, .finished = true};
    JSNI_TRY(open_study(&sweep, url, name, base, &rate));
    one.seconds = 0.0;
    one.wait = false;
    jsn_status status = JSN_OK;
    /* Trials that an earlier call left come first, then the plan, a trial at a time. */
    for (size_t i = 0; status == JSN_OK && i <= plan; i++) {
        size_t done = 0;
        const size_t ended = out->runs + out->failed;
        if ((runs > 0 && (int64_t)ended >= runs) ||
            !room(start, worker->seconds, here)) {
            out->finished = ended >= plan;
            break;
        }
        if (i > 0 && i <= JSNI_COUNT_OF(rates))
            status = add_rate(sweep, rate * rates[i - 1]);
        else if (i > 0)
            status = add_weight(sweep, out->lr, losses[i - 1 - JSNI_COUNT_OF(rates)]);
        if (status == JSN_OK)
            status = jsn_sweep_work(sweep, &one, logger, stop, user, &done);
        here += done;
        if (status == JSN_OK)
            status = choose(sweep, out, &found);
        if (status == JSN_OK && i == JSNI_COUNT_OF(rates) && !found)
            break;
    }
    if (status == JSN_OK && !found)
        status = choose(sweep, out, &found);
    if (status == JSN_OK && !found)
        status =
            jsni_fail(JSN_ERR_NUMERIC,
                      "no run of study '%s' ended with a result (%zu failed); "
                      "'jensen sweep status %s --failures' says why%s",
                      name, out->failed, name,
                      out->finished ? "" : ", a larger budget tries other settings");
    jsn_sweep_close(sweep);
    return status;
}

/* Two at once would add each other's trials to the plan twice. */
jsn_status jsn_tune(const char *url, const char *name, const jsn_train_config *base,
                    int64_t runs, const jsn_sweep_worker *worker,
                    const jsn_logger *logger, int (*stop)(void *user), void *user,
                    jsn_tune_result *out)
{
    JSNI_NEED(url);
    JSNI_NEED(name);
    JSNI_NEED(base);
    JSNI_NEED(worker);
    JSNI_NEED(out);
    char *folder = NULL;
    jsni_run_folder claim;
    JSNI_TRY(jsni_study_folder(name, worker->folder, &folder));
    jsn_status status = jsni_run_folder_open(&claim, folder);
    if (status == JSN_ERR_BUSY)
        status = jsni_fail(JSN_ERR_BUSY,
                           "%s: another process is tuning into this folder; wait for "
                           "it, or choose another --study or --folder",
                           folder);
    jsni_free(folder);
    JSNI_TRY(status);
    status = tune(url, name, base, runs, worker, logger, stop, user, out);
    jsni_run_folder_close(&claim);
    return status;
}
