/* report/run_page.c - reports of runs: a page for one, a page that compares several; see
 * jensen/report.h. Everything comes from the run folders. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "core/words.h"
#include "jensen/report.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/run_curves.h"
#include "report/run_detail.h"
#include "report/run_labels.h"
#include "report/run_page.h"
#include "report/run_set.h"
#include "report/run_table.h"
#include "store/record_epoch.h"
#include "store/run_folder.h"

enum { WORDS = 160 };

static void put_percent(jsni_text *page, const char *name, double share,
                        const char *remark)
{
    char value[WORDS];
    if (isnan(share))
        return;
    (void)jsni_format(value, sizeof value, "%.2f%%", 100.0 * share);
    jsni_html_number(page, name, value, remark);
}

/* The epoch with the largest value; 0 when there is none. */
static size_t best_epoch(const jsni_run_record *run, const char *key, double *best)
{
    size_t epoch = 0;
    *best = NAN;
    for (size_t i = 0; i < run->epochs; i++) {
        const double value = jsni_epoch_number(&run->rows[i], key);
        if (!isnan(value) && (epoch == 0 || value > *best)) {
            *best = value;
            epoch = i + 1;
        }
    }
    return epoch;
}

static void put_result_numbers(jsni_text *page, const jsni_run_record *run,
                               const char *key, const char *name)
{
    const double last = jsni_run_record_result(run, key);
    double best = NAN;
    const size_t epoch = best_epoch(run, key, &best);
    char remark[WORDS];
    if (isnan(last))
        return;
    if (run->member_count > 0)
        (void)snprintf(remark, sizeof remark, "mean prediction of %zu networks",
                       run->member_count);
    else if (!jsni_run_unfinished(run, remark, sizeof remark))
        (void)snprintf(remark, sizeof remark, "last epoch (%zu): the result",
                       run->epochs);
    put_percent(page, name, last, remark);
    (void)snprintf(remark, sizeof remark, "epoch %zu, picked afterwards", epoch);
    if (epoch > 0) {
        char best_name[WORDS];
        (void)snprintf(best_name, sizeof best_name, "%s, best epoch", name);
        put_percent(page, best_name, best, remark);
    }
}

static void put_numbers(jsni_text *page, const jsni_run_record *run)
{
    char value[WORDS], remark[WORDS] = "nothing was added";
    jsni_html_numbers_begin(page);
    put_result_numbers(page, run, "test_acc", "test accuracy");
    put_result_numbers(page, run, "val_acc", "validation accuracy");
    const double nominal = jsni_run_record_result(run, "noise_nominal");
    if (!isnan(nominal) && nominal > 0.0)
        (void)jsni_format(remark, sizeof remark, "nominal rate %.1f%%",
                          100.0 * nominal);
    else if (strcmp(jsni_run_record_setting(run, "noise"), "none") != 0)
        (void)snprintf(remark, sizeof remark, "%s",
                       jsni_run_record_setting(run, "noise"));
    put_percent(page, "real label noise", jsni_run_record_result(run, "noise_real"),
                remark);
    put_percent(page, "wrong labels seen through",
                jsni_run_record_result(run, "train_acc_noisy"),
                "mislabelled training images whose true class is found");
    put_percent(page, "consistency", jsni_run_record_result(run, "consistency"),
                "agreement with an augmented copy");
    put_percent(page, "calibration error", jsni_run_record_result(run, "test_ece"),
                NULL);
    const double seconds = jsni_run_record_result(run, "seconds");
    if (!isnan(seconds)) {
        if (seconds < 10.0)
            (void)jsni_format(value, sizeof value, "%.*f s", seconds < 1.0 ? 2 : 1,
                              seconds);
        else if (seconds < 120.0)
            (void)snprintf(value, sizeof value, "%.0f s", seconds);
        else if (seconds < 7200.0)
            (void)snprintf(value, sizeof value, "%.0f min", seconds / 60.0);
        else
            (void)jsni_format(value, sizeof value, "%.1f h", seconds / 3600.0);
        (void)snprintf(remark, sizeof remark, "%.0f images/s at the end",
                       jsni_run_record_result(run, "images_per_second"));
        jsni_html_number(page, "time", value, remark);
    }
    jsni_html_numbers_end(page);
}

