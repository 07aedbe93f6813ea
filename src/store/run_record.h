/* store/run_record.h - a run as its folder tells it, for those who only read: settings,
 * rows of metrics, evaluation, result, members. Unfinished runs can be read, too; what is
 * not there is NULL, empty or NaN. Everything else was checked when it was read: numbers
 * are in their ranges, labels are classes, lists have their lengths. */
#ifndef JSNI_STORE_RUN_RECORD_H
#define JSNI_STORE_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json.h"
#include "jensen/event.h"
#include "jensen/status.h"
#include "store/record_evaluation.h"
#include "store/record_result.h"

typedef struct jsni_run_setting {
    char *name, *value; /* owned */
} jsni_run_setting;

typedef struct jsni_run_record jsni_run_record;
struct jsni_run_record {
    char *path;                 /* owned; the folder as it was named */
    char *name;                 /* owned; its last part */
    jsni_run_setting *settings; /* [setting_count], owned; in the order of the file */
    size_t setting_count;
    jsn_epoch *rows; /* [epochs], owned: metrics.jsonl */
    size_t epochs;
    bool evaluated, finished; /* whether there is an evaluation, a result */
    jsni_record_evaluation evaluation;
    jsni_record_result result;
    jsni_json *environment; /* owned: whatever the machine told; NULL: none */
    size_t bad_images;
    jsni_run_record *members; /* [member_count], owned: an ensemble's */
    size_t member_count;
};

/* Reads the folder. JSN_ERR_DATA when it is no run folder or a file is damaged;
 * everything is then released. */
JSN_MUST_CHECK jsn_status jsni_run_record_read(jsni_run_record *run,
                                               const char *folder);
void jsni_run_record_release(jsni_run_record *run); /* and zeroes it */

/* Whether config.yaml can be read; JSN_ERR_DATA names the line. */
JSN_MUST_CHECK jsn_status jsni_run_settings_check(const char *folder);

/* The value of a setting, "" when it has none. */
const char *jsni_run_record_setting(const jsni_run_record *run, const char *name);

/* Whether a setting says how a run was carried out and not what it is: the number of
 * threads and the like. Runs that differ in such settings alone have the same result. */
bool jsni_run_setting_is_manner(const char *name);
/* Whether runs that differ in a setting are different experiments, not the same one with
 * another seed or carried out otherwise. */
bool jsni_run_setting_tells_apart(const char *name);

/* Numbers `key` of all rows into out [epochs]; returns how many are finite. */
size_t jsni_run_record_curve(const jsni_run_record *run, const char *key, double *out);

/* A number of the result; of an unfinished run that of its last row. */
double jsni_run_record_result(const jsni_run_record *run, const char *key);

#endif /* JSNI_STORE_RUN_RECORD_H */
