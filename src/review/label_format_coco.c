/* review/label_format_coco.c - COCO's annotations, with one box around all of each image: its
 * category is the label. */
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "review/label_format.h"

/* The size of each image, which COCO wants; 0 for one that cannot be read. */
static jsn_status put_images(jsni_json_writer *w, const jsni_label_sheet *sheet,
                             double (*sizes)[2])
{
    const jsni_audited *a = &sheet->session->audited;
    jsn_image image = {0};
    jsn_status status = JSN_OK;
    jsni_json_begin_array(w, "images");
    for (size_t i = 0; status == JSN_OK && i < sheet->count; i++) {
        status = jsn_dataset_image(a->data, a->split, sheet->items[i].sample, &image);
        const bool read = status == JSN_OK;
        if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED)
            status = JSN_OK;
        sizes[i][0] = read ? (double)image.width : 0.0;
        sizes[i][1] = read ? (double)image.height : 0.0;
        jsni_json_begin_object(w, NULL);
        jsni_json_put_int(w, "id", (int64_t)i + 1);
        jsni_json_put_text(w, "file_name", sheet->items[i].path);
        jsni_json_put_real(w, "width", sizes[i][0]);
        jsni_json_put_real(w, "height", sizes[i][1]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsn_image_release(&image);
    return status;
}

static void put_annotations(jsni_json_writer *w, const jsni_label_sheet *sheet,
                            const double (*sizes)[2])
{
    jsni_json_begin_array(w, "annotations");
    for (size_t i = 0; i < sheet->count; i++) {
        const jsni_label_item *item = &sheet->items[i];
        jsni_json_begin_object(w, NULL);
        jsni_json_put_int(w, "id", (int64_t)i + 1);
        jsni_json_put_int(w, "image_id", (int64_t)i + 1);
        jsni_json_put_int(w, "category_id",
                          jsni_name_index_find(&sheet->session->classes, item->label) +
                              1);
        jsni_json_begin_array(w, "bbox");
        jsni_json_put_int(w, NULL, 0);
        jsni_json_put_int(w, NULL, 0);
        jsni_json_put_real(w, NULL, sizes[i][0]);
        jsni_json_put_real(w, NULL, sizes[i][1]);
        jsni_json_end(w);
        jsni_json_put_real(w, "area", sizes[i][0] * sizes[i][1]);
        jsni_json_put_int(w, "iscrowd", 0);
        jsni_json_begin_object(w, "attributes");
        jsni_json_put_text(w, "suggested", item->suggested);
        jsni_json_put_real(w, "score", item->score);
        jsni_json_put_text(w, "kind", item->kind);
        jsni_json_end(w);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static void put_categories(jsni_json_writer *w, const jsni_audited *a)
{
    jsni_json_begin_array(w, "categories");
    for (size_t c = 0; c < a->classes; c++) {
        jsni_json_begin_object(w, NULL);
        jsni_json_put_int(w, "id", (int64_t)c + 1);
        jsni_json_put_text(w, "name", a->names[c]);
        jsni_json_put_text(w, "supercategory", "");
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static jsn_status write_sheet(const jsni_label_sheet *sheet, const char *file)
{
    double(*sizes)[2] = jsni_alloc(sheet->count, sizeof *sizes);
    jsni_json_writer *w = NULL;
    JSNI_TRY_ALLOC(sizes);
    jsn_status status = jsni_json_writer_create(&w, 0);
    if (status == JSN_OK) {
        jsni_json_begin_object(w, NULL);
        jsni_json_begin_object(w, "info");
        jsni_json_put_text(w, "description", sheet->session->audited.spec);
        jsni_json_end(w);
        status = put_images(w, sheet, sizes);
        put_annotations(w, sheet, (const double(*)[2])sizes);
        put_categories(w, &sheet->session->audited);
        jsni_json_end(w);
        if (status == JSN_OK)
            status = jsni_label_json_write(sheet, file, w);
        else
            jsni_json_writer_destroy(w);
    }
    jsni_free(sizes);
    return status;
}

/* The objects of a list that have a number. */
typedef struct numbered {
    int64_t id;
    const jsni_json *entry;
} numbered;

typedef struct numbered_list {
    numbered *list; /* [count], owned: by id */
    size_t count;
} numbered_list;

static int by_id(const void *left, const void *right)
{
    const int64_t a = ((const numbered *)left)->id, b = ((const numbered *)right)->id;
    return a < b ? -1 : a > b;
}

static jsn_status read_list(numbered_list *out, const jsni_json *doc, const char *key)
{
    const jsni_json *list = NULL;
    JSNI_TRY(jsni_json_get_array(doc, key, &list));
    const size_t count = jsni_json_count(list);
    JSNI_TRY_ALLOC(out->list = jsni_alloc(count, sizeof *out->list));
    for (size_t i = 0; i < count; i++) {
        numbered *n = &out->list[i];
        n->entry = jsni_json_at(list, i);
        if (jsni_json_kind_of(n->entry) != JSNI_JSON_OBJECT)
            return jsni_json_refuse(n->entry, "not an object");
        JSNI_TRY(jsni_json_get_int(n->entry, "id", &n->id));
    }
    out->count = count;
    if (count > 1)
        qsort(out->list, count, sizeof *out->list, by_id);
    for (size_t i = 1; i < count; i++)
        if (out->list[i].id == out->list[i - 1].id)
            return jsni_json_refuse(out->list[i].entry, "two entries have this id");
    return JSN_OK;
}

/* `what` of the entry that the annotation names by `key`. */
static jsn_status look_up(const numbered_list *list, const jsni_json *annotation,
                          const char *key, const char *what, const char **out)
{
    numbered wanted = {0};
    JSNI_TRY(jsni_json_get_int(annotation, key, &wanted.id));
    const numbered *found = list->count == 0 ? NULL
                                             : bsearch(&wanted, list->list, list->count,
                                                       sizeof wanted, by_id);
    if (found == NULL)
        return jsni_json_refuse(annotation, "an annotation of an image or a category "
                                            "that the file does not have");
    return jsni_json_get_text(found->entry, what, out);
}

static jsn_status read_annotations(const jsni_json *doc, const numbered_list *images,
                                   const numbered_list *categories,
                                   jsni_label_answer_fn *take, void *user)
{
    const jsni_json *list = NULL;
    JSNI_TRY(jsni_json_get_array(doc, "annotations", &list));
    for (size_t i = 0; i < jsni_json_count(list); i++) {
        const jsni_json *annotation = jsni_json_at(list, i);
        jsni_label_answer answer = {.line = jsni_json_line(annotation), .entry = i + 1};
        if (jsni_json_kind_of(annotation) != JSNI_JSON_OBJECT)
            return jsni_json_refuse(annotation, "not an object");
        JSNI_TRY(look_up(images, annotation, "image_id", "file_name", &answer.image));
        JSNI_TRY(look_up(categories, annotation, "category_id", "name", &answer.label));
        JSNI_TRY(take(user, &answer));
    }
    return JSN_OK;
}

static jsn_status read_file(const char *file, jsni_label_answer_fn *take, void *user)
{
    jsni_json *doc = NULL;
    numbered_list images = {0}, categories = {0};
    JSNI_TRY(jsni_json_read(&doc, file));
    jsn_status status = JSN_OK;
    if (jsni_json_kind_of(doc) != JSNI_JSON_OBJECT)
        status = jsni_json_refuse(doc, "not a file of COCO with 'annotations'");
    if (status == JSN_OK)
        status = read_list(&images, doc, "images");
    if (status == JSN_OK)
        status = read_list(&categories, doc, "categories");
    if (status == JSN_OK)
        status = read_annotations(doc, &images, &categories, take, user);
    jsni_free(images.list);
    jsni_free(categories.list);
    jsni_json_destroy(doc);
    return status;
}

const jsni_label_format jsni_label_format_coco = {
    .info = {"coco", "COCO's annotations, a box around all of each image"},
    .write = write_sheet,
    .read = read_file,
};
