/* store/record_result.c - see record_result.h. */
#include "store/record_result.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/sha256.h"
#include "store/record_field.h"
#include "store/run_folder.h"

enum { MOST_FILES = 1000 };

static jsn_status take_mark(jsni_file_mark *mark, const jsni_json *entry)
{
    if (jsni_json_kind_of(entry) != JSNI_JSON_OBJECT)
        return jsni_json_refuse(entry, "a file has no size and SHA-256");
    JSNI_TRY_ALLOC(mark->name = jsni_text_copy(jsni_json_key(entry)));
    JSNI_TRY(jsni_record_int(entry, "bytes", 0, INT64_MAX, -1, &mark->bytes));
    JSNI_TRY(jsni_record_text(entry, "sha256", &mark->sha256));
    if (mark->bytes < 0 || mark->sha256 == NULL ||
        strlen(mark->sha256) != JSNI_SHA256_HEX - 1)
        return jsni_json_refuse(entry, "a file has no size and SHA-256");
    return JSN_OK;
}

static jsn_status take_marks(jsni_record_result *result, const jsni_json *doc)
{
    const jsni_json *files = NULL;
    JSNI_TRY(jsni_record_entries(doc, "files", JSNI_JSON_OBJECT, MOST_FILES, &files));
    if (jsni_json_count(files) == 0)
        return JSN_OK;
    JSNI_TRY_ALLOC(result->files =
                       jsni_alloc_zero(jsni_json_count(files), sizeof *result->files));
    result->file_count = jsni_json_count(files);
    for (size_t i = 0; i < result->file_count; i++)
        JSNI_TRY(take_mark(&result->files[i], jsni_json_at(files, i)));
    return JSN_OK;
}

static jsn_status take(jsni_record_result *result, const jsni_json *doc)
{
    JSNI_TRY(jsni_record_numbers_read(&result->numbers, doc));
    JSNI_TRY(jsni_record_int(doc, "epochs", 0, INT32_MAX, -1, &result->epochs));
    JSNI_TRY(jsni_record_text(doc, "weights_sha256", &result->weights_sha256));
    JSNI_TRY(jsni_record_text(doc, "options", &result->options));
    JSNI_TRY(jsni_record_text(doc, "data", &result->data));
    JSNI_TRY(jsni_record_text(doc, "data_text", &result->data_text));
    JSNI_TRY(jsni_record_text(doc, "test_images", &result->test_images));
    return take_marks(result, doc);
}

jsn_status jsni_record_result_read(jsni_record_result *result, const char *folder,
                                   bool *found)
{
    jsni_json *doc = NULL;
    *result = (jsni_record_result){0};
    *found = false;
    JSNI_TRY(jsni_record_open(folder, JSNI_RUN_RESULT, &doc));
    if (doc == NULL)
        return JSN_OK;
    const jsn_status status = take(result, doc);
    *found = status == JSN_OK;
    if (status != JSN_OK)
        jsni_record_result_release(result);
    jsni_json_destroy(doc);
    return status;
}

void jsni_record_result_release(jsni_record_result *result)
{
    jsni_free(result->weights_sha256);
    jsni_free(result->options);
    jsni_free(result->data);
    jsni_free(result->data_text);
    jsni_free(result->test_images);
    for (size_t i = 0; i < result->file_count; i++) {
        jsni_free(result->files[i].name);
        jsni_free(result->files[i].sha256);
    }
    jsni_free(result->files);
    *result = (jsni_record_result){0};
}
