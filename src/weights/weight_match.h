/* weights/weight_match.h - files of weights beside networks: what fits, and which network a
 * file was made for. */
#ifndef JSNI_WEIGHTS_WEIGHT_MATCH_H
#define JSNI_WEIGHTS_WEIGHT_MATCH_H

#include "format/safetensors.h"
#include "nn/graph.h"

enum { JSNI_NETWORK_SPEC = 128 };

/* The spec of the network that a file holds the weights of, by what it says itself or by
 * names and shapes; an empty one when it is none of those there are. JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_weight_file_network(const jsni_safetensors *file,
                                                   char *spec, size_t room);

/* How many classes the classifier in a file of that network has; 0: that cannot be told.
 * JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_weight_file_classes(const jsni_safetensors *file,
                                                   const char *network,
                                                   size_t *classes);

/* Whether weights may have this type: float32, float16 or bfloat16. */
bool jsni_weight_file_is_weight(jsn_dtype dtype);

/* JSN_OK when names, shapes and types of the file are those of the network; with
 * `skip_head` those of its head do not matter. JSN_ERR_DATA otherwise; the sentence names
 * what differs, or the network that the file belongs to. */
JSN_MUST_CHECK jsn_status jsni_weight_file_check(const char *path,
                                                 const jsni_graph *graph,
                                                 const jsni_safetensors *file,
                                                 bool skip_head);

/* Whether every tensor of the head is in the file with the right type and shape. */
bool jsni_weight_file_head_fits(const jsni_graph *graph, const jsni_safetensors *file);

bool jsni_weight_file_in_head(const jsni_graph *graph, const jsni_tensor *tensor);

/* The elements of a tensor that fits, float32, float16 or bfloat16, as float: exactly. */
void jsni_weight_file_take(const jsni_safetensor *stored, size_t count, float *to);

#endif /* JSNI_WEIGHTS_WEIGHT_MATCH_H */
