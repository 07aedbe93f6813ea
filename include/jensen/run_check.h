/* jensen/run_check.h - whether a run folder is whole: every file present, readable, what
 * the run wrote, and in agreement with the others.
 *
 *     jsn_run_checked checked;
 *     if (jsn_run_check(&checked, "runs/photos") != JSN_OK) ...
 *     for (size_t i = 0; i < checked.file_count; i++)
 *         if (checked.files[i].state > JSN_RUN_FILE_READABLE)
 *             printf("%s: %s\n", checked.files[i].name, checked.files[i].problem);
 *     jsn_run_checked_release(&checked);
 */
#ifndef JENSEN_RUN_CHECK_H
#define JENSEN_RUN_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jsn_run_file_state {
    JSN_RUN_FILE_SOUND,    /* its checksum agrees */
    JSN_RUN_FILE_READABLE, /* nothing is wrong, but there is no checksum to tell */
    JSN_RUN_FILE_MISSING,
    JSN_RUN_FILE_DAMAGED
} jsn_run_file_state;

/* "sound", "readable", "missing", "damaged" */
JSN_API const char *jsn_run_file_state_name(jsn_run_file_state state);

typedef struct jsn_run_checked_file {
    char *name; /* below the folder: "model.json", "member-1/model.json" */
    jsn_run_file_state state;
    char *problem; /* one sentence; "" where there is none */
} jsn_run_checked_file;

typedef struct jsn_run_checked {
    bool sound;                   /* nothing is missing or damaged */
    bool finished;                /* the run has a result */
    bool predict, report, resume; /* what these commands need is whole */
    jsn_run_checked_file *files;  /* [file_count], owned */
    size_t file_count;
} jsn_run_checked;

/* Checks the folder of a run and those of the members of an ensemble. A finished run has
 * weights, checkpoint, metrics, labels, events of TensorBoard, log and page (which
 * jsn_report_run() makes). Writes nothing. A damaged run is JSN_OK with *out telling so;
 * *out is the caller's then: jsn_run_checked_release().
 *   JSN_ERR_DATA    no run folder
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_run_check(jsn_run_checked *out,
                                                const char *folder);
JSN_API void jsn_run_checked_release(jsn_run_checked *checked); /* and zeroes it */

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_RUN_CHECK_H */
