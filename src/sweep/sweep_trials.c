/* sweep/sweep_trials.c - see jensen/sweep.h: trials as the caller sees them. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/number.h"
#include "store/record_epoch.h"
#include "sweep/sweep_impl.h"
#include "train/run.h"

const char *jsn_sweep_state_name(jsn_sweep_state state)
{
    static const char *const names[] = {"waiting", "running", "complete", "pruned",
                                        "failed"};
    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

static void release_pairs(jsn_sweep_pair *pairs, size_t count)
{
    for (size_t i = 0; pairs != NULL && i < count; i++) {
        jsni_free((char *)pairs[i].name);
        jsni_free((char *)pairs[i].text);
    }
    jsni_free(pairs);
}

void jsn_sweep_trials_release(jsn_sweep_trial *trials, size_t count)
{
    for (size_t i = 0; trials != NULL && i < count; i++) {
        release_pairs(trials[i].options, trials[i].option_count);
        release_pairs(trials[i].facts, trials[i].fact_count);
        jsni_free(trials[i].steps);
    }
    jsni_free(trials);
}

static jsn_status take_options(jsn_sweep_trial *out, const jsni_trial *in)
{
    JSNI_TRY_ALLOC(out->options =
                       jsni_alloc_zero(in->param_count, sizeof *out->options));
    for (size_t i = 0; i < in->param_count; i++) {
        jsn_sweep_pair *pair = &out->options[out->option_count++];
        char *text = NULL;
        JSNI_TRY_ALLOC(pair->name = jsni_text_copy(in->params[i].name));
        JSNI_TRY(
            jsni_axis_decode(in->params[i].distribution, in->params[i].value, &text));
        pair->text = text;
    }
    return JSN_OK;
}

static jsn_status take_facts(jsn_sweep_trial *out, const jsni_trial *in)
{
    JSNI_TRY_ALLOC(out->facts = jsni_alloc_zero(in->attr_count, sizeof *out->facts));
    for (size_t i = 0; i < in->attr_count; i++) {
        jsni_json *value = NULL;
        const char *json = in->attrs[i].json;
        jsn_sweep_pair *pair = &out->facts[out->fact_count++];
        JSNI_TRY_ALLOC(pair->name = jsni_text_copy(in->attrs[i].key));
        /* Lists and objects of other programs are shown as they stand. */
        const jsn_status status =
            jsni_json_parse(&value, in->attrs[i].key, json, strlen(json));
        const jsni_json_kind kind = jsni_json_kind_of(value);
        pair->text = jsni_text_copy(status == JSN_OK && kind != JSNI_JSON_ARRAY &&
                                            kind != JSNI_JSON_OBJECT
                                        ? jsni_json_text(value)
                                        : json);
        jsni_json_destroy(value);
        JSNI_TRY_ALLOC(pair->text);
    }
    return JSN_OK;
}

static const char *measured(const jsn_sweep *sweep, const jsn_sweep_trial *trial)
{
    if (strcmp(sweep->objective, "auto") != 0)
        return sweep->objective;
    return isnan(jsni_sweep_number(trial, "val_acc")) ? "test_acc" : "val_acc";
}

jsn_status jsn_sweep_trials(jsn_sweep *sweep, jsn_sweep_trial **out, size_t *count)
{
    JSNI_NEED(sweep);
    JSNI_NEED(out);
    JSNI_NEED(count);
    jsni_trial *read = NULL;
    size_t total = 0;
    *out = NULL;
    *count = 0;
    JSNI_TRY(jsni_trials_read(&sweep->study, 0, true, &read, &total));
    jsn_sweep_trial *trials = jsni_alloc_zero(total, sizeof *trials);
    jsn_status status = trials == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < total; i++) {
        trials[i].number = read[i].number;
        trials[i].state = (jsn_sweep_state)read[i].state;
        trials[i].value = read[i].value;
        trials[i].steps = read[i].steps;
        trials[i].step_count = read[i].step_count;
        read[i].steps = NULL;
        status = take_options(&trials[i], &read[i]);
        if (status == JSN_OK)
            status = take_facts(&trials[i], &read[i]);
        trials[i].measured = measured(sweep, &trials[i]);
    }
    jsni_trials_release(read, total);
    if (status != JSN_OK) {
        jsn_sweep_trials_release(trials, total);
        return status;
    }
    *out = trials;
    *count = total;
    return JSN_OK;
}

static const char *find(const jsn_sweep_pair *pairs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].text;
    return NULL;
}

const char *jsn_sweep_option(const jsn_sweep_trial *trial, const char *name)
{
    if (trial == NULL || name == NULL)
        return NULL;
    return find(trial->options, trial->option_count, name);
}

const char *jsn_sweep_fact(const jsn_sweep_trial *trial, const char *name)
{
    if (trial == NULL || name == NULL)
        return NULL;
    return find(trial->facts, trial->fact_count, name);
}

double jsni_sweep_number(const jsn_sweep_trial *trial, const char *name)
{
    if (trial == NULL || name == NULL)
        return NAN;
    double value = NAN;
    const char *text = jsn_sweep_fact(trial, name);
    if (text == NULL)
        text = jsn_sweep_option(trial, name);
    return text != NULL && jsni_number_real(text, strlen(text), &value) ? value : NAN;
}

typedef double number_fn(const void *record, const char *name);

/* Labels without added noise are the only ones a run on one's own data has. */
static double objective_of(const char *objective, const void *record, number_fn *number)
{
    const bool automatic = strcmp(objective, "auto") == 0;
    const double value = number(record, automatic ? "val_acc" : objective);
    if (!isnan(value))
        return value;
    if (automatic)
        return number(record, "test_acc");
    return strcmp(objective, "val_acc_noisy") == 0 ? number(record, "val_acc") : NAN;
}

static double number_of_result(const void *record, const char *name)
{
    return jsni_train_result_number(record, name);
}

static double number_of_epoch(const void *record, const char *name)
{
    return jsni_epoch_number(record, name);
}

double jsni_sweep_objective_of(const char *objective, const jsn_train_result *result)
{
    return objective_of(objective, result, number_of_result);
}

double jsni_sweep_objective_at(const char *objective, const jsn_epoch *epoch)
{
    /* An epoch has the running value of what a result has the best of. */
    if (strcmp(objective, "test_acc_best") == 0)
        objective = "test_acc";
    if (strcmp(objective, "val_acc_best") == 0)
        objective = "val_acc";
    return objective_of(objective, epoch, number_of_epoch);
}
