/* data/class_alike.h - class names that a slip of the hand may have made two of one. */
#ifndef JSNI_DATA_CLASS_ALIKE_H
#define JSNI_DATA_CLASS_ALIKE_H

#include "jensen/dataset.h"
#include "jensen/log.h"

/* Warns `logger` (or NULL) when names of two letters and more differ in case or white
 * space alone: "cats" and "Cats ". Single letters may well be classes of their own. */
void jsni_class_tell_alike(const jsn_dataset *data, const jsn_logger *logger);

#endif
