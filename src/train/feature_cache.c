/* train/feature_cache.c - see feature_cache.h. */
#include "train/feature_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/machine.h"
#include "core/text.h"
#include "data/cache_folder.h"
#include "format/safetensors.h"

static const char tensor_name[] = "features";

enum { NAME_ROOM = JSNI_SHA256_HEX + 16 };

static uint64_t bytes_of(const jsni_features *f)
{
    return (uint64_t)f->copies * f->count * f->floats * sizeof(float);
}

/* The folder of all; *out is NULL where the cache is off. */
static jsn_status find_folder(char **out)
{
    char *cache = NULL;
    *out = NULL;
    JSNI_TRY(jsni_cache_folder(NULL, &cache));
    if (cache == NULL)
        return JSN_OK;
    *out = jsni_path_join(cache, "features");
    jsni_free(cache);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static void name_of(const char *key, char out[NAME_ROOM])
{
    (void)snprintf(out, NAME_ROOM, "%s.safetensors", key);
}

static bool fits(const jsni_safetensor *t, const jsni_features *f)
{
    return t != NULL && t->dtype == JSN_DTYPE_FLOAT32 && t->rank == 3 &&
           t->shape[0] == f->copies && t->shape[1] == f->count &&
           t->shape[2] == f->floats;
}

jsn_status jsni_feature_cache_load(const char key[JSNI_SHA256_HEX], jsni_features *f,
                                   bool *found)
{
    char *folder = NULL, name[NAME_ROOM];
    jsni_safetensors *file = NULL;
    bool there = false;
    *found = false;
    JSNI_TRY(find_folder(&folder));
    if (folder == NULL)
        return JSN_OK;
    name_of(key, name);
    jsn_status status = jsni_file_find(folder, name, &there);
    if (status == JSN_OK && there)
        status = jsni_safetensors_open_in(&file, folder, name);
    if (status == JSN_OK && there)
        status = jsni_safetensors_verify(file);
    const jsni_safetensor *t =
        status == JSN_OK && there ? jsni_safetensors_find(file, tensor_name) : NULL;
    if (fits(t, f)) {
        memcpy(f->values, t->data, t->bytes);
        memset(f->there, 1, f->count * sizeof *f->there);
        *found = true;
    }
    jsni_safetensors_close(file);
    jsni_free(folder);
    return status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* A file of the cache and its age. */
typedef struct kept_file {
    char *path; /* owned */
    uint64_t bytes;
    int64_t seconds, nanoseconds;
} kept_file;

static int older_first(const void *a, const void *b)
{
    const kept_file *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (x->nanoseconds > y->nanoseconds) - (x->nanoseconds < y->nanoseconds);
}

/* Removes the oldest files until `more` bytes have room. */
static jsn_status make_room(const char *folder, uint64_t more)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, kept = 0;
    uint64_t total = more;
    JSNI_TRY(jsni_folder_list(folder, &entries, &count));
    kept_file *files = jsni_alloc_zero(count + 1, sizeof *files);
    for (size_t i = 0; files != NULL && i < count; i++) {
        jsni_file_identity is;
        char *path = entries[i].folder || entries[i].lost
                         ? NULL
                         : jsni_path_join(folder, entries[i].name);
        if (path == NULL || jsni_file_identify(path, &is) != JSN_OK) {
            jsni_free(path);
            continue;
        }
        files[kept++] = (kept_file){path, is.size, is.seconds, is.nanoseconds};
        total += is.size;
    }
    if (files != NULL)
        qsort(files, kept, sizeof *files, older_first);
    for (size_t i = 0; i < kept; i++) {
        if (total > JSNI_FEATURE_CACHE_BYTES && remove(files[i].path) == 0)
            total -= files[i].bytes;
        jsni_free(files[i].path);
    }
    jsni_folder_free(entries, count);
    const jsn_status status = files == NULL ? JSN_ERR_MEMORY : JSN_OK;
    jsni_free(files);
    return status;
}

static jsn_status store(const char *folder, const char *key, const jsni_features *f)
{
    char name[NAME_ROOM];
    const jsni_safetensor tensor = {.name = tensor_name,
                                    .dtype = JSN_DTYPE_FLOAT32,
                                    .rank = 3,
                                    .shape = {f->copies, f->count, f->floats},
                                    .data = f->values};
    JSNI_TRY(jsni_folder_create(folder));
    jsni_file_remove_left(folder, ".");
    JSNI_TRY(make_room(folder, bytes_of(f)));
    const uint64_t room = jsni_disk_free(folder); /* 0: unknown */
    if (room > 0 && room / 2 < bytes_of(f))
        return jsni_fail(JSN_ERR_IO, "%s: %.1f MB are free on this disk", folder,
                         (double)room / 1e6);
    name_of(key, name);
    return jsni_safetensors_write(folder, name, &tensor, 1, NULL, 0, true);
}

void jsni_feature_cache_store(const char key[JSNI_SHA256_HEX], const jsni_features *f,
                              const jsn_logger *logger)
{
    char *folder = NULL;
    for (size_t i = 0; i < f->count; i++)
        if (!f->there[i])
            return;
    if (bytes_of(f) > JSNI_FEATURE_CACHE_BYTES / 2)
        return;
    jsn_status status = find_folder(&folder);
    if (status == JSN_OK && folder != NULL)
        status = store(folder, key, f);
    jsni_free(folder);
    if (status == JSN_OK || logger == NULL || logger->message == NULL)
        return;
    char text[300];
    (void)snprintf(text, sizeof text,
                   "the features are not kept for the next run: %.200s",
                   jsn_last_error());
    logger->message(logger->user, JSN_LOG_INFO, text);
}
