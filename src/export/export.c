/* export/export.c - see jensen/export.h. */
#include "jensen/export.h"

#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/text.h"
#include "export/export_impl.h"

#define FORMAT_ROW(id) &jsni_export_##id,
static const jsni_export_format *const formats[] = {JSNI_EXPORT_LIST(FORMAT_ROW)};
#undef FORMAT_ROW

void jsn_export_options_init(jsn_export_options *options)
{
    if (options != NULL)
        *options = (jsn_export_options){.size = sizeof *options, .format = "onnx"};
}

jsn_entry jsni_export_entry(size_t index)
{
    if (index >= JSNI_COUNT_OF(formats))
        return (jsn_entry){0};
    return (jsn_entry){.name = formats[index]->info.name,
                       .summary = formats[index]->info.summary};
}

jsn_status jsn_export(jsn_classifier *classifier, const char *path,
                      const jsn_export_options *options)
{
    JSNI_NEED(classifier);
    JSNI_NEED(path);
    jsn_export_options o;
    jsn_export_options_init(&o);
    if (options != NULL) {
        o.raw = options->raw;
        if (options->format != NULL)
            o.format = options->format;
    }
    char known[200];
    jsni_text list = jsni_text_in(known, sizeof known);
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++) {
        if (strcmp(formats[i]->info.name, o.format) == 0)
            return formats[i]->write(classifier, path, &o);
        jsni_text_item(&list, formats[i]->info.name);
    }
    return jsni_fail(JSN_ERR_UNKNOWN_NAME, "no format '%s' to export to; there are: %s",
                     o.format, known);
}

jsn_status jsni_export_texts(char *const *values, size_t count, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; i < count; i++)
        jsni_json_put_text(w, NULL, values[i]);
    jsni_json_end(w);
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}
