/* store/trial_query.c - see study.h: questions about the trials of a study, and failed
 * ones waiting again. */
#include "core/alloc.h"
#include "core/fail.h"
#include "store/study_sql.h"

jsn_status jsni_study_retry(const jsni_study *study, size_t *count)
{
    char id[JSNI_SQL_INT];
    int64_t changed = 0;
    jsni_sql_int(id, study->id);
    const char *const params[] = {id};
    JSNI_TRY(jsni_store_begin(study->store));
    jsn_status status = jsni_store_run(
        study->store,
        "DELETE FROM trial_user_attributes WHERE \"key\" IN ('attempts', 'failure') "
        "AND trial_id IN (SELECT trial_id FROM trials WHERE study_id = $1 AND state = "
        "'FAIL')",
        params, 1, NULL, NULL);
    if (status == JSN_OK)
        status = jsni_store_run(study->store,
                                "UPDATE trials SET state = 'WAITING', "
                                "datetime_complete = NULL WHERE study_id = $1 AND "
                                "state = 'FAIL'",
                                params, 1, NULL, &changed);
    *count = (size_t)changed;
    return jsni_store_end(study->store, status);
}

jsn_status jsni_study_has_trial(const jsni_study *study, const char *key,
                                const char *json, bool *found)
{
    char id[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    const char *const params[] = {id, key, json};
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT 1 FROM trial_user_attributes a JOIN trials t ON "
                            "t.trial_id = a.trial_id WHERE t.study_id = $1 AND "
                            "a.\"key\" = $2 AND a.value_json = $3 LIMIT 1",
                            params, 3, &rows, NULL));
    *found = rows.rows > 0;
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

jsn_status jsni_study_waiting(const jsni_study *study, int64_t after, jsni_claim *out,
                              size_t *count)
{
    char id[JSNI_SQL_INT], last[JSNI_SQL_INT], most[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    jsni_sql_int(last, after);
    jsni_sql_int(most, JSNI_STUDY_WAITING);
    const char *const params[] = {id, last, most};
    *count = 0;
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT trial_id, number FROM trials WHERE study_id = $1 "
                            "AND state = 'WAITING' AND trial_id > $2 ORDER BY trial_id "
                            "LIMIT $3",
                            params, 3, &rows, NULL));
    for (; *count < rows.rows; ++*count)
        out[*count] =
            (jsni_claim){.trial = jsni_sql_to_int(jsni_store_cell(&rows, *count, 0)),
                         .number = jsni_sql_to_int(jsni_store_cell(&rows, *count, 1))};
    jsni_store_rows_release(&rows);
    return JSN_OK;
}

jsn_status jsni_study_other_data(const jsni_study *study, int64_t trial,
                                 const char *json, int64_t *number, char **other)
{
    char id[JSNI_SQL_INT], own[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsn_status status = JSN_OK;
    jsni_sql_int(id, study->id);
    jsni_sql_int(own, trial);
    const char *const params[] = {id, json, own};
    *other = NULL;
    JSNI_TRY(jsni_store_run(
        study->store,
        "SELECT t.number, a.value_json FROM trials t JOIN trial_user_attributes a ON "
        "a.trial_id = t.trial_id WHERE t.study_id = $1 AND t.state = 'COMPLETE' AND "
        "a.\"key\" = 'data_text' AND a.value_json <> $2 AND NOT EXISTS (SELECT 1 FROM "
        "trial_params p WHERE (p.trial_id = t.trial_id OR p.trial_id = $3) AND "
        "p.param_name IN ('data', 'val', 'test')) ORDER BY t.number LIMIT 1",
        params, 3, &rows, NULL));
    if (rows.rows > 0) {
        *number = jsni_sql_to_int(jsni_store_cell(&rows, 0, 0));
        *other = jsni_text_copy(jsni_store_cell(&rows, 0, 1));
        status = *other == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    jsni_store_rows_release(&rows);
    return status;
}
