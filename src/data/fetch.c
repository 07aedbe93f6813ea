/* data/fetch.c - see jensen/fetch.h. */
#define _POSIX_C_SOURCE 200809L
#include "jensen/fetch.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_pieces.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/progress.h"
#include "core/sha256.h"
#include "data/archive.h"
#include "data/download.h"
#include "data/md5.h"

static const jsn_fetch_info table[] = {
    {"cifar10", "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", 170052171,
     "c32a1d4ab5d03f1284b67883e8d87530",
     "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
     "cifar-10-batches-bin", "test_batch.bin"},
    {"cifar100", "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz", 168513733,
     "03b5dce01913d631647c71ecec9e9cb8",
     "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
     "cifar-100-binary", "train.bin"},
};

const jsn_fetch_info *jsn_fetch_describe(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index] : NULL;
}

typedef struct file_sums {
    jsni_md5 md5;
    jsni_sha256 sha;
} file_sums;

static void add_piece(void *user, const void *bytes, size_t count)
{
    file_sums *sums = user;
    jsni_md5_add(&sums->md5, bytes, count);
    jsni_sha256_add(&sums->sha, bytes, count);
}

/* Both sums of a file. */
static jsn_status sum_file(const char *path, char md5_hex[JSNI_MD5_HEX],
                           char sha_hex[JSNI_SHA256_HEX])
{
    file_sums sums;
    jsni_md5_init(&sums.md5);
    jsni_sha256_init(&sums.sha);
    const jsn_status status = jsni_file_pieces(NULL, path, add_piece, &sums);
    jsni_md5_hex(&sums.md5, md5_hex);
    jsni_sha256_hex(&sums.sha, sha_hex);
    return status;
}

/* A file with a wrong sum is removed: continuing it could never help. */
static jsn_status check_sums(const jsn_fetch_info *info, const char *expected,
                             const char *path)
{
    char md5[JSNI_MD5_HEX], sha[JSNI_SHA256_HEX];
    JSNI_TRY(sum_file(path, md5, sha));
    const char *want = expected != NULL ? expected : info->sha256;
    if (strcasecmp(sha, want) == 0 && (expected != NULL || strcmp(md5, info->md5) == 0))
        return JSN_OK;
    (void)remove(path);
    return jsni_fail(JSN_ERR_DATA,
                     "%s: is not the published file and was removed: SHA-256 %s, "
                     "expected %s (MD5 %s, published %s)",
                     path, sha, want, md5, info->md5);
}

typedef struct unpacking {
    const char *folder;
    const jsn_fetch_info *info;
    char *proof; /* held back until all else is there */
    size_t proof_length;
} unpacking;

static bool want_all(void *user, const char *name)
{
    (void)user;
    (void)name;
    return true;
}

static jsn_status write_member(const char *folder, const char *name, const void *bytes,
                               size_t length)
{
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    jsn_status status = jsni_folder_create(path);
    *slash = '/';
    if (status == JSN_OK)
        status = jsni_file_write(path, bytes, length);
    jsni_free(path);
    return status;
}

/* `name` is plain: relative, without "..". Links are never made, so nothing that was
 * unpacked can lead a later member outside. */
static jsn_status unpack_member(void *user, const char *name, const uint8_t *bytes,
                                size_t length)
{
    unpacking *u = user;
    const char *slash = strrchr(name, '/');
    if (u->proof != NULL ||
        strcmp(slash != NULL ? slash + 1 : name, u->info->proof) != 0)
        return write_member(u->folder, name, bytes, length);
    u->proof = jsni_alloc(length, 1);
    JSNI_TRY_ALLOC(u->proof);
    memcpy(u->proof, bytes, length);
    u->proof_length = length;
    return JSN_OK;
}

static jsn_status unpack(const jsn_fetch_info *info, const char *archive,
                         const char *folder)
{
    unpacking u = {folder, info, NULL, 0};
    const jsni_archive_visitor visitor = {&u,   NULL,          want_all,
                                          NULL, unpack_member, NULL};
    char name[200];
    (void)snprintf(name, sizeof name, "%s/%s", info->folder, info->proof);
    jsn_status status = jsni_archive_walk(archive, &visitor);
    if (status == JSN_OK && u.proof == NULL)
        status = jsni_fail(JSN_ERR_DATA, "%s: does not hold %s", archive, info->proof);
    if (status == JSN_OK)
        status = write_member(folder, name, u.proof, u.proof_length);
    jsni_free(u.proof);
    return status;
}

static jsn_status fetch(const jsn_fetch_info *info, const jsn_fetch_options *options,
                        const char *folder)
{
    const char *url = options->url != NULL ? options->url : info->url;
    const char *slash = strrchr(info->url, '/');
    char part[300], done[1024], path[1024];
    (void)snprintf(part, sizeof part, "%s.part", slash + 1);
    if (snprintf(done, sizeof done, "%s/%s/%s", folder, info->folder, info->proof) >=
            (int)sizeof done ||
        snprintf(path, sizeof path, "%s/%s", folder, part) >= (int)sizeof path)
        return jsni_fail(JSN_ERR_ARGUMENT, "%.60s...: the path is too long", folder);
    if (jsni_file_exists(done)) {
        jsni_say(options->logger, JSN_LOG_INFO, "already there: %s", done);
        return JSN_OK;
    }
    JSNI_TRY(jsni_folder_create(folder));
    jsni_say(options->logger, JSN_LOG_INFO, "downloading %s", url);
    JSNI_TRY(jsni_download(url, path, info->bytes, options->logger));
    JSNI_TRY(check_sums(info, options->sha256, path));
    jsni_say(options->logger, JSN_LOG_INFO, "unpacking into %s", folder);
    JSNI_TRY(unpack(info, path, folder));
    (void)remove(path);
    return JSN_OK;
}

jsn_status jsn_fetch(const char *name, const jsn_fetch_options *options)
{
    const jsn_fetch_options defaults = {NULL, NULL, NULL, NULL};
    if (name == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "fetch: need a name");
    if (options == NULL)
        options = &defaults;
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return fetch(&table[i], options,
                         options->folder != NULL ? options->folder : ".");
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i].name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "'%s' cannot be fetched",
                           name);
}
