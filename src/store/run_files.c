/* store/run_files.c - see run_files.h. */
#define _POSIX_C_SOURCE 200809L
#include "store/run_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_pieces.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/sha256.h"
#include "store/run_folder.h"

static const char by_init[] =
    "with 'predict --network NAME --init FILE --classes K' other weights can be used";
static const char without[] = "without this file the page is made, too";

static const jsni_run_file_info table[] = {
    {JSNI_RUN_CONFIG, JSNI_RUN_FILE_TEXT, true, false,
     "predict and eval do not need it"},
    {JSNI_RUN_ENVIRONMENT, JSNI_RUN_FILE_TEXT, true, false, without},
    {JSNI_RUN_METRICS, JSNI_RUN_FILE_TEXT, true, true,
     "without this file the page is made, too, but has no curves"},
    {JSNI_RUN_EVALUATION, JSNI_RUN_FILE_TEXT, true, true,
     "without this file the page is made, too, but shows no classes"},
    {JSNI_RUN_CARD, JSNI_RUN_FILE_TEXT, true, false,
     "with 'predict --network NAME --init model.safetensors --classes K' the weights "
     "can "
     "be used"},
    {JSNI_RUN_METRICS_CSV, JSNI_RUN_FILE_TABLE, true, true, NULL},
    {JSNI_RUN_LABELS, JSNI_RUN_FILE_TABLE, true, true, NULL},
    {JSNI_RUN_DOUBTFUL, JSNI_RUN_FILE_TABLE, true, false, NULL},
    {JSNI_RUN_BAD_IMAGES, JSNI_RUN_FILE_TABLE, true, false, NULL},
    {JSNI_RUN_MODEL, JSNI_RUN_FILE_WEIGHTS, true, true, by_init},
    {JSNI_RUN_BEST, JSNI_RUN_FILE_WEIGHTS, true, false, NULL},
    {JSNI_RUN_RAW, JSNI_RUN_FILE_WEIGHTS, true, false, NULL},
    {JSNI_RUN_CHECKPOINT, JSNI_RUN_FILE_WEIGHTS, false, true,
     "of a finished run no command needs it"},
    {JSNI_RUN_PREVIOUS, JSNI_RUN_FILE_WEIGHTS, false, false, NULL},
    {JSNI_RUN_POSTERIORS, JSNI_RUN_FILE_ARRAY, true, false, NULL},
    {JSNI_RUN_MATRIX, JSNI_RUN_FILE_ARRAY, true, false, NULL},
    {JSNI_RUN_RESULT, JSNI_RUN_FILE_TEXT, false, false,
     "without this file the run counts as unfinished, and its command ends it again"},
    {JSNI_RUN_EVENTS, JSNI_RUN_FILE_EVENTS, false, true,
     "TensorBoard alone reads it; " JSNI_RUN_METRICS " has the same numbers"},
    {JSNI_RUN_LOG, JSNI_RUN_FILE_LOG, false, true, "no command needs it"},
    {JSNI_RUN_REPORT, JSNI_RUN_FILE_PAGE, false, false,
     "'jensen report' makes it again"},
};

const jsni_run_file_info *jsni_run_file_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index] : NULL;
}

