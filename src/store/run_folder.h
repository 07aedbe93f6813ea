/* store/run_folder.h - a run on disk: names of the files inside, one process at a time, the
 * log. */
#ifndef JSNI_STORE_RUN_FOLDER_H
#define JSNI_STORE_RUN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json.h"
#include "core/run_mark.h"
#include "jensen/status.h"

#define JSNI_RUN_METRICS     "metrics.jsonl"
#define JSNI_RUN_METRICS_CSV "metrics.csv"
#define JSNI_RUN_CHECKPOINT  "checkpoint.safetensors"
#define JSNI_RUN_PREVIOUS    "checkpoint-previous.safetensors"
#define JSNI_RUN_MODEL       "model.safetensors"
#define JSNI_RUN_CARD        "model.json"
#define JSNI_RUN_BEST        "model-best.safetensors"
#define JSNI_RUN_RAW         "model-raw.safetensors" /* where model is their average */
#define JSNI_RUN_LABELS      "labels.csv"
#define JSNI_RUN_BAD_IMAGES  "bad_images.csv"
#define JSNI_RUN_DOUBTFUL    "doubtful.csv"
#define JSNI_RUN_PICTURES    "doubtful" /* a folder: the images of the first of them */
#define JSNI_RUN_POSTERIORS  "posteriors.npy"
#define JSNI_RUN_MATRIX      "transition.npy" /* of a loss with matrix= */
#define JSNI_RUN_EVALUATION  "evaluation.json"
#define JSNI_RUN_RESULT      "result.json" /* there once the run is finished */
#define JSNI_RUN_REPORT      "report.html"
#define JSNI_RUN_LOG         "log.txt"
/* TensorBoard looks for "tfevents" in the name; the number would be a start time, which
 * a run that may be continued any number of times has no single one of. */
#define JSNI_RUN_EVENTS "events.out.tfevents.0000000001.jensen"

typedef struct jsni_run_folder {
    char *path; /* owned */
    int lock;   /* file descriptor */
    size_t old; /* length of the part of `path` that was there before it was opened */
} jsni_run_folder;

/* Creates the folder when it is missing and claims it for this process; the claim ends
 * with the process, however it ends. Temporary files that killed processes left are
 * removed. The path may lead through links; links in the folder are not followed.
 *   JSN_ERR_BUSY  another process holds it
 *   JSN_ERR_IO    it cannot be created or written */
JSN_MUST_CHECK jsn_status jsni_run_folder_open(jsni_run_folder *run, const char *path);

/* Ends the claim. When the run never began (there is no configuration), nothing is left
 * of it: neither the lock nor the folders that open() made. A zeroed one is fine. */
void jsni_run_folder_close(jsni_run_folder *run);

/* Removes the temporary files that killed processes have left in the folder of a run; they
 * may be as large as a checkpoint, and nothing reads them. */
void jsni_run_remove_left(const char *folder);

/* "folder/name", owned by the caller. NULL: no memory. */
char *jsni_run_file(const jsni_run_folder *run, const char *name);

/* Replaces a file of the run. */
JSN_MUST_CHECK jsn_status jsni_run_write(const jsni_run_folder *run, const char *name,
                                         const char *text, size_t length);

/* Appends the lines of a text to log.txt, each with the time; failures are ignored. */
void jsni_run_log(const jsni_run_folder *run, const char *text);

#endif /* JSNI_STORE_RUN_FOLDER_H */
