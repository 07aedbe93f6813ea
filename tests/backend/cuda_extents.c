/* tests/backend/cuda_extents.c - see cuda_extents.h. */
#include "backend/cuda_extents.h"

#include "support/support.h"

static void touch(extents *out, const void *at, size_t bytes, bool write)
{
    if (at == NULL || bytes == 0)
        return;
    assert_true(out->count < MOST_EXTENTS);
    out->list[out->count++] = (extent){at, bytes, write};
}

static void reads(extents *out, const void *at, size_t bytes)
{
    touch(out, at, bytes, false);
}

static void writes(extents *out, const void *at, size_t bytes)
{
    touch(out, at, bytes, true);
}

static size_t wide(bool half)
{
    return half ? 2 : 4;
}

/* ---- own convolutions ---- */

static size_t exact_bytes(size_t views, size_t channels)
{
    return views * 2 * JSNI_EXACT_WORDS * channels * sizeof(jsni_exact_word);
}

/* Exact sums that a kernel adds to. */
static void adds(extents *out, const void *sums, size_t views, size_t channels)
{
    reads(out, sums, exact_bytes(views, channels));
    writes(out, sums, exact_bytes(views, channels));
}

/* What a convolution does for the BatchNorm whose coefficients it makes. */
static void own_norm(const jsni_conv_args *a, bool backward, extents *out)
{
    const jsni_norm_args *n = &a->through;
    const size_t channels = (size_t)n->channels, views = (size_t)n->views;
    const size_t coefs = views * channels * sizeof(float);
    reads(out, n->exact, exact_bytes(views, channels));
    if (backward) {
        reads(out, n->k.a, coefs);
        reads(out, n->k.mean, coefs);
        reads(out, n->k.rstd, coefs);
        writes(out, n->weight_grad, channels * sizeof(float));
        writes(out, n->bias_grad, channels * sizeof(float));
        return;
    }
    writes(out, n->k.a, coefs);
    writes(out, n->k.b, coefs);
    writes(out, n->k.mean, coefs);
    writes(out, n->k.rstd, coefs);
}

/* What a convolution loads, and the coefficients of the prologue. */
static void conv_operand(const jsni_conv_args *a, size_t tensor, size_t channels,
                         extents *out)
{
    const size_t coefs =
        (size_t)(a->images / a->view_images) * channels * sizeof(float);
    reads(out, a->x, tensor);
    reads(out, a->x2, tensor);
    reads(out, a->x3, tensor);
    reads(out, a->pa, coefs);
    reads(out, a->pb, coefs);
    reads(out, a->pd, coefs);
}

static void own_conv(const jsni_task *task, extents *out)
{
    const jsni_conv_args *a = &task->as.conv.args;
    const size_t channels = (size_t)task->as.conv.channels, side = 1024 / channels;
    const size_t tensor = (size_t)a->images * side * side * channels * 2;
    const size_t views = (size_t)(a->images / a->view_images);
    const size_t coefs = views * channels * sizeof(float);
    conv_operand(a, tensor, channels, out);
    reads(out, a->e, tensor);
    reads(out, a->ea, coefs);
    reads(out, a->eb, coefs);
    writes(out, a->y, tensor);
    writes(out, a->xo, tensor);
    adds(out, a->sums, views, channels);
    if (a->through.exact)
        own_norm(a, task->as.conv.epilogue == JSNI_CONV_MASK, out);
}

/* A tile is 64 x 64 channels (or all 32 x 32), of 9 taps. */
size_t weight_part_bytes(int channels, int parts)
{
    return (size_t)channels * (size_t)channels * 9 * sizeof(float) * (size_t)parts;
}

