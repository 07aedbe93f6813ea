/* Fuzz target: labels from other programs, as `jensen labels import` reads them. The input is the
 * name of a format, a line feed, and the file. What was taken in is not taken in again.
 * covers: review/label_import.c review/label_format_csv.c review/label_format_label_studio.c
 * review/label_format_fiftyone.c review/label_format_coco.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>

#include "fuzz/fuzz_audit_folder.h"

/* What a file may fail with, for which it is to blame. */
static bool is_answer(jsn_status status)
{
    return status == JSN_OK || status == JSN_ERR_DATA || status == JSN_ERR_UNKNOWN_NAME;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char columns[] =
        "path,given,suggested,score,p_given,p_suggested,kind\n";
    static const char rows[] =
        "a.png,x,y,0.9,0.1,0.8,label\nb.png,y,z,0.1,0.8,0.1,none\n"
        "c/d.png,z,x,0.1,0.8,0.1,none\n";
    char format[20] = "", file[100], text[300];
    jsn_labels_exchange job;
    jsn_labels_imported first, again;
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    if (end == NULL || (size_t)(end - data) >= sizeof format)
        return 0;
    memcpy(format, data, (size_t)(end - data));
    if (fuzz_folder[0] == '\0') {
        fuzz_audit_begin();
        (void)snprintf(text, sizeof text, "%s%s", columns, rows);
        fuzz_folder_put(JSNI_AUDIT_SCORES, text, strlen(text));
        fuzz_folder_put(JSNI_AUDIT_SUSPECTS, columns, sizeof columns - 1);
    }
    fuzz_folder_put(JSNI_AUDIT_DECISIONS, "", 0);
    fuzz_folder_put("answers", end + 1, size - (size_t)(end + 1 - data));
    (void)snprintf(file, sizeof file, "%s/answers", fuzz_folder);
    jsn_labels_exchange_init(&job);
    job.folder = fuzz_folder;
    job.data = fuzz_audit_data;
    job.format = format;
    job.file = file;
    const jsn_status status = jsn_labels_import(&job, &first);
    FUZZ_CHECK(is_answer(status));
    if (status != JSN_OK)
        return 0;
    FUZZ_CHECK(first.answers <= FUZZ_IMAGES &&
               first.changed + first.kept + first.unsure + first.removed <=
                   first.answers);
    FUZZ_CHECK(jsn_labels_import(&job, &again) == JSN_OK);
    FUZZ_CHECK(again.answers == first.answers &&
               again.changed + again.kept + again.unsure + again.removed == 0);
    return 0;
}
