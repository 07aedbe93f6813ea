/* cli/command_report.c - a page, or a table, from run folders. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/report.h"

typedef struct report_values {
    char *out, *title, *table, *pivot;
    jsn_texts limit;
    bool json;
} report_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(report_values, NULL, "FILE",
                "page to write, FILE.html (default: RUN/report.html for one run, "
                "report.html for several); FILE.svg, .pdf or .pgf: only the curves"),
    {"title", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "TITLE", "of the page",
     offsetof(report_values, title)},
    {"table", 0, JSN_OPTION_CHOICE, NULL, 0, 0, "markdown|csv|latex|html|json",
     "FORMAT", "print a table of means and deviations over seeds instead of a page",
     offsetof(report_values, table)},
    {"pivot", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "ROW:COLUMN",
     "print a table of test accuracies, one setting against another: loss:noise "
     "(--table: its format, markdown)",
     offsetof(report_values, pivot)},
    CLI_LIMIT_ROW(report_values),
    CLI_JSON_ROW(report_values,
                 "one JSON object on stdout: the table (--table json), or "
                 "the name of the file"),
};

static jsn_status print_table(const jsn_texts *runs, const report_values *v)
{
    const char *const *names = (const char *const *)runs->items;
    const char *format = v->json ? "json" : v->table == NULL ? "markdown" : v->table;
    char *text = NULL;
    const jsn_status status =
        jsn_report_table(names, runs->count, v->pivot, format, &text);
    if (status == JSN_OK)
        cli_write(text);
    jsn_text_release(text);
    return status;
}

/* The end of a file's name from its last dot, or "". */
static const char *kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    return dot == NULL ? "" : dot;
}

/* The folders that are runs, borrowed: runs/ also holds studies, and 'runs' followed by a star
 * names them all. None of them: all, and whoever reads them says what they lack. */
static jsn_status pick_runs(const jsn_texts *args, jsn_texts *out)
{
    *out = (jsn_texts){calloc(args->count, sizeof *out->items), 0};
    if (out->items == NULL)
        return JSN_ERR_MEMORY;
    for (size_t i = 0; i < args->count; i++) {
        char path[4200];
        const int length =
            snprintf(path, sizeof path, "%s/config.yaml", args->items[i]);
        if (length < 0 || (size_t)length >= sizeof path || access(path, F_OK) == 0 ||
            errno != ENOENT)
            out->items[out->count++] = args->items[i];
    }
    if (out->count == args->count)
        return JSN_OK;
    if (out->count == 0) {
        memcpy(out->items, args->items, args->count * sizeof *out->items);
        out->count = args->count;
        return JSN_OK;
    }
    for (size_t i = 0, kept = 0; i < args->count; i++)
        if (kept < out->count && out->items[kept] == args->items[i])
            kept++;
        else
            cli_say("left out: %s is not a run folder (there is no config.yaml)\n",
                    args->items[i]);
    return JSN_OK;
}

static jsn_status say_file(const char *path, bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "file", "%s\n", path);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status report(const report_values *v, const jsn_texts *args)
{
    const char *const *runs = (const char *const *)args->items;
    if (v->json && v->table != NULL && strcmp(v->table, "json") != 0)
        return cli_usage("--json is --table json, not --table %s", v->table);
    if (v->table != NULL || v->pivot != NULL) {
        if (v->out != NULL || v->title != NULL)
            return cli_usage("--%s prints; --out and --title belong to a page",
                             v->pivot != NULL ? "pivot" : "table");
        return print_table(args, v);
    }
    char path[4096];
    int length = 0;
    if (v->out != NULL)
        length = snprintf(path, sizeof path, "%s", v->out);
    else if (args->count == 1)
        length = snprintf(path, sizeof path, "%s/report.html", runs[0]);
    else
        length = snprintf(path, sizeof path, "report.html");
    if (length < 0 || (size_t)length >= sizeof path)
        return cli_usage("the path of the page is too long");
    const char *kind = kind_of(path);
    const bool figure = strcmp(kind, ".svg") == 0 || strcmp(kind, ".pdf") == 0 ||
                        strcmp(kind, ".pgf") == 0;
    if (!figure && kind[0] != '\0' && strcmp(kind, ".html") != 0 &&
        strcmp(kind, ".htm") != 0)
        return cli_usage(
            "--out '%s': no %s is written; FILE.html (or .htm) is a page, "
            "FILE.svg, .pdf or .pgf the curves; --table prints markdown, csv, latex or "
            "html",
            path, kind);
    if (figure && v->title != NULL)
        return cli_usage("--title belongs to a page, not to a figure");
    const jsn_status status = figure
                                  ? jsn_report_curves(runs, args->count, path)
                                  : jsn_report_write(runs, args->count, v->title, path);
    return status == JSN_OK ? say_file(path, v->json) : status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    jsn_texts runs;
    if (args->count == 0)
        return cli_usage("needs one or more run folders");
    jsn_status status = pick_runs(args, &runs);
    if (status == JSN_OK)
        status = report(values, &runs);
    free(runs.items);
    return status;
}

const cli_command cli_command_report = {
    .name = "report",
    .summary = "a page with plots, or a table, from run folders",
    .usage = "RUN... [OPTIONS]",
    .details =
        "One run, finished or not, gives its page: curves, confusion, calibration,\n"
        "doubtful labels, settings, environment. Several runs are compared: those\n"
        "that differ only in their seed share a line of the table and a colour of\n"
        "the curves. Runs with the same settings and seed count once: the latest\n"
        "complete one. Bold is the best of the runs with the same test images and\n"
        "label noise, and each result that a two-sided t-test at 0.05 cannot tell\n"
        "from it.\n"
        "--pivot loss:noise makes a table of one setting against another. Runs of a\n"
        "cell that differ in more than their seed get lines of their own.\n"
        "Unfinished runs are marked. The page is one file without scripts.\n"
        "Prints the name of the file.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(report_values),
    .run = run,
};
