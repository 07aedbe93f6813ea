/* store/run_files.h - the files of a run: one table of what a run writes, and the checksums
 * by which result.json vouches for them ("files": {"model.json": {"bytes", "sha256"}}).
 * Runs of earlier versions have none: they are read unchecked. */
#ifndef JSNI_STORE_RUN_FILES_H
#define JSNI_STORE_RUN_FILES_H

#include "core/json.h"
#include "store/record_result.h"

typedef enum jsni_run_file_kind {
    JSNI_RUN_FILE_TEXT,    /* config.yaml, JSON and rows: small, read by many */
    JSNI_RUN_FILE_TABLE,   /* CSV */
    JSNI_RUN_FILE_WEIGHTS, /* safetensors with a checksum of their own */
    JSNI_RUN_FILE_ARRAY,   /* .npy */
    JSNI_RUN_FILE_EVENTS,  /* of TensorBoard, with checksums of their own */
    JSNI_RUN_FILE_LOG,     /* lines for people */
    JSNI_RUN_FILE_PAGE     /* can be made again */
} jsni_run_file_kind;

typedef struct jsni_run_file_info {
    const char *name;
    jsni_run_file_kind kind;
    bool vouched;      /* result.json has its checksum */
    bool always;       /* a finished run of one network has it, whatever its options */
    const char *still; /* what can be used when this one is damaged; NULL: all else */
} jsni_run_file_info;

/* Files in the order in which they are told; NULL beyond the last. */
const jsni_run_file_info *jsni_run_file_at(size_t index);
/* NULL: no run writes a file of that name. */
const jsni_run_file_info *jsni_run_file_find(const char *name);

/* Puts "files": what is in the folder now, with the results of `members` below it. */
JSN_MUST_CHECK jsn_status jsni_run_files_put(const char *folder, size_t members,
                                             jsni_json_writer *w);

/* Compares a file with its mark. A file that is not there, or that the result does not
 * vouch for, is JSN_OK: whoever needs it will find out. `content`: hash it; else its size
 * alone is compared. JSN_ERR_DATA names the file and what still can be used. */
JSN_MUST_CHECK jsn_status jsni_run_files_verify(const jsni_record_result *result,
                                                const char *folder, const char *name,
                                                bool content);
/* All files of one kind. */
JSN_MUST_CHECK jsn_status jsni_run_files_verify_kind(const jsni_record_result *result,
                                                     const char *folder,
                                                     jsni_run_file_kind kind,
                                                     bool content);
/* A file by the result of its folder, where there is one. */
JSN_MUST_CHECK jsn_status jsni_run_files_verify_in(const char *folder,
                                                   const char *name);

#endif /* JSNI_STORE_RUN_FILES_H */
