/* nn/graph_part.c - see graph_part.h. */
#include "nn/graph_part.h"

#include <ctype.h>
#include <string.h>

/* A component of a path that is a number. */
static bool is_number(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return length > 0;
}

/* How much of a path names its block: up to its first number; 0: it has none. */
static size_t block_length(const char *path)
{
    for (const char *at = path; *at != '\0';) {
        const size_t length = strcspn(at, ".");
        if (is_number(at, length))
            return (size_t)(at - path) + length;
        at += length + (at[length] == '.' ? 1 : 0);
    }
    return 0;
}

static bool same_block(const char *a, const char *b)
{
    const size_t length = block_length(a);
    return length == block_length(b) && strncmp(a, b, length) == 0;
}

void jsni_graph_depths(const jsni_graph *graph, size_t *depth)
{
    size_t now = 0;
    bool whole = true; /* the block has a convolution */
    for (size_t i = graph->node_count; i-- > 0;) {
        const jsni_node *node = &graph->nodes[i];
        const bool first = now == 0 && !node->head;
        if (first ||
            (now > 0 && whole && !same_block(node->name, graph->nodes[i + 1].name))) {
            now++;
            whole = false;
        }
        whole = whole || node->op.kind == JSNI_OP_CONV;
        depth[i] = now;
    }
}

/* Whether nothing behind a node reads anything before it. */
static bool is_cut(const jsni_graph *graph, size_t number)
{
    for (size_t i = number + 1; i < graph->node_count; i++)
        for (size_t k = 0; k < graph->nodes[i].inputs; k++)
            if (graph->nodes[i].input[k] < number)
                return false;
    return true;
}

size_t jsni_graph_cut(const jsni_graph *graph, const size_t *depth, size_t blocks)
{
    size_t cut = graph->node_count - 1;
    while (cut > 0 && (depth[cut] <= blocks || !is_cut(graph, cut)))
        cut--;
    return cut;
}

jsn_status jsni_graph_part(const jsni_graph *whole, size_t first, size_t last,
                           jsni_graph **out)
{
    const bool ends = last + 1 == whole->node_count;
    jsni_builder b;
    jsni_build_begin(&b, whole->network, whole->nodes[first].shape,
                     ends ? whole->classes
                          : jsni_shape_count(whole->nodes[last].shape));
    (void)jsni_build_input(&b);
    for (size_t i = first + 1; i <= last; i++) {
        const jsni_node *node = &whole->nodes[i];
        b.head = node->head;
        /* a node before `first` wraps around, and is refused as one that is not there */
        (void)jsni_build_op(&b, node->name, &node->op, node->input[0] - first,
                            node->input[node->inputs - 1] - first);
    }
    return jsni_build_end(&b, out);
}

static size_t begin_behind(const jsni_tensor *list, size_t count, size_t floats,
                           size_t node)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].node > node)
            return list[i].offset;
    return floats;
}

jsni_part_begin jsni_graph_part_begin(const jsni_graph *whole, size_t first)
{
    return (jsni_part_begin){
        begin_behind(whole->params, whole->param_count, whole->param_floats, first),
        begin_behind(whole->stats, whole->stat_count, whole->stat_floats, first)};
}
