/* backend/ref/ref_eltwise.c - what works value by value: ReLU, addition, dropout,
 * flattening (a copy: the values lie in the same order). One piece an image. */
#include <string.h>

#include "backend/ref/ref_impl.h"
#include "nn/dropout.h"

static void relu_forward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    const float *x = call->x + image * count;
    float *y = call->y + image * count;
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] <= 0.0f ? 0.0f : x[i]; /* NaN stays NaN */
}

static void relu_backward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    const float *y = call->y + image * count, *dy = call->dy + image * count;
    float *dx = call->dx + image * count;
    for (size_t i = 0; i < count; i++)
        dx[i] += y[i] <= 0.0f ? 0.0f : dy[i];
}

static void relu6_forward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    const float *x = call->x + image * count;
    float *y = call->y + image * count;
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] <= 0.0f ? 0.0f : x[i] >= JSNI_RELU6_TOP ? JSNI_RELU6_TOP : x[i];
}

static void relu6_backward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    const float *y = call->y + image * count, *dy = call->dy + image * count;
    float *dx = call->dx + image * count;
    for (size_t i = 0; i < count; i++)
        dx[i] += y[i] <= 0.0f || y[i] >= JSNI_RELU6_TOP ? 0.0f : dy[i];
}

static void add_forward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    const float *a = call->x + image * count, *b = call->other + image * count;
    float *y = call->y + image * count;
    for (size_t i = 0; i < count; i++)
        y[i] = a[i] + b[i];
}

static void pass_on(float *to, const float *from, size_t count)
{
    for (size_t i = 0; to != NULL && i < count; i++)
        to[i] += from[i];
}

static void add_backward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out), at = image * count;
    pass_on(call->dx == NULL ? NULL : call->dx + at, call->dy + at, count);
    pass_on(call->dother == NULL ? NULL : call->dother + at, call->dy + at, count);
}

static void flatten_forward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    memcpy(call->y + image * count, call->x + image * count, count * sizeof(float));
}

/* In evaluation the factor is 1 for all. */
static float dropout_factor(const ref_call *call, size_t image, size_t index)
{
    const double rate = call->node->op.as.dropout.rate;
    const size_t view = image / call->samples, sample = image % call->samples;
    const size_t place = sample * jsni_shape_count(call->out) + index;
    if (!call->pass->training || rate == 0.0)
        return 1.0f;
    return jsni_dropout_keeps(call->pass->seed, call->pass->step,
                              (uint32_t)call->number, (uint32_t)view, place, rate)
               ? (float)(1.0 / (1.0 - rate))
               : 0.0f;
}

static void dropout_forward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    for (size_t i = 0; i < count; i++)
        call->y[image * count + i] =
            call->x[image * count + i] * dropout_factor(call, image, i);
}

static void dropout_backward_piece(void *user, size_t image, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t count = jsni_shape_count(call->out);
    for (size_t i = 0; i < count; i++)
        call->dx[image * count + i] +=
            call->dy[image * count + i] * dropout_factor(call, image, i);
}

#define RUN_BY_IMAGE(name, wanted, piece)                                     \
    static void name(const ref_call *call)                                    \
    {                                                                         \
        if (wanted)                                                           \
            jsni_pool_run(call->pool, ref_images(call), piece, (void *)call); \
    }

RUN_BY_IMAGE(relu_forward, true, relu_forward_piece)
RUN_BY_IMAGE(relu_backward, call->dx != NULL, relu_backward_piece)
RUN_BY_IMAGE(relu6_forward, true, relu6_forward_piece)
RUN_BY_IMAGE(relu6_backward, call->dx != NULL, relu6_backward_piece)
RUN_BY_IMAGE(add_forward, true, add_forward_piece)
RUN_BY_IMAGE(add_backward, true, add_backward_piece)
RUN_BY_IMAGE(flatten_forward, true, flatten_forward_piece)
RUN_BY_IMAGE(dropout_forward, true, dropout_forward_piece)
RUN_BY_IMAGE(dropout_backward, call->dx != NULL, dropout_backward_piece)

const ref_kernel jsni_ref_relu = {"loop", relu_forward, relu_backward, NULL};
const ref_kernel jsni_ref_relu6 = {"loop", relu6_forward, relu6_backward, NULL};
const ref_kernel jsni_ref_add = {"loop", add_forward, add_backward, NULL};
/* Passing on to one input is what addition does without a second one. */
const ref_kernel jsni_ref_flatten = {"copy", flatten_forward, add_backward, NULL};
const ref_kernel jsni_ref_dropout = {"loop", dropout_forward, dropout_backward, NULL};
