/* train/loader_order.h - the order in which an epoch visits the samples of a part. */
#ifndef JSNI_TRAIN_LOADER_ORDER_H
#define JSNI_TRAIN_LOADER_ORDER_H

#include "train/loader.h"

/* Fills order[part->count] with positions in the part. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_loader_make_order(const jsni_part *part, size_t classes,
                                                 jsni_loader_order kind, uint64_t seed,
                                                 uint32_t epoch, uint32_t *order);

#endif /* JSNI_TRAIN_LOADER_ORDER_H */
