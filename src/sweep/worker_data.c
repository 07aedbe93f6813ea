/* sweep/worker_data.c - trials are compared with each other, so what data each of them
 * saw is kept with it ("data_text": numbers of images and classes), and it is said when
 * the data has changed between them. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/json_tree.h"
#include "store/record_field.h"
#include "store/run_folder.h"
#include "sweep/worker_impl.h"

jsn_status jsni_worker_data_seen(const jsni_worker_job *j, char **json)
{
    *json = NULL;
    jsn_json *doc = NULL;
    jsn_json_writer *w = NULL;
    jsn_status status = jsni_record_open(j->config.out, JSNI_RUN_RESULT, &doc);
    const jsn_json *text = jsn_json_get(doc, "data_text");
    if (status == JSN_OK && jsn_json_kind_of(text) == JSN_JSON_TEXT) {
        status = jsn_json_writer_create(&w, 0);
        if (status == JSN_OK) {
            jsn_json_put_value(w, NULL, text);
            status = jsn_json_writer_take(w, json);
        }
    }
    jsn_json_writer_destroy(w);
    jsn_json_destroy(doc);
    return status;
}

/* What a stored value says, a text without its quotes; cut where it is long. */
static void put_plain(const char *json, char *to, size_t size)
{
    jsn_json *value = NULL;
    const bool text =
        jsn_json_parse(&value, "data_text", json, strlen(json)) == JSN_OK &&
        jsn_json_kind_of(value) == JSN_JSON_TEXT;
    (void)snprintf(to, size, "%s", text ? jsn_json_text(value) : json);
    jsn_json_destroy(value);
}

jsn_status jsni_worker_compare_data(const jsni_worker *w, const jsni_worker_job *j,
                                    const char *json)
{
    char study[24], trial[24], own[80], other[80], text[300];
    jsni_store_rows rows = {0};
    (void)snprintf(study, sizeof study, "%lld", (long long)w->sweep->study.id);
    (void)snprintf(trial, sizeof trial, "%lld", (long long)j->claim.trial);
    const char *const params[] = {study, json, trial};
    /* Trials that choose their data are meant to differ. */
    JSNI_TRY(jsni_store_run(
        w->sweep->store,
        "SELECT t.number, a.value_json FROM trials t JOIN trial_user_attributes a ON "
        "a.trial_id = t.trial_id WHERE t.study_id = $1 AND t.state = 'COMPLETE' AND "
        "a.\"key\" = 'data_text' AND a.value_json <> $2 AND NOT EXISTS (SELECT 1 FROM "
        "trial_params p WHERE (p.trial_id = t.trial_id OR p.trial_id = $3) AND "
        "p.param_name IN ('data', 'val', 'test')) ORDER BY t.number LIMIT 1",
        params, 3, &rows, NULL));
    if (rows.rows > 0) {
        put_plain(json, own, sizeof own);
        put_plain(jsni_store_cell(&rows, 0, 1), other, sizeof other);
        (void)snprintf(
            text, sizeof text,
            "trial %lld saw other data (%s) than trial %s (%s): their values "
            "do not compare",
            (long long)j->claim.number, own, jsni_store_cell(&rows, 0, 0), other);
        jsni_worker_say(w, JSN_LOG_WARNING, text);
    }
    jsni_store_rows_release(&rows);
    return JSN_OK;
}
