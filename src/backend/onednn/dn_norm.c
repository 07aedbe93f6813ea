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

typedef struct moments {
    double mean, variance;
} moments;

/* All shards of a view have `each` values a channel, but for the last one. */
typedef struct shard_counts {
    size_t shards;
    double each, last, all;
} shard_counts;

static shard_counts count_values(const dn_plan *plan, const dn_tensor *t)
{
    const dn_step *step = &plan->steps[t->step];
    shard_counts n = {.shards = dn_shards_of_view(plan, step)};
    const double pixels = (double)t->pixels;
    n.each = (double)step->shard * pixels;
    n.all = (double)plan->host.samples * pixels;
    n.last = n.all - (double)(n.shards - 1) * n.each;
    return n;
}

static moments view_moments(const dn_tensor *t, const shard_counts *n, size_t full,
                            size_t view, size_t channel)
{
    double sum = 0.0, squares = 0.0;
    for (size_t s = 0; s < n->shards; s++) {
        const size_t at = (view * n->shards + s) * full + channel;
        const double count = s + 1 < n->shards ? n->each : n->last;
        sum += t->sums.first[at] + count * (double)t->sums.origin[at];
    }
    const double mean = sum / n->all;
    for (size_t s = 0; s < n->shards; s++) {
        const size_t at = (view * n->shards + s) * full + channel;
        const double count = s + 1 < n->shards ? n->each : n->last;
        const double d = (double)t->sums.origin[at] - mean;
        squares += t->sums.second[at] + 2.0 * d * t->sums.first[at] + count * d * d;
    }
    /* rounding may leave a constant channel a little below zero; NaN stays */
    return (moments){mean, squares < 0.0 ? 0.0 : squares / n->all};
}

static void set_load(const dn_plan *plan, dn_norm *norm, size_t at, size_t channel,
                     double mean, double variance)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_node *node = &graph->nodes[norm->node];
    const double weight =
        (double)plan->host.params[graph->params[node->weight].offset + channel];
    const double bias =
        (double)plan->host.params[graph->params[node->bias].offset + channel];
    const double inverse = 1.0 / sqrt(variance + node->op.as.norm.epsilon);
    norm->exact[at] = mean;
    norm->inverse[at] = inverse;
    norm->mean[at] = (float)mean;
    norm->scale[at] = (float)(weight * inverse);
    norm->shift[at] =
        (float)(bias + ((double)norm->mean[at] - mean) * weight * inverse);
}

void jsni_dn_norm_forward(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    float *running_mean = plan->host.stats + graph->stats[node->mean].offset;
    float *running_var = plan->host.stats + graph->stats[node->mean + 1].offset;
    const double momentum = node->op.as.norm.momentum;
    const dn_tensor *tensor = &plan->tensors[norm->tensor];
    const shard_counts n = count_values(plan, tensor);
    const double count = n.all;
    for (size_t view = 0; view < plan->host.views; view++)
        for (size_t c = 0; c < norm->channels; c++) {
            const moments m = view_moments(tensor, &n, norm->full, view, c);
            set_load(plan, norm, view * norm->full + c, c, m.mean, m.variance);
            running_mean[c] =
                (float)((1.0 - momentum) * (double)running_mean[c] + momentum * m.mean);
            running_var[c] = (float)((1.0 - momentum) * (double)running_var[c] +
                                     momentum * m.variance * count / (count - 1.0));
        }
}

void jsni_dn_norm_evaluation(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    const float *mean = plan->host.stats + graph->stats[node->mean].offset;
    const float *variance = plan->host.stats + graph->stats[node->mean + 1].offset;
    for (size_t c = 0; c < norm->channels; c++)
        set_load(plan, norm, c, c, (double)mean[c], (double)variance[c]);
}

/* gx = scale * (g - sum(g)/N - h * sum(g h)/N) with h = (x - mean) * inverse. After an
 * evaluation pass the statistics are constants, the same for all views: gx = scale * g. */
void jsni_dn_norm_backward(dn_plan *plan, size_t number)
{
    const jsni_graph *graph = plan->host.base.graph;
    dn_norm *norm = &plan->norms[number];
    const jsni_node *node = &graph->nodes[norm->node];
    float *weight_gradient = plan->host.grads + graph->params[node->weight].offset;
    float *bias_gradient = plan->host.grads + graph->params[node->bias].offset;
    const float *weight = plan->host.params + graph->params[node->weight].offset;
    size_t value = 0;
    while (plan->values[value].norm != number)
        value++;
    const dn_step *step = &plan->steps[plan->values[value].completed];
    const size_t shards = dn_shards_of_view(plan, step);
    const double count =
        (double)plan->host.samples * (double)plan->tensors[norm->tensor].pixels;
    for (size_t c = 0; c < norm->channels; c++) {
        double weight_sum = 0.0, bias_sum = 0.0;
        for (size_t view = 0; view < plan->host.views; view++) {
            const size_t to = view * norm->full + c;
            const size_t at = plan->host.pass.training ? to : c;
            double g = 0.0, gx = 0.0;
            for (size_t s = view * shards; s < (view + 1) * shards; s++) {
                const jsni_sums sums = jsni_dn_sums_at(norm->sums, norm->full, s);
                g += sums.first[c];
                gx += sums.second[c];
            }
            const double lost = (double)norm->mean[at] - norm->exact[at];
            gx += lost * g; /* around the exact mean */
            const double scale = (double)weight[c] * norm->inverse[at];
            const double slope =
                -scale * norm->inverse[at] * norm->inverse[at] * gx / count;
            norm->slope[to] = plan->host.pass.training ? (float)slope : 0.0f;
            norm->offset[to] = plan->host.pass.training
                                   ? (float)(-scale * g / count + slope * lost)
                                   : 0.0f;
            weight_sum += norm->inverse[at] * gx;
            bias_sum += g;
        }
        weight_gradient[c] = (float)weight_sum;
        bias_gradient[c] = (float)bias_sum;
    }
}
