/* store/record_numbers.h - the numbers that a run has at its end (result.json), by one
 * table of names and ranges. */
#ifndef JSNI_STORE_RECORD_NUMBERS_H
#define JSNI_STORE_RECORD_NUMBERS_H

#include "core/json.h"
#include "jensen/status.h"

/* X(name, range): a key of the files and a field of the struct; the range is that of
 * record_field.h. Of a key that has a list, one entry a view, the first one counts. */
/* clang-format off */
#define JSNI_RECORD_NUMBER_LIST(X) \
    X(test_acc, share) X(test_acc_best, share) X(test_top5, share) X(test_ece, share) \
    X(test_loss, any) \
    X(val_acc, share) X(val_acc_noisy, share) X(val_acc_best, share) X(val_loss, any) \
    X(train_acc_true, share) X(train_acc_noisy, share) X(train_acc_all, share) \
    X(consistency, share) X(consistency_true, share) X(consistency_noisy, share) \
    X(noise_nominal, share) X(noise_real, share) \
    X(loss, any) X(lr, quantity) \
    X(images_per_second, quantity) X(seconds, quantity) X(time, quantity)
/* clang-format on */

typedef struct jsni_record_numbers {
#define JSNI_RECORD_NUMBER(name, range) double name;
    JSNI_RECORD_NUMBER_LIST(JSNI_RECORD_NUMBER)
#undef JSNI_RECORD_NUMBER
} jsni_record_numbers; /* NaN: not known */

/* JSN_ERR_DATA when a number is out of its range or no number at all. */
JSN_MUST_CHECK jsn_status jsni_record_numbers_read(jsni_record_numbers *numbers,
                                                   const jsni_json *object);

/* The number of that name; NaN when it is not known. `name` must be in the table. */
double jsni_record_number(const jsni_record_numbers *numbers, const char *name);

#endif /* JSNI_STORE_RECORD_NUMBERS_H */
