/* review/audit_page.c - audit.html: the numbers, the confused pairs, the matrix, and the
 * first suspects as pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "report/html.h"
#include "report/matrix.h"
#include "review/review_impl.h"
#include "train/thumbnail.h"

enum { MOST_PICTURES = 60, MOST_PAIRS = 20, MATRIX_CLASSES = 100 };
/* A picture has at most 96 pixels a side. */
#define MOST_PNG_BYTES ((size_t)1 << 16)

static void put_cautions(jsni_text *page, const jsni_audit_record *r)
{
    if (r->in_sample)
        jsni_html_caution(
            page, "The network was trained on the labels that it judges here. What it "
                  "has learnt by heart is not found; an audit by folds finds more.");
    if (jsni_record_is_guess(r))
        jsni_html_caution(page, JSNI_AUDIT_GUESS);
}

static void put_numbers(jsni_text *page, const jsni_audit_record *r)
{
    const jsn_audit_result *a = r->result;
    char value[64], remark[96];
    jsni_html_numbers_begin(page);
    (void)jsni_format(value, sizeof value, "%.1f%%", 100.0 * a->noise_rate);
    (void)jsni_format(remark, sizeof remark, "%.1f%% to %.1f%%", 100.0 * a->noise_low,
                      100.0 * a->noise_high);
    jsni_html_number(page, "wrong labels, estimated", value, remark);
    (void)jsni_format(value, sizeof value, "%.0f", a->expected_errors);
    (void)snprintf(remark, sizeof remark, "of %zu images", a->samples);
    jsni_html_number(page, "expected", value, remark);
    (void)snprintf(value, sizeof value, "%zu", a->suspects);
    (void)jsni_format(remark, sizeof remark, "chance of %.0f%% and more",
                      100.0 * r->job->how.cutoff);
    jsni_html_number(page, "suspects", value, remark);
    jsni_html_numbers_end(page);
}

typedef struct class_pair {
    double count;
    size_t given, truth;
} class_pair;

static int by_count(const void *left, const void *right)
{
    const class_pair *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->given != b->given ? (a->given < b->given ? -1 : 1)
                                : (a->truth < b->truth ? -1 : 1);
}

