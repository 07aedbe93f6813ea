/* review/image_faults.h - what is wrong with the images themselves, whatever their labels. */
#ifndef JSNI_REVIEW_IMAGE_FAULTS_H
#define JSNI_REVIEW_IMAGE_FAULTS_H

#include "review/review_impl.h"

/* One list gives the enumerators and their names in files. */
#define JSNI_FAULT_LIST(X)                         \
    X(JSNI_FAULT_NONE, "none")                     \
    X(JSNI_FAULT_UNREADABLE, "unreadable")         \
    X(JSNI_FAULT_DUPLICATE, "duplicate")           \
    X(JSNI_FAULT_NEAR_DUPLICATE, "near-duplicate") \
    X(JSNI_FAULT_BLANK, "blank")                   \
    X(JSNI_FAULT_DARK, "dark")                     \
    X(JSNI_FAULT_BLURRED, "blurred")               \
    X(JSNI_FAULT_TINY, "tiny")                     \
    X(JSNI_FAULT_ODD_SHAPE, "odd-shape")

#define JSNI_FAULT_ENUMERATOR(code, name) code,
typedef enum jsni_fault {
    JSNI_FAULT_LIST(JSNI_FAULT_ENUMERATOR) JSNI_FAULTS
} jsni_fault;
#undef JSNI_FAULT_ENUMERATOR

const char *jsni_fault_name(jsni_fault fault);

/* Looks at every image of the data set, and finds for each of the audited split its first
 * fault in the order of the list, faults [samples]. Duplicates and near duplicates are
 * found in the other splits, too.
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_find_faults(const jsni_audited *audited, size_t threads,
                                           const jsn_logger *logger, uint8_t *faults);

#endif /* JSNI_REVIEW_IMAGE_FAULTS_H */
