/* sweep/sweep.c - see jensen/sweep.h: studies opened, trials added and read, a trial as a
 * configuration. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/number.h"
#include "core/option.h"
#include "core/rng.h"
#include "sweep/sweep_impl.h"

jsn_status jsni_sweep_put(const jsni_study *study, const char *key,
                          jsni_json_writer *writer)
{
    char *json = NULL;
    JSNI_TRY(jsni_json_writer_take(writer, &json));
    const jsn_status status = jsni_study_set(study, key, json);
    jsn_text_release(json);
    return status;
}

/* An attribute of the study as a tree; *out is NULL when there is none. */
static jsn_status read_attr(const jsn_sweep *sweep, const char *key, jsni_json **out)
{
    char *json = NULL;
    *out = NULL;
    JSNI_TRY(jsni_study_get(&sweep->study, key, &json));
    if (json == NULL)
        return JSN_OK;
    const jsn_status status = jsni_json_parse(out, key, json, strlen(json));
    jsni_free(json);
    return status;
}

static jsn_status load(jsn_sweep *sweep)
{
    jsni_json *settings = NULL;
    JSNI_TRY(read_attr(sweep, "base", &sweep->base));
    JSNI_TRY(read_attr(sweep, "axes", &sweep->axes));
    JSNI_TRY(read_attr(sweep, "stages", &sweep->stages));
    JSNI_TRY(read_attr(sweep, "settings", &settings));
    jsn_status status = JSN_OK;
    if (sweep->base == NULL || sweep->axes == NULL || settings == NULL)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: study '%s' was not made by 'jensen sweep create'",
                           sweep->store->shown, sweep->name);
    if (status == JSN_OK) {
        sweep->objective =
            jsni_text_copy(jsni_json_text(jsni_json_get(settings, "objective")));
        sweep->median =
            strcmp(jsni_json_text(jsni_json_get(settings, "pruner")), "median") == 0;
        sweep->prune_after = jsni_json_int(jsni_json_get(settings, "prune_after"));
        if (sweep->objective == NULL)
            status = JSN_ERR_MEMORY;
    }
    jsni_json_destroy(settings);
    return status;
}

/* The only study there is, when the user names none. */
static jsn_status only_study(jsni_store *store, char **name)
{
    jsni_store_rows rows = {0};
    JSNI_TRY(jsni_study_names(store, &rows));
    jsn_status status = JSN_OK;
    if (rows.rows == 1) {
        *name = jsni_text_copy(jsni_store_cell(&rows, 0, 0));
        status = *name == NULL ? JSN_ERR_MEMORY : JSN_OK;
    } else if (rows.rows == 0) {
        status = jsni_fail(JSN_ERR_ARGUMENT, "%s: holds no study", store->shown);
    } else {
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: holds %zu studies ('%s', '%s'%s); name one",
                           store->shown, rows.rows, jsni_store_cell(&rows, 0, 0),
                           jsni_store_cell(&rows, 1, 0), rows.rows > 2 ? ", ..." : "");
    }
    jsni_store_rows_release(&rows);
    return status;
}

static jsn_status open_for(jsn_sweep **out, const char *url, const char *name,
                           jsni_store_use use)
{
    jsn_sweep *sweep = jsni_alloc_zero(1, sizeof *sweep);
    *out = NULL;
    JSNI_TRY_ALLOC(sweep);
    jsn_status status = jsni_store_open(&sweep->store, url, use);
    if (status == JSN_OK && name == NULL)
        status = only_study(sweep->store, &sweep->name);
    else if (status == JSN_OK && (sweep->name = jsni_text_copy(name)) == NULL)
        status = JSN_ERR_MEMORY;
    if (status == JSN_OK)
        status = jsni_study_open(&sweep->study, sweep->store, sweep->name);
    if (status == JSN_OK)
        status = load(sweep);
    if (status == JSN_OK)
        *out = sweep;
    else
        jsn_sweep_close(sweep);
    return status;
}

jsn_status jsn_sweep_open(jsn_sweep **out, const char *url, const char *name)
{
    JSNI_NEED(out);
    JSNI_NEED(url);
    return open_for(out, url, name, JSNI_STORE_WRITE);
}

jsn_status jsn_sweep_open_to_read(jsn_sweep **out, const char *url, const char *name)
{
    JSNI_NEED(out);
    JSNI_NEED(url);
    return open_for(out, url, name, JSNI_STORE_READ);
}

void jsn_sweep_close(jsn_sweep *sweep)
{
    if (sweep == NULL)
        return;
    jsni_json_destroy(sweep->base);
    jsni_json_destroy(sweep->axes);
    jsni_json_destroy(sweep->stages);
    jsni_free(sweep->name);
    jsni_free(sweep->objective);
    jsni_store_close(sweep->store);
    jsni_free(sweep);
}

