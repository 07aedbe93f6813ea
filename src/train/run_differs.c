/* train/run_differs.c - see run_differs.h. */
#include "train/run_differs.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/option.h"
#include "core/run_mark.h"
#include "train/run_name.h"

enum { MOST_NAMED = 3 };

static const char *without(const char *spec, const char *kind)
{
    const size_t length = strlen(kind);
    return strncmp(spec, kind, length) == 0 ? spec + length : spec;
}

/* Whether two specs of data are paths to one file or folder, of the same kind. */
static bool same_place(const char *a, const char *b)
{
    char *x = NULL, *y = NULL;
    a = without(a, "folder:");
    b = without(b, "folder:");
    const char *colon = strchr(a, ':');
    const size_t kind = colon == NULL ? 0 : (size_t)(colon - a) + 1;
    const bool same = strncmp(a, b, kind) == 0 &&
                      jsni_path_real(a + kind, &x) == JSN_OK &&
                      jsni_path_real(b + kind, &y) == JSN_OK && strcmp(x, y) == 0;
    jsni_free(y);
    jsni_free(x);
    return same;
}

static bool is_data(const char *name)
{
    return strcmp(name, "data") == 0 || strcmp(name, "val") == 0 ||
           strcmp(name, "test") == 0 || strcmp(name, "labels") == 0;
}

/* Adds a row to `out` when it differs; counts those in *count. */
static jsn_status compare(const jsn_option_info *row, const jsn_train_config *then,
                          const jsn_train_config *now, jsni_text *out, size_t *count)
{
    char *a = NULL, *b = NULL;
    jsn_status status = jsni_options_text(row, then, &a);
    if (status == JSN_OK)
        status = jsni_options_text(row, now, &b);
    if (status == JSN_OK && strcmp(a, b) != 0 &&
        !(is_data(row->name) && same_place(a, b))) {
        const bool had = jsni_options_is_set(row, then);
        const bool has = jsni_options_is_set(row, now);
        if (*count < MOST_NAMED)
            jsni_text_format(out, "%s--%s %.200s then, %.200s now",
                             *count == 0 ? "" : "; ", row->name, had ? a : "not given",
                             has ? b : "not given");
        ++*count;
    }
    jsn_text_release(b);
    jsn_text_release(a);
    return status;
}

static jsn_status compare_all(const jsn_train_config *then, const jsn_train_config *now,
                              jsni_text *out, size_t *count)
{
    size_t rows = 0;
    const jsn_option_info *table = jsn_train_options(&rows);
    for (size_t i = 0; i < rows; i++)
        if (jsni_run_option_identifies(&table[i]))
            JSNI_TRY(compare(&table[i], then, now, out, count));
    if (*count > MOST_NAMED)
        jsni_text_format(out, "; and %zu more", *count - MOST_NAMED);
    return out->status;
}

jsn_status jsni_run_config_read(const char *folder, jsn_train_config *out)
{
    char *path = jsni_path_join(folder, JSNI_RUN_CONFIG);
    JSNI_TRY_ALLOC(path);
    bool there = false;
    jsn_status status = jsni_file_find(folder, JSNI_RUN_CONFIG, &there);
    if (status == JSN_OK)
        status = jsn_train_config_set(out, "config", path);
    jsni_free(path);
    return status == JSN_OK ? jsn_train_config_resolve(out) : status;
}

jsn_status jsni_run_differs(const char *folder, const jsn_train_config *config,
                            const char *kept, jsni_text *out, bool *same)
{
    jsn_train_config then;
    char fingerprint[JSNI_FINGERPRINT] = "";
    size_t count = 0;
    *same = false;
    jsn_train_config_clear(&then);
    jsn_status status = JSN_OK;
    bool there = false;
    if (kept != NULL)
        status = jsni_file_find(folder, JSNI_RUN_CONFIG, &there);
    if (status == JSN_OK && there) {
        status = jsni_run_config_read(folder, &then);
        if (status == JSN_OK)
            status = jsni_run_fingerprint(&then, fingerprint);
        if (status == JSN_OK)
            status = compare_all(&then, config, out, &count);
        /* A file that somebody has edited does not say how the run began. */
        *same = status == JSN_OK && count == 0 && strcmp(fingerprint, kept) == 0;
        if (status != JSN_ERR_MEMORY)
            status = JSN_OK;
    }
    jsn_train_config_release(&then);
    return status;
}
