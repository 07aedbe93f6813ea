/* review/label_folders.h - corrected labels as folders of images. */
#ifndef JSNI_REVIEW_LABEL_FOLDERS_H
#define JSNI_REVIEW_LABEL_FOLDERS_H

#include "review/review_impl.h"

#define JSNI_AUDIT_UNDO    "undo.csv" /* from,to: what was moved below the data's root */
#define JSNI_REMOVED_PLACE ".removed" /* hidden, so that it is no class */

/* What becomes of an image. */
typedef struct jsni_corrected {
    const char *path, *label; /* label NULL: it is removed */
} jsni_corrected;

/* Copies the images or moves them, as the job says; `list` has all of them in their order.
 * Statuses as jsn_labels_apply(). */
JSN_MUST_CHECK jsn_status jsni_labels_to_folders(const jsn_labels_job *job,
                                                 const jsni_corrected *list,
                                                 size_t count);

#endif /* JSNI_REVIEW_LABEL_FOLDERS_H */
