/* study/study_page.c - a study as a table of its trials, and as a page that links their
 * runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hd.h"
#include "core/text.h"
#include "jensen/report.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/table.h"
#include "store/run_folder.h"
#include "study/study_impl.h"
#include "sweep/sweep_impl.h"

/* Names of options that occur in any trial, in order of first use. */
static jsn_status collect(const jsn_sweep_trial *trials, size_t count, jsn_texts *names)
{
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < trials[t].option_count; i++) {
            bool known = false;
            for (size_t k = 0; !known && k < names->count; k++)
                known = strcmp(names->items[k], trials[t].options[i].name) == 0;
            if (!known)
                JSNI_TRY(jsn_texts_add(names, trials[t].options[i].name));
        }
    return JSN_OK;
}

static const char *const measures[] = {"test_acc",      "test_acc_best", "val_acc",
                                       "val_acc_noisy", "consistency",   "seconds"};
enum { MEASURES = 6 };

/* Whether a run has a page; one that its worker did not come to write is made now. */
static bool has_page(const jsn_sweep_trial *trial, const char *run, const char *report)
{
    const bool ended =
        trial->state == JSN_SWEEP_COMPLETE || trial->state == JSN_SWEEP_PRUNED;
    return jsni_file_exists(report) ||
           (ended && jsni_folder_exists(run) && jsn_report_run(run, true) == JSN_OK);
}

/* A run's page as seen from `folder`: relative when both are below one another's parent,
 * found through the real paths. False: there is none. */
static bool find_page(const jsn_sweep_trial *trial, const char *folder,
                      jsni_text *address)
{
    const char *run = jsn_sweep_fact(trial, "run");
    char *report = run == NULL ? NULL : jsni_path_join(run, JSNI_RUN_REPORT);
    char *to = NULL, *from = NULL;
    const bool found = report != NULL && has_page(trial, run, report) &&
                       jsni_path_real(report, &to) == JSN_OK &&
                       jsni_path_real(folder == NULL ? "." : folder, &from) == JSN_OK;
    if (found) {
        size_t same = 0, last = 0;
        while (to[same] != '\0' && to[same] == from[same]) {
            if (to[same] == '/')
                last = same;
            same++;
        }
        if (from[same] == '\0' && to[same] == '/')
            last = same;
        for (const char *at = from + last; *at != '\0'; at++)
            if (*at == '/' && at[1] != '\0')
                jsni_text_add(address, "../");
        jsni_text_add(address, to + last + 1);
    }
    jsni_free(report);
    jsni_free(to);
    jsni_free(from);
    return found;
}

/* The number of a trial; on a page it leads to its run. */
static void add_number(jsni_table *out, const jsn_sweep_trial *trial, bool page,
                       const char *folder)
{
    char number[32];
    jsni_text address = {0};
    (void)snprintf(number, sizeof number, "%lld", (long long)trial->number);
    jsni_cell *cell = jsni_table_text(out, number);
    if (page && find_page(trial, folder, &address)) {
        if (address.status == JSN_OK)
            jsni_table_link(out, cell, address.data);
        else
            out->status = address.status;
    }
    jsni_text_release(&address);
}

static bool any_has(const jsn_sweep_trial *trials, size_t count, const char *measure)
{
    for (size_t t = 0; t < count; t++)
        if (!isnan(jsni_sweep_number(&trials[t], measure)))
            return true;
    return false;
}

/* A page is for reading: it leaves out what no trial has, and links runs instead of
 * naming their folders. The other formats are for programs: the same columns always. */
