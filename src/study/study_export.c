/* study/study_export.c - a study as a table: which one, and where it goes. */
#include "jensen/study.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "study/study_impl.h"

/* The folder of a file, owned by the caller; *out is NULL for a bare name. */
static jsn_status folder_of(const char *path, char **out)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    *out = NULL;
    if (slash != NULL)
        JSNI_TRY_ALLOC(*out = jsni_text_copy_n(
                           path, slash == path ? 1 : (size_t)(slash - path)));
    return JSN_OK;
}

jsn_status jsn_study_export(jsn_sweep *sweep, const char *pivot, const char *format,
                            const char *path, char **out)
{
    JSNI_NEED(sweep);
    JSNI_NEED(format);
    if (path == NULL)
        JSNI_NEED(out);
    jsni_text text = {0};
    char *folder = NULL;
    JSNI_TRY(folder_of(path, &folder));
    jsn_status status = pivot == NULL ? jsni_study_table(sweep, format, folder, &text)
                                      : jsni_study_pivot(sweep, pivot, format, &text);
    if (status == JSN_OK)
        status = text.status;
    if (status == JSN_OK)
        status = path == NULL ? jsni_text_take(&text, out)
                              : jsni_file_write(path, text.data, text.length);
    jsni_text_release(&text);
    jsni_free(folder);
    return status;
}
