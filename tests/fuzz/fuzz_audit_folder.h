/* tests/fuzz/fuzz_audit_folder.h - the folder of an audit, for targets whose input is one of its
 * files: three images of three classes, and how likely each class is. */
#ifndef TESTS_FUZZ_AUDIT_FOLDER_H
#define TESTS_FUZZ_AUDIT_FOLDER_H

#include "fuzz/fuzz_folder.h"
#include "jensen/array.h"
#include "review/review_session.h"

enum { FUZZ_IMAGES = 3, FUZZ_CLASSES = 3 };

static char fuzz_audit_data[100]; /* spec of the audited data */

/* Makes the folder with what stays; scores.csv, suspects.csv and decisions.csv are the
 * target's. */
static inline void fuzz_audit_begin(void)
{
    static const char table[] = "path,label\na.png,x\nb.png,y\nc/d.png,z\n";
    const size_t shape[2] = {FUZZ_IMAGES, FUZZ_CLASSES};
    char path[100];
    jsn_array chances = {0};
    fuzz_folder_begin();
    fuzz_folder_put("data.csv", table, sizeof table - 1);
    fuzz_folder_put(JSNI_AUDIT_JSON, "{}", 2);
    (void)snprintf(fuzz_audit_data, sizeof fuzz_audit_data, "csv:%s/data.csv",
                   fuzz_folder);
    (void)snprintf(path, sizeof path, "%s/" JSNI_AUDIT_POSTERIORS, fuzz_folder);
    FUZZ_CHECK(jsn_array_create(&chances, JSN_DTYPE_FLOAT32, 2, shape) == JSN_OK);
    for (size_t i = 0; i < FUZZ_IMAGES * FUZZ_CLASSES; i++)
        ((float *)chances.data)[i] = 1.0F / FUZZ_CLASSES;
    FUZZ_CHECK(jsn_array_write(&chances, path) == JSN_OK);
    jsn_array_release(&chances);
}

#endif /* TESTS_FUZZ_AUDIT_FOLDER_H */
