/* backend/ref/ref_memory.c - see ref_memory.h.
 *
 * Time runs 0 .. n-1 over the forward nodes and n .. 2n-1 over the backward ones (node
 * i at 2n-1-i). Training keeps a node's value until its own backward; a gradient lives
 * from the backward of its last reader to its own. Evaluation frees a value after its
 * last reader. The input and the output stay, since they are written and read outside.
 */
#include "backend/ref/ref_memory.h"

#include <stdint.h>
#include <string.h>

#include "backend/ref/refconv.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"
#include "nn/arena.h"

const ref_kernel *jsni_ref_kernel_of(jsni_op_kind kind)
{
    switch (kind) {
    case JSNI_OP_CONV:
        return &jsni_refconv_best()->kernel;
    case JSNI_OP_DEPTHWISE:
        return &jsni_ref_depthwise;
    case JSNI_OP_NORM:
        return &jsni_ref_norm;
    case JSNI_OP_RELU:
        return &jsni_ref_relu;
    case JSNI_OP_RELU6:
        return &jsni_ref_relu6;
    case JSNI_OP_ADD:
        return &jsni_ref_add;
    case JSNI_OP_MAX_POOL:
        return &jsni_ref_max_pool;
    case JSNI_OP_AVG_POOL:
        return &jsni_ref_avg_pool;
    case JSNI_OP_ADAPTIVE_POOL:
        return &jsni_ref_adaptive_pool;
    case JSNI_OP_LINEAR:
        return &jsni_ref_linear;
    case JSNI_OP_DROPOUT:
        return &jsni_ref_dropout;
    case JSNI_OP_FLATTEN:
        return &jsni_ref_flatten;
    default:
        return NULL;
    }
}

static size_t last_reader(const jsni_graph *graph, size_t number)
{
    size_t last = number;
    for (size_t i = number + 1; i < graph->node_count; i++)
        for (size_t k = 0; k < graph->nodes[i].inputs; k++)
            if (graph->nodes[i].input[k] == number)
                last = i;
    return last;
}

/* items[i] is the value of node i, items[n + i] its gradient. */
static jsn_status fill_items(jsni_arena_item *items, const jsni_graph *graph,
                             const jsni_plan_options *options)
{
    const size_t n = graph->node_count;
    if (options->batch > SIZE_MAX / 16 / options->views)
        return jsni_fail(JSN_ERR_RANGE, "batch %zu x %zu %s overflows", options->batch,
                         options->views, jsni_noun(options->views, "view", "views"));
    const size_t images = options->batch * options->views;
    for (size_t i = 0; i < n; i++) {
        const size_t count = jsni_shape_count(graph->nodes[i].shape);
        if (count > SIZE_MAX / 16 / images)
            return jsni_fail(JSN_ERR_RANGE, "%s: %zu values x %zu images overflows",
                             graph->nodes[i].name, count, images);
        const size_t reader = last_reader(graph, i);
        const bool outside = i == 0 || i == n - 1;
        const size_t end = options->training ? 2 * n - 1 - i : reader;
        items[i] = (jsni_arena_item){count * images, i, outside ? 2 * n : end, 0};
        const bool wanted = options->training && (i > 0 || options->input_gradient);
        items[n + i] = (jsni_arena_item){wanted ? count * images : 0,
                                         i == n - 1 ? n : 2 * n - 1 - reader,
                                         outside ? 2 * n : 2 * n - 1 - i, 0};
    }
    return JSN_OK;
}

static jsn_status place(ref_layout *layout, const jsni_graph *graph,
                        const jsni_plan_options *options, jsni_arena_item *items)
{
    const size_t n = graph->node_count;
    JSNI_TRY(fill_items(items, graph, options));
    JSNI_TRY(jsni_arena_place(items, 2 * n, &layout->floats));
    for (size_t i = 0; i < n; i++) {
        layout->value[i] = items[i].offset;
        layout->gradient[i] =
            items[n + i].floats == 0 ? JSNI_NONE : items[n + i].offset;
        const ref_kernel *kernel = jsni_ref_kernel_of(graph->nodes[i].op.kind);
        layout->kept[i] = layout->kept_bytes;
        if (options->training && kernel != NULL && kernel->kept_bytes != NULL)
            layout->kept_bytes +=
                (kernel->kept_bytes(graph, i, options->views, options->batch) + 63) /
                64 * 64;
    }
    return JSN_OK;
}

jsn_status jsni_ref_layout_create(ref_layout *layout, const jsni_graph *graph,
                                  const jsni_plan_options *options)
{
    const size_t n = graph->node_count;
    *layout = (ref_layout){0};
    jsn_status status = JSN_ERR_MEMORY;
    jsni_arena_item *items = jsni_alloc_zero(2 * n, sizeof *items);
    layout->value = jsni_alloc_zero(n, sizeof *layout->value);
    layout->gradient = jsni_alloc_zero(n, sizeof *layout->gradient);
    layout->kept = jsni_alloc_zero(n, sizeof *layout->kept);
    if (items != NULL && layout->value != NULL && layout->gradient != NULL &&
        layout->kept != NULL)
        status = place(layout, graph, options, items);
    jsni_free(items);
    return status;
}

void jsni_ref_layout_release(ref_layout *layout)
{
    jsni_free(layout->value);
    jsni_free(layout->gradient);
    jsni_free(layout->kept);
    *layout = (ref_layout){0};
}