jsn_status jsni_sweep_exists(const char *url, const char *name, bool *found)
{
    JSNI_NEED(url);
    JSNI_NEED(found);
    jsni_store *store = NULL;
    *found = false;
    JSNI_TRY(jsni_store_find(&store, url));
    if (store == NULL)
        return JSN_OK;
    const jsn_status status = jsni_study_exists(store, name, found);
    jsni_store_close(store);
    return status;
}

jsn_status jsni_sweep_make(jsn_sweep **out, const char *url, const char *name,
                           const char *objective, const char *axis,
                           const jsn_train_config *base)
{
    jsn_sweep_plan plan;
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    JSNI_TRY(jsn_sweep_plan_init(&plan));
    jsn_status status = jsni_options_set(table, count, &plan, "search", "none");
    if (status == JSN_OK)
        status = jsni_options_set(table, count, &plan, "objective", objective);
    if (status == JSN_OK && axis != NULL)
        status = jsn_texts_add(&plan.axes, axis);
    if (status == JSN_OK)
        status = jsn_sweep_create(out, url, name, &plan, base);
    jsn_sweep_plan_release(&plan);
    return status;
}

jsn_sweep_traits jsn_sweep_about(const jsn_sweep *sweep)
{
    if (sweep == NULL)
        return (jsn_sweep_traits){0};
    return (jsn_sweep_traits){sweep->name, sweep->objective, sweep->store->shown};
}

jsn_status jsn_sweep_count(jsn_sweep *sweep, jsn_sweep_counts *out)
{
    JSNI_NEED(sweep);
    JSNI_NEED(out);
    size_t counts[JSNI_TRIAL_STATES];
    JSNI_TRY(jsni_study_counts(&sweep->study, counts));
    *out = (jsn_sweep_counts){.waiting = counts[JSNI_TRIAL_WAITING],
                              .running = counts[JSNI_TRIAL_RUNNING],
                              .complete = counts[JSNI_TRIAL_COMPLETE],
                              .pruned = counts[JSNI_TRIAL_PRUNED],
                              .failed = counts[JSNI_TRIAL_FAILED]};
    return JSN_OK;
}

jsn_status jsn_sweep_delete(jsn_sweep *sweep)
{
    JSNI_NEED(sweep);
    return jsni_study_delete(&sweep->study);
}

jsn_status jsn_sweep_retry(jsn_sweep *sweep, size_t *count)
{
    JSNI_NEED(sweep);
    size_t changed = 0;
    const jsn_status status = jsni_study_retry(&sweep->study, &changed);
    if (count != NULL)
        *count = changed;
    return status;
}

/* What tells trials of a study apart: their options in the order given. */
static jsn_status trial_key(const jsn_sweep_pair *options, size_t count, char **json)
{
    jsni_text text = {0};
    char *key = NULL;
    for (size_t i = 0; i < count; i++)
        if (options[i].text != NULL)
            jsni_text_format(&text, "%s%s=%s", text.length == 0 ? "" : " ",
                             options[i].name, options[i].text);
    JSNI_TRY(jsni_text_take(&text, &key));
    const jsn_status status = jsni_json_quote(key, json);
    jsni_free(key);
    return status;
}

jsn_status jsni_sweep_add(const jsni_study *study, const jsni_json *axes,
                          const jsn_sweep_pair *options, size_t count,
                          const char *group, bool *added)
{
    jsni_trial_param *params = jsni_alloc_zero(count, sizeof *params);
    char *key = NULL, *quoted = NULL;
    size_t used = 0;
    bool found = false;
    jsn_status status = params == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        jsni_trial_param *param = &params[used];
        if (options[i].text == NULL)
            continue;
        used++;
        param->name = (char *)options[i].name; /* borrowed */
        status = jsni_axis_encode(axes, options[i].name, options[i].text, &param->value,
                                  &param->distribution);
    }
    if (status == JSN_OK)
        status = trial_key(options, count, &key);
    if (status == JSN_OK && group != NULL)
        status = jsni_json_quote(group, &quoted);
    if (status == JSN_OK && added != NULL)
        status = jsni_study_has_trial(study, "options", key, &found);
    if (status == JSN_OK && !found) {
        char word_options[] = "options", word_group[] = "group";
        const jsni_attr attrs[] = {{word_options, key}, {word_group, quoted}};
        status = jsni_trial_add(study, params, used, attrs, group == NULL ? 1 : 2);
    }
    if (added != NULL)
        *added = status == JSN_OK && !found;
    for (size_t i = 0; i < used; i++)
        jsn_text_release(params[i].distribution);
    jsni_free(params);
    jsn_text_release(key);
    jsn_text_release(quoted);
    return status;
}

jsn_status jsni_sweep_append(jsn_sweep *sweep, const jsn_sweep_pair *options,
                             size_t count, const char *group, bool *added)
{
    JSNI_TRY(jsni_store_begin(sweep->store));
    bool done = false;
    const jsn_status status =
        jsni_sweep_add(&sweep->study, sweep->axes, options, count, group, &done);
    if (added != NULL)
        *added = done;
    return jsni_store_end(sweep->store, status);
}

