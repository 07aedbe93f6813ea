/* train/run_result.c - result.json: what a run ended with, by one table of fields. It is
 * the last file that a run writes; where it is, the run is finished. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "train/run.h"
#include "train/run_name.h"

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(name)                             \
    {                                           \
#name, offsetof(jsn_train_result, name) \
    }
    FIELD(test_acc),          FIELD(test_acc_best),  FIELD(test_top5),
    FIELD(test_ece),          FIELD(val_acc),        FIELD(val_acc_noisy),
    FIELD(val_acc_best),      FIELD(consistency),    FIELD(consistency_true),
    FIELD(consistency_noisy), FIELD(train_acc_true), FIELD(train_acc_noisy),
    FIELD(noise_nominal),     FIELD(noise_real),     FIELD(images_per_second),
    FIELD(seconds),
#undef FIELD
};

static void put_result(const jsn_train_result *result, jsn_json_writer *w)
{
    jsn_json_put_text(w, "run", result->run);
    jsn_json_put_int(w, "epochs", result->epochs);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        jsn_json_put_real(w, fields[i].name,
                          *(const double *)((const char *)result + fields[i].offset));
    jsn_json_put_text(w, "weights_sha256", result->weights_sha256);
}

jsn_status jsn_train_result_json(const jsn_train_result *result, char **out)
{
    jsn_json_writer *w = NULL;
    JSNI_TRY(jsn_json_writer_create(&w, 0));
    jsn_json_begin_object(w, NULL);
    put_result(result, w);
    if (result->classes > 0)
        jsn_json_put_int(w, "classes", (int64_t)result->classes);
    jsn_json_end(w);
    const jsn_status status = jsn_json_writer_take(w, out);
    jsn_json_writer_destroy(w);
    return status;
}

jsn_status jsni_run_result_write(const jsni_run_folder *folder,
                                 const jsn_train_config *config,
                                 const jsni_problem_mark *mark,
                                 const jsn_train_result *result)
{
    char fingerprint[JSNI_FINGERPRINT];
    char *text = NULL;
    jsn_json_writer *w = NULL;
    JSNI_TRY(jsni_run_fingerprint(config, fingerprint));
    JSNI_TRY(jsn_json_writer_create(&w, 2));
    jsn_json_begin_object(w, NULL);
    put_result(result, w);
    jsn_json_put_text(w, "options", fingerprint);
    jsn_json_put_text(w, "data", mark->digest);
    jsn_json_put_text(w, "data_text", mark->text);
    if (mark->test[0] != '\0')
        jsn_json_put_text(w, "test_images", mark->test);
    jsn_json_end(w);
    jsn_status status = jsn_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_RESULT, text, strlen(text));
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    return status;
}

static jsn_status take_result(const jsn_json *doc, jsn_train_result *result)
{
    const char *sha = NULL;
    JSNI_TRY(jsn_json_get_int(doc, "epochs", &result->epochs));
    JSNI_TRY(jsn_json_get_text(doc, "weights_sha256", &sha));
    (void)snprintf(result->weights_sha256, sizeof result->weights_sha256, "%s", sha);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        const jsn_json *value = jsn_json_get(doc, fields[i].name);
        *(double *)((char *)result + fields[i].offset) =
            jsn_json_kind_of(value) == JSN_JSON_NUMBER ? jsn_json_real(value) : NAN;
    }
    return JSN_OK;
}

/* What a text member of a document says; NULL without one. */
static const char *text_or_null(const jsn_json *doc, const char *key)
{
    const jsn_json *value = jsn_json_get(doc, key);
    return jsn_json_kind_of(value) == JSN_JSON_TEXT ? jsn_json_text(value) : NULL;
}

jsn_status jsni_run_result_read(const char *folder, const jsn_train_config *config,
                                const jsni_problem_mark *mark, bool *found,
                                jsn_train_result *result)
{
    char *path = jsni_path_join(folder, JSNI_RUN_RESULT);
    JSNI_TRY_ALLOC(path);
    jsn_json *doc = NULL;
    jsn_status status = JSN_OK;
    *found = jsni_file_exists(path);
    *result = (jsn_train_result){0};
    (void)snprintf(result->run, sizeof result->run, "%s", folder);
    if (*found)
        status = jsn_json_read(&doc, path);
    if (status == JSN_OK && *found) {
        const jsni_kept_mark kept = {text_or_null(doc, "options"),
                                     text_or_null(doc, "data"),
                                     text_or_null(doc, "data_text")};
        status = jsni_problem_mark_check(mark, &kept, config, folder);
    }
    if (status == JSN_OK && *found)
        status = take_result(doc, result);
    jsn_json_destroy(doc);
    jsni_free(path);
    return status;
}
