/* cli/command_labels_diff.c - in what two label files differ. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
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
    jsni_json_writer *json; /* or NULL */
    int64_t changed, added, removed;
} differences;

/* A jsn_labels_diff_fn. */
static jsn_status report(void *user, const char *path, const char *before,
                         const char *after)
{
    differences *d = user;
    d->changed += before != NULL && after != NULL;
    d->added += before == NULL;
    d->removed += after == NULL;
    if (d->json == NULL) {
        cli_print("%s\t%s\t%s\n", path, before != NULL ? before : "-",
                  after != NULL ? after : "-");
        return JSN_OK;
    }
    jsni_json_begin_object(d->json, NULL);
    jsni_json_put_text(d->json, "path", path);
    jsni_json_put_text(d->json, "before", before);
    jsni_json_put_text(d->json, "after", after);
    jsni_json_end(d->json);
    return JSN_OK;
}

static jsn_status finish_json(differences *d)
{
    jsni_json_end(d->json);
    jsni_json_put_int(d->json, "changed", d->changed);
    jsni_json_put_int(d->json, "added", d->added);
    jsni_json_put_int(d->json, "removed", d->removed);
    jsni_json_end(d->json);
    return cli_print_json(d->json);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const diff_values *v = values;
    differences d = {0};
    if (args->count != 2)
        return cli_usage("needs two label files, got %zu", args->count);
    if (v->json) {
        const jsn_status status = jsni_json_writer_create(&d.json, 0);
        if (status != JSN_OK)
            return status;
        jsni_json_begin_object(d.json, NULL);
        jsni_json_begin_array(d.json, "differences");
    }
    const jsn_status status =
        jsn_labels_diff(args->items[0], args->items[1], report, &d);
    if (status != JSN_OK)
        jsni_json_writer_destroy(d.json);
    return status == JSN_OK && v->json ? finish_json(&d) : status;
}

const cli_command cli_command_labels_diff = {
    .name = "labels diff",
    .summary = "in what two label files differ",
    .usage = "A.csv B.csv [--json]",
    .details = "Prints path, label in A and label in B of each image that differs, by "
               "path; '-'\n"
               "where a file has no row for it. The files have the columns path,label.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(diff_values),
    .run = run,
};
