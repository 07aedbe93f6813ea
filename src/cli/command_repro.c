/* cli/command_repro.c - a table or figure of the paper: runs what is missing, prints the
 * result beside the printed one. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "cli/cli_study.h"
#include "core/words.h"
#include "jensen/fetch.h"
#include "jensen/repro.h"

typedef struct repro_values {
    cli_worker_values worker;
    jsn_train_config base;
    char *store, *dataset, *only, *noise_from, *also_test, *add_loss, *report, *format;
    int64_t seeds;
    bool show, retry, json;
} repro_values;

static const jsn_option_info own[] = {
    {"dataset", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "cifar10, cifar100, webvision, animal10n, food101n (default: that of the data, "
     "else the paper's)",
     offsetof(repro_values, dataset)},
    {"seeds", 0, JSN_OPTION_INT, "1", 1, 64, NULL, "N",
     "runs of each cell, with the seeds 1 to N; the paper has 5",
     offsetof(repro_values, seeds)},
    {"only", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "WORDS",
     "run only recipes with a part of their name that begins so: sym-40,asym-40 or "
     "sym-40/gjs",
     offsetof(repro_values, only)},
    {"noise-from", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "table8: from=RUN or posteriors=FILE.npy, where instance-dependent noise comes "
     "from; or file:LABELS.csv with a column type1_35 and the like",
     offsetof(repro_values, noise_from)},
    {"also-test", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "table2: evaluate the finished networks there, too: imagenet:DIR,classes=50",
     offsetof(repro_values, also_test)},
    {"add-loss", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC[,SPEC...]",
     "a row for each loss beside the paper's, trained as CE is: "
     "gce:q=0.7,10*nce+0.1*rce",
     offsetof(repro_values, add_loss)},
    {"show", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "run nothing, print the results so far", offsetof(repro_values, show)},
    {"retry-failed", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "first try failed runs again", offsetof(repro_values, retry)},
    {"format", 'f', JSN_OPTION_CHOICE, NULL, 0, 0, "markdown|csv|latex|html|json|svg",
     NULL,
     "of what is printed (default: markdown; svg for fig2, fig3 and fig8, which have "
     "no "
     "other)",
     offsetof(repro_values, format)},
    {"out", 'o', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FOLDER",
     "write all formats, the figure and the study's page there",
     offsetof(repro_values, report)},
    CLI_STORE_ROW(repro_values, "where the study is kept"),
    CLI_JSON_ROW(repro_values, "one JSON object on stdout: --format json"),
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.rows = own, .count = sizeof own / sizeof own[0]},
        {.from = cli_worker_options, .offset = offsetof(repro_values, worker)},
        {.from = jsn_train_options,
         .offset = offsetof(repro_values, base),
         .without = "set|seed|recipe|json|config"},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static jsn_status fill(repro_values *v)
{
    size_t count = 0;
    const jsn_option_info *table = options(&count);
    return cli_fill_options(table, count, v, offsetof(repro_values, base));
}

static jsn_status print(jsn_sweep *sweep, const jsn_repro_settings *settings,
                        const repro_values *v)
{
    char *text = NULL;
    jsn_status status = jsn_repro_render(sweep, settings, &v->base,
                                         v->json ? "json" : v->format, &text);
    if (status == JSN_OK)
        cli_write(text);
    jsn_text_release(text);
    if (status == JSN_OK && v->report != NULL) {
        status = jsn_repro_write(sweep, settings, &v->base, v->report);
        if (status == JSN_OK) {
            /* the table first, also where both go to the same file */
            (void)fflush(stdout);
            cli_say("written to %s\n", v->report);
        }
    }
    return status;
}

/* Runs that failed are a failure of what should have run them, not of a look at them. */
static jsn_status say_failed(jsn_sweep *sweep, bool show)
{
    char text[400];
    jsn_sweep_counts n;
    const jsn_status status = jsn_sweep_count(sweep, &n);
    if (status != JSN_OK || n.failed == 0)
        return status;
    (void)snprintf(text, sizeof text,
                   "%zu of %zu runs failed: 'jensen sweep status %s --failures' says "
                   "why; --retry-failed tries %s again",
                   n.failed, n.waiting + n.running + n.complete + n.pruned + n.failed,
                   jsn_sweep_about(sweep).name, jsni_noun(n.failed, "it", "them"));
    if (!show)
        return cli_fail(JSN_ERR_NUMERIC, "%s", text);
    cli_say("%s\n", text);
    return JSN_OK;
}

