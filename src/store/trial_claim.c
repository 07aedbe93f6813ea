/* store/trial_claim.c - see study.h: claims, heartbeats, ends.
 *
 * A claim is one guarded UPDATE: of several workers that want a trial, the database lets
 * one change the row. The attribute "worker" says whose it is, and every later change is
 * guarded by it, so that a worker that was taken for dead and comes back changes nothing.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/number.h"
#include "core/text.h"
#include "store/study_sql.h"

#define MINE                                                                   \
    "EXISTS (SELECT 1 FROM trial_user_attributes a WHERE a.trial_id = $1 AND " \
    "a.\"key\" = 'worker' AND a.value_json = $2)"

/* A worker's name as JSON; names are made by us and hold nothing to escape. */
enum { WORKER_JSON = 160 };
static void quote_worker(char out[WORKER_JSON], const char *worker)
{
    (void)snprintf(out, WORKER_JSON, "\"%.150s\"", worker);
}

static jsn_status set_claim(jsni_store *store, int64_t trial, const char *worker,
                            int64_t attempts)
{
    char quoted[WORKER_JSON], number[JSNI_SQL_INT], id[JSNI_SQL_INT], sql[320];
    quote_worker(quoted, worker);
    jsni_sql_int(number, attempts);
    jsni_sql_int(id, trial);
    const char *const params[] = {id};
    JSNI_TRY(jsni_trial_set(store, trial, "worker", quoted));
    JSNI_TRY(jsni_trial_set(store, trial, "attempts", number));
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO trial_heartbeats (trial_id, heartbeat) VALUES ($1, %s) "
                   "ON CONFLICT (trial_id) DO UPDATE SET heartbeat = "
                   "excluded.heartbeat",
                   store->engine->now);
    return jsni_store_run(store, sql, params, 1, NULL, NULL);
}

