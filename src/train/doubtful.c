/* train/doubtful.c - see doubtful.h. The order is by the probability of the label: it
 * falls where the network is sure of another class, and also where it only knows that the
 * label does not fit, which the confidence of the prediction does not tell. */
#include "train/doubtful.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/text.h"
#include "data/sample_file.h"
#include "format/csv.h"
#include "train/thumbnail.h"

enum { MOST_SHOWN = 60 };

static int by_probability(const void *a, const void *b)
{
    const jsni_doubt *x = a, *y = b;
    if (x->label_probability != y->label_probability)
        return x->label_probability < y->label_probability ? -1 : 1;
    if (x->confidence != y->confidence)
        return x->confidence < y->confidence ? 1 : -1;
    if (x->judged != y->judged)
        return x->judged < y->judged ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

jsn_status jsni_doubtful_rank(jsni_doubtful *out, const jsni_judged *judged,
                              size_t count)
{
    size_t all = 0;
    for (size_t j = 0; j < count; j++)
        all += judged[j].part->count;
    *out = (jsni_doubtful){.judged = judged, .judged_count = count};
    JSNI_TRY_ALLOC(out->doubt = jsni_alloc(all, sizeof *out->doubt));
    for (size_t j = 0; j < count; j++) {
        const jsni_predictions *seen = judged[j].seen;
        for (size_t i = 0; i < judged[j].part->count; i++)
            if (seen->best[i] >= 0 && seen->best[i] != judged[j].part->used[i])
                out->doubt[out->count++] =
                    (jsni_doubt){seen->label_probability[i], seen->confidence[i],
                                 (uint32_t)j, (uint32_t)i};
    }
    if (out->count > 0)
        qsort(out->doubt, out->count, sizeof *out->doubt, by_probability);
    return JSN_OK;
}

void jsni_doubtful_release(jsni_doubtful *list)
{
    jsni_free(list->doubt);
    *list = (jsni_doubtful){0};
}

/* Where the image lies, as seen from the run folder, so that both may move together. An
 * image in an archive lies nowhere. */
static void put_file(const jsni_part *part, uint32_t position, const char *run_folder,
                     jsni_json_writer *w)
{
    char *file = jsni_sample_file(part->data, part->split, part->index[position]);
    char *there = NULL, *between = NULL;
    if (file != NULL && run_folder != NULL && jsni_path_real(file, &there) == JSN_OK)
        between = jsni_path_between(run_folder, there);
    if (between != NULL)
        jsni_json_put_text(w, "file", between);
    jsni_free(between);
    jsni_free(there);
    jsni_free(file);
}

/* Thumbnails and links are a convenience: a build without PNG, or a broken image, leaves
 * them out. */
static jsn_status put_doubt(const jsni_run *run, const jsni_doubtful *list,
                            size_t number, const char *run_folder, jsni_json_writer *w)
{
    const jsni_doubt *doubt = &list->doubt[number];
    const jsni_judged *judged = &list->judged[doubt->judged];
    const jsni_part *part = judged->part;
    const uint32_t at = doubt->position;
    char name[48];
    (void)snprintf(name, sizeof name, "%s/%02zu.png", JSNI_RUN_PICTURES, number + 1);
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "path",
                       jsn_dataset_path(part->data, part->split, part->index[at]));
    jsni_json_put_int(w, "label", part->used[at]);
    jsni_json_put_int(w, "predicted", judged->seen->best[at]);
    jsni_json_put_real(w, "confidence", (double)doubt->confidence);
    jsni_json_put_real(w, "p_given", (double)doubt->label_probability);
    jsni_json_put_text(w, "split", judged->split);
    if (jsni_problem_knows(run->job.problem, part, at))
        jsni_json_put_int(w, "true", part->given[at]);
    put_file(part, at, run_folder, w);
    const jsn_status status = jsni_thumbnail_write(
        part->data, part->split, part->index[at], run->folder.path, name);
    if (status == JSN_OK)
        jsni_json_put_text(w, "thumbnail", name);
    jsni_json_end(w);
    return status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED ? JSN_OK : status;
}

jsn_status jsni_doubtful_put(const jsni_run *run, const jsni_doubtful *list,
                             jsni_json_writer *w)
{
    char *real = NULL;
    jsn_status status = jsni_folder_create_in(run->folder.path, JSNI_RUN_PICTURES);
    if (jsni_path_real(run->folder.path, &real) != JSN_OK)
        real = NULL;
    jsni_json_begin_array(w, "doubtful");
    for (size_t i = 0; status == JSN_OK && i < list->count && i < MOST_SHOWN; i++)
        status = put_doubt(run, list, i, real, w);
    jsni_json_end(w);
    jsni_free(real);
    return status;
}

static void add_real(jsni_csv_writer *csv, const char *format, double value)
{
    char text[32];
    (void)jsni_format(text, sizeof text, format, value);
    jsni_csv_add(csv, text);
}

static void add_row(jsni_csv_writer *csv, const jsni_problem *p,
                    const jsni_doubtful *list, const jsni_doubt *doubt, bool truth)
{
    const jsni_judged *judged = &list->judged[doubt->judged];
    const jsni_part *part = judged->part;
    const uint32_t at = doubt->position;
    jsni_csv_add(csv, jsn_dataset_path(part->data, part->split, part->index[at]));
    jsni_csv_add(csv, p->names[part->used[at]]);
    jsni_csv_add(csv, p->names[judged->seen->best[at]]);
    add_real(csv, "%.6f", (double)doubt->confidence);
    add_real(csv, "%.4g", (double)doubt->label_probability);
    jsni_csv_add(csv, judged->split);
    if (truth)
        jsni_csv_add(csv,
                     jsni_problem_knows(p, part, at) ? p->names[part->given[at]] : "");
    jsni_csv_end_row(csv);
}

static void tell(const jsni_run *run, const jsni_doubtful *list)
{
    char text[600];
    jsni_text words = jsni_text_in(text, sizeof text);
    jsni_text_format(&words, "the network contradicts %zu of ", list->count);
    for (size_t j = 0; j < list->judged_count; j++) {
        size_t read = 0;
        for (size_t i = 0; i < list->judged[j].part->count; i++)
            read += list->judged[j].seen->best[i] >= 0;
        jsni_text_format(&words, "%s%zu %s", j > 0 ? " and " : "", read,
                         j > 0 ? "validation" : "training");
    }
    jsni_text_format(&words, " labels; see %.400s/%s", run->folder.path,
                     JSNI_RUN_DOUBTFUL);
    run->logger.message(run->logger.user, JSN_LOG_INFO, text);
}

jsn_status jsni_doubtful_write(const jsni_run *run, const jsni_doubtful *list)
{
    static const char *const columns[] = {"path",       "label",   "predicted",
                                          "confidence", "p_given", "split"};
    const jsni_problem *p = run->job.problem;
    const bool truth = p->train.truth;
    jsni_csv_writer csv = {0};
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        jsni_csv_add(&csv, columns[c]);
    if (truth)
        jsni_csv_add(&csv, "true");
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < list->count; i++)
        add_row(&csv, p, list, &list->doubt[i], truth);
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_run_write(&run->folder, JSNI_RUN_DOUBTFUL, csv.text.data,
                                csv.text.length);
    if (status == JSN_OK && list->count > 0)
        tell(run, list);
    jsni_text_release(&csv.text);
    return status;
}