const jsni_run_file_info *jsni_run_file_find(const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* What is known of a file when its end is reached. */
typedef struct measured {
    jsni_sha256 sha;
    int64_t bytes;
} measured;

static void add_piece(void *user, const void *bytes, size_t count)
{
    measured *m = user;
    jsni_sha256_add(&m->sha, bytes, count);
    m->bytes += (int64_t)count;
}

static jsn_status find_size(const char *folder, const char *name, int64_t *bytes)
{
    struct stat info;
    int fd = -1;
    JSNI_TRY(jsni_file_open(&fd, folder, name, O_RDONLY | O_NONBLOCK));
    const bool found = fstat(fd, &info) == 0;
    (void)close(fd);
    *bytes = found ? (int64_t)info.st_size : -1;
    return found ? JSN_OK
                 : jsni_fail(JSN_ERR_IO, "%s/%s: cannot be read", folder, name);
}

/* Size and, where `hex` is not NULL, SHA-256 of a file. */
static jsn_status measure(const char *folder, const char *name, int64_t *bytes,
                          char *hex)
{
    measured m = {.bytes = 0};
    if (hex == NULL)
        return find_size(folder, name, bytes);
    jsni_sha256_init(&m.sha);
    const jsn_status status = jsni_file_pieces(folder, name, add_piece, &m);
    jsni_sha256_hex(&m.sha, hex);
    *bytes = m.bytes;
    return status;
}

static jsn_status put_file(const char *folder, const char *name, jsni_json_writer *w)
{
    char hex[JSNI_SHA256_HEX];
    int64_t bytes = 0;
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, name, &there));
    if (!there)
        return JSN_OK;
    JSNI_TRY(measure(folder, name, &bytes, hex));
    jsni_json_begin_object(w, name);
    jsni_json_put_int(w, "bytes", bytes);
    jsni_json_put_text(w, "sha256", hex);
    jsni_json_end(w);
    return JSN_OK;
}

jsn_status jsni_run_files_put(const char *folder, size_t members, jsni_json_writer *w)
{
    jsni_json_begin_object(w, "files");
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i].vouched)
            JSNI_TRY(put_file(folder, table[i].name, w));
    for (size_t m = 1; members > 1 && m <= members; m++) {
        char name[48];
        (void)snprintf(name, sizeof name, "member-%zu/%s", m, JSNI_RUN_RESULT);
        JSNI_TRY(put_file(folder, name, w));
    }
    jsni_json_end(w);
    return JSN_OK;
}

static jsn_status refuse(const char *folder, const char *name, const char *how)
{
    const jsni_run_file_info *info = jsni_run_file_find(name);
    const char *still = info == NULL ? NULL : info->still;
    return jsni_fail(JSN_ERR_DATA, "%s/%s: %s%s%s", folder, name, how,
                     still == NULL ? "" : "; ", still == NULL ? "" : still);
}

static jsn_status compare(const jsni_file_mark *mark, const char *folder, bool content)
{
    char hex[JSNI_SHA256_HEX], how[120];
    int64_t bytes = 0;
    JSNI_TRY(measure(folder, mark->name, &bytes, content ? hex : NULL));
    if (bytes != mark->bytes) {
        (void)snprintf(how, sizeof how,
                       "damaged, it has %lld bytes, the run wrote %lld",
                       (long long)bytes, (long long)mark->bytes);
        return refuse(folder, mark->name, how);
    }
    return !content || strcmp(hex, mark->sha256) == 0
               ? JSN_OK
               : refuse(folder, mark->name,
                        "damaged, its SHA-256 is not the one in " JSNI_RUN_RESULT);
}

jsn_status jsni_run_files_verify(const jsni_record_result *result, const char *folder,
                                 const char *name, bool content)
{
    bool there = false;
    for (size_t i = 0; i < result->file_count; i++) {
        if (strcmp(result->files[i].name, name) != 0)
            continue;
        JSNI_TRY(jsni_file_find(folder, name, &there));
        return there ? compare(&result->files[i], folder, content) : JSN_OK;
    }
    return JSN_OK;
}

jsn_status jsni_run_files_verify_kind(const jsni_record_result *result,
                                      const char *folder, jsni_run_file_kind kind,
                                      bool content)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i].kind == kind)
            JSNI_TRY(jsni_run_files_verify(result, folder, table[i].name, content));
    return JSN_OK;
}

jsn_status jsni_run_files_verify_in(const char *folder, const char *name)
{
    jsni_record_result result;
    bool found = false;
    JSNI_TRY(jsni_record_result_read(&result, folder, &found));
    if (!found)
        return JSN_OK;
    const jsn_status status = jsni_run_files_verify(&result, folder, name, true);
    jsni_record_result_release(&result);
    return status;
}