static jsn_status run_study(const jsn_repro_settings *settings, repro_values *v)
{
    const char *url = cli_store_url(v->store);
    jsn_sweep *sweep = NULL;
    char name[300];
    jsn_status status = jsn_repro_prepare(&sweep, url, settings, &v->base);
    if (status != JSN_OK)
        return status;
    if (sweep == NULL) /* nothing has been run yet */
        return print(NULL, settings, v);
    (void)snprintf(name, sizeof name, "%s", jsn_sweep_about(sweep).name);
    if (v->retry)
        status = jsn_sweep_retry(sweep, NULL);
    if (status == JSN_OK && !v->show) {
        cli_say("study %s in %s\n", name, jsn_sweep_about(sweep).store);
        status = cli_work(url, name, &v->worker, true);
        if (status == JSN_OK)
            status = jsn_repro_evaluate(
                sweep, settings, v->base.device == NULL ? "auto" : v->base.device,
                (size_t)v->worker.threads, cli_logger());
    }
    if (status == JSN_OK)
        status = print(sweep, settings, v);
    if (status == JSN_OK)
        status = say_failed(sweep, v->show);
    jsn_sweep_close(sweep);
    return status;
}

/* Without --data: what 'jensen data fetch' has brought into this folder. */
static jsn_status find_data(repro_values *v)
{
    const jsn_fetch_info *info = NULL;
    char text[600];
    if (v->base.data != NULL)
        return JSN_OK;
    if (v->dataset == NULL)
        return cli_usage("which data? --data cifar10:PATH, for instance");
    for (size_t i = 0; (info = jsn_fetch_describe(i)) != NULL; i++)
        if (strcmp(info->name, v->dataset) == 0)
            break;
    if (info == NULL)
        return cli_usage("which data? --data %s:PATH", v->dataset);
    (void)snprintf(text, sizeof text, "%s/%s", info->folder, info->proof);
    if (access(text, R_OK) != 0)
        return cli_fail(
            JSN_ERR_DATA,
            "%s is not in this folder: 'jensen data fetch %s' downloads it, "
            "--data %s:PATH names it",
            info->folder, info->name, info->name);
    (void)snprintf(text, sizeof text, "%s:%s", info->name, info->folder);
    cli_say("data: %s\n", text);
    return jsn_train_config_set(&v->base, "data", text);
}

static jsn_status list(bool json)
{
    jsn_repro_entry entry;
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    for (size_t i = 0; jsn_repro_at(i, &entry); i++) {
        cli_begin_object(&r, NULL);
        cli_field_text(&r, "name", "%-8s", entry.name);
        cli_field_text(&r, "title", " %s", entry.title);
        cli_field_bool(&r, "runs", "\n", " (nothing to run)\n", entry.runs);
        cli_end(&r);
    }
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    repro_values *v = values;
    jsn_repro_entry entry;
    if (args->count == 0)
        return list(v->json);
    if (args->count > 1)
        return cli_usage("one result at a time, '%s' is too many", args->items[1]);
    if (v->json && v->format != NULL && strcmp(v->format, "json") != 0)
        return cli_usage("--json is --format json, not --format %s", v->format);
    const char *format = v->json ? "json" : v->format;
    jsn_status status = jsn_repro_lookup(args->items[0], format, &entry);
    v->base.seed = JSN_OPTION_INT_UNSET; /* no option here: --seeds has them */
    if (status == JSN_OK)
        status = fill(v);
    if (status != JSN_OK)
        return status;
    /* What is only shown gets no runs that a worker elsewhere would start. */
    const jsn_repro_settings settings = {
        entry.name,   v->dataset, v->show ? 0 : v->seeds, v->only, v->noise_from,
        v->also_test, v->add_loss};
    if (!entry.runs)
        return print(NULL, &settings, v);
    if (v->show && v->retry)
        return cli_usage("--show changes nothing, --retry-failed does");
    status = find_data(v);
    return status == JSN_OK ? run_study(&settings, v) : status;
}

const cli_command cli_command_repro = {
    .name = "repro",
    .summary = "a table or figure of the paper, run or resumed, then compared",
    .usage = "[NAME] [--data DATA | --dataset NAME] [--seeds N] [OPTIONS]",
    .details =
        "NAME is table1 to table13 or fig1 to fig8; without a NAME they are listed.\n"
        "Without --data, --dataset cifar10 or cifar100 stands for what 'jensen data\n"
        "fetch' has brought into this folder.\n"
        "Training options can make the experiment smaller, and the result says so.\n"
        "Options in which its runs differ are refused; --only chooses among those\n"
        "runs:\n\n"
        "  jensen repro table1 --data cifar10:PATH --epochs 20 --subset 10000 \\\n"
        "         --network preactresnet34:width=8 --out results\n\n"
        "Runs are kept in a study: the same command continues, more --seeds add\n"
        "runs, other machines help with 'jensen sweep worker'. The exit code is 0\n"
        "whatever the numbers say, and 1 when a run has failed (the result is\n"
        "printed all the same).",
    .library_options = options,
    .values_size = sizeof(repro_values),
    .run = run,
    .deferred = true,
};
