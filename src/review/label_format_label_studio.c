/* review/label_format_label_studio.c - tasks of Label Studio, one an image: the suggestion is a
 * prediction, what is decided an annotation. The labelling interface that they fit goes into
 * a file beside them. Read are its exports JSON and JSON-MIN. A task that was skipped there is
 * left open; one that nobody has looked at says nothing. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "report/escape.h"
#include "review/label_format.h"

/* The names in the labelling interface. */
#define CHOICE  "label"
#define PICTURE "image"

/* An address of a path: what is not plain becomes % and two digits. */
static void add_address(jsni_text *text, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    for (const char *at = path; *at != '\0'; at++)
        if (strchr(plain, *at) != NULL)
            jsni_text_add_n(text, at, 1);
        else
            jsni_text_format(text, "%%%02X", (unsigned)(unsigned char)*at);
}

static jsn_status put_data(jsni_json_writer *w, const jsni_label_sheet *sheet,
                           const jsni_label_item *item)
{
    jsni_text address = {0};
    jsni_text_add(&address, sheet->prefix);
    add_address(&address, item->path);
    jsni_json_begin_object(w, "data");
    jsni_json_put_text(w, PICTURE, address.data);
    jsni_json_put_text(w, "path", item->path);
    jsni_json_put_text(w, "given", item->given);
    jsni_json_put_text(w, "suggested", item->suggested);
    jsni_json_put_real(w, "score", item->score);
    jsni_json_put_text(w, "kind", item->kind);
    jsni_json_end(w);
    const jsn_status status = address.status;
    jsni_text_release(&address);
    return status;
}

static void put_choice(jsni_json_writer *w, const char *label)
{
    jsni_json_begin_array(w, "result");
    if (label != NULL) {
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "from_name", CHOICE);
        jsni_json_put_text(w, "to_name", PICTURE);
        jsni_json_put_text(w, "type", "choices");
        jsni_json_begin_object(w, "value");
        jsni_json_begin_array(w, "choices");
        jsni_json_put_text(w, NULL, label);
        jsni_json_end(w);
        jsni_json_end(w);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static void put_task(jsni_json_writer *w, const jsni_label_item *item)
{
    if (*item->suggested != '\0') {
        jsni_json_begin_array(w, "predictions");
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "model_version", "jensen");
        jsni_json_put_real(w, "score", item->score);
        put_choice(w, item->suggested);
        jsni_json_end(w);
        jsni_json_end(w);
    }
    if (item->answered) {
        jsni_json_begin_array(w, "annotations");
        jsni_json_begin_object(w, NULL);
        jsni_json_put_bool(w, "was_cancelled", item->unsure);
        put_choice(w, item->unsure ? NULL : item->label);
        jsni_json_end(w);
        jsni_json_end(w);
    }
}

/* The labelling interface: FILE.json goes with FILE.xml. */
static jsn_status write_interface(const jsni_label_sheet *sheet, const char *file)
{
    const jsni_audited *a = &sheet->session->audited;
    jsni_text xml = {0}, name = {0};
    jsni_text_add(&xml, "<View>\n  <Image name=\"" PICTURE "\" value=\"$" PICTURE
                        "\"/>\n  <Choices name=\"" CHOICE "\" toName=\"" PICTURE
                        "\" choice=\"single\" showInline=\"true\">\n");
    for (size_t c = 0; c < a->classes; c++) {
        jsni_text_add(&xml, "    <Choice value=\"");
        jsni_escape_xml(&xml, a->names[c]);
        jsni_text_add(&xml, "\"/>\n");
    }
    jsni_text_add(&xml, "  </Choices>\n</View>\n");
    const size_t length = strlen(file);
    const bool json = length > 5 && strcmp(file + length - 5, ".json") == 0;
    jsni_text_add_n(&name, file, json ? length - 5 : length);
    jsni_text_add(&name, ".xml");
    jsn_status status = xml.status != JSN_OK ? xml.status : name.status;
    if (status == JSN_OK)
        status = jsni_label_file_write(sheet, name.data, xml.data, xml.length);
    jsni_text_release(&xml);
    jsni_text_release(&name);
    return status;
}

