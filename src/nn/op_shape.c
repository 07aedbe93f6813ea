/* nn/op_shape.c - the output shape of every operation, with checks that no size
 * overflows and no window is larger than what it slides over. */
#include <stdint.h>

#include "core/fail.h"
#include "core/hd.h"
#include "nn/graph.h"

/* Values of one sample or one tensor. Far above what fits a machine today, far below
 * what overflows when it is multiplied by a batch of 2^16 and four bytes. */
#define MOST_VALUES ((size_t)1 << 40)

#define KIND_TEXT(kind, text) text,
static const char *const kind_texts[] = {JSNI_OP_KINDS(KIND_TEXT)};
#undef KIND_TEXT

const char *jsni_op_kind_text(jsni_op_kind kind)
{
    return (size_t)kind < JSNI_COUNT_OF(kind_texts) ? kind_texts[kind] : "unknown";
}

const jsni_window *jsni_op_window(const jsni_op *op)
{
    switch (op->kind) {
    case JSNI_OP_CONV:
        return &op->as.conv.window;
    case JSNI_OP_DEPTHWISE:
        return &op->as.depthwise.window;
    case JSNI_OP_MAX_POOL:
    case JSNI_OP_AVG_POOL:
        return &op->as.pool;
    default:
        return NULL;
    }
}

static jsn_status check_count(const char *name, jsni_shape shape)
{
    const size_t c = shape.channels, h = shape.height, w = shape.width;
    if (c == 0 || h == 0 || w == 0)
        return jsni_fail(JSN_ERR_RANGE, "%s: output %zux%zux%zu is empty", name, c, h,
                         w);
    if (c > MOST_VALUES || h > MOST_VALUES / c || w > MOST_VALUES / c / h)
        return jsni_fail(JSN_ERR_RANGE, "%s: output %zux%zux%zu is too large", name, c,
                         h, w);
    return JSN_OK;
}

/* Positions of a window of `kernel` with `stride` on `size` values, `pad` zeros at each
 * end and `extra` more behind. */
static jsn_status slide(const char *name, const char *side, size_t size, size_t kernel,
                        size_t stride, size_t pad, size_t extra, size_t *out)
{
    if (kernel == 0 || stride == 0)
        return jsni_fail(JSN_ERR_RANGE, "%s: kernel %zu and stride %zu must be above 0",
                         name, kernel, stride);
    if (kernel > MOST_VALUES || stride > MOST_VALUES || pad > MOST_VALUES ||
        extra > MOST_VALUES)
        return jsni_fail(JSN_ERR_RANGE, "%s: kernel %zu, stride %zu, padding %zu", name,
                         kernel, stride, pad);
    if (size + 2 * pad + extra < kernel)
        return jsni_fail(JSN_ERR_RANGE,
                         "%s: a kernel of %zu does not fit the input's %s of %zu with "
                         "padding %zu",
                         name, kernel, side, size, pad);
    *out = (size + 2 * pad + extra - kernel) / stride + 1;
    return JSN_OK;
}

static jsn_status window_shape(const jsni_window *w, const char *name, jsni_shape in,
                               size_t channels, jsni_shape *out)
{
    out->channels = channels;
    JSNI_TRY(slide(name, "height", in.height, w->kernel_h, w->stride_h, w->pad_h,
                   w->extra_h, &out->height));
    return slide(name, "width", in.width, w->kernel_w, w->stride_w, w->pad_w,
                 w->extra_w, &out->width);
}

static jsn_status pool_shape(const jsni_window *w, const char *name, jsni_shape in,
                             jsni_shape *out)
{
    if (jsni_window_is_lopsided(w))
        return jsni_fail(JSN_ERR_RANGE, "%s: a pool has the same padding on all sides",
                         name);
    /* A window that lies wholly in the padding would have no maximum. */
    if (2 * w->pad_h > w->kernel_h || 2 * w->pad_w > w->kernel_w)
        return jsni_fail(JSN_ERR_RANGE,
                         "%s: padding %zux%zu is more than half the kernel %zux%zu",
                         name, w->pad_h, w->pad_w, w->kernel_h, w->kernel_w);
    return window_shape(w, name, in, in.channels, out);
}

static jsn_status linear_shape(const char *name, jsni_shape in, size_t features,
                               jsni_shape *out)
{
    if (in.height != 1 || in.width != 1)
        return jsni_fail(JSN_ERR_RANGE, "%s: needs a flat input, has %zux%zux%zu", name,
                         in.channels, in.height, in.width);
    *out = (jsni_shape){features, 1, 1};
    return JSN_OK;
}

static jsn_status add_shape(const char *name, jsni_shape a, jsni_shape b,
                            jsni_shape *out)
{
    if (a.channels != b.channels || a.height != b.height || a.width != b.width)
        return jsni_fail(JSN_ERR_RANGE, "%s: adds %zux%zux%zu and %zux%zux%zu", name,
                         a.channels, a.height, a.width, b.channels, b.height, b.width);
    *out = a;
    return JSN_OK;
}

jsn_status jsni_op_shape(const jsni_op *op, const char *name, jsni_shape one,
                         jsni_shape other, jsni_shape *out)
{
    jsni_shape shape = one; /* what element-wise ops keep */
    switch (op->kind) {
    case JSNI_OP_CONV:
        JSNI_TRY(window_shape(&op->as.conv.window, name, one, op->as.conv.out_channels,
                              &shape));
        break;
    case JSNI_OP_DEPTHWISE:
        JSNI_TRY(
            window_shape(&op->as.depthwise.window, name, one, one.channels, &shape));
        break;
    case JSNI_OP_MAX_POOL:
    case JSNI_OP_AVG_POOL:
        JSNI_TRY(pool_shape(&op->as.pool, name, one, &shape));
        break;
    case JSNI_OP_ADAPTIVE_POOL:
        shape.height = op->as.adaptive.out_h;
        shape.width = op->as.adaptive.out_w;
        break;
    case JSNI_OP_LINEAR:
        JSNI_TRY(linear_shape(name, one, op->as.linear.out_features, &shape));
        break;
    case JSNI_OP_ADD:
        JSNI_TRY(add_shape(name, one, other, &shape));
        break;
    case JSNI_OP_FLATTEN:
        shape = (jsni_shape){jsni_shape_count(one), 1, 1};
        break;
    case JSNI_OP_DROPOUT:
        if (!(op->as.dropout.rate >= 0.0 && op->as.dropout.rate < 1.0))
            return jsni_fail(JSN_ERR_RANGE, "%s: rate %g must lie in [0, 1)", name,
                             op->as.dropout.rate);
        break;
    default:
        break;
    }
    JSNI_TRY(check_count(name, shape));
    *out = shape;
    return JSN_OK;
}
