/* nn/graph_part.h - a network in two parts: the front stays as it is, the back is trained. And how
 * far each layer is from the classifier, counted in blocks.
 *
 * A block is what the path of its layers says: "layer4.1.conv1" and "layer4.1.bn2" are of the
 * block "layer4.1". Layers without a number in their path go together with their neighbours,
 * and a block has at least one convolution. */
#ifndef JSNI_NN_GRAPH_PART_H
#define JSNI_NN_GRAPH_PART_H

#include "nn/graph.h"

/* Fills depth [graph->node_count]: 0 for the classifier, 1 for the block that it reads, and so
 * on to the input. */
void jsni_graph_depths(const jsni_graph *graph, size_t *depth);

/* The node whose output is all that the last `blocks` blocks and the classifier read; where
 * a block reads more than one node, the next earlier one that will do. 0: the images. */
size_t jsni_graph_cut(const jsni_graph *graph, const size_t *depth, size_t blocks);

/* The nodes from `first` to `last` as a graph that reads the output of `first`. Its blocks are
 * stretches of those of the whole: they begin at jsni_graph_part_begin().
 *   JSN_ERR_ARGUMENT  one of them reads a node before `first`
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_graph_part(const jsni_graph *whole, size_t first,
                                          size_t last, jsni_graph **out);

typedef struct jsni_part_begin {
    size_t params, stats; /* floats */
} jsni_part_begin;

jsni_part_begin jsni_graph_part_begin(const jsni_graph *whole, size_t first);

#endif /* JSNI_NN_GRAPH_PART_H */
