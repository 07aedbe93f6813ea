/* train/problem_labels.c - labels from a file in place of those that the data has; see
 * problem.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "core/words.h"
#include "noise/label_file.h"
#include "train/problem.h"

enum { UNLISTED = -1, LEFT_OUT = -2 }; /* in place of a label */

typedef struct table {
    const char *file; /* borrowed */
    jsni_csv *csv;
    jsni_label_rows rows;
    size_t label, truth; /* columns */
    bool has_truth;
    jsni_label_classes classes;
    jsni_label_kind kind;
    uint8_t *used; /* [rows]: names an image of the data */
    size_t listed; /* images with a row */
    size_t images;
    size_t changed;  /* those whose label is another than the data's */
    size_t left_out; /* those with an empty label */
} table;

/* Lists that others of our commands write, which are no labels yet. */
static jsn_status check_kind(const table *t)
{
    size_t at = 0;
    if (jsni_csv_has(t->csv, "label", &at))
        return JSN_OK;
    if (jsni_csv_has(t->csv, "given", &at) && jsni_csv_has(t->csv, "suggested", &at))
        return jsni_fail(JSN_ERR_DATA,
                         "%s: a list of an audit, not of labels; 'jensen labels apply "
                         "DIR --min-score 0.5 --out labels.csv' makes labels of the "
                         "audit in DIR",
                         t->file);
    return JSN_OK;
}

static jsn_status open_table(table *t, const jsni_problem *p)
{
    size_t path = 0;
    JSNI_TRY(jsni_csv_read(&t->csv, t->file));
    JSNI_TRY(check_kind(t));
    JSNI_TRY(jsni_csv_find(t->csv, "path", &path));
    JSNI_TRY(jsni_csv_find(t->csv, "label", &t->label));
    t->has_truth = jsni_csv_has(t->csv, "true", &t->truth);
    t->classes = (jsni_label_classes){p->names, p->classes};
    t->kind =
        jsni_label_names_mislead(t->classes) ? JSNI_LABEL_NAME : JSNI_LABEL_NUMBER;
    JSNI_TRY(jsni_label_rows_make(&t->rows, t->csv, path));
    JSNI_TRY_ALLOC(t->used = jsni_alloc_zero(t->rows.count, 1));
    return JSN_OK;
}

static void close_table(table *t)
{
    jsni_free(t->used);
    jsni_label_rows_release(&t->rows);
    jsni_csv_destroy(t->csv);
}

/* What one row says: a label or LEFT_OUT, and the true one or UNLISTED. */
static jsn_status read_row(const table *t, size_t row, int32_t *label, int32_t *truth)
{
    *label = LEFT_OUT;
    *truth = UNLISTED;
    if (jsni_csv_cell(t->csv, row, t->label)[0] == '\0')
        return JSN_OK;
    JSNI_TRY(
        jsni_label_read(t->csv, t->file, row, t->label, t->classes, t->kind, label));
    if (!t->has_truth || jsni_csv_cell(t->csv, row, t->truth)[0] == '\0')
        return JSN_OK;
    return jsni_label_read(t->csv, t->file, row, t->truth, t->classes, t->kind, truth);
}

/* The rows of one image, which must agree. */
static jsn_status read_rows(table *t, const jsni_label_row *first, int32_t *label,
                            int32_t *truth)
{
    const jsni_label_row *end = t->rows.row + t->rows.count;
    JSNI_TRY(read_row(t, first->number, label, truth));
    for (const jsni_label_row *r = first; r < end && strcmp(r->path, first->path) == 0;
         r++) {
        int32_t other = -1, other_truth = -1;
        JSNI_TRY(read_row(t, r->number, &other, &other_truth));
        if (other != *label || other_truth != *truth)
            return jsni_fail(JSN_ERR_DATA,
                             "%s:%zu: '%.200s' has another %s than in line %zu",
                             t->file, jsni_csv_line(t->csv, r->number), r->path,
                             other != *label ? "label" : "true class",
                             jsni_csv_line(t->csv, first->number));
        t->used[r - t->rows.row] = 1;
    }
    return JSN_OK;
}

static jsn_status read_split(jsni_problem *p, table *t, jsn_split split)
{
    const size_t samples = jsn_dataset_samples(p->data, split);
    int32_t *label = jsni_alloc(samples, sizeof *label);
    p->own.label[split] = label;
    JSNI_TRY_ALLOC(label);
    int32_t *truth = jsni_alloc(samples, sizeof *truth);
    p->own.truth[split] = truth;
    JSNI_TRY_ALLOC(truth);
    t->images += samples;
    for (size_t i = 0; i < samples; i++) {
        const jsni_label_row *row =
            jsni_label_rows_find(&t->rows, jsn_dataset_path(p->data, split, i));
        label[i] = truth[i] = UNLISTED;
        if (row == NULL)
            continue;
        JSNI_TRY(read_rows(t, row, &label[i], &truth[i]));
        t->listed++;
        t->left_out += label[i] == LEFT_OUT;
        t->changed +=
            label[i] != LEFT_OUT && label[i] != jsn_dataset_label(p->data, split, i);
    }
    return JSN_OK;
}

