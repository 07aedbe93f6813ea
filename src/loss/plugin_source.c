/* loss/plugin_source.c - see plugin_source.h. */
#define _POSIX_C_SOURCE 200809L /* access, st_mtim */
#include "loss/plugin_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"

static int is_newer(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
        return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static jsn_status check_source(const char *file, const char *source)
{
    struct stat plugin, text;
    if (stat(source, &text) != 0 || !S_ISREG(text.st_mode))
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "%s: a GPU compiles the source of a plugin, and there is no "
                         "%s; --device cpu needs none",
                         file, source);
    if (stat(file, &plugin) == 0 && is_newer(&text, &plugin))
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "%s: its source %s is newer; compile the plugin again", file,
                         source);
    return JSN_OK;
}

jsn_status jsni_plugin_source(const char *file, char **out)
{
    const char *name = strrchr(file, '/'), *end = strrchr(file, '.');
    const size_t length = end == NULL || (name != NULL && end < name)
                              ? strlen(file)
                              : (size_t)(end - file);
    jsni_text path = {0};
    char *source = NULL;
    jsni_text_format(&path, "%.*s.c", (int)length, file);
    JSNI_TRY(jsni_text_take(&path, &source));
    const jsn_status status = check_source(file, source);
    if (status == JSN_OK)
        *out = source;
    else
        jsni_free(source);
    return status;
}

/* "FOLDER/nvcc" where that can be run; else NULL. `folder` has `length` bytes. */
static jsn_status look_in(const char *folder, size_t length, const char *name,
                          char **out)
{
    jsni_text path = {0};
    char *made = NULL;
    jsni_text_format(&path, "%.*s/%s", (int)length, folder, name);
    JSNI_TRY(jsni_text_take(&path, &made));
    if (access(made, X_OK) == 0)
        *out = made;
    else
        jsni_free(made);
    return JSN_OK;
}

jsn_status jsni_plugin_compiler(char **out)
{
    const char *home = getenv("CUDA_HOME"), *at = getenv("PATH");
    *out = NULL;
    if (home != NULL && home[0] != '\0')
        JSNI_TRY(look_in(home, strlen(home), "bin/nvcc", out));
    while (*out == NULL && at != NULL && at[0] != '\0') {
        const size_t length = strcspn(at, ":");
        if (at[0] == '/') /* not what happens to lie in the working folder */
            JSNI_TRY(look_in(at, length, "nvcc", out));
        at += length + (at[length] == ':');
    }
    if (*out == NULL)
        JSNI_TRY(
            look_in("/usr/local/cuda", strlen("/usr/local/cuda"), "bin/nvcc", out));
    if (*out == NULL)
        return jsni_fail(
            JSN_ERR_UNSUPPORTED,
            "a loss of a plugin is compiled for a GPU by nvcc, which is not "
            "in CUDA_HOME or on PATH; --device cpu needs none");
    return JSN_OK;
}
