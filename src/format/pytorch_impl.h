/* format/pytorch_impl.h - what pytorch.c (containers and storages) and pytorch_state.c (the
 * tensors of a state dictionary) share. */
#ifndef JSNI_FORMAT_PYTORCH_IMPL_H
#define JSNI_FORMAT_PYTORCH_IMPL_H

#include "format/pickle.h"
#include "format/safetensors.h"

/* The functions and classes that a file may name. Storages have the code of their type. */
enum {
    JSNI_PYTORCH_ORDERED_DICT = JSN_DTYPE_COUNT,
    JSNI_PYTORCH_TENSOR,
    JSNI_PYTORCH_PARAMETER,
    JSNI_PYTORCH_SIZE
};

/* A block of elements that tensors are views of. */
typedef struct jsni_storage {
    const char *key; /* in the pickle; not terminated */
    size_t key_length;
    jsn_dtype dtype;
    size_t count;
    const uint8_t *data; /* [count] in the file, not aligned; NULL: not found yet */
} jsni_storage;

typedef struct jsni_storages {
    jsni_storage *list; /* [count] owned; sorted by key */
    size_t count;
} jsni_storages;

/* What a persistent value says of a storage, but for its data.
 *   JSN_ERR_DATA  not the tuple that PyTorch writes */
JSN_MUST_CHECK jsn_status jsni_storage_read(const char *name,
                                            const jsni_pickle_value *persistent,
                                            jsni_storage *out);
jsni_storage *jsni_storage_find(const jsni_storages *storages, const char *key,
                                size_t length);

/* The tensors of the state dictionary in `root`; `file_length` bounds their bytes. */
JSN_MUST_CHECK jsn_status jsni_pytorch_state(jsni_safetensors **out, const char *name,
                                             const jsni_pickle_value *root,
                                             const jsni_storages *storages,
                                             size_t file_length);

#endif /* JSNI_FORMAT_PYTORCH_IMPL_H */