/* Rows that name no image, with the first of them in the order of the file. */
static jsn_status check_unused(const table *t, const jsni_problem *p,
                               const jsn_logger *logger)
{
    size_t unused = 0, first = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        if (t->used[i])
            continue;
        if (unused == 0 || t->rows.row[i].number < t->rows.row[first].number)
            first = i;
        unused++;
    }
    const char *spec = jsn_dataset_about(p->data)->spec;
    if (t->listed == 0 && t->rows.count > 0)
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: none of its rows names an image of %.200s; the first is '%.200s', an "
            "image there is '%.200s'",
            t->file, spec, t->rows.row[first].path,
            jsn_dataset_path(p->data, p->train.split, 0));
    if (t->rows.count == 0)
        return jsni_fail(JSN_ERR_DATA, "%s: has no rows", t->file);
    if (unused == 0 || logger == NULL || logger->message == NULL)
        return JSN_OK;
    char text[900];
    (void)snprintf(
        text, sizeof text,
        "%.200s: %zu %s no image of %.200s, the first is '%.200s' in line %zu", t->file,
        unused, jsni_noun(unused, "row names", "rows name"), spec,
        t->rows.row[first].path, jsni_csv_line(t->csv, t->rows.row[first].number));
    logger->message(logger->user, JSN_LOG_WARNING, text);
    return JSN_OK;
}

static void tell(const table *t, const jsn_logger *logger)
{
    char text[512];
    jsni_text words = jsni_text_in(text, sizeof text);
    const size_t kept = t->images - t->listed;
    if (logger == NULL || logger->message == NULL)
        return;
    jsni_text_format(&words,
                     "labels: %.200s has %zu of the %zu images, %zu with another label "
                     "than the data",
                     t->file, t->listed, t->images, t->changed);
    if (kept > 0)
        jsni_text_format(&words, "; %zu %s without a row %s that of the data", kept,
                         jsni_noun(kept, "image", "images"),
                         jsni_noun(kept, "keeps", "keep"));
    if (t->left_out > 0)
        jsni_text_format(&words, "; %zu %s an empty label and %s left out", t->left_out,
                         jsni_noun(t->left_out, "image has", "images have"),
                         jsni_noun(t->left_out, "is", "are"));
    logger->message(logger->user, JSN_LOG_INFO, text);
}

jsn_status jsni_problem_read_labels(jsni_problem *p, const char *file,
                                    const jsn_logger *logger)
{
    table t = {.file = file};
    jsn_status status = open_table(&t, p);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        if (jsn_dataset_samples(p->data, (jsn_split)s) > 0)
            status = read_split(p, &t, (jsn_split)s);
    if (status == JSN_OK)
        status = check_unused(&t, p, logger);
    if (status == JSN_OK)
        tell(&t, logger);
    p->own.given = true;
    p->own.tells_truth = t.has_truth;
    close_table(&t);
    return status;
}

void jsni_own_labels_release(jsni_own_labels *own)
{
    for (int s = 0; s < JSN_SPLITS; s++) {
        jsni_free(own->label[s]);
        jsni_free(own->truth[s]);
    }
    *own = (jsni_own_labels){0};
}

/* Closes the gaps that the samples of an empty label leave. */
static void leave_out(jsni_part *part, const int32_t *label, size_t classes)
{
    size_t kept = 0;
    for (size_t i = 0; i < part->count; i++) {
        if (label[part->index[i]] == LEFT_OUT)
            continue;
        part->index[kept] = part->index[i];
        part->used[kept] = part->used[i];
        part->given[kept] = part->given[i];
        if (part->soft != NULL)
            memmove(part->soft + kept * classes, part->soft + i * classes,
                    classes * sizeof *part->soft);
        kept++;
    }
    part->count = kept;
}

void jsni_problem_put_labels(const jsni_problem *p, jsni_part *part)
{
    if (!p->own.given || part->data != p->data)
        return;
    const int32_t *label = p->own.label[part->split];
    const int32_t *truth = p->own.truth[part->split];
    for (size_t i = 0; i < part->count; i++) {
        const uint32_t at = part->index[i];
        if (label[at] >= 0) {
            part->used[i] = part->given[i] = label[at];
            for (size_t k = 0; part->soft != NULL && k < p->classes; k++)
                part->soft[i * p->classes + k] = (int32_t)k == label[at] ? 1.0F : 0.0F;
        }
        if (truth[at] >= 0)
            part->given[i] = truth[at];
    }
    leave_out(part, label, p->classes);
}

bool jsni_problem_knows(const jsni_problem *p, const jsni_part *part, size_t i)
{
    /* Noise takes what it starts from for the truth, unless the file says otherwise. */
    return part->truth &&
           (!p->own.tells_truth || p->noise_added || part->data != p->data ||
            p->own.truth[part->split][part->index[i]] >= 0);
}

double jsni_problem_real_noise(const jsni_problem *p)
{
    size_t known = 0, wrong = 0;
    for (size_t i = 0; i < p->train.count; i++) {
        if (!jsni_problem_knows(p, &p->train, i))
            continue;
        known++;
        wrong += jsni_part_mislabelled(&p->train, i);
    }
    return known == 0 ? NAN : (double)wrong / (double)known;
}
