/* sweep/worker_data.c - trials are compared with each other, so what data each of them
 * saw is kept with it ("data_text": numbers of images and classes), and it is said when
 * the data has changed between them. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "store/record_field.h"
#include "store/run_folder.h"
#include "sweep/worker_impl.h"

jsn_status jsni_worker_data_seen(const jsni_worker_job *j, char **json)
{
    *json = NULL;
    jsni_json *doc = NULL;
    jsni_json_writer *w = NULL;
    jsn_status status = jsni_record_open(j->config.out, JSNI_RUN_RESULT, &doc);
    const jsni_json *text = jsni_json_get(doc, "data_text");
    if (status == JSN_OK && jsni_json_kind_of(text) == JSNI_JSON_TEXT) {
        status = jsni_json_writer_create(&w, 0);
        if (status == JSN_OK) {
            jsni_json_put_value(w, NULL, text);
            status = jsni_json_writer_take(w, json);
        }
    }
    jsni_json_writer_destroy(w);
    jsni_json_destroy(doc);
    return status;
}

/* What a stored value says, a text without its quotes; cut where it is long. */
static void put_plain(const char *json, char *to, size_t size)
{
    jsni_json *value = NULL;
    const bool text =
        jsni_json_parse(&value, "data_text", json, strlen(json)) == JSN_OK &&
        jsni_json_kind_of(value) == JSNI_JSON_TEXT;
    (void)snprintf(to, size, "%s", text ? jsni_json_text(value) : json);
    jsni_json_destroy(value);
}

jsn_status jsni_worker_compare_data(const jsni_worker *w, const jsni_worker_job *j,
                                    const char *json)
{
    char own[80], shown[80], text[300];
    char *other = NULL;
    int64_t number = 0;
    JSNI_TRY(
        jsni_study_other_data(&w->sweep->study, j->claim.trial, json, &number, &other));
    if (other != NULL) {
        put_plain(json, own, sizeof own);
        put_plain(other, shown, sizeof shown);
        (void)snprintf(
            text, sizeof text,
            "trial %lld saw other data (%s) than trial %lld (%s): their values "
            "do not compare",
            (long long)j->claim.number, own, (long long)number, shown);
        jsni_worker_say(w, JSN_LOG_WARNING, text);
    }
    jsni_free(other);
    return JSN_OK;
}
