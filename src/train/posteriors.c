/* train/posteriors.c - see posteriors.h. */
#include "train/posteriors.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/csv_match.h"
#include "format/npy.h"
#include "jensen/train.h"
#include "store/run_folder.h"

static jsn_status match_rows(const char *run, const jsn_array *array,
                             const jsni_csv *labels, const char *const *paths,
                             size_t samples, size_t classes, float *out)
{
    size_t column = 0;
    JSNI_TRY(jsni_csv_find(labels, "path", &column));
    const size_t rows = jsni_csv_rows(labels);
    if (array->rank != 2 || array->dtype != JSN_DTYPE_FLOAT32 ||
        array->shape[0] != rows || array->shape[1] != classes)
        return jsni_fail(JSN_ERR_DATA,
                         "%s/%s: must be float32 of %zu samples and %zu classes", run,
                         JSNI_RUN_POSTERIORS, rows, classes);
    size_t *row_of = jsni_alloc(samples, sizeof *row_of);
    JSNI_TRY_ALLOC(row_of);
    jsn_status status = jsni_csv_match(labels, column, paths, samples, row_of);
    for (size_t i = 0; status == JSN_OK && i < samples; i++) {
        if (row_of[i] == JSNI_NO_ROW)
            status =
                jsni_fail(JSN_ERR_DATA,
                          "%s: was not trained on '%s', so it has no posterior for it",
                          run, paths[i]);
        else
            memcpy(out + i * classes, (const float *)array->data + row_of[i] * classes,
                   classes * sizeof *out);
    }
    jsni_free(row_of);
    return status;
}

/* Rows for `paths`, in their order, into out[samples][classes]. */
static jsn_status read_rows(const char *run, const char *const *paths, size_t samples,
                            size_t classes, float *out)
{
    jsn_array array = {0};
    jsni_csv *labels = NULL;
    bool there = false;
    JSNI_TRY(jsni_file_find(run, JSNI_RUN_POSTERIORS, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: no %s; train that run with --record-posteriors 1", run,
                         JSNI_RUN_POSTERIORS);
    jsn_status status = jsni_array_read_in(&array, run, JSNI_RUN_POSTERIORS);
    if (status == JSN_OK)
        status = jsni_csv_read_in(&labels, run, JSNI_RUN_LABELS);
    if (status == JSN_OK)
        status = match_rows(run, &array, labels, paths, samples, classes, out);
    jsni_csv_destroy(labels);
    jsn_array_release(&array);
    return status;
}

jsn_status jsni_posteriors_of_run(const char *run, const jsni_part *part,
                                  size_t classes, float **out)
{
    const char **paths = jsni_alloc(part->count, sizeof *paths);
    *out = jsni_alloc(part->count, classes * sizeof **out);
    jsn_status status = paths == NULL || *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < part->count; i++)
        paths[i] = jsn_dataset_path(part->data, part->split, part->index[i]);
    if (status == JSN_OK)
        status = read_rows(run, paths, part->count, classes, *out);
    jsni_free(paths);
    if (status != JSN_OK) {
        jsni_free(*out);
        *out = NULL;
    }
    return status;
}

jsn_status jsn_run_posteriors(const char *run, const char *const *paths, size_t samples,
                              size_t classes, jsn_array *out)
{
    JSNI_NEED(run);
    JSNI_NEED(out);
    const size_t shape[2] = {samples, classes};
    JSNI_TRY(jsn_array_create(out, JSN_DTYPE_FLOAT32, 2, shape));
    const jsn_status status = read_rows(run, paths, samples, classes, out->data);
    if (status != JSN_OK)
        jsn_array_release(out);
    return status;
}
