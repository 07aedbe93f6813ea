/* Fuzz target: YAML. What is accepted can be written as JSON that is valid.
 * covers: format/yaml.c format/yaml_text.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/json.h"
#include "format/yaml.h"
#include "jensen/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_json *doc = NULL, *again = NULL;
    jsni_json_writer *writer = NULL;
    char *text = NULL;
    const jsn_status status = jsni_yaml_parse(&doc, "fuzz", (const char *)data, size);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA ||
               status == JSN_ERR_UNSUPPORTED);
    if (status != JSN_OK)
        return 0;
    FUZZ_CHECK(jsni_json_writer_create(&writer, 0) == JSN_OK);
    jsni_json_put_value(writer, NULL, doc);
    FUZZ_CHECK(jsni_json_writer_take(writer, &text) == JSN_OK);
    FUZZ_CHECK(jsni_json_parse(&again, "again", text, strlen(text)) == JSN_OK);
    jsni_json_writer_destroy(writer);
    jsn_text_release(text);
    jsni_json_destroy(again);
    jsni_json_destroy(doc);
    return 0;
}