static void put_pairs(jsni_text *page, const jsni_audit_record *r)
{
    const size_t k = r->result->classes;
    class_pair *pairs = jsni_alloc(k * k, sizeof *pairs);
    size_t count = 0;
    if (pairs == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    for (size_t i = 0; i < k * k; i++)
        if (i / k != i % k && r->result->matrix[i] >= 0.5)
            pairs[count++] = (class_pair){r->result->matrix[i], i / k, i % k};
    qsort(pairs, count, sizeof *pairs, by_count);
    jsni_table table = {0};
    jsni_table_column(&table, NULL, "Label", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Probably", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Images", JSNI_ALIGN_RIGHT);
    jsni_table_column(&table, NULL, "% of the label", JSNI_ALIGN_RIGHT);
    for (size_t i = 0; i < count && i < MOST_PAIRS; i++) {
        double labels = 0.0;
        for (size_t c = 0; c < k; c++)
            labels += r->result->matrix[pairs[i].given * k + c];
        jsni_table_row(&table);
        jsni_table_text(&table, r->audited->names[pairs[i].given]);
        jsni_table_text(&table, r->audited->names[pairs[i].truth]);
        jsni_table_number(&table, pairs[i].count, NAN, 0);
        jsni_table_number(&table, 100.0 * pairs[i].count / labels, NAN, 1);
    }
    if (count > 0) {
        jsni_html_heading(page, "Confused classes");
        jsni_html_table(page, &table);
    }
    jsni_table_release(&table);
    jsni_free(pairs);
}

static void put_matrix(jsni_text *page, const jsni_audit_record *r)
{
    const size_t k = r->result->classes;
    if (k > MATRIX_CLASSES)
        return;
    double *shares = jsni_alloc(k * k, sizeof *shares);
    if (shares == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    for (size_t given = 0; given < k; given++) {
        double sum = 0.0;
        for (size_t c = 0; c < k; c++)
            sum += r->result->matrix[given * k + c];
        for (size_t c = 0; c < k; c++)
            shares[given * k + c] =
                sum > 0.0 ? r->result->matrix[given * k + c] / sum : NAN;
    }
    const jsni_matrix matrix = {.row_label = "given label",
                                .column_label = "estimated true class",
                                .names = r->audited->names,
                                .values = shares,
                                .size = k};
    jsni_html_heading(page, "Given labels and true classes");
    jsni_html_figure_begin(page);
    jsni_matrix_figure(page, &matrix,
                       "Share of each true class among the images of a "
                       "label",
                       false);
    jsni_html_figure_end(page,
                         "Estimated, in percent of the images that carry a label.");
    jsni_free(shares);
}

/* A suspect with its picture; one that cannot be read, or a build without PNG, has none. */
static jsn_status put_picture(jsni_text *page, const jsni_audit_record *r, size_t rank,
                              const char *folder)
{
    const size_t sample = r->result->order[rank];
    const int32_t given = r->audited->labels[sample];
    const int32_t suggested = r->result->suggested[sample];
    char name[48], first[256], second[96], *png = NULL;
    const char *slash = strrchr(r->audited->paths[sample], '/');
    (void)snprintf(name, sizeof name, "%s/%03zu.png", JSNI_AUDIT_PICTURES, rank + 1);
    const jsn_status status =
        jsni_thumbnail_write(r->audited->data, r->audited->split, sample, folder, name);
    if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED)
        return JSN_OK;
    JSNI_TRY(status);
    (void)snprintf(first, sizeof first, "%.100s \xe2\x86\x92 %.100s",
                   r->audited->names[given], r->audited->names[suggested]);
    const double percent = 100.0 * (double)r->result->score[sample];
    (void)jsni_format(second, sizeof second, "wrong: %s%.0f%%",
                      percent < 99.5 ? "" : "> ", percent < 99.5 ? percent : 99.0);
    jsni_gallery_image image = {
        .line = {first, second, slash != NULL ? slash + 1 : r->audited->paths[sample]},
        .name = r->audited->paths[sample]};
    if (r->result->kind[sample] != JSN_AUDIT_LABEL)
        image.flag = jsn_audit_kind_name((jsn_audit_kind)r->result->kind[sample]);
    JSNI_TRY(jsni_file_read_in(folder, name, MOST_PNG_BYTES, &png, &image.bytes));
    image.png = png;
    jsni_html_gallery_png(page, &image);
    jsni_free(png);
    return JSN_OK;
}

static jsn_status put_suspects(jsni_text *page, const jsni_audit_record *r,
                               const char *folder)
{
    const size_t shown =
        r->result->suspects < MOST_PICTURES ? r->result->suspects : MOST_PICTURES;
    char words[200];
    jsni_html_heading(page, "Suspects");
    if (shown == 0) {
        jsni_html_paragraph(page, "No label is more likely wrong than right.");
        return JSN_OK;
    }
    (void)snprintf(
        words, sizeof words,
        "The first %zu of %zu: label \xe2\x86\x92 what fits better. %s lists "
        "all of them.",
        shown, r->result->suspects, JSNI_AUDIT_SUSPECTS);
    jsni_html_paragraph(page, words);
    JSNI_TRY(jsni_folder_create_in(folder, JSNI_AUDIT_PICTURES));
    jsni_html_gallery_begin(page, 104);
    for (size_t i = 0; i < shown; i++)
        JSNI_TRY(put_picture(page, r, i, folder));
    jsni_html_gallery_end(page);
    return JSN_OK;
}

static void put_how(jsni_text *page, const jsni_audit_record *r)
{
    char folds[128];
    (void)snprintf(folds, sizeof folds,
                   "%zu folds, each judged by a network that was "
                   "trained on the others",
                   r->job->folds);
    jsni_html_heading(page, "How");
    jsni_html_facts_begin(page);
    jsni_html_fact(page, "data", r->audited->spec);
    if (r->audited->file != NULL)
        jsni_html_fact(page, "labels", r->audited->file);
    jsni_html_fact(page, "probabilities",
                   r->job->posteriors != NULL ? r->job->posteriors
                   : r->audited->run != NULL  ? r->audited->run
                                              : folds);
    jsni_html_fact(page, "method", r->job->how.method);
    jsni_html_facts_end(page);
}

jsn_status jsni_audit_write_page(const jsni_audit_record *record, const char *folder)
{
    jsni_text page = {0};
    char title[200];
    (void)snprintf(title, sizeof title, "Audit of %.150s", record->audited->spec);
    jsni_html_begin(&page, title, "which labels are probably wrong");
    put_numbers(&page, record);
    put_cautions(&page, record);
    jsn_status status = put_suspects(&page, record, folder);
    put_pairs(&page, record);
    put_matrix(&page, record);
    put_how(&page, record);
    jsni_html_end(&page);
    if (status == JSN_OK)
        status = page.status;
    if (status == JSN_OK)
        status =
            jsni_file_write_unsynced(folder, JSNI_AUDIT_PAGE, page.data, page.length);
    jsni_text_release(&page);
    return status;
}