static void build(const jsn_sweep_trial *trials, size_t count, const jsn_texts *names,
                  bool page, const char *folder, jsni_table *out)
{
    bool shown[MEASURES];
    jsni_table_column(out, NULL, "trial", JSNI_ALIGN_RIGHT);
    jsni_table_column(out, NULL, "state", JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < names->count; i++)
        jsni_table_column(out, NULL, names->items[i], JSNI_ALIGN_LEFT);
    jsni_table_column(out, NULL, "value", JSNI_ALIGN_RIGHT);
    for (size_t i = 0; i < MEASURES; i++) {
        shown[i] = !page || any_has(trials, count, measures[i]);
        if (shown[i])
            jsni_table_column(out, NULL, measures[i], JSNI_ALIGN_RIGHT);
    }
    if (!page)
        jsni_table_column(out, NULL, "run", JSNI_ALIGN_LEFT);
    for (size_t t = 0; t < count; t++) {
        const jsn_sweep_trial *trial = &trials[t];
        jsni_table_row(out);
        add_number(out, trial, page, folder);
        (void)jsni_table_text(out, jsn_sweep_state_name(trial->state));
        for (size_t i = 0; i < names->count; i++) {
            const char *text = jsn_sweep_option(trial, names->items[i]);
            (void)jsni_table_text(out, text == NULL ? "" : text);
        }
        (void)jsni_table_number(out, trial->value, NAN, 4);
        for (size_t i = 0; i < MEASURES; i++)
            if (shown[i])
                (void)jsni_table_number(out, jsni_sweep_number(trial, measures[i]), NAN,
                                        strcmp(measures[i], "seconds") == 0 ? 1 : 4);
        const char *run = jsn_sweep_fact(trial, "run");
        if (!page)
            (void)jsni_table_text(out, run == NULL ? "" : run);
    }
}

/* Why runs failed, as facts: a reason is a sentence, and has to wrap. */
static void add_failures(jsni_text *page, const jsn_sweep_trial *trials, size_t count)
{
    bool any = false;
    for (size_t t = 0; t < count; t++) {
        const char *why = jsn_sweep_fact(&trials[t], "failure");
        char name[32];
        if (trials[t].state != JSN_SWEEP_FAILED)
            continue;
        if (!any) {
            jsni_html_heading(page, "Failed trials");
            jsni_html_facts_begin(page);
            any = true;
        }
        (void)snprintf(name, sizeof name, "trial %lld", (long long)trials[t].number);
        jsni_html_fact(page, name, why == NULL ? "not recorded" : why);
    }
    if (any)
        jsni_html_facts_end(page);
}

/* Names the pages of runs that are gone. Failed ones may never have had one. */
static void add_missing(jsni_text *page, const jsn_sweep_trial *trial)
{
    const char *run = jsn_sweep_fact(trial, "run");
    char *report = run == NULL || trial->state == JSN_SWEEP_FAILED
                       ? NULL
                       : jsni_path_join(run, JSNI_RUN_REPORT);
    if (report != NULL && !jsni_file_exists(report)) {
        jsni_text text = {0};
        jsni_text_format(&text, "trial %lld (%s): %s is not there",
                         (long long)trial->number, jsn_sweep_state_name(trial->state),
                         report);
        if (text.status == JSN_OK)
            jsni_html_paragraph(page, text.data);
        jsni_text_release(&text);
    }
    jsni_free(report);
}

/* "3: ce, 0.05": the number of a trial and what it tries. */
static void name_trial(const jsn_sweep_trial *trial, char *text, size_t size)
{
    jsni_text name = jsni_text_in(text, size);
    jsni_text_format(&name, "%lld:", (long long)trial->number);
    for (size_t i = 0; i < trial->option_count; i++)
        jsni_text_format(&name, "%s %s", i == 0 ? "" : ",", trial->options[i].text);
}

