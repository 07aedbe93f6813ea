/* format/dtype.h - the sizes of the elements of jensen/array.h. */
#ifndef JSNI_FORMAT_DTYPE_H
#define JSNI_FORMAT_DTYPE_H

#include "jensen/array.h"

/* Bytes of an element; 0 for a value outside the enum. */
size_t jsni_dtype_size(jsn_dtype dtype);

#endif /* JSNI_FORMAT_DTYPE_H */
