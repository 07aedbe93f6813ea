/* train/metrics.c - see metrics.h. */
#include "train/metrics.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "jensen/limit.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? NAN : (double)part / (double)whole;
}

double jsni_counts_accuracy(const jsni_counts *counts, size_t view, jsni_kind kind)
{
    const uint64_t *correct = counts->correct[view], *seen = counts->seen;
    if (kind == JSNI_KINDS)
        return share(correct[JSNI_KIND_TRUE] + correct[JSNI_KIND_NOISY],
                     seen[JSNI_KIND_TRUE] + seen[JSNI_KIND_NOISY]);
    return share(correct[kind], seen[kind]);
}

double jsni_counts_loss(const jsni_counts *counts)
{
    return counts->samples == 0 ? NAN : counts->loss_sum / (double)counts->samples;
}

void jsni_counts_put(const jsni_counts *counts, jsni_json_writer *w, const char *key)
{
    jsni_json_begin_object(w, key);
    jsni_json_put_real(w, "loss_sum", counts->loss_sum);
    jsni_json_put_int(w, "samples", (int64_t)counts->samples);
    jsni_json_put_int(w, "steps", (int64_t)counts->steps);
    jsni_json_begin_array(w, "seen");
    for (int k = 0; k < JSNI_KINDS; k++)
        jsni_json_put_int(w, NULL, (int64_t)counts->seen[k]);
    jsni_json_end(w);
    jsni_json_begin_array(w, "correct");
    for (int v = 0; v < JSNI_MOST_VIEWS; v++)
        for (int k = 0; k < JSNI_KINDS; k++)
            jsni_json_put_int(w, NULL, (int64_t)counts->correct[v][k]);
    jsni_json_end(w);
    jsni_json_end(w);
}

jsn_status jsni_counts_get(jsni_counts *counts, const jsni_json *object)
{
    int64_t samples = 0, steps = 0;
    const jsni_json *seen = NULL, *correct = NULL;
    *counts = (jsni_counts){0};
    JSNI_TRY(jsni_json_get_real(object, "loss_sum", &counts->loss_sum));
    JSNI_TRY(jsni_json_get_int(object, "samples", &samples));
    JSNI_TRY(jsni_json_get_int(object, "steps", &steps));
    JSNI_TRY(jsni_json_get_array(object, "seen", &seen));
    JSNI_TRY(jsni_json_get_array(object, "correct", &correct));
    counts->samples = (uint64_t)samples;
    counts->steps = (uint64_t)steps;
    for (size_t k = 0; k < JSNI_KINDS; k++)
        counts->seen[k] = (uint64_t)jsni_json_int(jsni_json_at(seen, k));
    for (size_t i = 0; i < (size_t)JSNI_MOST_VIEWS * JSNI_KINDS; i++)
        counts->correct[i / JSNI_KINDS][i % JSNI_KINDS] =
            (uint64_t)jsni_json_int(jsni_json_at(correct, i));
    return JSN_OK;
}

size_t jsni_argmax(const float *values, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (values[k] > values[best])
            best = k;
    return best;
}

size_t jsni_argmax_real(const double *values, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (values[k] > values[best])
            best = k;
    return best;
}

void jsni_softmax(const float *logits, size_t count, double *out)
{
    const double top = (double)logits[jsni_argmax(logits, count)];
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        out[k] = exp((double)logits[k] - top);
        sum += out[k];
    }
    for (size_t k = 0; k < count; k++)
        out[k] /= sum;
}

jsn_status jsni_evaluation_create(jsni_evaluation *out, size_t classes)
{
    *out = (jsni_evaluation){.classes = classes};
    const bool matrix = classes <= JSN_MATRIX_MAX_CLASSES;
    out->class_samples = jsni_alloc_zero(classes, sizeof *out->class_samples);
    out->class_correct = jsni_alloc_zero(classes, sizeof *out->class_correct);
    out->class_predicted = jsni_alloc_zero(classes, sizeof *out->class_predicted);
    if (matrix)
        out->confusion = jsni_alloc_zero(classes * classes, sizeof *out->confusion);
    if (out->class_samples != NULL && out->class_correct != NULL &&
        out->class_predicted != NULL && (out->confusion != NULL || !matrix))
        return JSN_OK;
    jsni_evaluation_release(out);
    return JSN_ERR_MEMORY;
}

void jsni_evaluation_release(jsni_evaluation *evaluation)
{
    jsni_free(evaluation->class_samples);
    jsni_free(evaluation->class_correct);
    jsni_free(evaluation->class_predicted);
    jsni_free(evaluation->confusion);
    *evaluation = (jsni_evaluation){0};
}

void jsni_evaluation_add(jsni_evaluation *e, const double *p, int32_t truth,
                         int32_t used)
{
    size_t best = 0, above = 0;
    for (size_t k = 0; k < e->classes; k++) {
        if (p[k] > p[best])
            best = k;
        /* Ties rank by class number, as a stable sort would have them. */
        above += p[k] > p[truth] || (p[k] == p[truth] && k < (size_t)truth);
    }
    const int right = best == (size_t)truth;
    e->samples++;
    e->correct += (uint64_t)right;
    e->correct_used += best == (size_t)used;
    e->top5 += above < 5;
    /* The smallest double stands in for a probability that underflowed. */
    e->loss_sum -= log(p[truth] > 0.0 ? p[truth] : 4.9406564584124654e-324);
    size_t bin = (size_t)(p[best] * JSNI_ECE_BINS);
    bin = bin < JSNI_ECE_BINS ? bin : JSNI_ECE_BINS - 1;
    e->bin_samples[bin]++;
    e->bin_correct[bin] += (uint64_t)right;
    e->bin_confidence[bin] += p[best];
    e->class_samples[truth]++;
    e->class_predicted[best]++;
    e->class_correct[truth] += (uint64_t)right;
    if (e->confusion != NULL)
        e->confusion[(size_t)truth * e->classes + best]++;
}

double jsni_evaluation_accuracy(const jsni_evaluation *e)
{
    return share(e->correct, e->samples);
}

double jsni_evaluation_accuracy_used(const jsni_evaluation *e)
{
    return share(e->correct_used, e->samples);
}

double jsni_evaluation_top5(const jsni_evaluation *e)
{
    return share(e->top5, e->samples);
}

double jsni_evaluation_loss(const jsni_evaluation *e)
{
    return e->samples == 0 ? NAN : e->loss_sum / (double)e->samples;
}

double jsni_evaluation_ece(const jsni_evaluation *e)
{
    double sum = 0.0;
    for (size_t b = 0; b < JSNI_ECE_BINS; b++)
        sum += fabs((double)e->bin_correct[b] - e->bin_confidence[b]);
    return e->samples == 0 ? NAN : sum / (double)e->samples;
}