/* A value of an axis that nobody chose, drawn by the trial's number. */
static jsn_status draw(const jsni_json *axis, int64_t number, size_t place,
                       double *value)
{
    const jsni_json *attributes = jsni_json_get(axis, "attributes");
    const jsni_json *choices = jsni_json_get(attributes, "choices");
    jsni_rng rng =
        jsni_rng_stream(0, JSNI_RNG_SWEEP, 1, (uint32_t)number, (uint32_t)place);
    if (choices != NULL) {
        if (jsni_json_count(choices) == 0)
            return jsni_json_refuse(axis, "has no choices");
        *value = jsni_rng_below(&rng, (uint32_t)jsni_json_count(choices));
        return JSN_OK;
    }
    const double low = jsni_json_real(jsni_json_get(attributes, "low"));
    const double high = jsni_json_real(jsni_json_get(attributes, "high"));
    const bool log_scale = jsni_json_bool(jsni_json_get(attributes, "log"));
    const bool whole =
        strcmp(jsni_json_text(jsni_json_get(axis, "name")), "IntDistribution") == 0;
    *value = jsni_axis_draw(low, high, whole, log_scale, &rng);
    return JSN_OK;
}

/* Stores what Optuna enqueued and what is still open as parameters of the trial. */
static jsn_status complete_params(jsn_sweep *sweep, const jsni_trial *t)
{
    jsni_json *fixed = NULL;
    const char *json = jsni_trial_attr(t, "system:fixed_params");
    if (json != NULL)
        JSNI_TRY(jsni_json_parse(&fixed, "fixed_params", json, strlen(json)));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(fixed); i++) {
        const jsni_json *entry = jsni_json_at(fixed, i);
        char *distribution = NULL;
        jsni_trial_param p = {.name = (char *)jsni_json_key(entry)};
        status = jsni_axis_encode(sweep->axes, p.name, jsni_axis_word(entry), &p.value,
                                  &distribution);
        p.distribution = distribution;
        if (status == JSN_OK)
            status = jsni_trial_set_param(sweep->store, t->id, &p);
        jsn_text_release(distribution);
    }
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(sweep->axes); i++) {
        const jsni_json *axis = jsni_json_at(sweep->axes, i);
        bool known = jsni_json_get(fixed, jsni_json_key(axis)) != NULL;
        for (size_t k = 0; k < t->param_count; k++)
            known = known || strcmp(t->params[k].name, jsni_json_key(axis)) == 0;
        if (known)
            continue;
        jsni_json_writer *w = NULL;
        char *distribution = NULL;
        jsni_trial_param p = {.name = (char *)jsni_json_key(axis)};
        status = draw(axis, t->number, i, &p.value);
        if (status == JSN_OK)
            status = jsni_json_writer_create(&w, 0);
        if (status == JSN_OK) {
            jsni_json_put_value(w, NULL, axis);
            status = jsni_json_writer_take(w, &distribution);
        }
        p.distribution = distribution;
        if (status == JSN_OK)
            status = jsni_trial_set_param(sweep->store, t->id, &p);
        jsn_text_release(distribution);
        jsni_json_writer_destroy(w);
    }
    jsni_json_destroy(fixed);
    return status;
}

jsn_status jsni_sweep_base(const jsn_sweep *sweep, jsn_train_config *config)
{
    for (size_t i = 0; i < jsni_json_count(sweep->base); i++) {
        const jsni_json *entry = jsni_json_at(sweep->base, i);
        JSNI_TRY(
            jsn_train_config_set(config, jsni_json_key(entry), jsni_json_text(entry)));
    }
    return JSN_OK;
}

static jsn_status fill_config(jsn_sweep *sweep, int64_t trial, jsn_train_config *config)
{
    jsni_trial *t = NULL;
    size_t count = 0;
    JSNI_TRY(jsni_sweep_base(sweep, config));
    JSNI_TRY(jsni_trials_read(&sweep->study, trial, false, &t, &count));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < t[0].param_count; i++) {
        char *text = NULL;
        status =
            jsni_axis_decode(t[0].params[i].distribution, t[0].params[i].value, &text);
        if (status == JSN_OK)
            status = jsn_train_config_set(config, t[0].params[i].name, text);
        jsni_free(text);
    }
    jsni_trials_release(t, count);
    return status;
}

jsn_status jsni_sweep_config(jsn_sweep *sweep, int64_t trial, jsn_train_config *config)
{
    jsni_trial *t = NULL;
    size_t count = 0;
    JSNI_TRY(jsni_trials_read(&sweep->study, trial, false, &t, &count));
    jsn_status status = count == 1
                            ? complete_params(sweep, &t[0])
                            : jsni_fail(JSN_ERR_DATA, "%s: trial %lld has vanished",
                                        sweep->store->shown, (long long)trial);
    jsni_trials_release(t, count);
    if (status == JSN_OK)
        status = fill_config(sweep, trial, config);
    return status;
}
