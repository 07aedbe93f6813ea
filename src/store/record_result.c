/* store/record_result.c - see record_result.h. */
#include "store/record_result.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "store/record_field.h"
#include "store/run_folder.h"

static jsn_status take(jsni_record_result *result, const jsn_json *doc)
{
    JSNI_TRY(jsni_record_numbers_read(&result->numbers, doc));
    JSNI_TRY(jsni_record_int(doc, "epochs", 0, INT32_MAX, -1, &result->epochs));
    JSNI_TRY(jsni_record_text(doc, "weights_sha256", &result->weights_sha256));
    JSNI_TRY(jsni_record_text(doc, "options", &result->options));
    JSNI_TRY(jsni_record_text(doc, "data", &result->data));
    JSNI_TRY(jsni_record_text(doc, "data_text", &result->data_text));
    return jsni_record_text(doc, "test_images", &result->test_images);
}

jsn_status jsni_record_result_read(jsni_record_result *result, const char *folder,
                                   bool *found)
{
    jsn_json *doc = NULL;
    *result = (jsni_record_result){0};
    *found = false;
    JSNI_TRY(jsni_record_open(folder, JSNI_RUN_RESULT, &doc));
    if (doc == NULL)
        return JSN_OK;
    const jsn_status status = take(result, doc);
    *found = status == JSN_OK;
    if (status != JSN_OK)
        jsni_record_result_release(result);
    jsn_json_destroy(doc);
    return status;
}

void jsni_record_result_release(jsni_record_result *result)
{
    jsni_free(result->weights_sha256);
    jsni_free(result->options);
    jsni_free(result->data);
    jsni_free(result->data_text);
    jsni_free(result->test_images);
    *result = (jsni_record_result){0};
}
