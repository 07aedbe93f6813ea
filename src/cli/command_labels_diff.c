/* cli/command_labels_diff.c - in what two label files differ. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/review.h"

typedef struct diff_values {
    bool json;
    jsn_texts limit;
} diff_values;

static const jsn_option_info options[] = {
    CLI_LIMIT_ROW(diff_values),
    CLI_JSON_ROW(diff_values, "one JSON object on stdout"),
};

typedef struct differences {
    cli_record record;
    int64_t changed, added, removed;
} differences;

/* A jsn_labels_diff_fn. */
static jsn_status report(void *user, const char *path, const char *before,
                         const char *after)
{
    differences *d = user;
    cli_record *r = &d->record;
    d->changed += before != NULL && after != NULL;
    d->added += before == NULL;
    d->removed += after == NULL;
    cli_begin_object(r, NULL);
    cli_field_text(r, "path", "%s", path);
    cli_field_text(r, "before", before != NULL ? "\t%s" : "\t-", before);
    cli_field_text(r, "after", after != NULL ? "\t%s\n" : "\t-\n", after);
    cli_end(r);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const diff_values *v = values;
    differences d = {0};
    cli_record *r = &d.record;
    if (args->count != 2)
        return cli_usage("needs two label files, got %zu", args->count);
    jsn_status status = cli_record_open(r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(r, NULL);
    cli_begin_array(r, "differences");
    status = jsn_labels_diff(args->items[0], args->items[1], report, &d);
    cli_end(r);
    cli_field_int(r, "changed", NULL, d.changed);
    cli_field_int(r, "added", NULL, d.added);
    cli_field_int(r, "removed", NULL, d.removed);
    cli_end(r);
    if (status == JSN_OK)
        return cli_record_close(r);
    cli_record_drop(r);
    return status;
}

const cli_command cli_command_labels_diff = {
    .name = "labels diff",
    .summary = "how two label files differ",
    .usage = "A.csv B.csv [--json]",
    .details =
        "Prints path, label in A and label in B of each image whose labels differ,\n"
        "sorted by path; '-' where a file has no row for it. The files have the\n"
        "columns path,label.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(diff_values),
    .run = run,
};
