/* Fuzz target: the tables of an audit folder and label files, as `jensen labels apply` and
 * `diff` read them. What comes before a line "@" is scores.csv, what follows decisions.csv; both
 * are label files as well.
 * covers: review/label_decisions.c review/label_diff.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "fuzz/fuzz_folder.h"
#include "review/review_impl.h"

static jsn_status count_row(void *user, const char *path, const char *before,
                            const char *after)
{
    FUZZ_CHECK(path != NULL && (before != NULL || after != NULL));
    FUZZ_CHECK(before == NULL || after == NULL || strcmp(before, after) != 0);
    ++*(size_t *)user;
    return JSN_OK;
}

/* The corrected labels are a label file; those that changed are what differs. */
static void apply(double min_score)
{
    char out[100];
    jsn_labels_result result;
    size_t rows = 0;
    (void)snprintf(out, sizeof out, "%s/out.csv", fuzz_folder);
    const jsn_labels_job job = {
        .folder = fuzz_folder, .min_score = min_score, .out = out};
    const jsn_status status = jsn_labels_apply(&job, &result);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA ||
               (status == JSN_ERR_ARGUMENT && isnan(min_score)));
    if (status != JSN_OK)
        return;
    FUZZ_CHECK(result.changed + result.removed <= result.images &&
               result.decided <= result.images);
    const jsn_status again = jsn_labels_diff(out, out, count_row, &rows);
    FUZZ_CHECK(rows == 0 &&
               (again == JSN_OK || again == JSN_ERR_DATA)); /* a path twice */
}

static void compare(void)
{
    char one[100], other[100];
    size_t there = 0, back = 0;
    (void)snprintf(one, sizeof one, "%s/" JSNI_AUDIT_SCORES, fuzz_folder);
    (void)snprintf(other, sizeof other, "%s/" JSNI_AUDIT_DECISIONS, fuzz_folder);
    const jsn_status status = jsn_labels_diff(one, other, count_row, &there);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK(jsn_labels_diff(other, one, count_row, &back) == status &&
               there == back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memmem(data, size, "\n@\n", 3);
    const size_t first = cut == NULL ? size : (size_t)(cut - data) + 1;
    fuzz_folder_begin();
    fuzz_folder_put(JSNI_AUDIT_SCORES, data, first);
    fuzz_folder_remove(JSNI_AUDIT_DECISIONS);
    if (cut != NULL) {
        fuzz_folder_put(JSNI_AUDIT_DECISIONS, cut + 3, size - first - 2);
        compare();
    }
    apply(NAN);
    apply(0.5);
    return 0;
}
