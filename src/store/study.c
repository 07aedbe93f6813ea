/* store/study.c - see study.h: studies, attributes, counts, adding trials. */
#include "store/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/number.h"
#include "core/text.h"
#include "store/study_sql.h"

static const char *const state_names[JSNI_TRIAL_STATES] = {
    "WAITING", "RUNNING", "COMPLETE", "PRUNED", "FAIL"};

const char *jsni_trial_state_name(jsni_trial_state state)
{
    return state_names[state];
}

jsni_trial_state jsni_trial_state_of(const char *name)
{
    for (size_t i = 0; i < JSNI_TRIAL_STATES; i++)
        if (strcmp(state_names[i], name) == 0)
            return (jsni_trial_state)i;
    return JSNI_TRIAL_FAILED;
}

void jsni_sql_int(char out[JSNI_SQL_INT], int64_t value)
{
    (void)snprintf(out, JSNI_SQL_INT, "%lld", (long long)value);
}

int64_t jsni_sql_to_int(const char *text)
{
    int64_t value = 0;
    return jsni_number_int(text, strlen(text), &value) ? value : 0;
}

jsn_status jsni_study_exists(jsni_store *store, const char *name, bool *found)
{
    jsni_store_rows rows = {0};
    JSNI_TRY(jsni_store_run(store, "SELECT study_id FROM studies WHERE study_name = $1",
                            &name, 1, &rows, NULL));
    *found = rows.rows > 0;
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

jsn_status jsni_study_open(jsni_study *out, jsni_store *store, const char *name)
{
    jsni_store_rows rows = {0};
    JSNI_TRY(jsni_store_run(
        store,
        "SELECT s.study_id, d.direction FROM studies s LEFT JOIN study_directions d "
        "ON d.study_id = s.study_id AND d.objective = 0 WHERE s.study_name = $1",
        &name, 1, &rows, NULL));
    jsn_status status = JSN_OK;
    if (rows.rows == 0)
        status = jsni_fail(JSN_ERR_ARGUMENT, "%s: no study '%s'", store->shown, name);
    else
        *out = (jsni_study){store, jsni_sql_to_int(jsni_store_cell(&rows, 0, 0)),
                            strcmp(jsni_store_cell(&rows, 0, 1), "MINIMIZE") != 0};
    jsni_store_rows_release(&rows);
    return status;
}

static jsn_status insert_study(jsni_study *out, jsni_store *store, const char *name,
                               bool maximize)
{
    bool found = false;
    JSNI_TRY(jsni_study_exists(store, name, &found));
    if (found)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: there is a study '%s' already; choose another name, or "
                         "'jensen sweep delete' removes that one",
                         store->shown, name);
    JSNI_TRY(jsni_store_run(store, "INSERT INTO studies (study_name) VALUES ($1)",
                            &name, 1, NULL, NULL));
    JSNI_TRY(jsni_study_open(out, store, name));
    out->maximize = maximize;
    char id[JSNI_SQL_INT];
    jsni_sql_int(id, out->id);
    const char *const params[] = {id};
    return jsni_store_run(store,
                          maximize ? "INSERT INTO study_directions (direction, "
                                     "study_id, objective) VALUES ('MAXIMIZE', $1, 0)"
                                   : "INSERT INTO study_directions (direction, "
                                     "study_id, objective) VALUES ('MINIMIZE', $1, 0)",
                          params, 1, NULL, NULL);
}

jsn_status jsni_study_create(jsni_study *out, jsni_store *store, const char *name,
                             bool maximize)
{
    if (name[0] == '\0' || strlen(name) > 512)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "a study needs a name of at most 512 characters");
    JSNI_TRY(jsni_store_begin(store));
    return jsni_store_end(store, insert_study(out, store, name, maximize));
}

