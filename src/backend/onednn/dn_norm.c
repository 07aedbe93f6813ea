/* backend/onednn/dn_norm.c - BatchNorm between two steps: from the sums of the shards to
 * the numbers that reading a tensor needs.
 *
 * With shard s of n_s values around its origin o_s, sum f_s and sum of squares q_s of
 * the distances from it, and the mean m of all N values,
 *
 *     m = sum(f_s + n_s o_s) / N
 *     variance = sum(q_s + 2 (o_s - m) f_s + n_s (o_s - m)^2) / N
 *
 * in double. The mean is rounded to float where values are read; what is lost goes into
 * the shift, so that a channel with a mean far above its deviation keeps its digits. */
#include <math.h>

#include "backend/onednn/dn_plan.h"

/* Values a channel that shard `shard` of the tensor's step has. */
static double shard_values(const dn_plan *plan, const dn_tensor *tensor, size_t shard)
{
    const dn_range r = dn_range_of(plan, &plan->steps[tensor->step], shard);
    return (double)r.count * (double)tensor->pixels;
}

typedef struct moments {
    double mean, variance;
} moments;

static moments view_moments(const dn_plan *plan, const dn_norm *norm, size_t view,
                            size_t channel)
{
    const dn_tensor *t = &plan->tensors[norm->tensor];
    const size_t shards = dn_shards_of_view(plan, &plan->steps[t->step]);
    const double count = (double)plan->samples * (double)t->pixels;
    double sum = 0.0, squares = 0.0;
    for (size_t s = view * shards; s < (view + 1) * shards; s++) {
        const jsni_sums at = dn_sums_at(t->sums, norm->full, s);
        sum +=
            at.first[channel] + shard_values(plan, t, s) * (double)at.origin[channel];
    }
    const double mean = sum / count;
    for (size_t s = view * shards; s < (view + 1) * shards; s++) {
        const jsni_sums at = dn_sums_at(t->sums, norm->full, s);
        const double d = (double)at.origin[channel] - mean;
        squares += at.second[channel] + 2.0 * d * at.first[channel] +
                   shard_values(plan, t, s) * d * d;
    }
    return (moments){mean, squares > 0.0 || squares != squares ? squares / count : 0.0};
}

static void set_load(const dn_plan *plan, dn_norm *norm, size_t at, size_t channel,
                     double mean, double variance)
{
    const jsni_graph *graph = plan->base.graph;
    const jsni_node *node = &graph->nodes[norm->node];
    const double weight =
        (double)plan->params[graph->params[node->weight].offset + channel];
    const double bias =
        (double)plan->params[graph->params[node->bias].offset + channel];
    const double inverse = 1.0 / sqrt(variance + node->op.as.norm.epsilon);
    norm->exact[at] = mean;
    norm->inverse[at] = inverse;
    norm->mean[at] = (float)mean;
    norm->scale[at] = (float)(weight * inverse);
    norm->shift[at] =
        (float)(bias + ((double)norm->mean[at] - mean) * weight * inverse);
}

void dn_norm_forward(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    float *running_mean = plan->stats + graph->stats[node->mean].offset;
    float *running_var = plan->stats + graph->stats[node->mean + 1].offset;
    const double momentum = node->op.as.norm.momentum;
    const double count =
        (double)plan->samples * (double)plan->tensors[norm->tensor].pixels;
    for (size_t view = 0; view < plan->views; view++)
        for (size_t c = 0; c < norm->channels; c++) {
            const moments m = view_moments(plan, norm, view, c);
            set_load(plan, norm, view * norm->full + c, c, m.mean, m.variance);
            running_mean[c] =
                (float)((1.0 - momentum) * (double)running_mean[c] + momentum * m.mean);
            running_var[c] = (float)((1.0 - momentum) * (double)running_var[c] +
                                     momentum * m.variance * count / (count - 1.0));
        }
}

void dn_norm_evaluation(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    const float *mean = plan->stats + graph->stats[node->mean].offset;
    const float *variance = plan->stats + graph->stats[node->mean + 1].offset;
    for (size_t c = 0; c < norm->channels; c++)
        set_load(plan, norm, c, c, (double)mean[c], (double)variance[c]);
}

/* gx = scale * (g - sum(g)/N - h * sum(g h)/N) with h = (x - mean) * inverse. */
void dn_norm_backward(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    float *weight_gradient = plan->grads + graph->params[node->weight].offset;
    float *bias_gradient = plan->grads + graph->params[node->bias].offset;
    const float *weight = plan->params + graph->params[node->weight].offset;
    size_t value = 0;
    while (plan->values[value].norm != number)
        value++;
    const dn_step *step = &plan->steps[plan->values[value].completed];
    const size_t shards = dn_shards_of_view(plan, step);
    const double count =
        (double)plan->samples * (double)plan->tensors[norm->tensor].pixels;
    for (size_t c = 0; c < norm->channels; c++) {
        double weight_sum = 0.0, bias_sum = 0.0;
        for (size_t view = 0; view < plan->views; view++) {
            const size_t at = view * norm->full + c;
            double g = 0.0, gx = 0.0;
            for (size_t s = view * shards; s < (view + 1) * shards; s++) {
                const jsni_sums sums = dn_sums_at(norm->sums, norm->full, s);
                g += sums.first[c];
                gx += sums.second[c];
            }
            const double lost = (double)norm->mean[at] - norm->exact[at];
            gx += lost * g; /* around the exact mean */
            const double scale = (double)weight[c] * norm->inverse[at];
            const double slope =
                -scale * norm->inverse[at] * norm->inverse[at] * gx / count;
            norm->slope[at] = (float)slope;
            norm->offset[at] = (float)(-scale * g / count + slope * lost);
            weight_sum += norm->inverse[at] * gx;
            bias_sum += g;
        }
        weight_gradient[c] = (float)weight_sum;
        bias_gradient[c] = (float)bias_sum;
    }
}
