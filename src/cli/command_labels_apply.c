/* cli/command_labels_apply.c - corrected labels from an audit, as a file that train takes. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/words.h"
#include "jensen/review.h"

typedef struct apply_values {
    char *out, *copy, *data;
    double min_score;
    bool move, undo, json;
    jsn_texts limit;
} apply_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(apply_values, NULL, "FILE.csv",
                "file to write: path,label (default: labels.csv)"),
    {"copy", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FOLDER",
     "instead, copy the images to a new folder with one sub-folder per class",
     offsetof(apply_values, copy)},
    {"move", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "instead, move the images of the data to the folders of their classes",
     offsetof(apply_values, move)},
    {"undo", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "move the images back that --move has moved", offsetof(apply_values, undo)},
    {"data", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "the audited data, if it was moved or renamed", offsetof(apply_values, data)},
    {"min-score", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "also accept suggestions with at least this score, where nobody has decided",
     offsetof(apply_values, min_score)},
    CLI_LIMIT_ROW(apply_values),
    CLI_JSON_ROW(apply_values, "one JSON object on stdout"),
};

static jsn_status describe(const char *place, const jsn_labels_result *result,
                           bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "labels", "%s: ", place);
    cli_field_int(&r, "changed", "%lld", (int64_t)result->changed);
    cli_field_int(&r, "images", " of %lld labels changed", (int64_t)result->images);
    cli_field_int(&r, "decided", NULL, (int64_t)result->decided);
    cli_field_int(&r, "removed",
                  result->removed == 0   ? NULL
                  : result->removed == 1 ? ", %lld image removed"
                                         : ", %lld images removed",
                  (int64_t)result->removed);
    cli_words(&r, "\n");
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status undo(const apply_values *v, const char *folder)
{
    size_t moved = 0;
    cli_record r;
    jsn_status status = jsn_labels_undo(folder, v->data, &moved);
    if (status == JSN_OK)
        status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "labels", NULL, folder);
    cli_field_int(&r, "moved_back", "%lld ", (int64_t)moved);
    cli_words(&r, "%s moved back\n", jsni_noun(moved, "image", "images"));
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const apply_values *v = values;
    if (args->count != 1)
        return cli_usage("needs the folder of an audit, got %zu", args->count);
    if ((v->out != NULL) + (v->copy != NULL) + v->move + v->undo > 1)
        return cli_usage("--out, --copy, --move and --undo exclude each other");
    if (v->undo)
        return undo(v, args->items[0]);
    jsn_labels_job job;
    jsn_labels_result result;
    jsn_labels_job_init(&job);
    job.folder = args->items[0];
    job.min_score = v->min_score;
    job.copy = v->copy;
    job.move = v->move;
    job.data = v->data;
    if (v->out != NULL || (v->copy == NULL && !v->move))
        job.out = v->out != NULL ? v->out : "labels.csv";
    const char *place = v->copy != NULL ? v->copy : v->move ? job.folder : job.out;
    const jsn_status status = jsn_labels_apply(&job, &result);
    return status == JSN_OK ? describe(place, &result, v->json) : status;
}

const cli_command cli_command_labels_apply = {
    .name = "labels apply",
    .summary = "corrected labels from an audit",
    .usage = "DIR [--min-score X] [--out FILE.csv | --copy FOLDER | --move | --undo]",
    .details =
        "Writes the labels of all audited images: as decided in DIR/decisions.csv,\n"
        "else as given. The columns of decisions.csv are path,decision,label,time; a\n"
        "decision is keep, relabel, unsure or remove, and the last one of an image\n"
        "counts. Only --move changes the data. It moves images to the folders of\n"
        "their new classes, and removed images to the folder .removed. DIR/undo.csv\n"
        "lists what was moved, and --undo moves it back.\n\n"
        "  jensen labels apply audit --min-score 0.9 --out labels.csv\n"
        "  jensen train photos --labels labels.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(apply_values),
    .run = run,
};
