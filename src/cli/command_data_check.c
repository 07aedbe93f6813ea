/* cli/command_data_check.c - reads every image of a data set and lists the broken ones, and
 * those that are there again under another label or in another split. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
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
    jsni_json_writer *json; /* or NULL */
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
    if (f->json == NULL) {
        cli_print("%s\t%s\n", path, reason);
        return JSN_OK;
    }
    jsni_json_begin_object(f->json, NULL);
    jsni_json_put_text(f->json, "path", path);
    jsni_json_put_text(f->json, "reason", reason);
    jsni_json_end(f->json);
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
    if (f->json != NULL)
        jsni_json_begin_array(f->json, NULL);
    for (size_t i = 0; i < count; i++) {
        const jsn_dataset_copy *at = &copies[i];
        const char *path = jsn_dataset_path(f->data, at->split, at->index);
        if (f->json != NULL) {
            jsni_json_begin_object(f->json, NULL);
            jsni_json_put_text(f->json, "path", path);
            jsni_json_put_text(f->json, "label", class_of(f, at));
            jsni_json_put_text(f->json, "split", jsn_split_name(at->split));
            jsni_json_end(f->json);
        } else if (i > 0) {
            cli_print("%s\tlabelled '%s', the same image as %s, labelled '%s'\n", path,
                      class_of(f, at), first, class_of(f, &copies[0]));
        }
    }
    if (f->json != NULL)
        jsni_json_end(f->json);
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
    jsn_status status = read_all(f, &samples, more);
    if (f->json != NULL) {
        jsni_json_end(f->json);
        jsni_json_begin_array(f->json, "copies");
    }
    if (status == JSN_OK && !*more)
        status = jsn_dataset_find_copies(f->data, (const uint64_t *const *)f->prints,
                                         report_copies, f);
    if (status != JSN_OK)
        return status;
    if (f->json != NULL) {
        jsni_json_end(f->json);
        jsni_json_put_int(f->json, "samples", (int64_t)samples);
        jsni_json_put_int(f->json, "bad", f->bad);
        jsni_json_put_bool(f->json, "complete", !*more);
    } else {
        cli_print("%lld broken of %zu %s%s\n", (long long)f->bad, samples,
                  jsni_noun(samples, "image", "images"),
                  *more ? ", and more (--max-bad)" : "");
        if (f->copies > 0)
            cli_print("%zu %s of another under another label or in another split\n",
                      f->copies, jsni_noun(f->copies, "copy", "copies"));
    }
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
    if (v->json)
        status = jsni_json_writer_create(&f.json, 0);
    if (status == JSN_OK && v->json) {
        jsni_json_begin_object(f.json, NULL);
        jsni_json_begin_array(f.json, "broken");
    }
    if (status == JSN_OK)
        status = check(&f, &more);
    if (status == JSN_OK && v->json) {
        jsni_json_end(f.json);
        status = cli_print_json(f.json);
    } else {
        jsni_json_writer_destroy(f.json);
    }
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
