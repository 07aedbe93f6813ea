/* report/run_labels.c - see run_labels.h. */
#include "report/run_labels.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/words.h"
#include "report/html.h"
#include "store/run_folder.h"

/* Those of a run have at most 96 pixels a side. */
#define MOST_PNG_BYTES ((size_t)1 << 16)

static const char *class_name(const jsni_run_record *run, int64_t label)
{
    return label >= 0 ? run->evaluation.classes[label] : "?";
}

void jsni_run_labels_validation(jsni_text *page, const jsni_run_record *run)
{
    const jsni_record_val_labels *v = &run->evaluation.val_labels;
    char paragraph[1200];
    jsni_text words = jsni_text_in(paragraph, sizeof paragraph);
    if (!v->known)
        return;
    jsni_text_add(
        &words, "The validation images were split off the training data: their labels "
                "are wrong as often as those of the training images. A network without "
                "a mistake would not reach 100% here, but the share of right labels: "
                "90% when a tenth is wrong.");
    if (v->sure > 0 && !isnan(v->accuracy[0]) && !isnan(v->accuracy[1]) &&
        !isnan(v->accuracy[2]))
        jsni_text_format(
            &words,
            " An estimate: the network contradicts %.0f%% of the labels of the %lld "
            "validation images that it is surest of. If it is right about these, about "
            "%.0f%% of all labels are wrong (%.0f%% to %.0f%%), about %.0f%% can be "
            "reached here, and against right labels the accuracy is about %.0f%% "
            "(%.0f%% to %.0f%%). This assumes that wrong labels are spread evenly over "
            "the other classes, and that the network errs as often on images with "
            "wrong "
            "labels as on others.",
            100.0 * v->noise[0], (long long)v->sure, 100.0 * v->noise[0],
            100.0 * v->noise[1], 100.0 * v->noise[2], 100.0 * (1.0 - v->noise[0]),
            100.0 * v->accuracy[0], 100.0 * v->accuracy[1], 100.0 * v->accuracy[2]);
    jsni_html_note(page, paragraph);
}

static void put_trust(jsni_text *page, const jsni_record_verdict *v)
{
    char paragraph[600];
    jsni_text words = jsni_text_in(paragraph, sizeof paragraph);
    if (v->trust <= JSNI_RECORD_TRUST_FAIR || v->images == NULL || isnan(v->agreement))
        return;
    const bool lucky = strcmp(v->images, "training") != 0 && v->agreement > v->chance;
    const bool none = v->trust == JSNI_RECORD_TRUST_NONE && !lucky;
    jsni_text_format(
        &words, "%s: the network finds the label of %.1f%% of the %lld %.20s images",
        none ? "This list is worthless" : "Take this list with care",
        100.0 * v->agreement, (long long)v->count, v->images);
    if (none)
        jsni_text_format(
            &words,
            ", no better than a guess (naming one class always: %.1f%%). It "
            "has learned nothing yet that tells right labels from wrong "
            "ones. Train longer or with another learning rate first.",
            100.0 * v->chance);
    else if (v->trust == JSNI_RECORD_TRUST_NONE)
        jsni_text_format(&words,
                         ", which may be luck (naming one class always: %.1f%%).",
                         100.0 * v->chance);
    else
        jsni_text_add(&words,
                      ", less than half. Unless very many labels are wrong, most "
                      "of those that it contradicts are right.");
    jsni_html_caution(page, paragraph);
}

/* The address of the image as seen from the folder of the page, both as the file system
 * has them now; NULL when there is no such file, and no link then. */
