/* cli/command_labels_import.c - decisions that were made in other programs. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/review.h"

typedef struct import_values {
    char *format, *data;
    bool checked, json;
    jsn_texts limit;
} import_values;

static const jsn_option_info options[] = {
    {"format", 0, JSN_OPTION_TEXT, "csv", 0, 0, NULL, "NAME", "what FILE is",
     offsetof(import_values, format)},
    {"checked", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "somebody looked at every image of the file: unchanged labels count as 'keep'",
     offsetof(import_values, checked)},
    {"data", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "the audited data, if it was moved or renamed", offsetof(import_values, data)},
    CLI_LIMIT_ROW(import_values),
    CLI_JSON_ROW(import_values, "one JSON object on stdout"),
};

static jsn_status describe(const jsn_labels_imported *result, bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_int(&r, "answers",
                  result->answers == 1 ? "%lld image: " : "%lld images: ",
                  (int64_t)result->answers);
    cli_field_int(&r, "changed", "%lld changed, ", (int64_t)result->changed);
    cli_field_int(&r, "kept", "%lld kept, ", (int64_t)result->kept);
    cli_field_int(&r, "unsure", "%lld unsure, ", (int64_t)result->unsure);
    cli_field_int(&r, "removed", "%lld removed\n", (int64_t)result->removed);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const import_values *v = values;
    jsn_labels_exchange job;
    jsn_labels_imported result;
    if (args->count != 2)
        return cli_usage("needs the folder of an audit and a file, got %zu",
                         args->count);
    jsn_labels_exchange_init(&job);
    job.folder = args->items[0];
    job.file = args->items[1];
    job.format = v->format;
    job.data = v->data;
    job.checked = v->checked;
    job.logger = cli_logger();
    const jsn_status status = jsn_labels_import(&job, &result);
    return status == JSN_OK ? describe(&result, v->json) : status;
}

const cli_command cli_command_labels_import = {
    .name = "labels import",
    .summary = "read decisions from Label Studio, FiftyOne or COCO tools",
    .usage = "DIR FILE --format NAME [--checked] [--json]",
    .details =
        "Adds what the file says to DIR/decisions.csv, where 'jensen review' and\n"
        "'jensen labels apply' find it. A file with an error adds nothing.\n\n"
        "  csv           columns path,label; an empty label removes the image\n"
        "  label-studio  its exports JSON and JSON-MIN; skipped tasks are unsure\n"
        "  fiftyone      labels.json of its image classification\n"
        "  coco          annotations; the category is the label\n\n"
        "An unchanged label that somebody submitted in Label Studio counts as\n"
        "'keep'. The other formats list every image, seen or not. There an unchanged\n"
        "label decides nothing, unless you give --checked.\n\n"
        "  jensen labels import audits/photos-... done.json --format label-studio\n"
        "  jensen labels apply audits/photos-... --out labels.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .named = "format",
    .names = JSN_CATALOG_LABEL_FORMATS,
    .values_size = sizeof(import_values),
    .run = run,
};
