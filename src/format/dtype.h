/* format/dtype.h - the sizes of the elements of jensen/array.h. */
#ifndef JSNI_FORMAT_DTYPE_H
#define JSNI_FORMAT_DTYPE_H

#include "jensen/array.h"

/* Bytes of an element; 0 for a value outside the enum. */
size_t jsni_dtype_size(jsn_dtype dtype);

/* Bytes of all elements of an array; 0 for NULL. */
size_t jsni_array_bytes(const jsn_array *array);

#endif /* JSNI_FORMAT_DTYPE_H */