static char *find_address(const jsni_run_record *run, const jsni_record_doubt *doubt,
                          const char *folder)
{
    char *from_run = NULL, *real = NULL, *way = NULL, *address = NULL;
    jsni_text text = {0};
    if (folder == NULL || doubt->file == NULL)
        return NULL;
    from_run = jsni_path_join(run->path, doubt->file);
    if (from_run != NULL && jsni_file_exists(from_run) &&
        jsni_path_real(from_run, &real) == JSN_OK)
        way = jsni_path_between(folder, real);
    for (const char *c = way; c != NULL && *c != '\0'; c++) {
        const bool plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
                           (*c >= 'a' && *c <= 'z') || strchr("-._~/", *c) != NULL;
        jsni_text_format(&text, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    if (way != NULL && jsni_text_take(&text, &address) != JSN_OK)
        address = NULL;
    jsni_free(way);
    jsni_free(real);
    jsni_free(from_run);
    return address;
}

/* A picture, not whatever a file of that name holds. */
static bool is_png(const char *data, size_t bytes)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    return bytes >= sizeof signature - 1 &&
           memcmp(data, signature, sizeof signature - 1) == 0;
}

static void add_image(jsni_text *page, const jsni_run_record *run,
                      const jsni_record_doubt *doubt, const char *folder)
{
    char first[256], second[256];
    if (doubt->thumbnail == NULL)
        return;
    jsni_text pair = jsni_text_in(first, sizeof first);
    jsni_text_format(&pair, "%s \xe2\x86\x92 %s", class_name(run, doubt->label),
                     class_name(run, doubt->predicted));
    jsni_text words = jsni_text_in(second, sizeof second);
    if (!isnan(doubt->label_probability))
        jsni_text_format(&words, "%.1f%% \xe2\x86\x92 ",
                         100.0 * doubt->label_probability);
    jsni_text_format(&words, "%.1f%%", 100.0 * doubt->confidence);
    if (doubt->truth >= 0)
        jsni_text_format(&words, "; true: %s", class_name(run, doubt->truth));
    if (doubt->validation)
        jsni_text_add(&words, "; validation");
    char *address = find_address(run, doubt, folder);
    char *png = NULL;
    const char *slash = doubt->path != NULL ? strrchr(doubt->path, '/') : NULL;
    jsni_gallery_image image = {
        .line = {first, second, slash != NULL ? slash + 1 : doubt->path},
        .flag =
            doubt->truth >= 0 && doubt->truth != doubt->label ? "wrong label" : NULL,
        .name = doubt->path,
        .link = address};
    const jsn_status status = jsni_file_read_in(run->path, doubt->thumbnail,
                                                MOST_PNG_BYTES, &png, &image.bytes);
    image.png = png;
    if (status == JSN_OK && is_png(png, image.bytes))
        jsni_html_gallery_png(page, &image);
    else if (status != JSN_OK && status != JSN_ERR_DATA)
        page->status = status;
    jsni_free(png);
    jsni_free(address);
}

static void put_list(jsni_text *page, const jsni_run_record *run)
{
    static const char *const titles[] = {"Image", "Label", "Predicted"};
    const jsni_record_evaluation *e = &run->evaluation;
    jsni_table table = {0};
    for (size_t c = 0; c < sizeof titles / sizeof titles[0]; c++)
        jsni_table_column(&table, NULL, titles[c], JSNI_ALIGN_LEFT);
    jsni_table_column(&table, "Probability, %", "of the label", JSNI_ALIGN_RIGHT);
    jsni_table_column(&table, "Probability, %", "of the prediction", JSNI_ALIGN_RIGHT);
    jsni_table_column(&table, NULL, "True", JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < e->doubtful_count; i++) {
        const jsni_record_doubt *doubt = &e->doubtful[i];
        jsni_table_row(&table);
        jsni_table_text(&table, doubt->path != NULL ? doubt->path : "");
        jsni_table_text(&table, class_name(run, doubt->label));
        jsni_table_text(&table, class_name(run, doubt->predicted));
        jsni_table_number(&table, 100.0 * doubt->label_probability, NAN, 2);
        jsni_table_number(&table, 100.0 * doubt->confidence, NAN, 2);
        if (doubt->truth >= 0)
            jsni_table_text(&table, class_name(run, doubt->truth));
        else
            (void)jsni_table_empty(&table);
    }
    jsni_html_fold_begin(page, "The same as a list with file names");
    jsni_html_table(page, &table);
    jsni_html_fold_end(page);
    jsni_table_release(&table);
}

static void put_introduction(jsni_text *page, const jsni_record_evaluation *e)
{
    const size_t count = e->doubtful_count;
    size_t known = 0, wrong = 0, validation = 0;
    for (size_t i = 0; i < count; i++) {
        const jsni_record_doubt *doubt = &e->doubtful[i];
        known += doubt->truth >= 0;
        wrong += doubt->truth >= 0 && doubt->truth != doubt->label;
        validation += doubt->validation;
    }
    char paragraph[600];
    jsni_text words = jsni_text_in(paragraph, sizeof paragraph);
    jsni_text_format(&words,
                     "The %zu %s whose label the network contradicts and finds least "
                     "probable: label \xe2\x86\x92 prediction, and the probability of "
                     "both.",
                     count, jsni_noun(count, "image", "images"));
    if (validation > 0)
        jsni_text_format(&words, " %zu of them %s not trained on (validation).",
                         validation, jsni_noun(validation, "was", "were"));
    if (e->contradicted > (int64_t)count)
        jsni_text_format(&words,
                         " " JSNI_RUN_DOUBTFUL
                         " in the run folder lists all %lld contradicted ones.",
                         (long long)e->contradicted);
    if (known > 0)
        jsni_text_format(&words, " %zu of %zu %s %s known to be wrong.", wrong, known,
                         jsni_noun(known, "label", "labels"),
                         jsni_noun(wrong, "is", "are"));
    jsni_html_paragraph(page, paragraph);
}

/* The folder of the page as the file system has it; NULL: not known. */
static char *page_folder(const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    char *folder = NULL, *real = NULL;
    if (path == NULL)
        return NULL;
    folder = slash == NULL ? jsni_text_copy(".")
                           : jsni_text_copy_n(path, (size_t)(slash - path) + 1);
    if (folder != NULL && jsni_path_real(folder, &real) != JSN_OK)
        real = NULL;
    jsni_free(folder);
    return real;
}

void jsni_run_labels_doubtful(jsni_text *page, const jsni_run_record *run,
                              const char *path)
{
    const jsni_record_evaluation *e = &run->evaluation;
    const bool worthless = e->verdict.trust == JSNI_RECORD_TRUST_NONE;
    if (e->doubtful_count == 0)
        return;
    jsni_html_heading(page, "Doubtful labels");
    put_trust(page, &e->verdict);
    if (worthless)
        jsni_html_fold_begin(page, "Show the list all the same");
    put_introduction(page, e);
    char *folder = page_folder(path);
    jsni_html_gallery_begin(page, 104);
    for (size_t i = 0; i < e->doubtful_count; i++)
        add_image(page, run, &e->doubtful[i], folder);
    jsni_html_gallery_end(page);
    jsni_free(folder);
    put_list(page, run);
    if (worthless)
        jsni_html_fold_end(page);
}