static jsn_status add_curves(jsni_text *page, const jsn_sweep_trial *trials,
                             size_t count)
{
    enum { MOST = 16 };
    jsni_series series[MOST];
    char names[MOST][64];
    size_t used = 0, longest = 0;
    for (size_t t = 0; t < count; t++)
        longest = trials[t].step_count > longest ? trials[t].step_count : longest;
    if (longest < 2)
        return JSN_OK;
    double *epochs = jsni_alloc(longest, sizeof *epochs);
    JSNI_TRY_ALLOC(epochs);
    for (size_t i = 0; i < longest; i++)
        epochs[i] = (double)(i + 1);
    for (size_t t = 0; t < count && used < MOST; t++) {
        if (trials[t].step_count < 2)
            continue;
        name_trial(&trials[t], names[used], sizeof names[used]);
        series[used] = (jsni_series){.name = names[used],
                                     .x = epochs,
                                     .y = trials[t].steps,
                                     .count = trials[t].step_count,
                                     .colour = (int)(used % 8),
                                     .dash = (int)(used / 8)};
        used++;
    }
    const jsni_chart chart = {.title = "objective over the epochs",
                              .x = {.label = "epoch", .whole = true},
                              .y = {.label = trials[0].measured},
                              .series = series,
                              .series_count = used,
                              .width = 720};
    jsni_html_figure_begin(page);
    jsni_chart_figure(page, &chart, 1, 1, NULL, false);
    jsni_html_figure_end(page, count > MOST ? "the first sixteen trials" : NULL);
    jsni_free(epochs);
    return JSN_OK;
}

/* The best configuration as a number at the top. */
static jsn_status add_best(jsni_text *page, const jsn_sweep *sweep,
                           const jsn_sweep_trial *trials, size_t count)
{
    jsn_sweep_choice best;
    char text[32], remark[96];
    JSNI_TRY(jsn_sweep_choose(sweep, trials, count, NULL, &best));
    if (best.n > 0) {
        const long long first = (long long)trials[best.trials[0]].number;
        (void)jsni_format(text, sizeof text, "%.4f", best.mean);
        if (best.n == 1)
            (void)snprintf(remark, sizeof remark, "trial %lld", first);
        else
            (void)snprintf(remark, sizeof remark,
                           "mean of %zu seeds, from trial %lld on", best.n, first);
        jsni_html_number(page, "best", text, remark);
    }
    jsn_sweep_choice_release(&best);
    return JSN_OK;
}

static jsn_status build_page(jsni_text *page, jsn_sweep *sweep,
                             const jsn_sweep_counts *counts,
                             const jsn_sweep_trial *trials, size_t count,
                             const jsni_table *table)
{
    const struct {
        const char *name;
        size_t count;
    } others[] = {{"failed", counts->failed},
                  {"pruned", counts->pruned},
                  {"running", counts->running},
                  {"waiting", counts->waiting}};
    char text[64];
    const jsn_sweep_traits about = jsn_sweep_about(sweep);
    jsni_html_begin(page, about.name, about.store);
    jsni_html_numbers_begin(page);
    (void)snprintf(text, sizeof text, "%zu of %zu", counts->complete, count);
    jsni_html_number(page, "complete", text, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(others); i++) {
        (void)snprintf(text, sizeof text, "%zu", others[i].count);
        if (i == 0 || others[i].count > 0)
            jsni_html_number(page, others[i].name, text, NULL);
    }
    JSNI_TRY(add_best(page, sweep, trials, count));
    jsni_html_numbers_end(page);
    JSNI_TRY(add_curves(page, trials, count));
    jsni_html_heading(page, "Trials");
    jsni_html_table(page, table);
    add_failures(page, trials, count);
    for (size_t t = 0; t < count; t++)
        add_missing(page, &trials[t]);
    jsni_html_end(page);
    return JSN_OK;
}

jsn_status jsni_study_table(jsn_sweep *sweep, const char *format, const char *folder,
                            jsni_text *out)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    jsn_texts names = {0};
    jsni_table table = {0};
    jsn_sweep_counts counts;
    JSNI_TRY(jsn_sweep_count(sweep, &counts));
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status = collect(trials, count, &names);
    if (status == JSN_OK) {
        const bool page = strcmp(format, "html") == 0;
        build(trials, count, &names, page, folder, &table);
        if (page) {
            status = build_page(out, sweep, &counts, trials, count, &table);
            if (status == JSN_OK)
                status = table.status;
        } else {
            status = jsni_table_write(&table, format, out);
        }
    }
    jsni_table_release(&table);
    jsn_texts_release(&names);
    jsn_sweep_trials_release(trials, count);
    return status;
}
