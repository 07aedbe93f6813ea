/* store/run_folder.c - see run_folder.h. */
#define _DEFAULT_SOURCE 1 /* flock */
#include "store/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "core/words.h"

char *jsni_run_file(const jsni_run_folder *run, const char *name)
{
    return jsni_path_join(run->path, name);
}

/* Whether the lock that is held is still the one in the folder: who made the folder in
 * vain removes both, and may have done so since the lock was opened. */
static bool is_current(int lock, const char *path)
{
    struct stat held, there;
    return fstat(lock, &held) == 0 && lstat(path, &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

static int lock_file(int file)
{
    int failed = 0;
    do
        failed = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (failed == EINTR);
    return failed;
}

/* Makes the folder and locks it. *again: it went away meanwhile. */
static jsn_status try_claim(jsni_run_folder *run, const char *lock, bool *again)
{
    int file = -1;
    *again = false;
    JSNI_TRY(jsni_folder_create(run->path));
    const jsn_status status =
        jsni_file_open(&file, run->path, JSNI_RUN_LOCK, O_RDWR | O_CREAT);
    if (status != JSN_OK) {
        *again = errno == ENOENT;
        return status == JSN_ERR_IO || *again
                   ? jsni_fail(JSN_ERR_IO, "%s: cannot be written: %s", run->path,
                               strerror(errno))
                   : status;
    }
    const int failed = lock_file(file);
    if (failed == 0 && is_current(file, lock)) {
        run->lock = file;
        return JSN_OK;
    }
    *again = !is_current(file, lock);
    (void)close(file);
    return failed == 0 || failed == EWOULDBLOCK
               ? jsni_fail(JSN_ERR_BUSY,
                           "%s: another process is working in this run folder; wait "
                           "for it, or choose another folder",
                           run->path)
               : jsni_fail(JSN_ERR_IO, "%s: cannot be locked: %s", run->path,
                           strerror(failed));
}

static jsn_status claim(jsni_run_folder *run)
{
    enum { TRIES = 100 };
    char *lock = jsni_run_file(run, JSNI_RUN_LOCK);
    JSNI_TRY_ALLOC(lock);
    bool again = true;
    jsn_status status = JSN_OK;
    for (int i = 0; again && i < TRIES; i++)
        status = try_claim(run, lock, &again);
    jsni_free(lock);
    return status;
}

/* Also when that cannot be known. */
static bool has_file(const jsni_run_folder *run, const char *name)
{
    bool there = false;
    return jsni_file_find(run->path, name, &there) != JSN_OK || there;
}

static void remove_file(const jsni_run_folder *run, const char *name)
{
    char *path = jsni_run_file(run, name);
    if (path != NULL)
        (void)unlink(path);
    jsni_free(path);
}

/* Of a run that never began: its claim, and what open() made, as far as it is empty. */
static void remove_traces(jsni_run_folder *run)
{
    if (run->old < strlen(run->path))
        remove_file(run, JSNI_RUN_LOG);
    remove_file(run, JSNI_RUN_LOCK);
    jsni_folder_remove_made(run->path, run->old);
}

void jsni_run_remove_left(const char *folder)
{
    jsni_file_remove_left(folder, ".");
    jsni_file_remove_left(folder, JSNI_RUN_PICTURES);
}

jsn_status jsni_run_folder_open(jsni_run_folder *run, const char *path)
{
    *run = (jsni_run_folder){.lock = -1};
    JSNI_TRY_ALLOC(run->path = jsni_text_copy(path));
    run->old = jsni_folder_existing(run->path);
    const jsn_status status = claim(run);
    if (status != JSN_OK)
        jsni_run_folder_close(run);
    else
        jsni_run_remove_left(path);
    return status;
}

void jsni_run_folder_close(jsni_run_folder *run)
{
    if (run->path != NULL && run->lock >= 0) {
        if (!has_file(run, JSNI_RUN_CONFIG))
            remove_traces(run);
        (void)close(run->lock);
    }
    jsni_free(run->path);
    *run = (jsni_run_folder){.lock = -1};
}

jsn_status jsni_run_write(const jsni_run_folder *run, const char *name,
                          const char *text, size_t length)
{
    return jsni_file_write_in(run->path, name, text, length);
}

static void put_piece(void *lines, const char *piece, size_t length)
{
    jsni_text_add_n(lines, piece, length);
}

void jsni_run_log(const jsni_run_folder *run, const char *text)
{
    char stamp[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    jsni_text lines = {0};
    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        jsni_text_format(&lines, "%s ", stamp);
        jsni_text_visible(text, length, false, put_piece, &lines);
        jsni_text_add(&lines, "\n");
        text += length + (text[length] == '\n');
    }
    jsn_status status = lines.status;
    if (status == JSN_OK && lines.length > 0)
        status = jsni_file_append(run->path, JSNI_RUN_LOG, lines.data, lines.length);
    (void)status;
    jsni_text_release(&lines);
}