static jsn_status write_sheet(const jsni_label_sheet *sheet, const char *file)
{
    jsni_json_writer *w = NULL;
    jsn_status status = JSN_OK;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; status == JSN_OK && i < sheet->count; i++) {
        jsni_json_begin_object(w, NULL);
        status = put_data(w, sheet, &sheet->items[i]);
        put_task(w, &sheet->items[i]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    if (status != JSN_OK) {
        jsni_json_writer_destroy(w);
        return status;
    }
    JSNI_TRY(jsni_label_json_write(sheet, file, w));
    return write_interface(sheet, file);
}

/* The one choice of {"choices": ["cat"]}. */
static jsn_status read_choices(const jsni_json *value, const char **label)
{
    const jsni_json *choices = NULL;
    JSNI_TRY(jsni_json_get_array(value, "choices", &choices));
    const jsni_json *only = jsni_json_at(choices, 0);
    if (jsni_json_count(choices) != 1 || jsni_json_kind_of(only) != JSNI_JSON_TEXT)
        return jsni_json_refuse(value, "'choices' is not one class");
    *label = jsni_json_text(only);
    return JSN_OK;
}

/* The last annotation that says something; *label stays NULL when all were skipped. */
static jsn_status read_annotations(const jsni_json *list, const char **label,
                                   bool *there)
{
    for (size_t i = 0; i < jsni_json_count(list); i++) {
        const jsni_json *annotation = jsni_json_at(list, i), *result = NULL;
        *there = true;
        if (jsni_json_bool(jsni_json_get(annotation, "was_cancelled")))
            continue;
        JSNI_TRY(jsni_json_get_array(annotation, "result", &result));
        for (size_t r = 0; r < jsni_json_count(result); r++) {
            const jsni_json *part = jsni_json_at(result, r), *value = NULL;
            if (strcmp(jsni_json_text(jsni_json_get(part, "type")), "choices") != 0)
                continue;
            JSNI_TRY(jsni_json_get_object(part, "value", &value));
            JSNI_TRY(read_choices(value, label));
        }
    }
    return JSN_OK;
}

static jsn_status read_task(const jsni_json *task, jsni_label_answer *answer,
                            bool *there)
{
    const jsni_json *data = jsni_json_get(task, "data");
    if (jsni_json_kind_of(task) != JSNI_JSON_OBJECT)
        return jsni_json_refuse(task, "a task is not an object");
    if (data == NULL) { /* JSON-MIN */
        const jsni_json *choice = jsni_json_get(task, CHOICE);
        JSNI_TRY(jsni_json_get_text(task, "path", &answer->image));
        *there = choice != NULL;
        if (choice == NULL)
            return JSN_OK;
        return jsni_json_kind_of(choice) == JSNI_JSON_OBJECT
                   ? read_choices(choice, &answer->label)
                   : jsni_json_get_text(task, CHOICE, &answer->label);
    }
    if (jsni_json_kind_of(data) != JSNI_JSON_OBJECT)
        return jsni_json_refuse(task, "'data' is not an object");
    JSNI_TRY(jsni_json_get_text(data, "path", &answer->image));
    return read_annotations(jsni_json_get(task, "annotations"), &answer->label, there);
}

static jsn_status read_file(const char *file, jsni_label_answer_fn *take, void *user)
{
    jsni_json *doc = NULL;
    JSNI_TRY(jsni_json_read(&doc, file));
    jsn_status status = JSN_OK;
    if (jsni_json_kind_of(doc) != JSNI_JSON_ARRAY)
        status = jsni_json_refuse(doc, "not a list of tasks of Label Studio");
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(doc); i++) {
        const jsni_json *task = jsni_json_at(doc, i);
        jsni_label_answer answer = {.line = jsni_json_line(task), .entry = i + 1};
        bool there = false;
        status = read_task(task, &answer, &there);
        if (status == JSN_OK && there)
            status = take(user, &answer);
    }
    jsni_json_destroy(doc);
    return status;
}

const jsni_label_format jsni_label_format_label_studio = {
    .info = {"label-studio", "tasks of Label Studio, with its interface in a .xml"},
    .asked = true,
    .write = write_sheet,
    .read = read_file,
};
