/* train/run_result.c - result.json: what a run ended with, by one table of fields. It is
 * the last file that a run writes; where it is, the run is finished. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/number.h"
#include "store/run_files.h"
#include "train/early_stop.h"
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

static void put_result(const jsn_train_result *result, jsni_json_writer *w)
{
    jsni_json_put_text(w, "run", result->run);
    jsni_json_put_int(w, "epochs", result->epochs);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        jsni_json_put_real(w, fields[i].name,
                           *(const double *)((const char *)result + fields[i].offset));
    if (result->stopped[0] != '\0')
        jsni_json_put_text(w, "stopped", result->stopped);
    jsni_json_put_text(w, "weights_sha256", result->weights_sha256);
}

jsn_status jsn_train_result_json(const jsn_train_result *result, char **out)
{
    JSNI_NEED(result);
    JSNI_NEED(out);
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    put_result(result, w);
    if (result->classes > 0)
        jsni_json_put_int(w, "classes", (int64_t)result->classes);
    jsni_json_end(w);
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}

double jsni_train_result_number(const jsn_train_result *result, const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return *(const double *)((const char *)result + fields[i].offset);
    return NAN;
}

static jsn_status put_text(const char *name, const char *text, jsni_result_fn *put,
                           void *user)
{
    char *json = NULL;
    JSNI_TRY(jsni_json_quote(text, &json));
    const jsn_status status = put(user, name, json);
    jsn_text_release(json);
    return status;
}

jsn_status jsni_train_result_walk(const jsn_train_result *result, jsni_result_fn *put,
                                  void *user)
{
    char digits[JSNI_NUMBER_TEXT];
    JSNI_TRY(put_text("run", result->run, put, user));
    jsni_number_format((double)result->epochs, digits);
    JSNI_TRY(put(user, "epochs", digits));
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        const double value = *(const double *)((const char *)result + fields[i].offset);
        if (!isfinite(value))
            continue;
        jsni_number_format(value, digits);
        JSNI_TRY(put(user, fields[i].name, digits));
    }
    if (result->stopped[0] != '\0')
        JSNI_TRY(put_text("stopped", result->stopped, put, user));
    JSNI_TRY(put_text("weights_sha256", result->weights_sha256, put, user));
    jsni_number_format((double)result->classes, digits);
    return result->classes == 0 ? JSN_OK : put(user, "classes", digits);
}

jsn_status jsni_run_result_write(const jsni_run_folder *folder,
                                 const jsn_train_config *config,
                                 const jsni_problem_mark *mark,
                                 const jsn_train_result *result)
{
    char fingerprint[JSNI_FINGERPRINT];
    char *text = NULL;
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_run_fingerprint(config, fingerprint));
    JSNI_TRY(jsni_json_writer_create(&w, 2));
    jsni_json_begin_object(w, NULL);
    put_result(result, w);
    jsni_json_put_text(w, "options", fingerprint);
    jsni_json_put_text(w, "data", mark->digest);
    jsni_json_put_text(w, "data_text", mark->text);
    if (mark->test[0] != '\0')
        jsni_json_put_text(w, "test_images", mark->test);
    jsn_status status = jsni_run_files_put(folder->path, (size_t)config->members, w);
    jsni_json_end(w);
    if (status == JSN_OK)
        status = jsni_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_RESULT, text, strlen(text));
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    return status;
}

static jsn_status take_result(const jsni_record_result *kept, jsn_train_result *result)
{
    if (kept->epochs < 0 || kept->weights_sha256 == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s/%s: key '%s' is missing", result->run,
                         JSNI_RUN_RESULT,
                         kept->epochs < 0 ? "epochs" : "weights_sha256");
    result->epochs = kept->epochs;
    (void)snprintf(result->weights_sha256, sizeof result->weights_sha256, "%s",
                   kept->weights_sha256);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        *(double *)((char *)result + fields[i].offset) =
            jsni_record_number(&kept->numbers, fields[i].name);
    return JSN_OK;
}

jsn_status jsni_run_result_read(const char *folder, const jsn_train_config *config,
                                const jsni_problem_mark *mark, bool *found,
                                jsn_train_result *result)
{
    jsni_record_result kept;
    *result = (jsn_train_result){0};
    (void)snprintf(result->run, sizeof result->run, "%s", folder);
    JSNI_TRY(jsni_record_result_read(&kept, folder, found));
    if (!*found)
        return JSN_OK;
    const jsni_kept_mark was = {kept.options, kept.data, kept.data_text};
    jsn_status status = jsni_problem_mark_check(mark, &was, config, folder);
    if (status == JSN_OK)
        status = take_result(&kept, result);
    if (status == JSN_OK)
        jsni_early_stop_reason(config, result->epochs, result->stopped,
                               sizeof result->stopped);
    /* Hundreds of finished runs may be asked for at once: weights by their size alone. */
    if (status == JSN_OK)
        status = jsni_run_files_verify_kind(&kept, folder, JSNI_RUN_FILE_TEXT, true);
    if (status == JSN_OK)
        status =
            jsni_run_files_verify_kind(&kept, folder, JSNI_RUN_FILE_WEIGHTS, false);
    jsni_record_result_release(&kept);
    return status;
}
