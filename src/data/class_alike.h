/* data/class_alike.h - class names that mean the same class, and those that a slip of the
 * hand may have made two of one. */
#ifndef JSNI_DATA_CLASS_ALIKE_H
#define JSNI_DATA_CLASS_ALIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/dataset.h"
#include "jensen/log.h"

/* Length of the WordNet id that a name is or begins with ("n01440764 tench"): 9, or 0. */
size_t jsni_class_wnid(const char *name);

/* Whether two data sets mean the same class: the same name, or the same WordNet id
 * whatever words follow it. */
bool jsni_class_same(const char *a, const char *b);

/* Warns `logger` (or NULL) when names of two letters and more differ in case or white
 * space alone: "cats" and "Cats ". Single letters may well be classes of their own. */
void jsni_class_tell_alike(const jsn_dataset *data, const jsn_logger *logger);

#endif
