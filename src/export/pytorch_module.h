/* export/pytorch_module.h - the parts of an exported module of PyTorch.
 *
 * A file is: constants of the model, the class Network (pytorch_network.c), and the parts
 * that are the same for all, which are the files of export/pytorch. */
#ifndef JSNI_EXPORT_PYTORCH_MODULE_H
#define JSNI_EXPORT_PYTORCH_MODULE_H

#include "core/embedded.h"
#include "core/text.h"
#include "nn/graph.h"

extern const jsni_embedded jsni_pytorch_parts[];
extern const size_t jsni_pytorch_parts_count;

/* The class Network: its layers under the names that the weights have, and forward(), from
 * a normalised batch to logits.
 *   JSN_ERR_MEMORY, JSN_ERR_UNSUPPORTED */
JSN_MUST_CHECK jsn_status jsni_pytorch_network(jsni_text *text,
                                               const jsni_graph *graph);

#endif /* JSNI_EXPORT_PYTORCH_MODULE_H */
