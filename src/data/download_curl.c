/* data/download_curl.c - see data/download.h; on libcurl. */
#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/progress.h"
#include "data/download.h"

enum { CONNECT_SECONDS = 30, STALL_SECONDS = 60, MOST_REDIRECTS = 5 };

typedef struct transfer {
    FILE *file;
    uint64_t have, limit; /* bytes in the file; the most there may be */
    bool too_large;
    const jsn_logger *logger;
} transfer;

static size_t take_bytes(char *data, size_t size, size_t count, void *user)
{
    transfer *t = user;
    const size_t bytes = size * count;
    t->too_large = bytes > t->limit - t->have;
    if (t->too_large || fwrite(data, 1, bytes, t->file) != bytes)
        return 0; /* which makes libcurl stop */
    t->have += bytes;
    jsni_progress(t->logger, "downloading", t->have,
                  t->have < t->limit ? t->limit : t->have);
    return bytes;
}

static jsn_status no_memory(const char *url)
{
    return jsni_fail(JSN_ERR_MEMORY, "%s: no memory to download it", url);
}

/* "https", or "http" when the host is this machine; NULL otherwise. */
static jsn_status allowed_scheme(const char *url, const char **out)
{
    char *scheme = NULL, *host = NULL;
    CURLU *parts = curl_url();
    CURLUcode code = parts == NULL ? CURLUE_OUT_OF_MEMORY
                                   : curl_url_set(parts, CURLUPART_URL, url, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_HOST, &host, 0);
    *out = NULL;
    if (code == CURLUE_OK && strcmp(scheme, "https") == 0)
        *out = "https";
    else if (code == CURLUE_OK && strcmp(scheme, "http") == 0 &&
             (strcmp(host, "127.0.0.1") == 0 || strcmp(host, "localhost") == 0 ||
              strcmp(host, "[::1]") == 0))
        *out = "http";
    curl_free(host);
    curl_free(scheme);
    curl_url_cleanup(parts);
    return code == CURLUE_OUT_OF_MEMORY ? no_memory(url) : JSN_OK;
}

static void set_options(CURL *curl, const char *url, const char *scheme, transfer *t,
                        char *reason)
{
    (void)curl_easy_setopt(curl, CURLOPT_URL, url);
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, scheme);
    (void)curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    (void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
    (void)curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_SECONDS);
    (void)curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)t->have);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "jensen");
}

static jsn_status perform(const char *url, const char *scheme, transfer *t)
{
    char reason[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return jsni_fail(JSN_ERR_MEMORY, "libcurl could not be started");
    set_options(curl, url, scheme, t, reason);
    CURLcode code = curl_easy_perform(curl);
    /* A server that cannot continue sends everything again. */
    if (code == CURLE_RANGE_ERROR && t->have > 0) {
        t->have = 0;
        rewind(t->file);
        if (ftruncate(fileno(t->file), 0) != 0)
            code = CURLE_WRITE_ERROR;
        (void)curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)0);
        if (code == CURLE_RANGE_ERROR)
            code = curl_easy_perform(curl);
    }
    curl_easy_cleanup(curl);
    if (t->too_large)
        return jsni_fail(JSN_ERR_NETWORK, "%s: more than the %llu bytes it should have",
                         url, (unsigned long long)t->limit);
    if (code != CURLE_OK && ferror(t->file))
        return jsni_fail(JSN_ERR_IO, "%s: what was downloaded cannot be written: %s",
                         url, strerror(errno));
    if (code == CURLE_OUT_OF_MEMORY)
        return no_memory(url);
    if (code != CURLE_OK)
        return jsni_fail(JSN_ERR_NETWORK, "%s: %s", url,
                         reason[0] != '\0' ? reason : curl_easy_strerror(code));
    return JSN_OK;
}

jsn_status jsni_download(const char *url, const char *path, uint64_t limit,
                         const jsn_logger *logger)
{
    const char *scheme = NULL;
    JSNI_TRY(allowed_scheme(url, &scheme));
    if (scheme == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: only https addresses are allowed (http on this machine)",
                         url);
    transfer t = {fopen(path, "r+b"), 0, limit, false, logger};
    if (t.file == NULL && errno == ENOENT)
        t.file = fopen(path, "w+b");
    if (t.file == NULL)
        return jsni_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
    const long at = fseek(t.file, 0, SEEK_END) == 0 ? ftell(t.file) : -1;
    t.have = at > 0 ? (uint64_t)at : 0;
    jsn_status status = t.have >= limit ? JSN_OK : perform(url, scheme, &t);
    const bool empty = fseek(t.file, 0, SEEK_END) == 0 && ftell(t.file) == 0;
    if (fclose(t.file) != 0 && status == JSN_OK)
        status = jsni_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
    if (status != JSN_OK && empty) /* nothing to continue from */
        (void)remove(path);
    return status;
}
