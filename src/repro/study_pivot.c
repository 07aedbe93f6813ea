/* repro/study_pivot.c - one option of a study's trials against another. The store alone is
 * read: trials stand as the runs that they were, so that grouping, repeats and the test
 * are those of report/pivot.h, and deleted run folders lose nothing. */
#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/option.h"
#include "core/text.h"
#include "jensen/repro.h"
#include "report/pivot.h"
#include "sweep/sweep_impl.h"

/* The options of a trial with those of the study, its recipe and the initial values. To be
 * released also on failure. */
static jsn_status resolve(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                          jsn_train_config *config)
{
    jsn_train_config_clear(config);
    for (size_t i = 0; i < jsni_json_count(sweep->base); i++) {
        const jsni_json *entry = jsni_json_at(sweep->base, i);
        JSNI_TRY(
            jsn_train_config_set(config, jsni_json_key(entry), jsni_json_text(entry)));
    }
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

/* A trial as a run: its settings, the number it ended with, its name. */
static jsn_status make_run(const jsn_sweep *sweep, const jsn_sweep_trial *trial,
                           jsni_run_record *run)
{
    char name[32];
    jsn_train_config config;
    jsn_status status = resolve(sweep, trial, &config);
    if (status == JSN_OK)
        status = add_settings(run, &config);
    jsn_train_config_release(&config);
    JSNI_TRY(status);
    (void)snprintf(name, sizeof name, "trial %lld", (long long)trial->number);
    JSNI_TRY_ALLOC(run->name = jsni_text_copy(name));
    JSNI_TRY_ALLOC(run->path = jsni_text_copy(name));
    const char *data = jsn_sweep_fact(trial, "data_text");
    if (data != NULL)
        JSNI_TRY_ALLOC(run->result.data_text = jsni_text_copy(data));
    run->finished = trial->state == JSN_SWEEP_COMPLETE;
    run->result.numbers.test_acc = jsni_sweep_number(trial, "test_acc");
    return JSN_OK;
}

static void release_runs(jsni_run_record *runs, size_t count)
{
    for (size_t i = 0; runs != NULL && i < count; i++)
        jsni_run_record_release(&runs[i]);
    jsni_free(runs);
}

/* The trials that have ended with a result, *made of them. */
static jsn_status make_runs(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                            size_t count, jsni_run_record **out, size_t *made)
{
    jsni_run_record *runs = jsni_alloc_zero(count, sizeof *runs);
    jsn_status status = runs == NULL ? JSN_ERR_MEMORY : JSN_OK;
    *made = 0;
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (trials[i].state == JSN_SWEEP_COMPLETE)
            status = make_run(sweep, &trials[i], &runs[(*made)++]);
    if (status == JSN_OK && *made == 0)
        status = jsni_fail(JSN_ERR_ARGUMENT, "study '%s': no trial is complete",
                           jsn_sweep_name(sweep));
    if (status != JSN_OK) {
        release_runs(runs, count);
        return status;
    }
    *out = runs;
    return JSN_OK;
}

jsn_status jsn_study_pivot(jsn_sweep *sweep, const char *pivot, const char *format,
                           char **out)
{
    JSNI_NEED(sweep);
    JSNI_NEED(pivot);
    JSNI_NEED(format);
    JSNI_NEED(out);
    jsn_sweep_trial *trials = NULL;
    jsni_run_record *runs = NULL;
    jsni_run_set set = {0};
    jsni_text text = {0};
    char remark[96] = "";
    size_t count = 0, made = 0;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status = make_runs(sweep, trials, count, &runs, &made);
    if (status == JSN_OK)
        status = jsni_run_set_make(&set, runs, made);
    if (status == JSN_OK && made < count)
        (void)snprintf(remark, sizeof remark,
                       "Left out: %zu of %zu trials, which are not complete.",
                       count - made, count);
    if (status == JSN_OK)
        status = jsni_pivot_write(&set, pivot, format,
                                  remark[0] == '\0' ? NULL : remark, &text);
    if (status == JSN_OK)
        status = jsni_text_take(&text, out);
    jsni_text_release(&text);
    jsni_run_set_release(&set);
    jsn_sweep_trials_release(trials, count);
    return status;
}
