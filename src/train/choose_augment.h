/* train/choose_augment.h - whether an augmentation suits the images that it is for. */
#ifndef JSNI_TRAIN_CHOOSE_AUGMENT_H
#define JSNI_TRAIN_CHOOSE_AUGMENT_H

#include "train/choose_look.h"

/* An augmentation that the images are too small or too large for is a wrong choice, not a
 * matter of some broken images; one that cuts a small window out of large images is allowed,
 * and rarely meant.
 *   JSN_ERR_ARGUMENT  it does not work with the smallest or largest image */
JSN_MUST_CHECK jsn_status jsni_check_augment(const jsn_train_config *config,
                                             const jsni_part *part,
                                             const jsni_look *seen,
                                             const jsn_logger *logger);

#endif /* JSNI_TRAIN_CHOOSE_AUGMENT_H */
