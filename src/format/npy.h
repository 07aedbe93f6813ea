/* format/npy.h - .npy from bytes in memory; files: jsn_array_read(), jsn_array_write(). */
#ifndef JSNI_FORMAT_NPY_H
#define JSNI_FORMAT_NPY_H

#include "jensen/array.h"

/* `name` is what the sentence of a failure starts with. */
JSN_MUST_CHECK jsn_status jsni_npy_parse(jsn_array *out, const char *name,
                                         const void *data, size_t length);

#endif /* JSNI_FORMAT_NPY_H */