static void put_state(jsni_text *page, const jsni_run_record *run)
{
    char words[WORDS];
    if (!run->finished) {
        const char *total = jsni_run_record_setting(run, "epochs");
        (void)snprintf(words, sizeof words,
                       "This run is not finished: %zu of %s %s done. The "
                       "numbers are those of its last epoch so far.",
                       run->epochs, total,
                       strcmp(total, "1") == 0 ? "epoch is" : "epochs are");
        jsni_html_paragraph(page, words);
    }
    if (run->bad_images > 0) {
        (void)snprintf(
            words, sizeof words,
            "%zu %s could not be read and %s left out; %s in the run folder lists %s.",
            run->bad_images, jsni_noun(run->bad_images, "image", "images"),
            jsni_noun(run->bad_images, "was", "were"), JSNI_RUN_BAD_IMAGES,
            jsni_noun(run->bad_images, "it", "them"));
        jsni_html_paragraph(page, words);
    }
}

static void put_settings(jsni_text *page, const jsni_run_record *run)
{
    jsni_html_facts_begin(page);
    for (size_t i = 0; i < run->setting_count; i++)
        jsni_html_fact(page, run->settings[i].name, run->settings[i].value);
    jsni_html_facts_end(page);
}

/* An entry of the environment: a text, or the parts of an object in one line. */
static void add_entry(jsni_text *out, const jsni_json *entry)
{
    if (jsni_json_kind_of(entry) != JSNI_JSON_OBJECT)
        jsni_text_add(out, jsni_json_text(entry));
    for (size_t k = 0; k < jsni_json_count(entry); k++)
        jsni_text_format(out, "%s%s %s", k > 0 ? ", " : "",
                         jsni_json_key(jsni_json_at(entry, k)),
                         jsni_json_text(jsni_json_at(entry, k)));
}

/* What the environments of all runs have in common; of a single one, all of it. */
static void put_environment(jsni_text *page, const jsni_run_record *runs, size_t count)
{
    if (runs[0].environment == NULL)
        return;
    jsni_html_heading(page,
                      count > 1 ? "Environment that all runs share" : "Environment");
    jsni_html_facts_begin(page);
    for (size_t i = 0; i < jsni_json_count(runs[0].environment); i++) {
        const jsni_json *entry = jsni_json_at(runs[0].environment, i);
        jsni_text text = {0};
        bool same = true;
        add_entry(&text, entry);
        for (size_t r = 1; r < count; r++) {
            jsni_text other = {0};
            add_entry(&other, jsni_json_get(runs[r].environment, jsni_json_key(entry)));
            same = same && strcmp(text.data == NULL ? "" : text.data,
                                  other.data == NULL ? "" : other.data) == 0;
            if (other.status != JSN_OK)
                page->status = other.status;
            jsni_text_release(&other);
        }
        if (same)
            jsni_html_fact(page, jsni_json_key(entry),
                           text.data != NULL ? text.data : "");
        if (text.status != JSN_OK)
            page->status = text.status;
        jsni_text_release(&text);
    }
    const char *sha = runs[0].result.weights_sha256;
    if (count == 1 && sha != NULL && sha[0] != '\0')
        jsni_html_fact(page, "weights sha256", sha);
    jsni_html_facts_end(page);
}

