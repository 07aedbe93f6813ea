/* format/pytorch.h - the weights in a file of torch.save(), in its present form (a zip
 * archive) and the one before (pickles one after the other). Nothing in the file is run;
 * see pickle.h. */
#ifndef JSNI_FORMAT_PYTORCH_H
#define JSNI_FORMAT_PYTORCH_H

#include "format/safetensors.h"

/* Whether bytes begin as such a file does: a zip archive may also be any other. */
bool jsni_pytorch_is(const uint8_t *data, size_t length);

/* Whether it is a zip archive, but of something else. */
JSN_MUST_CHECK jsn_status jsni_pytorch_is_other_zip(const char *name,
                                                    const uint8_t *data, size_t length,
                                                    bool *out);

/* The tensors of the state dictionary, by their names: the file's value itself, or what it
 * has under "state_dict", "model_state_dict", "model" or "net". The prefix "module." of
 * data-parallel training is dropped, entries that are no tensors are left out. Views are
 * put in C order. `name` begins the sentence of a failure.
 *   JSN_ERR_DATA    damaged, or more than weights in it: the sentence names what
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_pytorch_parse(jsni_safetensors **out, const char *name,
                                             const uint8_t *data, size_t length);

#endif /* JSNI_FORMAT_PYTORCH_H */
