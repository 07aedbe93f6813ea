/* nn/network_impl.h - what a network file implements. To add one, write
 * nn/network_<id>.c, which defines jsni_network_<id>, and add its row to
 * network_list.h. */
#ifndef JSNI_NN_NETWORK_IMPL_H
#define JSNI_NN_NETWORK_IMPL_H

#include "core/spec.h"
#include "jensen/network.h"
#include "nn/graph.h"
#include "nn/network_list.h"

enum { JSNI_NETWORK_MAX_PARAMS = 4 };

typedef struct jsni_network_def {
    jsn_network_info info;
    /* Adds all nodes; `values` are the spec's, in the order of info.params. */
    void (*build)(jsni_builder *b, const jsni_spec_value *values);
} jsni_network_def;

#define JSNI_NETWORK_DECLARE(id) extern const jsni_network_def jsni_network_##id;
JSNI_NETWORK_LIST(JSNI_NETWORK_DECLARE)
#undef JSNI_NETWORK_DECLARE

const jsn_network_info *jsni_network_at(size_t index); /* NULL behind the last */
jsn_entry jsni_network_entry(size_t index);            /* all zero there */

/* A parameter that must be a whole number; the builder fails when it is not. */
size_t jsni_network_whole(jsni_builder *b, const char *name, double value);

/* The graph of a network spec for images of `input` and `classes` >= 2 classes. The
 * last node has exactly `classes` outputs.
 *   JSN_ERR_UNKNOWN_NAME  no such network or parameter; the sentence lists what exists
 *   JSN_ERR_RANGE         a parameter out of bounds, an input too small or too large
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_network_build(const char *spec, jsni_shape input,
                                             size_t classes, jsni_graph **out);

#endif /* JSNI_NN_NETWORK_IMPL_H */
