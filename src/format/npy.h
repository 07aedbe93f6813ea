/* format/npy.h - .npy from bytes in memory; files: jsn_array_read(), jsn_array_write(). */
#ifndef JSNI_FORMAT_NPY_H
#define JSNI_FORMAT_NPY_H

#include "jensen/array.h"

/* `name` is what the sentence of a failure starts with. */
JSN_MUST_CHECK jsn_status jsni_npy_parse(jsn_array *out, const char *name,
                                         const void *data, size_t length);

/* jsn_array_read() and jsn_array_write() of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_array_read_in(jsn_array *out, const char *folder,
                                             const char *name);
JSN_MUST_CHECK jsn_status jsni_array_write_in(const jsn_array *array,
                                              const char *folder, const char *name);

#endif /* JSNI_FORMAT_NPY_H */
