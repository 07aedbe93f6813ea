/* train/feature_cache.c - see feature_cache.h. */
#include "train/feature_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "data/cache_folder.h"
#include "data/checksum.h"

jsn_status jsni_feature_cache_open(jsni_feature_cache *c)
{
    char *cache = NULL;
    *c = (jsni_feature_cache){0};
    JSNI_TRY(jsni_cache_folder(NULL, &cache));
    if (cache == NULL)
        return JSN_OK;
    c->folder = jsni_path_join(cache, "features");
    jsni_free(cache);
    return c->folder == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

bool jsni_feature_cache_load(const jsni_feature_cache *c,
                             const char key[JSNI_SHA256_HEX], float *to, size_t count)
{
    const size_t bytes = count * sizeof *to;
    uint64_t sum = 0;
    char *data = NULL;
    size_t length = 0;
    bool there = false;
    if (c->folder == NULL || jsni_file_find(c->folder, key, &there) != JSN_OK || !there)
        return false;
    const jsn_status status =
        jsni_file_read_in(c->folder, key, bytes + sizeof sum, &data, &length);
    bool right = status == JSN_OK && length == bytes + sizeof sum;
    if (right) {
        memcpy(&sum, data + bytes, sizeof sum);
        right = sum == jsni_checksum(0, data, bytes);
    }
    if (right)
        memcpy(to, data, bytes);
    jsni_free(data);
    return right;
}

jsn_status jsni_feature_cache_store(jsni_feature_cache *c,
                                    const char key[JSNI_SHA256_HEX], const float *from,
                                    size_t count)
{
    const size_t bytes = count * sizeof *from;
    const uint64_t sum = jsni_checksum(0, from, bytes);
    if (c->folder == NULL)
        return JSN_OK;
    if (c->stored == 0)
        JSNI_TRY(jsni_folder_create(c->folder));
    char *data = jsni_alloc(bytes + sizeof sum, 1);
    JSNI_TRY_ALLOC(data);
    memcpy(data, from, bytes);
    memcpy(data + bytes, &sum, sizeof sum);
    const jsn_status status =
        jsni_file_write_unsynced(c->folder, key, data, bytes + sizeof sum);
    jsni_free(data);
    c->stored += status == JSN_OK;
    return status;
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

/* Removes the oldest files until there are no more than are kept. */
static jsn_status remove_oldest(const char *folder)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, kept = 0;
    uint64_t total = 0;
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

void jsni_feature_cache_close(jsni_feature_cache *c)
{
    if (c->stored > 0) {
        jsni_file_remove_left(c->folder, ".");
        (void)remove_oldest(c->folder); /* what cannot be removed stays */
    }
    jsni_free(c->folder);
    *c = (jsni_feature_cache){0};
}
