/* study/study_pivot.c - one option of a study's trials against another. The store alone is
 * read: trials stand as the runs that they were, so that grouping, repeats and the test
 * are those of report/pivot.h, and deleted run folders lose nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/option.h"
#include "core/text.h"
#include "report/pivot.h"
#include "study/study_impl.h"
#include "sweep/sweep_impl.h"

/* The options of a trial with those of the study, its recipe and the initial values. To be
 * released also on failure. */
static jsn_status resolve(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                          jsn_train_config *config)
{
    jsn_train_config_clear(config);
    JSNI_TRY(jsni_sweep_base(sweep, config));
    for (size_t i = 0; i < trial->option_count; i++)
        JSNI_TRY(jsn_train_config_set(config, trial->options[i].name,
                                      trial->options[i].text));
    return jsn_train_config_resolve(config);
}

static jsn_status add_settings(jsni_run_record *run, const jsn_train_config *config)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    JSNI_TRY_ALLOC(run->settings = jsni_alloc_zero(count, sizeof *run->settings));
    for (size_t i = 0; i < count; i++) {
        char *text = NULL;
        if (!jsn_train_option_matters(&table[i]))
            continue;
        /* What training chooses by itself, from the data. */
        if (!jsni_options_is_set(&table[i], config))
            JSNI_TRY_ALLOC(text = jsni_text_copy("auto"));
        else
            JSNI_TRY(jsni_options_text(&table[i], config, &text));
        jsni_run_setting *setting = &run->settings[run->setting_count++];
        setting->value = text;
        JSNI_TRY_ALLOC(setting->name = jsni_text_copy(table[i].name));
    }
    return JSN_OK;
}

/* What every trial has as a run: its name, the number it ended with. */
static jsn_status add_result(const jsn_sweep_trial *trial, jsni_run_record *run)
{
    char name[32];
    (void)snprintf(name, sizeof name, "trial %lld", (long long)trial->number);
    JSNI_TRY_ALLOC(run->name = jsni_text_copy(name));
    JSNI_TRY_ALLOC(run->path = jsni_text_copy(name));
    const char *data = jsn_sweep_fact(trial, "data_text");
    if (data != NULL)
        JSNI_TRY_ALLOC(run->result.data_text = jsni_text_copy(data));
    run->finished = true;
    run->result.numbers.test_acc = jsni_sweep_number(trial, "test_acc");
    return JSN_OK;
}

/* A trial with all its settings. */
static jsn_status make_run(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                           jsni_run_record *run)
{
    jsn_train_config config;
    jsn_status status = resolve(sweep, trial, &config);
    if (status == JSN_OK)
        status = add_settings(run, &config);
    jsn_train_config_release(&config);
    JSNI_TRY(status);
    return add_result(trial, run);
}

static const char retrained[] =
    "retrain/"; /* group of a winner's runs: and METHOD/NOISE */

/* A run of a winner: which loss at which noise it won for. The settings by which it did
 * differ from noise to noise, and are what was searched. */
static jsn_status make_winner(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                              jsni_run_record *run)
{
    const char *group = jsn_sweep_fact(trial, "group") + sizeof retrained - 1;
    const char *noise = strrchr(group, '/');
    const char *seed = jsn_sweep_option(trial, "seed");
    (void)sweep;
    if (noise == NULL || seed == NULL)
        return jsni_fail(JSN_ERR_DATA, "trial %lld: '%s' is not a group of a search",
                         (long long)trial->number, group);
    JSNI_TRY_ALLOC(run->settings = jsni_alloc_zero(3, sizeof *run->settings));
    const struct {
        const char *name, *value;
        size_t length;
    } settings[] = {{"method", group, (size_t)(noise - group)},
                    {"noise", noise + 1, strlen(noise + 1)},
                    {"seed", seed, strlen(seed)}};
    for (size_t i = 0; i < JSNI_COUNT_OF(settings); i++) {
        jsni_run_setting *to = &run->settings[run->setting_count++];
        JSNI_TRY_ALLOC(to->name = jsni_text_copy(settings[i].name));
        JSNI_TRY_ALLOC(to->value =
                           jsni_text_copy_n(settings[i].value, settings[i].length));
    }
    return add_result(trial, run);
}

typedef jsn_status make_fn(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                           jsni_run_record *run);

static void release_runs(jsni_run_record *runs, size_t count)
{
    for (size_t i = 0; runs != NULL && i < count; i++)
        jsni_run_record_release(&runs[i]);
    jsni_free(runs);
}

/* Whether a trial is of a group that begins so. */
static bool is_of(const jsn_sweep_trial *trial, const char *prefix)
{
    const char *group = jsn_sweep_fact(trial, "group");
    return prefix[0] == '\0' ||
           (group != NULL && strncmp(group, prefix, strlen(prefix)) == 0);
}

/* The trials of a kind that have ended with a result, *made of *all. */
static jsn_status make_runs(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                            size_t count, const char *prefix, jsni_run_record **out,
                            size_t *made, size_t *all)
{
    make_fn *make = prefix[0] == '\0' ? make_run : make_winner;
    jsni_run_record *runs = jsni_alloc_zero(count, sizeof *runs);
    jsn_status status = runs == NULL ? JSN_ERR_MEMORY : JSN_OK;
    *made = *all = 0;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        if (!is_of(&trials[i], prefix))
            continue;
        ++*all;
        if (trials[i].state == JSN_SWEEP_COMPLETE)
            status = make(sweep, &trials[i], &runs[(*made)++]);
    }
    if (status == JSN_OK && *made == 0)
        status = jsni_fail(JSN_ERR_ARGUMENT, "study '%s': no trial%s is complete",
                           jsn_sweep_about(sweep).name,
                           prefix[0] == '\0' ? "" : " of a winner");
    if (status != JSN_OK) {
        release_runs(runs, count);
        return status;
    }
    *out = runs;
    return JSN_OK;
}

jsn_status jsni_study_pivot(jsn_sweep *sweep, const char *pivot, const char *format,
                            jsni_text *out)
{
    const bool winners = strcmp(pivot, JSN_STUDY_WINNERS) == 0;
    jsn_sweep_trial *trials = NULL;
    jsni_run_record *runs = NULL;
    jsni_run_set set = {0};
    char remark[96] = "";
    size_t count = 0, made = 0, all = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status =
        make_runs(sweep, trials, count, winners ? retrained : "", &runs, &made, &all);
    if (status == JSN_OK)
        status = jsni_run_set_make(&set, runs, made);
    if (status == JSN_OK && made < all)
        (void)snprintf(remark, sizeof remark,
                       "Left out: %zu of %zu trials, which are not complete.",
                       all - made, all);
    if (status == JSN_OK)
        status = jsni_pivot_write(&set, winners ? "method:noise" : pivot, format,
                                  remark[0] == '\0' ? NULL : remark, out);
    jsni_run_set_release(&set);
    jsn_sweep_trials_release(trials, count);
    return status;
}
