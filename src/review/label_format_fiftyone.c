/* review/label_format_fiftyone.c - labels.json of FiftyOne's type FiftyOneImageClassification-
 * Dataset: classes, and for each image, named without its ending, a number among them. What
 * is suggested is an attribute of the label. */
#include "core/fail.h"
#include "review/label_format.h"

static void put_label(jsni_json_writer *w, const jsni_label_sheet *sheet,
                      const char *name, const jsni_label_item *item)
{
    jsni_json_begin_object(w, name);
    jsni_json_put_int(w, "label",
                      jsni_name_index_find(&sheet->session->classes, item->label));
    jsni_json_begin_object(w, "attributes");
    jsni_json_put_text(w, "suggested", item->suggested);
    jsni_json_put_real(w, "score", item->score);
    jsni_json_put_text(w, "kind", item->kind);
    jsni_json_end(w);
    jsni_json_end(w);
}

static jsn_status write_sheet(const jsni_label_sheet *sheet, const char *file)
{
    const jsni_audited *a = &sheet->session->audited;
    jsni_json_writer *w = NULL;
    jsni_bare_names bare = {0};
    JSNI_TRY(jsni_bare_names_make(&bare, a->paths, a->samples));
    jsn_status status = jsni_json_writer_create(&w, 0);
    if (status == JSN_OK) {
        jsni_json_begin_object(w, NULL);
        jsni_json_begin_array(w, "classes");
        for (size_t c = 0; c < a->classes; c++)
            jsni_json_put_text(w, NULL, a->names[c]);
        jsni_json_end(w);
        jsni_json_begin_object(w, "labels");
        for (size_t i = 0; i < sheet->count; i++)
            put_label(w, sheet, bare.names[sheet->items[i].sample], &sheet->items[i]);
        jsni_json_end(w);
        jsni_json_end(w);
        status = jsni_label_json_write(sheet, file, w);
    }
    jsni_bare_names_release(&bare);
    return status;
}

/* A label is a text, or the number of a class; alone, as {"label": ...}, or as a list of one. */
static jsn_status read_label(const jsni_json *classes, const jsni_json *target,
                             const char **label)
{
    const jsni_json *found = target;
    if (jsni_json_kind_of(found) == JSNI_JSON_ARRAY) {
        if (jsni_json_count(found) != 1)
            return jsni_json_refuse(target, "an image has one label");
        found = jsni_json_at(found, 0);
    }
    if (jsni_json_kind_of(found) == JSNI_JSON_OBJECT)
        found = jsni_json_get(found, "label");
    if (jsni_json_is_int(found) && jsni_json_kind_of(classes) == JSNI_JSON_ARRAY) {
        const int64_t number = jsni_json_int(found);
        found = number < 0 ? NULL : jsni_json_at(classes, (size_t)number);
    }
    if (jsni_json_kind_of(found) != JSNI_JSON_TEXT)
        return jsni_json_refuse(target,
                                "the label is neither a class nor the number of one");
    *label = jsni_json_text(found);
    return JSN_OK;
}

static jsn_status read_file(const char *file, jsni_label_answer_fn *take, void *user)
{
    jsni_json *doc = NULL;
    const jsni_json *labels = NULL;
    JSNI_TRY(jsni_json_read(&doc, file));
    jsn_status status = JSN_OK;
    if (jsni_json_kind_of(doc) != JSNI_JSON_OBJECT)
        status = jsni_json_refuse(doc, "not a file of FiftyOne with 'labels'");
    if (status == JSN_OK)
        status = jsni_json_get_object(doc, "labels", &labels);
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(labels); i++) {
        const jsni_json *target = jsni_json_at(labels, i);
        jsni_label_answer answer = {.image = jsni_json_key(target),
                                    .line = jsni_json_line(target),
                                    .entry = i + 1};
        if (jsni_json_kind_of(target) == JSNI_JSON_NULL) /* without a label */
            continue;
        status = read_label(jsni_json_get(doc, "classes"), target, &answer.label);
        if (status == JSN_OK)
            status = take(user, &answer);
    }
    jsni_json_destroy(doc);
    return status;
}

const jsni_label_format jsni_label_format_fiftyone = {
    .info = {"fiftyone", "labels.json of FiftyOne's image classification"},
    .bare = true,
    .write = write_sheet,
    .read = read_file,
};