/* How often a trial has been started. */
static jsn_status read_attempts(jsni_store *store, int64_t trial, int64_t *attempts)
{
    char id[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, trial);
    const char *const params[] = {id};
    JSNI_TRY(jsni_store_run(store,
                            "SELECT value_json FROM trial_user_attributes WHERE "
                            "trial_id = $1 AND \"key\" = 'attempts'",
                            params, 1, &rows, NULL));
    *attempts = rows.rows == 0 ? 0 : jsni_sql_to_int(jsni_store_cell(&rows, 0, 0));
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

static jsn_status start_waiting(const jsni_study *study, int64_t trial,
                                const char *worker, int64_t *attempts, bool *done)
{
    char id[JSNI_SQL_INT], sql[256];
    int64_t changed = 0;
    jsni_sql_int(id, trial);
    const char *const params[] = {id};
    (void)snprintf(sql, sizeof sql,
                   "UPDATE trials SET state = 'RUNNING', datetime_start = "
                   "COALESCE(datetime_start, %s) WHERE trial_id = $1 AND state = "
                   "'WAITING'",
                   study->store->engine->now);
    JSNI_TRY(jsni_store_run(study->store, sql, params, 1, NULL, &changed));
    *done = changed == 1;
    if (!*done)
        return JSN_OK;
    JSNI_TRY(read_attempts(study->store, trial, attempts));
    ++*attempts;
    return set_claim(study->store, trial, worker, *attempts);
}

jsn_status jsni_trial_claim_one(const jsni_study *study, int64_t trial,
                                const char *worker, int64_t *attempts, bool *done)
{
    *attempts = 0;
    *done = false;
    JSNI_TRY(jsni_store_begin(study->store));
    return jsni_store_end(study->store,
                          start_waiting(study, trial, worker, attempts, done));
}

/* The first waiting trial behind `after`; another worker may take it first, then the next. */
static jsn_status claim_waiting(const jsni_study *study, int64_t after,
                                const char *worker, jsni_claim *out)
{
    char id[JSNI_SQL_INT], behind[JSNI_SQL_INT];
    jsni_sql_int(id, study->id);
    jsni_sql_int(behind, after);
    const char *const params[] = {id, behind};
    for (;;) {
        jsni_store_rows rows = {0};
        JSNI_TRY(jsni_store_run(study->store,
                                "SELECT trial_id, number FROM trials WHERE study_id = "
                                "$1 AND state = 'WAITING' AND trial_id > $2 ORDER BY "
                                "trial_id LIMIT 1",
                                params, 2, &rows, NULL));
        if (rows.rows == 0)
            return JSN_OK;
        const int64_t trial = jsni_sql_to_int(jsni_store_cell(&rows, 0, 0));
        const int64_t number = jsni_sql_to_int(jsni_store_cell(&rows, 0, 1));
        int64_t attempts = 0;
        bool done = false;
        jsni_store_rows_release(&rows);
        JSNI_TRY(jsni_store_begin(study->store));
        JSNI_TRY(jsni_store_end(study->store,
                                start_waiting(study, trial, worker, &attempts, &done)));
        if (done) {
            *out = (jsni_claim){trial, number, attempts};
            return JSN_OK;
        }
    }
}

/* A trial that may be taken over, a row of claim_stale(). */
enum { TRIAL, NUMBER, HEARTBEAT, WORKER, STALE };

/* Takes over a trial, or gives it up. The heartbeat and the worker are those that were seen: the
 * first worker to replace them has the trial. */
static jsn_status take_over(const jsni_study *study, const jsni_store_rows *rows,
                            size_t row, const char *worker, int64_t retries,
                            jsni_claim *out)
{
    jsni_store *store = study->store;
    const char *id = jsni_store_cell(rows, row, TRIAL);
    const int64_t trial = jsni_sql_to_int(id);
    char sql[400];
    int64_t changed = 0, attempts = 0;
    const char *const params[] = {id, jsni_store_cell(rows, row, HEARTBEAT),
                                  jsni_store_cell(rows, row, WORKER)};
    (void)snprintf(sql, sizeof sql,
                   "UPDATE trial_heartbeats SET heartbeat = %s WHERE trial_id = $1 AND "
                   "heartbeat = $2 AND COALESCE((SELECT a.value_json FROM "
                   "trial_user_attributes a WHERE a.trial_id = $1 AND a.\"key\" = "
                   "'worker'), '') = $3",
                   store->engine->now);
    JSNI_TRY(jsni_store_run(store, sql, params, 3, NULL, &changed));
    if (changed != 1)
        return JSN_OK;
    JSNI_TRY(read_attempts(store, trial, &attempts));
    if (attempts > retries) {
        (void)snprintf(sql, sizeof sql,
                       "UPDATE trials SET state = 'FAIL', datetime_complete = %s WHERE "
                       "trial_id = $1 AND state = 'RUNNING'",
                       store->engine->now);
        JSNI_TRY(jsni_store_run(store, sql, params, 1, NULL, NULL));
        JSNI_TRY(jsni_trial_set(store, trial, "worker", "\"\""));
        return jsni_trial_set(store, trial, "failure",
                              "\"its workers died; no retry is left\"");
    }
    JSNI_TRY(set_claim(store, trial, worker, attempts + 1));
    *out = (jsni_claim){trial, jsni_sql_to_int(jsni_store_cell(rows, row, NUMBER)),
                        attempts + 1};
    return JSN_OK;
}

/* Whether the worker of a row is known to be gone; its name is a JSON text. */
static bool is_gone(const jsni_store_rows *rows, size_t row, jsni_worker_gone_fn *gone)
{
    char name[WORKER_JSON];
    const char *quoted = jsni_store_cell(rows, row, WORKER);
    const size_t length = strlen(quoted);
    if (gone == NULL || length < 3 || length > sizeof name || quoted[0] != '"')
        return false;
    (void)snprintf(name, sizeof name, "%.*s", (int)(length - 2), quoted + 1);
    return gone(name);
}

static jsn_status claim_stale(const jsni_study *study, const char *worker,
                              const jsni_takeover *how, jsni_claim *out)
{
    char id[JSNI_SQL_INT], seconds[JSNI_NUMBER_TEXT], sql[600];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    jsni_number_format(how->grace, seconds);
    const char *const params[] = {id};
    (void)snprintf(
        sql, sizeof sql,
        "SELECT t.trial_id, t.number, h.heartbeat, a.value_json, CASE WHEN "
        "%s > %s THEN 1 ELSE 0 END FROM trials t JOIN trial_heartbeats h ON "
        "h.trial_id = t.trial_id LEFT JOIN trial_user_attributes a ON "
        "a.trial_id = t.trial_id AND a.\"key\" = 'worker' WHERE t.study_id = "
        "$1 AND t.state = 'RUNNING' ORDER BY t.trial_id",
        study->store->engine->age, seconds);
    JSNI_TRY(jsni_store_run(study->store, sql, params, 1, &rows, NULL));
    jsn_status status = JSN_OK;
    for (size_t r = 0; status == JSN_OK && r < rows.rows && out->trial == 0; r++) {
        if (jsni_sql_to_int(jsni_store_cell(&rows, r, STALE)) == 0 &&
            !is_gone(&rows, r, how->gone))
            continue;
        status = jsni_store_begin(study->store);
        if (status == JSN_OK)
            status = jsni_store_end(
                study->store, take_over(study, &rows, r, worker, how->retries, out));
    }
    jsni_store_rows_release(&rows);
    return status;
}

jsn_status jsni_trial_claim(const jsni_study *study, int64_t after, const char *worker,
                            const jsni_takeover *how, jsni_claim *out)
{
    *out = (jsni_claim){0};
    JSNI_TRY(claim_waiting(study, after, worker, out));
    if (out->trial == 0)
        JSNI_TRY(claim_stale(study, worker, how, out));
    return JSN_OK;
}

jsn_status jsni_trial_beat(jsni_store *store, int64_t trial, const char *worker,
                           bool *mine)
{
    char id[JSNI_SQL_INT], quoted[WORKER_JSON], sql[400];
    int64_t changed = 0;
    jsni_sql_int(id, trial);
    quote_worker(quoted, worker);
    const char *const params[] = {id, quoted};
    (void)snprintf(
        sql, sizeof sql,
        "UPDATE trial_heartbeats SET heartbeat = %s WHERE trial_id = $1 AND " MINE,
        store->engine->now);
    JSNI_TRY(jsni_store_run(store, sql, params, 2, NULL, &changed));
    *mine = changed == 1;
    return JSN_OK;
}

jsn_status jsni_trial_report(jsni_store *store, int64_t trial, int64_t step,
                             double value)
{
    char id[JSNI_SQL_INT], at[JSNI_SQL_INT], number[JSNI_NUMBER_TEXT] = "";
    jsni_sql_int(id, trial);
    jsni_sql_int(at, step);
    if (isfinite(value))
        jsni_number_format(value, number);
    const char *const params[] = {id, at, isfinite(value) ? number : NULL,
                                  isnan(value)      ? "NAN"
                                  : isfinite(value) ? "FINITE"
                                  : value > 0.0     ? "INF_POS"
                                                    : "INF_NEG"};
    return jsni_store_run(
        store,
        "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, "
        "intermediate_value_type) VALUES ($1, $2, $3, $4) ON CONFLICT (trial_id, step) "
        "DO UPDATE SET intermediate_value = excluded.intermediate_value, "
        "intermediate_value_type = excluded.intermediate_value_type",
        params, 4, NULL, NULL);
}

static jsn_status end_trial(const jsni_study *study, int64_t trial, const char *worker,
                            jsni_trial_state state, double value,
                            const jsni_attr *attrs, size_t attr_count, bool *mine)
{
    jsni_store *store = study->store;
    char id[JSNI_SQL_INT], quoted[WORKER_JSON], sql[420], number[JSNI_NUMBER_TEXT];
    int64_t changed = 0;
    jsni_sql_int(id, trial);
    quote_worker(quoted, worker);
    const char *const params[] = {id, quoted};
    (void)snprintf(sql, sizeof sql,
                   "UPDATE trials SET state = '%s', datetime_complete = %s WHERE "
                   "trial_id = $1 AND state = 'RUNNING' AND " MINE,
                   jsni_trial_state_name(state),
                   state == JSNI_TRIAL_WAITING ? "NULL" : store->engine->now);
    JSNI_TRY(jsni_store_run(store, sql, params, 2, NULL, &changed));
    *mine = changed == 1;
    if (!*mine)
        return JSN_OK;
    for (size_t i = 0; i < attr_count; i++)
        JSNI_TRY(jsni_trial_set(store, trial, attrs[i].key, attrs[i].json));
    if (state == JSNI_TRIAL_WAITING)
        JSNI_TRY(jsni_trial_set(store, trial, "worker", "\"\""));
    if (!isfinite(value))
        return JSN_OK;
    jsni_number_format(value, number);
    const char *const values[] = {id, number};
    return jsni_store_run(store,
                          "INSERT INTO trial_values (trial_id, objective, value, "
                          "value_type) VALUES ($1, 0, $2, 'FINITE') ON CONFLICT "
                          "(trial_id, objective) DO UPDATE SET value = excluded.value",
                          values, 2, NULL, NULL);
}

jsn_status jsni_trial_finish(const jsni_study *study, int64_t trial, const char *worker,
                             jsni_trial_state state, double value,
                             const jsni_attr *attrs, size_t attr_count, bool *mine)
{
    *mine = false;
    JSNI_TRY(jsni_store_begin(study->store));
    return jsni_store_end(study->store, end_trial(study, trial, worker, state, value,
                                                  attrs, attr_count, mine));
}
