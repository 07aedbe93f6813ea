/* jensen/array.h - n-dimensional arrays in memory, and the .npy files that NumPy and
 * others exchange them through. Elements are in C order (the last index runs fastest)
 * and in the machine's byte order.
 *
 *     jsn_array logits;
 *     if (jsn_array_read(&logits, "logits.npy") != JSN_OK) ...
 *     const float *z = logits.data;             // after looking at logits.dtype
 *     jsn_array_release(&logits);
 */
#ifndef JENSEN_ARRAY_H
#define JENSEN_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One list gives the enumerators, their names and their sizes in bytes. Elements of
 * BOOL are the bytes 0 and 1; FLOAT16 and BFLOAT16 are held as their 16 bits. */
#define JSN_DTYPE_LIST(X)                \
    X(JSN_DTYPE_BOOL, "bool", 1)         \
    X(JSN_DTYPE_INT8, "int8", 1)         \
    X(JSN_DTYPE_UINT8, "uint8", 1)       \
    X(JSN_DTYPE_INT16, "int16", 2)       \
    X(JSN_DTYPE_UINT16, "uint16", 2)     \
    X(JSN_DTYPE_INT32, "int32", 4)       \
    X(JSN_DTYPE_UINT32, "uint32", 4)     \
    X(JSN_DTYPE_INT64, "int64", 8)       \
    X(JSN_DTYPE_UINT64, "uint64", 8)     \
    X(JSN_DTYPE_FLOAT16, "float16", 2)   \
    X(JSN_DTYPE_BFLOAT16, "bfloat16", 2) \
    X(JSN_DTYPE_FLOAT32, "float32", 4)   \
    X(JSN_DTYPE_FLOAT64, "float64", 8)

#define JSN_DTYPE_ENUMERATOR(code, name, size) code,
typedef enum jsn_dtype {
    JSN_DTYPE_LIST(JSN_DTYPE_ENUMERATOR) JSN_DTYPE_COUNT
} jsn_dtype;
#undef JSN_DTYPE_ENUMERATOR

/* "float32"; "unknown" for a value outside the enum. */
JSN_API const char *jsn_dtype_name(jsn_dtype dtype);

enum { JSN_ARRAY_MAX_RANK = 8 };

/* Most bytes that a reader accepts in one array. */
#define JSN_ARRAY_MAX_BYTES ((size_t)1 << 36)

typedef struct jsn_array {
    jsn_dtype dtype;
    size_t rank;                      /* 0: a single number */
    size_t shape[JSN_ARRAY_MAX_RANK]; /* entries from `rank` on are 0 */
    void *data;                       /* owned, 64-byte aligned; never NULL */
} jsn_array;

/* Memory for an array, all zero. `shape` has `rank` entries and may be NULL when rank
 * is 0. A shape with a 0 gives an array without elements. On failure *out is zeroed.
 *   JSN_ERR_ARGUMENT  no such dtype
 *   JSN_ERR_RANGE     rank above JSN_ARRAY_MAX_RANK, or the bytes overflow
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_array_create(jsn_array *out, jsn_dtype dtype,
                                                   size_t rank, const size_t *shape);

/* Frees the data and zeroes the struct; a zeroed struct is fine. */
JSN_API void jsn_array_release(jsn_array *array);

/* Number of elements. */
JSN_API size_t jsn_array_count(const jsn_array *array);

/* A copy of `in` with another dtype; `in` is untouched, *out is zeroed on failure.
 * Integers must fit and numbers that become integers must be whole; a float64 that
 * becomes a smaller float is rounded to nearest (ties to even). To BOOL from 0 and 1.
 *   JSN_ERR_RANGE   an element does not fit; the sentence says which
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_array_convert(jsn_array *out, const jsn_array *in,
                                                    jsn_dtype dtype);

/* Reads a .npy file, format versions 1.0, 2.0 and 3.0, either byte order, C or Fortran
 * order (which is turned into C order). The header is parsed, never evaluated; bytes
 * behind the array are refused. *out is zeroed on failure.
 *   JSN_ERR_DATA    cannot be read, malformed, or of a type without a jsn_dtype
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_array_read(jsn_array *out, const char *path);

/* Writes a .npy file of version 1.0, little-endian, C order; the file appears whole or
 * not at all.
 *   JSN_ERR_ARGUMENT  BFLOAT16, which .npy does not have
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_array_write(const jsn_array *array,
                                                  const char *path);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_ARRAY_H */
