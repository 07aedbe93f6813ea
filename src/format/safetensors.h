/* format/safetensors.h - safetensors files: named tensors and a map of texts. Weights
 * are stored under PyTorch's names, checkpoints add optimiser state beside them.
 *
 * A file: 8 bytes little-endian length of the header, the header in JSON
 * ({"name": {"dtype","shape","data_offsets"}, "__metadata__": {...}}), the elements.
 */
#ifndef JSNI_FORMAT_SAFETENSORS_H
#define JSNI_FORMAT_SAFETENSORS_H

#include <stdbool.h>

#include "jensen/array.h"

typedef struct jsni_safetensor {
    const char *name; /* borrowed */
    jsn_dtype dtype;
    size_t rank;
    size_t shape[JSN_ARRAY_MAX_RANK];
    const void *data; /* borrowed; aligned for its dtype */
    size_t bytes;     /* filled by the reader, ignored by the writer */
} jsni_safetensor;

typedef struct jsni_pair {
    const char *key;
    const char *value;
} jsni_pair;

typedef struct jsni_safetensors jsni_safetensors;

/* Reads a whole file, checked in full: header grammar, offsets that neither overlap nor
 * leave holes nor exceed the file, sizes that fit the shapes, natural alignment.
 *   JSN_ERR_DATA, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_safetensors_open(jsni_safetensors **out,
                                                const char *path);
/* The same of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_safetensors_open_in(jsni_safetensors **out,
                                                   const char *folder,
                                                   const char *name);
/* The same from bytes, which are copied; `name` begins the sentence of a failure. */
JSN_MUST_CHECK jsn_status jsni_safetensors_parse(jsni_safetensors **out,
                                                 const char *name, const void *data,
                                                 size_t length);
/* The same out of tensors that were read from a file of another kind: name, type and shape
 * of each are copied, and `fill` is called for each to put its elements, in C order.
 *   JSN_ERR_DATA  two tensors of one name;  JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_safetensors_make(
    jsni_safetensors **out, const char *name, const jsni_safetensor *tensors,
    size_t count, void (*fill)(void *user, size_t index, void *elements), void *user);
void jsni_safetensors_close(jsni_safetensors *file); /* accepts NULL */

/* Tensors in the order of the header; valid until close. NULL when there is none. */
size_t jsni_safetensors_count(const jsni_safetensors *file);
const jsni_safetensor *jsni_safetensors_at(const jsni_safetensors *file, size_t index);
const jsni_safetensor *jsni_safetensors_find(const jsni_safetensors *file,
                                             const char *name);
/* The path as sentences have it. */
const char *jsni_safetensors_path(const jsni_safetensors *file);
/* A value of "__metadata__", or NULL. */
const char *jsni_safetensors_metadata(const jsni_safetensors *file, const char *key);

/* JSN_ERR_DATA unless the file carries the checksum that the writer stores and it
 * agrees with tensors and metadata. */
JSN_MUST_CHECK jsn_status jsni_safetensors_verify(const jsni_safetensors *file);

/* Writes a file, named as in core/file.h, that appears whole or not at all. Tensors are laid out with the widest
 * elements first (in the given order within a width), so that all are aligned. With
 * `checksum` a SHA-256 over names, types, shapes, elements and metadata is stored under
 * the metadata key "jensen.sha256".
 *   JSN_ERR_ARGUMENT  two tensors or two pairs of one name, or a reserved one
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_safetensors_write(const char *folder, const char *name,
                                                 const jsni_safetensor *tensors,
                                                 size_t tensor_count,
                                                 const jsni_pair *metadata,
                                                 size_t pair_count, bool checksum);

/* "F32" for FLOAT32 ...; shared by reader and writer. */
const char *jsni_safetensors_dtype(jsn_dtype dtype);

/* SHA-256 over tensors (in this order) and metadata pairs (in this order). */
enum { JSNI_SAFETENSORS_HEX = 65 };
#define JSNI_SAFETENSORS_CHECKSUM "jensen.sha256"
void jsni_safetensors_hash(const jsni_safetensor *const *tensors, size_t tensor_count,
                           const jsni_pair *metadata, size_t pair_count,
                           char hex[JSNI_SAFETENSORS_HEX]);

#endif /* JSNI_FORMAT_SAFETENSORS_H */
