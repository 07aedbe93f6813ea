/* store/record_evaluation.c - see record_evaluation.h. */
#include "store/record_evaluation.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "store/record_field.h"
#include "store/run_folder.h"

enum { MOST_BINS = 1000 };

static void release_part(jsni_record_part *part)
{
    jsni_free(part->bins);
    jsni_free(part->class_accuracy);
    jsni_free(part->confusion);
}

void jsni_record_evaluation_release(jsni_record_evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->doubtful_count; i++) {
        jsni_free(evaluation->doubtful[i].path);
        jsni_free(evaluation->doubtful[i].thumbnail);
        jsni_free(evaluation->doubtful[i].file);
    }
    jsni_free(evaluation->doubtful);
    jsni_free(evaluation->verdict.images);
    release_part(&evaluation->val);
    release_part(&evaluation->test);
    jsni_record_names_release(evaluation->classes, evaluation->class_count);
    *evaluation = (jsni_record_evaluation){0};
}

static const char not_one_each[] = "there is not one number for each class";

/* One number for each of `count` classes. */
static jsn_status take_row(const jsni_json *list, size_t count, const char *what,
                           jsni_range range, double *out)
{
    if (jsni_json_kind_of(list) != JSNI_JSON_ARRAY || jsni_json_count(list) != count)
        return jsni_json_refuse(list, not_one_each);
    for (size_t k = 0; k < count; k++)
        JSNI_TRY(jsni_record_value(jsni_json_at(list, k), what, range, &out[k]));
    return JSN_OK;
}

static jsn_status take_confusion(jsni_record_part *part, const jsni_json *object,
                                 size_t classes)
{
    const jsni_json *rows = NULL;
    JSNI_TRY(jsni_record_entries(object, "confusion", JSNI_JSON_ARRAY, classes, &rows));
    if (rows == NULL)
        return JSN_OK;
    if (jsni_json_count(rows) != classes)
        return jsni_json_refuse(rows, "there is not one row for each class");
    /* Before the memory is asked for: a short file may claim a million classes. */
    for (size_t k = 0; k < classes; k++)
        if (jsni_json_count(jsni_json_at(rows, k)) != classes)
            return jsni_json_refuse(jsni_json_at(rows, k), not_one_each);
    JSNI_TRY_ALLOC(part->confusion =
                       jsni_alloc_zero(classes * classes, sizeof(double)));
    for (size_t k = 0; k < classes; k++)
        JSNI_TRY(take_row(jsni_json_at(rows, k), classes, "a count of the confusion",
                          jsni_range_quantity, part->confusion + k * classes));
    return JSN_OK;
}

static jsn_status take_bins(jsni_record_part *part, const jsni_json *object)
{
    const jsni_json *list = NULL;
    JSNI_TRY(
        jsni_record_entries(object, "calibration", JSNI_JSON_ARRAY, MOST_BINS, &list));
    if (jsni_json_count(list) == 0)
        return JSN_OK;
    JSNI_TRY_ALLOC(part->bins =
                       jsni_alloc_zero(jsni_json_count(list), sizeof *part->bins));
    part->bin_count = jsni_json_count(list);
    for (size_t b = 0; b < part->bin_count; b++) {
        const jsni_json *bin = jsni_json_at(list, b);
        static const char what[] = "a number of the calibration";
        if (jsni_json_kind_of(bin) != JSNI_JSON_ARRAY || jsni_json_count(bin) != 3)
            return jsni_json_refuse(
                bin, "a bin of the calibration is not samples, accuracy, confidence");
        jsni_record_bin *to = &part->bins[b];
        JSNI_TRY(jsni_record_value(jsni_json_at(bin, 0), what, jsni_range_quantity,
                                   &to->samples));
        JSNI_TRY(jsni_record_value(jsni_json_at(bin, 1), what, jsni_range_share,
                                   &to->accuracy));
        JSNI_TRY(jsni_record_value(jsni_json_at(bin, 2), what, jsni_range_share,
                                   &to->confidence));
    }
    return JSN_OK;
}

static jsn_status take_part(jsni_record_part *part, const jsni_json *doc,
                            const char *key, size_t classes)
{
    const jsni_json *object = NULL, *list = NULL;
    JSNI_TRY(jsni_record_entries(doc, key, JSNI_JSON_OBJECT, SIZE_MAX, &object));
    part->known = object != NULL;
    JSNI_TRY(
        jsni_record_int(object, "samples", 0, INT64_C(1) << 40, -1, &part->samples));
    JSNI_TRY(jsni_record_real(object, "accuracy", jsni_range_share, &part->accuracy));
    JSNI_TRY(jsni_record_real(object, "top5", jsni_range_share, &part->top5));
    JSNI_TRY(jsni_record_real(object, "loss", jsni_range_any, &part->loss));
    JSNI_TRY(jsni_record_real(object, "ece", jsni_range_share, &part->ece));
    JSNI_TRY(take_bins(part, object));
    JSNI_TRY(
        jsni_record_entries(object, "class_accuracy", JSNI_JSON_ARRAY, classes, &list));
    if (list != NULL) {
        JSNI_TRY_ALLOC(part->class_accuracy = jsni_alloc_zero(classes, sizeof(double)));
        JSNI_TRY(take_row(list, classes, "an accuracy of a class", jsni_range_share,
                          part->class_accuracy));
    }
    return take_confusion(part, object, classes);
}

/* Names inside the run folder only. */
static bool inside(const char *name)
{
    return name[0] != '/' && name[0] != '\0' && strstr(name, "..") == NULL;
}