/* Trials whose worker was heard of within the last minute. */
static jsn_status check_idle(const jsni_study *study, const char *id)
{
    jsni_store_rows rows = {0};
    jsni_text sql = {0};
    char *statement = NULL;
    jsni_text_format(&sql,
                     "SELECT count(*) FROM trials JOIN trial_heartbeats ON "
                     "trial_heartbeats.trial_id = trials.trial_id WHERE study_id = $1 "
                     "AND state = 'RUNNING' AND %s < 60",
                     study->store->engine->age);
    JSNI_TRY(jsni_text_take(&sql, &statement));
    const char *const params[] = {id};
    jsn_status status = jsni_store_run(study->store, statement, params, 1, &rows, NULL);
    jsni_free(statement);
    const int64_t busy =
        status == JSN_OK ? jsni_sql_to_int(jsni_store_cell(&rows, 0, 0)) : 0;
    jsni_store_rows_release(&rows);
    if (busy > 0)
        status = jsni_fail(JSN_ERR_BUSY,
                           "%s: %lld of its trials have a worker; stop the workers "
                           "first, or wait a minute where they have died",
                           study->store->shown, (long long)busy);
    return status;
}

static jsn_status delete_study(const jsni_study *study, const char *id)
{
    static const char *const statements[] = {
#define OF_TRIALS(table) \
    "DELETE FROM " table \
    " WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = $1)"
        OF_TRIALS("trial_heartbeats"),
        OF_TRIALS("trial_intermediate_values"),
        OF_TRIALS("trial_values"),
        OF_TRIALS("trial_params"),
        OF_TRIALS("trial_system_attributes"),
        OF_TRIALS("trial_user_attributes"),
#undef OF_TRIALS
        "DELETE FROM trials WHERE study_id = $1",
        "DELETE FROM study_system_attributes WHERE study_id = $1",
        "DELETE FROM study_user_attributes WHERE study_id = $1",
        "DELETE FROM study_directions WHERE study_id = $1",
        "DELETE FROM studies WHERE study_id = $1"};
    const char *const params[] = {id};
    JSNI_TRY(check_idle(study, id));
    for (size_t i = 0; i < JSNI_COUNT_OF(statements); i++)
        JSNI_TRY(jsni_store_run(study->store, statements[i], params, 1, NULL, NULL));
    return JSN_OK;
}

jsn_status jsni_study_delete(const jsni_study *study)
{
    char id[JSNI_SQL_INT];
    jsni_sql_int(id, study->id);
    JSNI_TRY(jsni_store_begin(study->store));
    return jsni_store_end(study->store, delete_study(study, id));
}

jsn_status jsni_study_set(const jsni_study *study, const char *key, const char *json)
{
    char id[JSNI_SQL_INT];
    jsni_sql_int(id, study->id);
    const char *const params[] = {id, key, json};
    return jsni_store_run(
        study->store,
        "INSERT INTO study_user_attributes (study_id, \"key\", value_json) VALUES "
        "($1, $2, $3) ON CONFLICT (study_id, \"key\") DO UPDATE SET value_json = "
        "excluded.value_json",
        params, 3, NULL, NULL);
}

jsn_status jsni_study_get(const jsni_study *study, const char *key, char **json)
{
    char id[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    const char *const params[] = {id, key};
    *json = NULL;
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT value_json FROM study_user_attributes WHERE "
                            "study_id = $1 AND \"key\" = $2",
                            params, 2, &rows, NULL));
    jsn_status status = JSN_OK;
    if (rows.rows > 0 && (*json = jsni_text_copy(jsni_store_cell(&rows, 0, 0))) == NULL)
        status = JSN_ERR_MEMORY;
    jsni_store_rows_release(&rows);
    return status;
}

jsn_status jsni_study_swap(const jsni_study *study, const char *key, const char *old,
                           const char *json, bool *done)
{
    char id[JSNI_SQL_INT];
    int64_t changed = 0;
    jsni_sql_int(id, study->id);
    const char *const params[] = {id, key, old, json};
    JSNI_TRY(jsni_store_run(study->store,
                            "UPDATE study_user_attributes SET value_json = $4 WHERE "
                            "study_id = $1 AND \"key\" = $2 AND value_json = $3",
                            params, 4, NULL, &changed));
    *done = changed == 1;
    return JSN_OK;
}

jsn_status jsni_study_names(jsni_store *store, jsni_store_rows *out)
{
    return jsni_store_run(store, "SELECT study_name FROM studies ORDER BY study_id",
                          NULL, 0, out, NULL);
}

