/* cli/command_labels_apply.c - corrected labels from an audit, as a file that train takes. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/review.h"

typedef struct apply_values {
    char *out;
    double min_score;
    bool json;
    jsn_texts limit;
} apply_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(apply_values, "labels.csv", "FILE.csv", "file to write: path,label"),
    {"min-score", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "also take the suggestions with at least this score that nobody decided about",
     offsetof(apply_values, min_score)},
    CLI_LIMIT_ROW(apply_values),
    CLI_JSON_ROW(apply_values, "one JSON object on stdout"),
};

static jsn_status print_json(const char *out, const jsn_labels_result *result)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "labels", out);
    jsni_json_put_int(w, "images", (int64_t)result->images);
    jsni_json_put_int(w, "decided", (int64_t)result->decided);
    jsni_json_put_int(w, "changed", (int64_t)result->changed);
    jsni_json_put_int(w, "removed", (int64_t)result->removed);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const apply_values *v = values;
    if (args->count != 1)
        return cli_usage("needs the folder of an audit, got %zu", args->count);
    jsn_labels_job job = {
        .folder = args->items[0], .min_score = v->min_score, .out = v->out};
    jsn_labels_result result;
    const jsn_status status = jsn_labels_apply(&job, &result);
    if (status != JSN_OK)
        return status;
    if (v->json)
        return print_json(v->out, &result);
    cli_print("%s: %zu of %zu labels changed", v->out, result.changed, result.images);
    if (result.removed > 0)
        cli_print(", %zu %s removed", result.removed,
                  jsni_noun(result.removed, "image", "images"));
    cli_print("\n");
    return JSN_OK;
}

const cli_command cli_command_labels_apply = {
    .name = "labels apply",
    .summary = "corrected labels from an audit",
    .usage = "DIR [--min-score X] [--out FILE.csv] [--json]",
    .details =
        "Writes the labels of all audited images: as decided in DIR/decisions.csv, "
        "else\n"
        "as given. The columns of decisions.csv are path,decision,label,time; a "
        "decision\n"
        "is keep, relabel, unsure or remove, and the last one of an image counts.\n"
        "The data itself is left as it is.\n\n"
        "  jensen labels apply audit --min-score 0.9 --out labels.csv\n"
        "  jensen train photos --labels labels.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(apply_values),
    .run = run,
};
