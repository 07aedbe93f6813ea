/* cli/command_data_check.c - reads every image of a data set and lists the broken ones, and
 * those that are there again under another label or in another split. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/words.h"
#include "jensen/dataset.h"

typedef struct check_values {
    int64_t max_bad, threads;
    bool json;
    jsn_texts limit;
} check_values;

static const jsn_option_info options[] = {
    {"max-bad", 0, JSN_OPTION_INT, "100", 0, 1e9, NULL, "N",
     "stop after this many broken images", offsetof(check_values, max_bad)},
    CLI_READERS_ROW(check_values),
    CLI_LIMIT_ROW(check_values),
    CLI_JSON_ROW(check_values, "one JSON object on stdout"),
};

typedef struct found {
    const check_values *v;
    const jsn_dataset *data;
    cli_record r;
    int64_t bad;
    size_t copies;                /* beside the first one of each image */
    uint64_t *prints[JSN_SPLITS]; /* [samples], of the pixels; NULL: an empty split */
} found;

static jsn_status report(void *user, jsn_split split, size_t index, const char *reason)
{
    found *f = user;
    const char *path = jsn_dataset_path(f->data, split, index);
    if (f->bad >= f->v->max_bad)
        return JSN_ERR_STOPPED;
    f->bad++;
    cli_begin_object(&f->r, NULL);
    cli_field_text(&f->r, "path", "%s\t", path);
    cli_field_text(&f->r, "reason", "%s\n", reason);
    cli_end(&f->r);
    return JSN_OK;
}

static const char *class_of(const found *f, const jsn_dataset_copy *at)
{
    return jsn_dataset_class(f->data,
                             (size_t)jsn_dataset_label(f->data, at->split, at->index));
}

/* A jsn_dataset_copies_fn. */
static jsn_status report_copies(void *user, const jsn_dataset_copy *copies,
                                size_t count)
{
    found *f = user;
    const char *first = jsn_dataset_path(f->data, copies[0].split, copies[0].index);
    f->copies += count - 1;
    cli_begin_array(&f->r, NULL);
    for (size_t i = 0; i < count; i++) {
        /* The text has a line for each but the first. */
        const jsn_dataset_copy *at = &copies[i];
        cli_begin_object(&f->r, NULL);
        cli_field_text(&f->r, "path", i > 0 ? "%s\t" : NULL,
                       jsn_dataset_path(f->data, at->split, at->index));
        cli_field_text(&f->r, "label", i > 0 ? "labelled '%s', " : NULL,
                       class_of(f, at));
        cli_field_text(&f->r, "split", NULL, jsn_split_name(at->split));
        if (i > 0)
            cli_words(&f->r, "the same image as %s, labelled '%s'\n", first,
                      class_of(f, &copies[0]));
        cli_end(&f->r);
    }
    cli_end(&f->r);
    return JSN_OK;
}

static jsn_status read_all(found *f, size_t *samples, bool *more)
{
    *more = false;
    for (int s = 0; s < JSN_SPLITS && !*more; s++) {
        const size_t count = jsn_dataset_samples(f->data, (jsn_split)s);
        *samples += count;
        if (count > 0 && (f->prints[s] = calloc(count, sizeof *f->prints[s])) == NULL)
            return JSN_ERR_MEMORY;
        const jsn_status status =
            jsn_dataset_check(f->data, (jsn_split)s, (size_t)f->v->threads,
                              cli_logger(), report, f, f->prints[s]);
        *more = status == JSN_ERR_STOPPED;
        if (status != JSN_OK && !*more)
            return status;
    }
    return JSN_OK;
}

static jsn_status check(found *f, bool *more)
{
    size_t samples = 0;
    cli_begin_object(&f->r, NULL);
    cli_begin_array(&f->r, "broken");
    jsn_status status = read_all(f, &samples, more);
    cli_end(&f->r);
    cli_begin_array(&f->r, "copies");
    if (status == JSN_OK && !*more)
        status = jsn_dataset_find_copies(f->data, (const uint64_t *const *)f->prints,
                                         report_copies, f);
    cli_end(&f->r);
    if (status != JSN_OK)
        return status;
    cli_words(&f->r, "%lld broken of ", (long long)f->bad);
    cli_field_int(&f->r, "samples", samples == 1 ? "%lld image" : "%lld images",
                  (int64_t)samples);
    cli_field_int(&f->r, "bad", NULL, f->bad);
    cli_field_bool(&f->r, "complete", "\n", ", and more (--max-bad)\n", !*more);
    if (f->copies > 0)
        cli_words(&f->r, "%zu %s of another under another label or in another split\n",
                  f->copies, jsni_noun(f->copies, "copy", "copies"));
    cli_end(&f->r);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const check_values *v = values;
    if (args->count != 1)
        return cli_usage("takes one data set, such as cifar10:PATH or builtin");
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.logger = cli_logger();
    how.once = true;
    how.threads = (size_t)v->threads;
    jsn_status status = jsn_dataset_open(&data, args->items[0], &how);
    if (status != JSN_OK)
        return status;
    found f = {.v = v, .data = data};
    bool more = false;
    status = cli_record_open(&f.r, v->json);
    if (status == JSN_OK)
        status = check(&f, &more);
    if (status == JSN_OK)
        status = cli_record_close(&f.r);
    else
        cli_record_drop(&f.r);
    for (int s = 0; s < JSN_SPLITS; s++)
        free(f.prints[s]);
    jsn_dataset_close(data);
    if (status != JSN_OK || (f.bad == 0 && f.copies == 0 && !more))
        return status;
    if (f.bad == 0 && !more)
        return cli_fail(
            JSN_ERR_DATA,
            "%zu %s the same as one under another label or in another split", f.copies,
            jsni_noun(f.copies, "image is", "images are"));
    return cli_fail(JSN_ERR_DATA, "%s%lld %s broken", more ? "more than " : "",
                    (long long)f.bad,
                    jsni_noun((uint64_t)f.bad, "image is", "images are"));
}

const cli_command cli_command_data_check = {
    .name = "data check",
    .summary = "read every image, list broken ones and copies",
    .usage = "DATA [--max-bad N] [--json]",
    .details =
        "Prints each image that cannot be read, with the reason. Also prints each\n"
        "image with the same pixels as another one that has another label or is in\n"
        "another split. Exit code 3 when there are any.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(check_values),
    .run = run,
};