jsn_status jsni_study_counts(const jsni_study *study, size_t counts[JSNI_TRIAL_STATES])
{
    char id[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    const char *const params[] = {id};
    for (size_t i = 0; i < JSNI_TRIAL_STATES; i++)
        counts[i] = 0;
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT state, COUNT(*) FROM trials WHERE study_id = $1 "
                            "GROUP BY state",
                            params, 1, &rows, NULL));
    for (size_t r = 0; r < rows.rows; r++)
        counts[jsni_trial_state_of(jsni_store_cell(&rows, r, 0))] +=
            (size_t)jsni_sql_to_int(jsni_store_cell(&rows, r, 1));
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

jsn_status jsni_study_silent(const jsni_study *study, size_t *count, int64_t *first)
{
    char id[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    const char *const params[] = {id};
    JSNI_TRY(jsni_store_run(
        study->store,
        "SELECT t.number FROM trials t WHERE t.study_id = $1 AND t.state = 'RUNNING' "
        "AND NOT EXISTS (SELECT 1 FROM trial_heartbeats h WHERE h.trial_id = "
        "t.trial_id) ORDER BY t.trial_id",
        params, 1, &rows, NULL));
    *count = rows.rows;
    *first = rows.rows == 0 ? -1 : jsni_sql_to_int(jsni_store_cell(&rows, 0, 0));
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

jsn_status jsni_trial_set(jsni_store *store, int64_t trial, const char *key,
                          const char *json)
{
    char id[JSNI_SQL_INT];
    jsni_sql_int(id, trial);
    const char *const params[] = {id, key, json};
    return jsni_store_run(
        store,
        "INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES "
        "($1, $2, $3) ON CONFLICT (trial_id, \"key\") DO UPDATE SET value_json = "
        "excluded.value_json",
        params, 3, NULL, NULL);
}

jsn_status jsni_trial_set_param(jsni_store *store, int64_t trial,
                                const jsni_trial_param *param)
{
    char id[JSNI_SQL_INT], value[JSNI_NUMBER_TEXT];
    jsni_sql_int(id, trial);
    jsni_number_format(param->value, value);
    const char *const params[] = {id, param->name, value, param->distribution};
    return jsni_store_run(
        store,
        "INSERT INTO trial_params (trial_id, param_name, param_value, "
        "distribution_json) VALUES ($1, $2, $3, $4) ON CONFLICT (trial_id, param_name) "
        "DO UPDATE SET param_value = excluded.param_value, distribution_json = "
        "excluded.distribution_json",
        params, 4, NULL, NULL);
}

static jsn_status insert_trial(const jsni_study *study, const jsni_trial_param *params,
                               size_t param_count, const jsni_attr *attrs,
                               size_t attr_count)
{
    char id[JSNI_SQL_INT], sql[128];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    const char *const ids[] = {id};
    /* Numbers are given one at a time: the study's row is locked meanwhile. */
    (void)snprintf(sql, sizeof sql,
                   "SELECT study_id FROM studies WHERE study_id = $1%s",
                   study->store->engine->lock);
    JSNI_TRY(jsni_store_run(study->store, sql, ids, 1, NULL, NULL));
    JSNI_TRY(jsni_store_run(
        study->store,
        "INSERT INTO trials (number, study_id, state) SELECT COALESCE((SELECT number "
        "FROM trials WHERE study_id = $1 ORDER BY trial_id DESC LIMIT 1), -1) + 1, "
        "CAST($1 AS INTEGER), 'WAITING'",
        ids, 1, NULL, NULL));
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT trial_id FROM trials WHERE study_id = $1 ORDER BY "
                            "trial_id DESC LIMIT 1",
                            ids, 1, &rows, NULL));
    const int64_t trial = jsni_sql_to_int(jsni_store_cell(&rows, 0, 0));
    jsni_store_rows_release(&rows);
    for (size_t i = 0; i < param_count; i++)
        JSNI_TRY(jsni_trial_set_param(study->store, trial, &params[i]));
    for (size_t i = 0; i < attr_count; i++)
        JSNI_TRY(jsni_trial_set(study->store, trial, attrs[i].key, attrs[i].json));
    return JSN_OK;
}

jsn_status jsni_trial_add(const jsni_study *study, const jsni_trial_param *params,
                          size_t param_count, const jsni_attr *attrs, size_t attr_count)
{
    JSNI_TRY(jsni_store_begin(study->store));
    return jsni_store_end(study->store,
                          insert_trial(study, params, param_count, attrs, attr_count));
}