static void own_weights(const jsni_task *task, extents *out)
{
    const jsni_conv_weight_args *a = &task->as.weights.args;
    const int channels = task->as.weights.channels;
    const size_t side = 1024 / (size_t)channels;
    const size_t tensor = (size_t)a->images * side * side * (size_t)channels * 2;
    const size_t coefs =
        (size_t)(a->images / a->view_images * channels) * sizeof(float);
    const int parts = jsni_conv3x3_weight_parts(channels, a->images, a->turns,
                                                task->as.weights.clusters);
    reads(out, a->x, tensor);
    reads(out, a->dy, tensor);
    reads(out, a->xa, coefs);
    reads(out, a->xb, coefs);
    writes(out, a->part, weight_part_bytes(channels, parts));
}

static void stem(const jsni_task *task, extents *out)
{
    const size_t images = (size_t)task->as.stem.images, pixels = images * 1024;
    reads(out, task->as.stem.x, pixels * 3 * 2);
    writes(out, task->as.stem.y, pixels * 32 * 2);
    adds(out, task->as.stem.sums, images / (size_t)task->as.stem.view_images, 32);
}

static void stem_weights(const jsni_task *task, extents *out)
{
    const jsni_conv_args *a = &task->as.conv.args;
    const size_t images = (size_t)a->images, pixels = images * 1024;
    reads(out, a->e, pixels * 3 * 2);
    conv_operand(a, pixels * 32 * 2, 32, out);
    writes(out, a->part, images / 2 * 1024 * sizeof(float));
}

static void final_sums(const jsni_task *task, const jsni_conv_final *finals,
                       extents *out)
{
    for (int i = 0; i < task->as.sums.count; i++) {
        const jsni_conv_final *f = &finals[i];
        const bool first = f->channels == 3;
        const size_t weights =
            first ? 32 * 3 * 9 : (size_t)f->channels * (size_t)f->channels * 9;
        reads(out, f->part,
              first ? (size_t)f->parts * 1024 * sizeof(float)
                    : weight_part_bytes(f->channels, f->parts));
        writes(out, f->gradient, weights * sizeof(float));
    }
}

/* ---- the rest ---- */

static void any_conv(const jsni_task *task, extents *out)
{
    const jsni_any_conv *a = &task->as.any;
    const size_t images = (size_t)a->images;
    const size_t x = images * (size_t)(a->in_h * a->in_w * a->in_channels);
    const size_t y = images * (size_t)(a->out_h * a->out_w * a->out_channels);
    const size_t weights = (size_t)(a->out_channels * jsni_any_conv_sees(a)) *
                           (size_t)(a->kernel_h * a->kernel_w);
    switch (task->kind) {
    case JSNI_TASK_STRIDED_FORWARD:
    case JSNI_TASK_ANY_FORWARD:
        reads(out, a->x, x * wide(a->half_x));
        writes(out, a->y, y * wide(a->half_y));
        if (a->sums)
            adds(out, a->sums,
                 images * (size_t)(a->out_h * a->out_w) / (size_t)a->view_pixels,
                 (size_t)a->out_channels);
        break;
    case JSNI_TASK_STRIDED_DATA:
    case JSNI_TASK_ANY_DATA:
        reads(out, a->y, y * wide(a->half_y));
        if (a->add)
            reads(out, a->dx, x * wide(a->half_x));
        writes(out, a->dx, x * wide(a->half_x));
        break;
    default:
        reads(out, a->x, x * wide(a->half_x));
        reads(out, a->y, y * wide(a->half_y));
        writes(out, a->part, weights * (size_t)a->splits * sizeof(float));
        break;
    }
}