/* A word as a POSIX shell reads it back. */
static void add_shell_word(jsni_text *text, const char *word)
{
    bool plain = word[0] != '\0';
    for (const char *c = word; *c != '\0'; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_-+=:,./@%", *c));
    if (plain) {
        jsni_text_add(text, word);
        return;
    }
    jsni_text_add(text, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            jsni_text_add(text, "'\\''");
        else
            jsni_text_add_n(text, word, 1);
    jsni_text_add(text, "'");
}

static void put_reproduction(jsni_text *page, const jsni_run_record *run)
{
    jsni_text command = {0};
    jsni_text_add(&command, "jensen train ");
    add_shell_word(&command, jsni_run_record_setting(run, "data"));
    size_t width = 0;
    for (size_t i = 0; i < run->setting_count; i++) {
        const jsni_run_setting *s = &run->settings[i];
        if (strcmp(s->name, "data") == 0 || jsni_run_setting_is_manner(s->name))
            continue;
        const size_t before = command.length;
        const bool wrap = width == 0 || width > 70;
        jsni_text_format(&command, "%s--%s ", wrap ? " \\\n    " : " ", s->name);
        add_shell_word(&command, s->value);
        width = (wrap ? 0 : width) + (command.length - before);
    }
    jsni_html_heading(page, "Do it again");
    jsni_html_paragraph(page, "The same weights, bit by bit, on the same kind of "
                              "processor:");
    if (command.status == JSN_OK)
        jsni_html_code(page, command.data);
    else
        page->status = command.status;
    jsni_html_paragraph(page, "Or, with the settings in the run folder: jensen train "
                              "--config config.yaml --out another-folder");
    jsni_text_release(&command);
}

/* The part of `run` below the folder of the page at `page`, or NULL. */
static const char *below(const char *page, const char *run)
{
    const char *slash = page == NULL ? NULL : strrchr(page, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - page) + 1;
    if (page == NULL || strncmp(page, run, length) != 0)
        return NULL;
    return run[length] == '/' ? NULL : run + length;
}

static void put_link(jsni_text *page, const char *path, const jsni_run_record *run)
{
    const char *relative = below(path, run->path);
    char address[1200];
    char *file = jsni_path_join(run->path, JSNI_RUN_REPORT);
    if (relative != NULL && file != NULL && jsni_file_exists(file)) {
        (void)snprintf(address, sizeof address, "%s%s%s", relative,
                       relative[strlen(relative) - 1] == '/' ? "" : "/",
                       JSNI_RUN_REPORT);
        jsni_html_link(page, address, run->name);
    } else {
        jsni_html_paragraph(page, run->path);
    }
    if (file == NULL)
        page->status = JSN_ERR_MEMORY;
    jsni_free(file);
}

static jsn_status put_members(jsni_text *page, const char *path,
                              const jsni_run_record *run)
{
    char **labels = jsni_alloc_zero(run->member_count, sizeof *labels);
    size_t *group = jsni_alloc(run->member_count, sizeof *group);
    if (labels != NULL && group != NULL) {
        for (size_t m = 0; m < run->member_count; m++) {
            labels[m] = run->members[m].name;
            group[m] = m;
        }
        jsni_run_curves_compare(page, run->members, labels, group, run->member_count);
        jsni_html_subheading(page, "Members");
        for (size_t m = 0; m < run->member_count; m++)
            put_link(page, path, &run->members[m]);
    }
    const jsn_status status = labels == NULL || group == NULL ? JSN_ERR_MEMORY : JSN_OK;
    jsni_free(labels);
    jsni_free(group);
    return status;
}

static void make_lead(const jsni_run_record *run, char *out, size_t room)
{
    const char *labels = jsni_run_record_setting(run, "labels");
    (void)snprintf(
        out, room, "%s on %s, %s, %s%s%slabel noise: %s, seed %s",
        jsni_run_record_setting(run, "loss"), jsni_run_record_setting(run, "data"),
        jsni_run_record_setting(run, "network"), labels[0] != '\0' ? "labels: " : "",
        labels, labels[0] != '\0' ? ", " : "", jsni_run_record_setting(run, "noise"),
        jsni_run_record_setting(run, "seed"));
}

static jsn_status single_page(jsni_text *page, const jsni_run_record *run,
                              const char *title, const char *path)
{
    char lead[1024];
    make_lead(run, lead, sizeof lead);
    jsni_html_begin(page, title != NULL ? title : run->name, lead);
    put_state(page, run);
    put_numbers(page, run);
    jsni_run_labels_validation(page, run);
    jsni_html_heading(page, "Curves");
    if (run->member_count > 0)
        JSNI_TRY(put_members(page, path, run));
    else
        jsni_run_curves(page, run);
    jsni_run_detail_evaluation(page, run);
    jsni_run_labels_doubtful(page, run, path);
    jsni_html_heading(page, "Settings");
    put_settings(page, run);
    put_environment(page, run, 1);
    put_reproduction(page, run);
    jsni_html_end(page);
    return JSN_OK;
}

/* Settings in which the runs differ stand in the table; the others are folded away. */
static void put_common_settings(jsni_text *page, const jsni_run_set *set)
{
    const jsni_run_record *run = &set->runs[0];
    jsni_html_fold_begin(page, "Settings that all runs share");
    jsni_html_facts_begin(page);
    for (size_t i = 0; i < run->setting_count; i++)
        if (!jsni_run_setting_is_manner(run->settings[i].name) &&
            !jsni_run_set_differs(set, run->settings[i].name))
            jsni_html_fact(page, run->settings[i].name, run->settings[i].value);
    jsni_html_facts_end(page);
    jsni_html_fold_end(page);
}

static jsn_status compare_page(jsni_text *page, const jsni_run_set *set,
                               const char *title, const char *path)
{
    char lead[WORDS];
    jsni_table groups = {0}, each = {0};
    const size_t unfinished = jsni_run_set_unfinished(set, set->groups);
    jsni_text words = jsni_text_in(lead, sizeof lead);
    jsni_text_format(&words, "%zu %s, %zu %s", set->count,
                     jsni_noun(set->count, "run", "runs"), set->groups,
                     jsni_noun(set->groups, "setting", "settings"));
    if (unfinished > 0)
        jsni_text_format(&words, ", %zu unfinished", unfinished);
    jsni_html_begin(page, title != NULL ? title : "Comparison of runs", lead);
    jsni_html_heading(page, "Results");
    if (unfinished > 0)
        jsni_html_paragraph(page, JSNI_NOTE_UNFINISHED);
    if (set->repeats != NULL)
        jsni_html_paragraph(page, set->repeats);
    if (set->groups < set->count) {
        groups.note = "Mean and deviation over the seeds. The last epoch is the "
                      "result; the best one was picked afterwards.";
        if (jsni_run_table_mixed(set))
            jsni_html_paragraph(page, JSNI_NOTE_MIXED);
        jsni_run_table_groups(&groups, set);
        jsni_html_table(page, &groups);
        jsni_html_fold_begin(page, "Every run");
    }
    each.note = "The last epoch is the result; the best one was picked afterwards.";
    jsni_run_table_each(&each, set);
    jsni_html_table(page, &each);
    if (set->groups < set->count)
        jsni_html_fold_end(page);
    jsni_html_heading(page, "Curves");
    jsni_run_curves_compare(page, set->runs, set->labels, set->group, set->count);
    for (size_t g = 0; g < set->groups; g++) {
        const jsni_run_record *run = jsni_run_set_first(set, g);
        if (run->evaluation.doubtful_count == 0)
            continue;
        char summary[256];
        (void)snprintf(summary, sizeof summary, "%s: doubtful labels", run->name);
        jsni_html_fold_begin(page, summary);
        jsni_run_labels_doubtful(page, run, path);
        jsni_html_fold_end(page);
    }
    jsni_html_heading(page, "Runs");
    for (size_t i = 0; i < set->count; i++)
        put_link(page, path, &set->runs[i]);
    put_common_settings(page, set);
    put_environment(page, set->runs, set->count);
    jsni_html_end(page);
    jsni_table_release(&each);
    jsni_table_release(&groups);
    return JSN_OK;
}

static jsn_status render(const char *const *runs, size_t count, const char *title,
                         const char *path, char **html)
{
    jsni_run_set set;
    jsni_text page = {0};
    JSNI_TRY(jsni_run_set_read(&set, runs, count));
    jsn_status status = count == 1 ? single_page(&page, &set.runs[0], title, path)
                                   : compare_page(&page, &set, title, path);
    if (status == JSN_OK)
        status = jsni_text_take(&page, html);
    jsni_text_release(&page);
    jsni_run_set_release(&set);
    return status;
}

jsn_status jsni_report_render(const char *const *runs, size_t count, const char *title,
                              char **html)
{
    JSNI_NEED(html);
    JSNI_NEED(runs);
    return render(runs, count, title, NULL, html);
}

jsn_status jsn_report_write(const char *const *runs, size_t count, const char *title,
                            const char *path)
{
    JSNI_NEED(runs);
    char *html = NULL;
    JSNI_TRY(render(runs, count, title, path, &html));
    const jsn_status status = jsni_file_write_unsynced(NULL, path, html, strlen(html));
    jsni_free(html);
    return status;
}

jsn_status jsn_report_curves(const char *const *runs, size_t count, const char *path)
{
    JSNI_NEED(runs);
    jsni_run_set set;
    jsni_text figure = {0};
    JSNI_TRY(jsni_run_set_read(&set, runs, count));
    jsni_run_curves_figure(&figure, &set);
    jsn_status status = figure.status;
    if (status == JSN_OK && figure.length == 0)
        status =
            jsni_fail(JSN_ERR_DATA, "%s: no epoch is done, nothing to draw", runs[0]);
    if (status == JSN_OK)
        status = jsni_figure_write(figure.data, path);
    jsni_text_release(&figure);
    jsni_run_set_release(&set);
    return status;
}

static jsn_status write_one(const char *run, bool only_missing)
{
    bool there = false;
    char *html = NULL;
    /* Pages are also written when the run is finished and nobody opens its folder. */
    jsni_run_remove_left(run);
    if (only_missing)
        JSNI_TRY(jsni_file_find(run, JSNI_RUN_REPORT, &there));
    if (there)
        return JSN_OK;
    char *path = jsni_path_join(run, JSNI_RUN_REPORT);
    JSNI_TRY_ALLOC(path);
    jsn_status status = render(&run, 1, NULL, path, &html);
    if (status == JSN_OK)
        status = jsni_file_write_unsynced(run, JSNI_RUN_REPORT, html, strlen(html));
    jsni_free(html);
    jsni_free(path);
    return status;
}

jsn_status jsn_report_run(const char *run, bool only_missing)
{
    JSNI_NEED(run);
    jsni_run_record record;
    JSNI_TRY(jsni_run_record_read(&record, run));
    jsn_status status = JSN_OK;
    for (size_t m = 0; status == JSN_OK && m < record.member_count; m++)
        status = write_one(record.members[m].path, only_missing);
    jsni_run_record_release(&record);
    return status == JSN_OK ? write_one(run, only_missing) : status;
}
