/* backend/ref/ref_linear.c - the linear layer, y[n][o] = b[o] + sum over i of
 * w[o][i]*x[n][i], and its transposes. Pieces are outputs, or stretches of inputs, so
 * that the weights, which are the bulk, are read once. */
#include "backend/ref/ref_impl.h"

enum { STRETCH = 256 };

/* Eight sums of products of stride 8, then their sum in double: a fixed order that
 * still lets the compiler use vectors. */
static double dot(const float *restrict a, const float *restrict b, size_t count)
{
    float lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t l = 0; l < 8; l++)
            lane[l] += a[i + l] * b[i + l];
    double sum = 0.0;
    for (size_t l = 0; l < 8; l++)
        sum += (double)lane[l];
    for (; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static void forward_piece(void *user, size_t o, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t inputs = call->in.channels, outputs = call->out.channels;
    const double bias = call->bias == NULL ? 0.0 : (double)call->bias[o];
    for (size_t n = 0; n < ref_images(call); n++)
        call->y[n * outputs + o] = (float)(bias + dot(call->weight + o * inputs,
                                                      call->x + n * inputs, inputs));
}

static void forward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->out.channels, forward_piece, (void *)call);
}

static void weight_piece(void *user, size_t o, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t inputs = call->in.channels, outputs = call->out.channels;
    float *restrict to = call->dweight + o * inputs;
    for (size_t i = 0; i < inputs; i++)
        to[i] = 0.0f;
    double sum = 0.0;
    for (size_t n = 0; n < ref_images(call); n++) {
        const float g = call->dy[n * outputs + o];
        const float *restrict x = call->x + n * inputs;
        for (size_t i = 0; i < inputs; i++)
            to[i] += g * x[i];
        sum += (double)g;
    }
    if (call->dbias != NULL)
        call->dbias[o] = (float)sum;
}

static void data_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t inputs = call->in.channels, outputs = call->out.channels;
    const size_t first = index * STRETCH;
    const size_t count = inputs - first < STRETCH ? inputs - first : STRETCH;
    for (size_t n = 0; n < ref_images(call); n++) {
        float acc[STRETCH] = {0};
        for (size_t o = 0; o < outputs; o++) {
            const float g = call->dy[n * outputs + o];
            const float *restrict w = call->weight + o * inputs + first;
            for (size_t i = 0; i < count; i++)
                acc[i] += g * w[i];
        }
        float *dx = call->dx + n * inputs + first;
        for (size_t i = 0; i < count; i++)
            dx[i] += acc[i];
    }
}

static void backward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->out.channels, weight_piece, (void *)call);
    if (call->dx != NULL)
        jsni_pool_run(call->pool, (call->in.channels + STRETCH - 1) / STRETCH,
                      data_piece, (void *)call);
}

const ref_kernel jsni_ref_linear = {"loops", forward, backward, NULL};