static void norm(const jsni_task *task, extents *out)
{
    const jsni_norm_args *a = &task->as.norm;
    const size_t channels = (size_t)a->channels, views = (size_t)a->views;
    const size_t tensor = views * (size_t)a->pixels * channels * wide(a->half);
    const size_t coefs = views * channels * sizeof(float);
    const size_t part = views * (size_t)a->groups * 2 * channels * sizeof(float);
    switch (task->kind) {
    case JSNI_TASK_NORM_SUMS:
        reads(out, a->x, tensor);
        writes(out, a->part, part);
        break;
    case JSNI_TASK_NORM_FINISH:
        reads(out, a->part, part);
        reads(out, a->exact, exact_bytes(views, channels));
        /* fall through */
    case JSNI_TASK_NORM_EVAL:
        writes(out, a->k.a, coefs);
        writes(out, a->k.b, coefs);
        writes(out, a->k.mean, coefs);
        writes(out, a->k.rstd, coefs);
        break;
    case JSNI_TASK_NORM_APPLY:
        reads(out, a->x, tensor);
        reads(out, a->skip, tensor);
        reads(out, a->k.a, coefs);
        reads(out, a->k.mean, coefs);
        writes(out, a->y, tensor);
        break;
    case JSNI_TASK_NORM_BACK_SUMS:
        reads(out, a->x, tensor);
        reads(out, a->dy, tensor);
        reads(out, a->out, tensor);
        reads(out, a->k.a, coefs);
        reads(out, a->k.mean, coefs);
        writes(out, a->part, part);
        writes(out, a->masked, tensor);
        break;
    case JSNI_TASK_NORM_BACK_FINISH:
        reads(out, a->part, part);
        reads(out, a->exact, exact_bytes(views, channels));
        reads(out, a->k.a, coefs);
        reads(out, a->k.mean, coefs);
        reads(out, a->k.rstd, coefs);
        writes(out, a->k.ga, coefs);
        writes(out, a->k.gb, coefs);
        writes(out, a->k.gd, coefs);
        writes(out, a->k.ge, coefs);
        writes(out, a->weight_grad, channels * sizeof(float));
        writes(out, a->bias_grad, channels * sizeof(float));
        break;
    default:
        reads(out, a->x, tensor);
        reads(out, a->dy, tensor);
        reads(out, a->skip, tensor);
        reads(out, a->k.mean, coefs);
        reads(out, a->k.ga, coefs);
        reads(out, a->k.gb, coefs);
        reads(out, a->k.ge, coefs);
        writes(out, a->y, tensor);
        break;
    }
}

static void pool(const jsni_task *task, extents *out)
{
    const jsni_any_pool *a = &task->as.pool;
    const size_t images = (size_t)a->images, channels = (size_t)a->channels;
    const size_t x = images * (size_t)(a->in_h * a->in_w) * channels * wide(a->half_x);
    const size_t y =
        images * (size_t)(a->out_h * a->out_w) * channels * wide(a->half_y);
    const size_t coefs =
        (size_t)(a->images / a->view_images) * channels * sizeof(float);
    switch (task->kind) {
    case JSNI_TASK_HEAD_POOL:
    case JSNI_TASK_MAX_POOL:
    case JSNI_TASK_AVG_POOL:
    case JSNI_TASK_ADAPTIVE:
        reads(out, a->x, x);
        reads(out, a->a, coefs);
        reads(out, a->b, coefs);
        writes(out, a->y, y);
        writes(out, a->at, y / wide(a->half_y));
        break;
    default:
        if (task->kind == JSNI_TASK_HEAD_POOL_BACK)
            reads(out, a->x, x);
        reads(out, a->at, y / wide(a->half_y));
        reads(out, a->a, coefs);
        reads(out, a->b, coefs);
        reads(out, a->dy, y);
        writes(out, a->dx, x);
        if (task->kind == JSNI_TASK_HEAD_POOL_BACK)
            writes(out, a->part, images * 2 * channels * sizeof(float));
        break;
    }
}

