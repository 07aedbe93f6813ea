/* cli/command_labels_export.c - the suspects of an audit for other programs. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "core/words.h"
#include "jensen/review.h"

typedef struct export_values {
    char *out, *format, *data, *prefix;
    bool all;
    jsn_texts limit;
} export_values;

static const jsn_option_info options[] = {
    {"format", 0, JSN_OPTION_TEXT, "csv", 0, 0, NULL, "NAME", "what is written",
     offsetof(export_values, format)},
    CLI_OUT_ROW(export_values, NULL, "FILE",
                "the file to write (default: DIR/export.csv, or DIR/NAME.json)"),
    {"all", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "all images, not only the suspects", offsetof(export_values, all)},
    {"prefix", 0, JSN_OPTION_TEXT, "/data/local-files/?d=", 0, 0, NULL, "ADDRESS",
     "label-studio: put before the paths of the images",
     offsetof(export_values, prefix)},
    {"data", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "the audited data, if it was moved or renamed", offsetof(export_values, data)},
    CLI_LIMIT_ROW(export_values),
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const export_values *v = values;
    size_t images = 0;
    jsn_labels_exchange job;
    if (args->count != 1)
        return cli_usage("needs the folder of an audit, got %zu", args->count);
    char usual[4200];
    const bool table = strcmp(v->format, "csv") == 0;
    const int length = snprintf(usual, sizeof usual, "%s/%s.%s", args->items[0],
                                table ? "export" : v->format, table ? "csv" : "json");
    if (v->out == NULL && (length < 0 || (size_t)length >= sizeof usual))
        return cli_usage("the path of the folder is too long");
    const char *out = v->out != NULL ? v->out : usual;
    jsn_labels_exchange_init(&job);
    job.folder = args->items[0];
    job.format = v->format;
    job.file = out;
    job.data = v->data;
    job.all = v->all;
    job.prefix = v->prefix;
    job.logger = cli_logger();
    const jsn_status status = jsn_labels_export(&job, &images);
    if (status == JSN_OK)
        cli_print("%s: %zu %s\n", out, images, jsni_noun(images, "image", "images"));
    return status;
}

const cli_command cli_command_labels_export = {
    .name = "labels export",
    .summary = "write the suspects for Label Studio, FiftyOne or COCO tools",
    .usage = "DIR --format NAME [-o FILE] [--all]",
    .details =
        "Writes the suspects with their labels, and what is suggested instead.\n\n"
        "  csv           a table with the columns "
        "path,label,given,suggested,score,kind\n"
        "  label-studio  tasks of Label Studio; FILE.xml is the labelling interface\n"
        "  fiftyone      labels.json of FiftyOne's image classification\n"
        "  coco          COCO's annotations, a box around all of each image\n\n"
        "'jensen labels import' reads what comes back.\n\n"
        "  jensen labels export audits/photos-... --format label-studio -o tasks.json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .named = "format",
    .names = JSN_CATALOG_LABEL_FORMATS,
    .values_size = sizeof(export_values),
    .run = run,
};