static jsn_status take_doubt(jsni_record_doubt *doubt, const jsni_json *entry,
                             int64_t classes)
{
    if (jsni_json_kind_of(entry) != JSNI_JSON_OBJECT)
        return jsni_json_refuse(entry, "a doubtful label is not an object");
    JSNI_TRY(jsni_record_text(entry, "path", &doubt->path));
    JSNI_TRY(jsni_record_int(entry, "label", 0, classes - 1, -1, &doubt->label));
    JSNI_TRY(
        jsni_record_int(entry, "predicted", 0, classes - 1, -1, &doubt->predicted));
    JSNI_TRY(jsni_record_int(entry, "true", 0, classes - 1, -1, &doubt->truth));
    JSNI_TRY(
        jsni_record_real(entry, "confidence", jsni_range_share, &doubt->confidence));
    JSNI_TRY(jsni_record_real(entry, "p_given", jsni_range_share,
                              &doubt->label_probability));
    JSNI_TRY(jsni_record_text(entry, "file", &doubt->file));
    char *split = NULL;
    JSNI_TRY(jsni_record_text(entry, "split", &split));
    doubt->validation = split != NULL && strcmp(split, "val") == 0;
    jsni_free(split);
    JSNI_TRY(jsni_record_text(entry, "thumbnail", &doubt->thumbnail));
    if (doubt->thumbnail != NULL && !inside(doubt->thumbnail))
        return jsni_json_refuse(entry, "a thumbnail lies outside of the run folder");
    return JSN_OK;
}

static jsn_status take_verdict(jsni_record_verdict *verdict, const jsni_json *doc)
{
    static const char *const words[] = {"", "fair", "weak", "none"};
    const jsni_json *object = NULL;
    char *trust = NULL;
    JSNI_TRY(jsni_record_entries(doc, "verdict", JSNI_JSON_OBJECT, SIZE_MAX, &object));
    JSNI_TRY(jsni_record_text(object, "trust", &trust));
    for (int t = JSNI_RECORD_TRUST_FAIR; trust != NULL && t <= JSNI_RECORD_TRUST_NONE;
         t++)
        if (strcmp(trust, words[t]) == 0)
            verdict->trust = (jsni_record_trust)t;
    jsni_free(trust);
    JSNI_TRY(jsni_record_text(object, "images", &verdict->images));
    JSNI_TRY(jsni_record_int(object, "count", 0, INT64_C(1) << 40, 0, &verdict->count));
    JSNI_TRY(
        jsni_record_real(object, "agreement", jsni_range_share, &verdict->agreement));
    return jsni_record_real(object, "chance", jsni_range_share, &verdict->chance);
}

/* Value, low and high of an estimate. */
static jsn_status take_estimate(const jsni_json *object, const char *key, double out[3])
{
    const jsni_json *list = NULL;
    JSNI_TRY(jsni_record_entries(object, key, JSNI_JSON_ARRAY, 3, &list));
    for (size_t i = 0; i < 3; i++) {
        out[i] = NAN;
        if (i < jsni_json_count(list))
            JSNI_TRY(jsni_record_value(jsni_json_at(list, i), key, jsni_range_share,
                                       &out[i]));
    }
    return JSN_OK;
}

static jsn_status take_val_labels(jsni_record_val_labels *labels, const jsni_json *doc)
{
    const jsni_json *object = NULL;
    JSNI_TRY(
        jsni_record_entries(doc, "val_labels", JSNI_JSON_OBJECT, SIZE_MAX, &object));
    labels->known = object != NULL;
    JSNI_TRY(jsni_record_int(object, "sure", 0, INT64_C(1) << 40, 0, &labels->sure));
    JSNI_TRY(take_estimate(object, "noise", labels->noise));
    return take_estimate(object, "accuracy", labels->accuracy);
}

static jsn_status take(jsni_record_evaluation *evaluation, const jsni_json *doc)
{
    const jsni_json *list = NULL;
    JSNI_TRY(jsni_record_names(doc, "classes", JSNI_RECORD_MOST_CLASSES,
                               &evaluation->classes, &evaluation->class_count));
    const size_t classes = evaluation->class_count;
    JSNI_TRY(take_part(&evaluation->val, doc, "val", classes));
    JSNI_TRY(take_part(&evaluation->test, doc, "test", classes));
    JSNI_TRY(take_verdict(&evaluation->verdict, doc));
    JSNI_TRY(take_val_labels(&evaluation->val_labels, doc));
    JSNI_TRY(jsni_record_int(doc, "contradicted", 0, INT64_C(1) << 40, -1,
                             &evaluation->contradicted));
    JSNI_TRY(jsni_record_entries(doc, "doubtful", JSNI_JSON_ARRAY,
                                 JSNI_RECORD_MOST_DOUBTFUL, &list));
    if (jsni_json_count(list) == 0)
        return JSN_OK;
    JSNI_TRY_ALLOC(evaluation->doubtful = jsni_alloc_zero(
                       jsni_json_count(list), sizeof *evaluation->doubtful));
    evaluation->doubtful_count = jsni_json_count(list);
    for (size_t i = 0; i < evaluation->doubtful_count; i++)
        JSNI_TRY(take_doubt(&evaluation->doubtful[i], jsni_json_at(list, i),
                            (int64_t)classes));
    return JSN_OK;
}

jsn_status jsni_record_evaluation_read(jsni_record_evaluation *evaluation,
                                       const char *folder, bool *found)
{
    jsni_json *doc = NULL;
    *evaluation = (jsni_record_evaluation){0};
    *found = false;
    JSNI_TRY(jsni_record_open(folder, JSNI_RUN_EVALUATION, &doc));
    if (doc == NULL)
        return JSN_OK;
    const jsn_status status = take(evaluation, doc);
    *found = status == JSN_OK;
    if (status != JSN_OK)
        jsni_record_evaluation_release(evaluation);
    jsni_json_destroy(doc);
    return status;
}
