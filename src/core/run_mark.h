/* core/run_mark.h - the files by which a folder is known to be that of a run or an audit. */
#ifndef JSNI_CORE_RUN_MARK_H
#define JSNI_CORE_RUN_MARK_H

#include "core/folder.h"

#define JSNI_RUN_LOCK        ".lock" /* the first; then these two */
#define JSNI_RUN_CONFIG      "config.yaml"
#define JSNI_RUN_ENVIRONMENT "environment.json"

#define JSNI_AUDIT_JSON   "audit.json" /* these two */
#define JSNI_AUDIT_SCORES "scores.csv"

typedef enum jsni_run_mark {
    JSNI_RUN_NO_MARK,
    JSNI_RUN_LOCKED, /* the lock without the two: a run that was killed at once, or the
                      * lock of somebody else */
    JSNI_RUN_MARKED  /* the two: a run */
} jsni_run_mark;

/* What the entries of a folder say. */
jsni_run_mark jsni_run_mark_of(const jsni_folder_entry *entries, size_t count);

/* Whether the folder is a run's, whose pictures (of doubtful labels) are no data. One
 * that was killed at once has a lock and nothing else. */
bool jsni_run_mark_shown(const jsni_folder_entry *entries, size_t count);

/* Whether the folder is an audit's, whose pictures are no data either. */
bool jsni_audit_mark_shown(const jsni_folder_entry *entries, size_t count);

#endif /* JSNI_CORE_RUN_MARK_H */
