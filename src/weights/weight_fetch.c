/* weights/weight_fetch.c - see jensen/weights.h: published weights, downloaded and imported. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/sha256.h"
#include "core/text.h"
#include "data/download.h"
#include "weights/weight_cache.h"
#include "weights/weight_record.h"

#define TORCHVISION "https://download.pytorch.org/models/"

/* torchvision's files carry the first eight digits of their SHA-256 in their names. */
static const jsn_weights_published published[] = {
    {"resnet18", TORCHVISION "resnet18-f37072fd.pth", "f37072fd"},
    {"resnet34", TORCHVISION "resnet34-b627a593.pth", "b627a593"},
    {"resnet50", TORCHVISION "resnet50-11ad3fa6.pth", "11ad3fa6"},
    {"resnet50-v1", TORCHVISION "resnet50-0676ba61.pth", "0676ba61"},
    {"resnet101", TORCHVISION "resnet101-cd907fc2.pth", "cd907fc2"},
    {"resnet101-v1", TORCHVISION "resnet101-63fe2227.pth", "63fe2227"},
    {"mobilenetv2", TORCHVISION "mobilenet_v2-7ebf99e0.pth", "7ebf99e0"},
    {"mobilenetv2-v1", TORCHVISION "mobilenet_v2-b0353104.pth", "b0353104"},
};

/* The largest file that is downloaded. */
static const uint64_t most_bytes = (uint64_t)4 << 30;

const jsn_weights_published *jsn_weights_publication(size_t index)
{
    return index < JSNI_COUNT_OF(published) ? &published[index] : NULL;
}

static jsn_status find_published(const char *name, const jsn_weights_published **out)
{
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(published); i++) {
        *out = &published[i];
        if (strcmp(published[i].name, name) == 0)
            return JSN_OK;
        jsni_names_add(&names, published[i].name);
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME,
                           "no published weights '%s' are known", name);
}

/* At least 8 hexadecimal digits: fewer would let anything through. */
static bool is_sum(const char *text)
{
    const size_t length = strlen(text);
    return length >= 8 && length <= 64 &&
           strspn(text, "0123456789abcdefABCDEF") == length;
}

/* The file's own name, from the end of the URL. */
static const char *base_of(const char *url)
{
    const char *slash = strrchr(url, '/');
    return slash == NULL || slash[1] == '\0' ? "weights" : slash + 1;
}

/* Imports what was downloaded when its sum begins as it should. */
static jsn_status import_checked(const char *path, const char *sum, const char *name,
                                 const char *url, jsn_weights_info *info)
{
    char hex[JSNI_SHA256_HEX];
    JSNI_TRY(jsni_weights_sum(path, hex));
    if (strncasecmp(hex, sum, strlen(sum)) != 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: is another file than it should be and was removed: its "
                         "SHA-256 is %s, expected %s",
                         url, hex, sum);
    char source[200];
    (void)snprintf(source, sizeof source, "%.*s", (int)strcspn(base_of(url), "?#"),
                   base_of(url));
    return jsni_weights_import(path, source, name, info);
}

/* The digits that the name of a file ends with, as in resnet18-f37072fd.pth; false: none. */
static bool sum_in_name(const char *url, char out[JSNI_SHA256_HEX])
{
    const char *base = base_of(url), *dash = NULL;
    const size_t length = strcspn(base, "?#");
    for (size_t i = 0; i < length; i++)
        if (base[i] == '-')
            dash = base + i + 1;
    const size_t digits = dash == NULL ? 0 : strspn(dash, "0123456789abcdefABCDEF");
    if (digits == 0 || digits >= JSNI_SHA256_HEX || dash[digits] != '.')
        return false;
    (void)snprintf(out, JSNI_SHA256_HEX, "%.*s", (int)digits, dash);
    return is_sum(out);
}

static jsn_status fetch(const char *url, const char *sum, const char *name,
                        const jsn_logger *logger, jsn_weights_info *info)
{
    char *root = NULL, *path = NULL;
    jsni_text line = {0};
    if (logger != NULL && logger->message != NULL) {
        jsni_text_format(&line, "downloading %s", url);
        if (line.status == JSN_OK)
            logger->message(logger->user, JSN_LOG_INFO, line.data);
        jsni_text_release(&line);
    }
    char part[200]; /* begins with a point: no name of weights does */
    (void)snprintf(part, sizeof part, ".%.120s.%.8s.part", base_of(url), sum);
    for (char *at = part; *at != '\0'; at++)
        if (strchr("?#&%", *at) != NULL)
            *at = '_';
    JSNI_TRY(jsni_weights_root(&root));
    path = jsni_path_join(root, part);
    jsni_free(root);
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_download(url, path, most_bytes, logger);
    if (status == JSN_OK) {
        status = import_checked(path, sum, name, url, info);
        /* What cannot be read or kept just now is not downloaded again. */
        if (status != JSN_ERR_IO && status != JSN_ERR_MEMORY)
            (void)remove(path);
    }
    jsni_free(path);
    return status;
}

jsn_status jsn_weights_fetch(const char *what, const jsn_weights_fetch_options *options,
                             jsn_weights_info *info)
{
    static const jsn_weights_fetch_options defaults = {0};
    JSNI_NEED(what);
    const jsn_weights_fetch_options *o = options != NULL ? options : &defaults;
    const jsn_weights_published *known = NULL;
    if (info != NULL)
        *info = (jsn_weights_info){0};
    const bool address = strstr(what, "://") != NULL;
    char named[JSNI_SHA256_HEX] = "";
    if (address && o->sha256 == NULL && !sum_in_name(what, named))
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "%s: a URL needs --sha256, to check that the right file arrives", what);
    if (o->sha256 != NULL && !is_sum(o->sha256))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--sha256 '%.80s': must be 8 to 64 hexadecimal digits",
                         o->sha256);
    if (!address)
        JSNI_TRY(find_published(what, &known));
    const char *url = address ? what : o->url != NULL ? o->url : known->url;
    const char *name = o->name != NULL || address ? o->name : known->name;
    const char *sum = o->sha256 != NULL ? o->sha256 : address ? named : known->sha256;
    return fetch(url, sum, name, o->logger, info);
}
