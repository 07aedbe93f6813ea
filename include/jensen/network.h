/* jensen/network.h - the networks there are, and what each is made of.
 *
 * A network is named by a spec, "resnet50" or "preactresnet34:width=16". It is data: a
 * list of layers with shapes and parameters, which backends turn into code.
 *
 *     jsn_network *network = NULL;
 *     if (jsn_network_create(&network, "preactresnet34", 3, 32, 32, 10) == JSN_OK)
 *         printf("%zu parameters\n", jsn_network_totals(network).parameters);
 *     jsn_network_destroy(network);
 */
#ifndef JENSEN_NETWORK_H
#define JENSEN_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of jensen/catalog.h, with its input. The records are static. */
typedef struct jsn_network_info {
    const char *name;
    const char *summary; /* one line */
    const jsn_param_info *params;
    size_t param_count;
    size_t channels, height, width; /* the input it is made for; others work, too */
} jsn_network_info;

/* The record that `spec` names, or NULL with the sentence recorded. */
JSN_API const jsn_network_info *jsn_network_find(const char *spec);

/* A network for one input size and number of classes. Immutable: any thread may read
 * it. */
typedef struct jsn_network jsn_network;

/* On success *out is owned by the caller, who calls jsn_network_destroy().
 *   JSN_ERR_ARGUMENT      NULL, fewer than 2 classes, an empty image, a bad spec
 *   JSN_ERR_UNKNOWN_NAME  no such network or parameter
 *   JSN_ERR_RANGE         a parameter out of bounds, an input too small or too large
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_network_create(jsn_network **out,
                                                     const char *spec, size_t channels,
                                                     size_t height, size_t width,
                                                     size_t classes);
JSN_API void jsn_network_destroy(jsn_network *network); /* accepts NULL */

typedef struct jsn_network_totals_info {
    size_t parameters;
    size_t layers;
    uint64_t multiplies;  /* multiply-adds of one image, forward */
    uint64_t activations; /* values of one image, all layers */
} jsn_network_totals_info;

/* Sums over the layers; all zero for NULL. */
JSN_API jsn_network_totals_info jsn_network_totals(const jsn_network *network);

/* One layer; the texts belong to the network. */
typedef struct jsn_layer_info {
    const char *name;               /* path in PyTorch's state_dict where it has one */
    const char *kind;               /* "conv", "batchnorm", ... */
    size_t channels, height, width; /* of the output */
    size_t parameters;
    uint64_t multiplies;        /* of one image, forward */
    size_t kernel, stride, pad; /* of the rows; 0 where there are none */
} jsn_layer_info;

/* The record of layer `index`; zeroed when index >= layers. */
JSN_API jsn_layer_info jsn_network_layer(const jsn_network *network, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_NETWORK_H */
