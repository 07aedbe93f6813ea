/* backend/ref/ref_norm.c - BatchNorm (Ioffe and Szegedy, 2015), each view on its own.
 *
 * Training: mean m and biased variance s2 of a channel over the samples and positions of
 * one view, in double, by two passes; y = w*(x - m)/sqrt(s2 + eps) + b. The running
 * statistics take the unbiased variance, once a view in the order of the views.
 * Backward, with h = (x - m)/sqrt(s2 + eps) and means over the same values:
 *     dw = sum dy*h,  db = sum dy,
 *     dx = w/sqrt(s2 + eps) * (dy - mean(dy) - h*mean(dy*h))
 * Evaluation uses the running statistics, which are constants for backward.
 */
#include <math.h>

#include "backend/ref/ref_impl.h"

/* Mean and 1/sqrt(variance + eps) of a channel in a view; [views][channels]. */
typedef struct moments {
    double mean, inverse;
} moments;

static const float *plane_of(const ref_call *call, const float *from, size_t view,
                             size_t sample, size_t channel)
{
    return from + ((view * call->samples + sample) * call->in.channels + channel) *
                      call->in.height * call->in.width;
}

static moments batch_moments(const ref_call *call, size_t view, size_t channel,
                             double *variance)
{
    const size_t plane = call->in.height * call->in.width;
    const double count = (double)call->samples * (double)plane;
    double sum = 0.0;
    for (size_t n = 0; n < call->samples; n++) {
        const float *x = plane_of(call, call->x, view, n, channel);
        for (size_t i = 0; i < plane; i++)
            sum += (double)x[i];
    }
    const double mean = sum / count;
    double squares = 0.0;
    for (size_t n = 0; n < call->samples; n++) {
        const float *x = plane_of(call, call->x, view, n, channel);
        for (size_t i = 0; i < plane; i++) {
            const double d = (double)x[i] - mean;
            squares += d * d;
        }
    }
    *variance = squares / count;
    return (moments){mean, 1.0 / sqrt(*variance + call->node->op.as.norm.epsilon)};
}

static void update_running(const ref_call *call, size_t channel, double mean,
                           double variance)
{
    const double momentum = call->node->op.as.norm.momentum;
    const double count =
        (double)call->samples * (double)(call->in.height * call->in.width);
    float *m = &call->running_mean[channel], *v = &call->running_var[channel];
    *m = (float)((1.0 - momentum) * (double)*m + momentum * mean);
    *v = (float)((1.0 - momentum) * (double)*v +
                 momentum * variance * count / (count - 1.0));
}

static void forward_piece(void *user, size_t channel, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t plane = call->in.height * call->in.width;
    const double w = (double)call->weight[channel], b = (double)call->bias[channel];
    for (size_t view = 0; view < call->views; view++) {
        moments m = {(double)call->running_mean[channel],
                     1.0 / sqrt((double)call->running_var[channel] +
                                call->node->op.as.norm.epsilon)};
        if (call->pass->training) {
            double variance = 0.0;
            m = batch_moments(call, view, channel, &variance);
            update_running(call, channel, m.mean, variance);
        }
        if (call->kept != NULL)
            ((moments *)call->kept)[view * call->in.channels + channel] = m;
        for (size_t n = 0; n < call->samples; n++) {
            const float *x = plane_of(call, call->x, view, n, channel);
            float *y = call->y + (x - call->x);
            for (size_t i = 0; i < plane; i++)
                y[i] = (float)(((double)x[i] - m.mean) * m.inverse * w + b);
        }
    }
}

static void forward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->in.channels, forward_piece, (void *)call);
}

static void sums_of_view(const ref_call *call, size_t view, size_t channel, moments m,
                         double *sum_dy, double *sum_dyh)
{
    const size_t plane = call->in.height * call->in.width;
    *sum_dy = *sum_dyh = 0.0;
    for (size_t n = 0; n < call->samples; n++) {
        const float *x = plane_of(call, call->x, view, n, channel);
        const float *dy = call->dy + (x - call->x);
        for (size_t i = 0; i < plane; i++) {
            *sum_dy += (double)dy[i];
            *sum_dyh += (double)dy[i] * (((double)x[i] - m.mean) * m.inverse);
        }
    }
}

static void backward_piece(void *user, size_t channel, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t plane = call->in.height * call->in.width;
    const double count = (double)call->samples * (double)plane;
    double total_dy = 0.0, total_dyh = 0.0;
    for (size_t view = 0; view < call->views; view++) {
        const moments m = ((moments *)call->kept)[view * call->in.channels + channel];
        double dy_sum = 0.0, dyh_sum = 0.0;
        sums_of_view(call, view, channel, m, &dy_sum, &dyh_sum);
        total_dy += dy_sum;
        total_dyh += dyh_sum;
        if (call->dx == NULL)
            continue;
        const double scale = (double)call->weight[channel] * m.inverse;
        const double mean_dy = call->pass->training ? dy_sum / count : 0.0;
        const double mean_dyh = call->pass->training ? dyh_sum / count : 0.0;
        for (size_t n = 0; n < call->samples; n++) {
            const float *x = plane_of(call, call->x, view, n, channel);
            const float *dy = call->dy + (x - call->x);
            float *dx = call->dx + (x - call->x);
            for (size_t i = 0; i < plane; i++) {
                const double h = ((double)x[i] - m.mean) * m.inverse;
                dx[i] += (float)(scale * ((double)dy[i] - mean_dy - h * mean_dyh));
            }
        }
    }
    call->dweight[channel] = (float)total_dyh;
    call->dbias[channel] = (float)total_dy;
}

static void backward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->in.channels, backward_piece, (void *)call);
}

static size_t kept_bytes(const jsni_graph *graph, size_t number, size_t views,
                         size_t batch)
{
    (void)batch;
    return views * graph->nodes[number].shape.channels * sizeof(moments);
}

const ref_kernel jsni_ref_norm = {"two passes in double", forward, backward,
                                  kept_bytes};
