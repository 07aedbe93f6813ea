/* store/record_result.h - result.json as a struct: what a run ended with. */
#ifndef JSNI_STORE_RECORD_RESULT_H
#define JSNI_STORE_RECORD_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/record_numbers.h"

/* What a file was when the run ended; see run_files.h. */
typedef struct jsni_file_mark {
    char *name; /* owned */
    int64_t bytes;
    char *sha256; /* owned; 64 digits */
} jsni_file_mark;

typedef struct jsni_record_result {
    jsni_record_numbers numbers;
    int64_t epochs;       /* -1: not known */
    char *weights_sha256; /* owned, as those below; NULL: not known */
    char *options, *data, *data_text,
        *test_images;      /* marks of the settings and the data */
    jsni_file_mark *files; /* [file_count], owned */
    size_t file_count;
} jsni_record_result;

/* *found: the file is there; *result is filled only then. */
JSN_MUST_CHECK jsn_status jsni_record_result_read(jsni_record_result *result,
                                                  const char *folder, bool *found);
void jsni_record_result_release(jsni_record_result *result); /* and zeroes it */

#endif /* JSNI_STORE_RECORD_RESULT_H */
