/* Fuzz target: JSON. What is accepted is written out and read again to the same text.
 * covers: core/json_reader.c core/json_tree.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/json.h"
#include "jensen/option.h"

static char *text_of(const jsni_json *doc)
{
    jsni_json_writer *writer = NULL;
    char *text = NULL;
    FUZZ_CHECK(jsni_json_writer_create(&writer, 1) == JSN_OK);
    jsni_json_put_value(writer, NULL, doc);
    FUZZ_CHECK(jsni_json_writer_take(writer, &text) == JSN_OK);
    jsni_json_writer_destroy(writer);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_json *doc = NULL, *again = NULL;
    const jsn_status status = jsni_json_parse(&doc, "fuzz", (const char *)data, size);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    if (status != JSN_OK)
        return 0;
    char *text = text_of(doc);
    FUZZ_CHECK(jsni_json_parse(&again, "again", text, strlen(text)) == JSN_OK);
    char *second = text_of(again);
    FUZZ_CHECK(strcmp(text, second) == 0);
    jsn_text_release(second);
    jsn_text_release(text);
    jsni_json_destroy(again);
    jsni_json_destroy(doc);
    return 0;
}
