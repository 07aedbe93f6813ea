/* cli/command_sweep_export.c - all trials of a study as a table, or its page. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_study.h"
#include "jensen/study.h"

typedef struct export_values {
    char *store, *format, *out, *pivot;
} export_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(export_values, "where the study is"),
    {"format", 'f', JSN_OPTION_CHOICE, NULL, 0, 0, "csv|markdown|latex|html|json", NULL,
     "html: a page that links the runs (default: by the ending of --out, else csv)",
     offsetof(export_values, format)},
    CLI_OUT_ROW(export_values, NULL, "FILE",
                "where to write (default: standard output)"),
    {"pivot", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "ROW:COLUMN",
     "test accuracies over seeds, one option against another: loss:noise",
     offsetof(export_values, pivot)},
};

/* A file gets what its name promises, when nobody says otherwise. */
static const char *format_of(const export_values *v)
{
    static const char *const endings[][2] = {
        {".html", "html"}, {".json", "json"}, {".md", "markdown"}, {".tex", "latex"}};
    const char *ending = v->out == NULL ? NULL : strrchr(v->out, '.');
    if (v->format != NULL)
        return v->format;
    for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(ending, endings[i][0]) == 0)
            return endings[i][1];
    return "csv";
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const export_values *v = values;
    jsn_sweep *sweep = NULL;
    char *text = NULL;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    if (v->pivot != NULL && v->out != NULL)
        return cli_usage("--pivot prints; --out belongs to the table of all trials");
    jsn_status status = jsn_sweep_open_to_read(
        &sweep, cli_store_url(v->store), args->count == 1 ? args->items[0] : NULL);
    if (status == JSN_OK)
        status = jsn_study_export(sweep, v->pivot, format_of(v), v->out, &text);
    if (text != NULL)
        cli_write(text);
    jsn_text_release(text);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_export = {
    .name = "sweep export",
    .summary = "all trials as a table, or as a page that links the runs",
    .usage = "[STUDY] [--format csv|markdown|latex|html|json] [--pivot ROW:COLUMN] "
             "[--out FILE]",
    .details =
        "--pivot loss:noise is a table of losses against noises: mean and deviation\n"
        "over seeds, bold by a two-sided t-test at 0.05. Any two options can be set\n"
        "against each other. Trials that differ in more have lines of their own.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(export_values),
    .run = run,
};