static void map(const jsni_task *task, extents *out)
{
    const jsni_task_map *m = &task->as.map;
    const size_t count = (size_t)m->count, value = wide(m->half);
    const size_t whole = count * (size_t)m->channels * (size_t)m->pixels;
    const size_t weights = (size_t)m->channels * (size_t)m->pixels * (size_t)m->taps;
    switch (task->kind) {
    case JSNI_TASK_WEIGHT_SUM:
        reads(out, m->a, weights * (size_t)m->splits * value);
        writes(out, m->y, weights * sizeof(float));
        break;
    case JSNI_TASK_BIAS_SUM:
        reads(out, m->a, count * (size_t)m->channels * value);
        writes(out, m->room, jsni_any_bias_room(m->count, m->channels, m->half));
        writes(out, m->y, (size_t)m->channels * sizeof(float));
        break;
    case JSNI_TASK_BIAS_ADD:
        reads(out, m->y, count * (size_t)m->channels * value);
        writes(out, m->y, count * (size_t)m->channels * value);
        break;
    case JSNI_TASK_FROM_PLANES:
        reads(out, m->a, whole * sizeof(float));
        writes(out, m->y, whole * value);
        break;
    case JSNI_TASK_TO_PLANES:
        reads(out, m->a, whole * value);
        writes(out, m->y, whole * sizeof(float));
        break;
    default: /* element by element */
        reads(out, m->a, count * value);
        if (task->kind != JSNI_TASK_RELU && task->kind != JSNI_TASK_RELU6)
            reads(out, m->b, count * value);
        if (m->add)
            reads(out, m->y, count * value);
        writes(out, m->y, count * value);
        break;
    }
}

void task_extents(const jsni_task *task, const jsni_conv_final *finals, extents *out)
{
    out->count = 0;
    switch (task->kind) {
    case JSNI_TASK_CLEAR:
        writes(out, task->as.map.y, (size_t)task->as.map.count * sizeof(float));
        break;
    case JSNI_TASK_OWN_CONV:
        own_conv(task, out);
        break;
    case JSNI_TASK_OWN_WEIGHTS:
        own_weights(task, out);
        break;
    case JSNI_TASK_STEM:
        stem(task, out);
        break;
    case JSNI_TASK_STEM_WEIGHTS:
        stem_weights(task, out);
        break;
    case JSNI_TASK_FINAL_SUMS:
        final_sums(task, finals, out);
        break;
    case JSNI_TASK_STRIDED_FORWARD:
    case JSNI_TASK_STRIDED_DATA:
    case JSNI_TASK_ANY_FORWARD:
    case JSNI_TASK_ANY_DATA:
    case JSNI_TASK_ANY_WEIGHTS:
        any_conv(task, out);
        break;
    case JSNI_TASK_NORM_SUMS:
    case JSNI_TASK_NORM_FINISH:
    case JSNI_TASK_NORM_EVAL:
    case JSNI_TASK_NORM_APPLY:
    case JSNI_TASK_NORM_BACK_SUMS:
    case JSNI_TASK_NORM_BACK_FINISH:
    case JSNI_TASK_NORM_BACK_APPLY:
        norm(task, out);
        break;
    case JSNI_TASK_MAX_POOL:
    case JSNI_TASK_MAX_POOL_BACK:
    case JSNI_TASK_AVG_POOL:
    case JSNI_TASK_AVG_POOL_BACK:
    case JSNI_TASK_ADAPTIVE:
    case JSNI_TASK_ADAPTIVE_BACK:
    case JSNI_TASK_HEAD_POOL:
    case JSNI_TASK_HEAD_POOL_BACK:
        pool(task, out);
        break;
    case JSNI_TASK_DROPOUT: {
        const jsni_any_dropout *d = &task->as.dropout;
        const size_t bytes =
            (size_t)(d->views * d->samples * d->features) * wide(d->half);
        reads(out, d->x, bytes);
        writes(out, d->y, bytes);
        break;
    }
    case JSNI_TASK_CUDNN_FORWARD:
    case JSNI_TASK_CUDNN_DATA:
    case JSNI_TASK_CUDNN_WEIGHTS:
        fail_msg("cuDNN without cuDNN");
        break;
    default:
        map(task, out);
        break;
    }
}
