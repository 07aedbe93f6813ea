/* audit/surest.c - how labels come from true classes, as the surest samples show it: of
 * those that the model takes for a class, the ones with the highest probability are of this
 * class, almost all of them, whatever their labels say. The probabilities are out of sample,
 * so that a sample's own label has no part in what it is taken for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/fail.h"

/* Few: the fewer, the less do the model's mistakes show up as wrong labels; but the counts
 * of a row of the table must still say something. */
#define SHARE_FEW  0.2
#define SHARE_HALF 0.5
/* Samples with nearly the probability of the few, by this factor, are as good as the surer
 * half: where the model is sure of most, most of them are counted. */
#define NEARLY_AS_SURE 0.9
enum {
    LEAST_FEW = 20,
    LEAST_TO_HALVE = 40 /* of fewer samples, half would leave the labels to chance */
};

typedef struct sample_rank {
    float probability;
    uint32_t sample;
} sample_rank;

static int by_probability(const void *left, const void *right)
{
    const sample_rank *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability > b->probability ? -1 : 1;
    return a->sample < b->sample ? -1 : 1;
}

static float label_probability(const jsn_audit_input *in, size_t sample, size_t label)
{
    const size_t at = sample * in->classes + label;
    return in->posteriors != NULL ? in->posteriors[at] : (float)in->posteriors64[at];
}

/* The samples by predicted class, the surest of each first; starts[c] to starts[c + 1] are
 * those of class c. */
static void sort_samples(const jsni_audit_facts *facts, sample_rank *ranks,
                         size_t *starts)
{
    const size_t n = facts->in->samples, k = facts->in->classes;
    for (size_t i = 0; i < n; i++)
        starts[facts->top[i] + 1]++;
    for (size_t c = 0; c < k; c++)
        starts[c + 1] += starts[c];
    for (size_t i = 0; i < n; i++) {
        sample_rank *at = &ranks[starts[facts->top[i]]++];
        *at = (sample_rank){facts->top_probability[i], (uint32_t)i};
    }
    memmove(starts + 1, starts, k * sizeof *starts);
    starts[0] = 0;
    for (size_t c = 0; c < k; c++)
        qsort(ranks + starts[c], starts[c + 1] - starts[c], sizeof *ranks,
              by_probability);
}

/* log(Gamma(start + count) / Gamma(start)) for a whole count. */
static double log_rising(double start, double count)
{
    double sum = 0.0;
    for (double t = 0.0; t < count; t += 1.0)
        sum += log(start + t);
    return sum;
}

/* How well it fits the counts that every class spreads its wrong labels over the others by
 * shares of its own, drawn from the Dirichlet distribution whose parameters are all `weight`:
 * the logarithm of their probability. A large weight means even shares, a small one that most
 * wrong labels of a class are of few others. */
static double evidence(const double *counts, size_t k, double weight)
{
    double sum = 0.0;
    for (size_t c = 0; c < k; c++) {
        double wrong = 0.0;
        for (size_t j = 0; j < k; j++)
            if (j != c) {
                wrong += counts[c * k + j];
                sum += log_rising(weight, counts[c * k + j]);
            }
        sum -= log_rising(weight * (double)(k - 1), wrong);
    }
    return sum;
}

static double fit_weight(const double *counts, size_t k)
{
    double best = 0.05, most = evidence(counts, k, best);
    for (double weight = 2.0 * best; weight < 150.0; weight *= 2.0) {
        const double found = evidence(counts, k, weight);
        if (found > most) {
            most = found;
            best = weight;
        }
    }
    return best;
}

/* Rows to shares: what few samples show is not taken for how a class is labelled. To each row two
 * samples a cell are added that are wrong as often as all are; its wrong ones are spread with
 * the weight that fits all rows. */
static void smooth(double *counts, size_t k)
{
    double all = 0.0, right = 0.0;
    for (size_t c = 0; c < k; c++) {
        right += counts[c * k + c];
        for (size_t j = 0; j < k; j++)
            all += counts[c * k + j];
    }
    const double weight = fit_weight(counts, k);
    const double added = 2.0 * (double)k, rate = 1.0 - right / all;
    for (size_t c = 0; c < k; c++) {
        double *row = &counts[c * k], wrong = 0.0;
        for (size_t j = 0; j < k; j++)
            wrong += j != c ? row[j] : 0.0;
        const double share = (wrong + added * rate) / (wrong + row[c] + added);
        for (size_t j = 0; j < k; j++)
            row[j] =
                j == c ? 1.0 - share
                       : share * (row[j] + weight) / (wrong + weight * (double)(k - 1));
    }
}

/* How many of the samples of a class are counted: the surer half, and those behind it that are
 * nearly as sure as the first few. */
static size_t count_sure(const sample_rank *ranks, size_t count, size_t few)
{
    double mean = 0.0;
    for (size_t i = 0; i < few; i++)
        mean += (double)ranks[i].probability / (double)few;
    size_t sure = (size_t)ceil(SHARE_HALF * (double)count);
    sure = sure < few ? few : sure;
    while (sure < count && (double)ranks[sure].probability >= NEARLY_AS_SURE * mean)
        sure++;
    return sure;
}

/* The element at `at` once the list would be sorted; changes the order. */
static sample_rank select_rank(sample_rank *list, size_t count, size_t at)
{
    size_t first = 0, end = count;
    while (end - first > 1) {
        const sample_rank pivot = list[first + (end - first) / 2];
        size_t before = first, behind = end;
        for (size_t i = first; i < behind;) {
            const int order = by_probability(&list[i], &pivot);
            if (order == 0) {
                i++;
                continue;
            }
            const size_t to = order < 0 ? before++ : --behind;
            const sample_rank moved = list[i];
            list[i] = list[to];
            list[to] = moved;
            i += order < 0;
        }
        if (at >= before && at < behind)
            return pivot;
        first = at < before ? first : behind;
        end = at < before ? before : end;
    }
    return list[first];
}

/* Counts the labels of the few surest samples of class c. A label that is put on a class,
 * whatever the image, is as frequent where the model finds it improbable. One that is put on
 * images of its own, which the model takes for class c by mistake, is more frequent where it
 * is probable. So each label is counted in that half of the samples which has the lower
 * probabilities of it, and as many right labels are added as make half of the samples. Few
 * samples are counted all. */
static void count_unlikely(jsni_audit_facts *facts, size_t c, const sample_rank *ranks,
                           size_t few, sample_rank *column)
{
    const jsn_audit_input *in = facts->in;
    const size_t k = in->classes, half = few / 2;
    double *row = &facts->transition[c * k];
    for (size_t i = 0; i < few; i++)
        row[in->labels[ranks[i].sample]] += 1.0;
    if (few < LEAST_TO_HALVE)
        return;
    double kept = 0.0;
    for (size_t j = 0; j < k; j++) {
        if (j == c || row[j] == 0.0)
            continue;
        for (size_t i = 0; i < few; i++)
            column[i] =
                (sample_rank){label_probability(in, ranks[i].sample, j), (uint32_t)i};
        const sample_rank middle = select_rank(column, few, half);
        row[j] = 0.0;
        for (size_t i = 0; i < few; i++)
            if ((size_t)in->labels[ranks[column[i].sample].sample] == j &&
                by_probability(&column[i], &middle) >= 0)
                row[j] += 1.0;
        kept += row[j];
    }
    row[c] = fmax(0.0, (double)(few - half) - kept);
}

/* Counts the labels of the samples of class c, and the rates of wrong ones, weighted by the
 * size of the class. */
static void count_class(jsni_audit_facts *facts, size_t c, const sample_rank *ranks,
                        size_t count, sample_rank *column)
{
    const size_t k = facts->in->classes;
    const size_t least = count < LEAST_FEW ? count : LEAST_FEW;
    size_t few = (size_t)ceil(SHARE_FEW * (double)count);
    few = few < least ? least : few;
    const size_t sure = count_sure(ranks, count, few);
    double wrong_few = 0.0, wrong_all = 0.0;
    count_unlikely(facts, c, ranks, few, column);
    for (size_t i = 0; i < count; i++) {
        const size_t label = (size_t)facts->in->labels[ranks[i].sample];
        wrong_all += label != c;
        if (i < sure) /* as if the others were like them */
            facts->joint[c * k + label] += (double)count / (double)sure;
        wrong_few += i < few && label != c;
    }
    const double weight = (double)count / (double)facts->in->samples;
    facts->rate_few += weight * wrong_few / (double)few;
    facts->rate_all += weight * wrong_all / (double)count;
}

jsn_status jsni_audit_find_transition(jsni_audit_facts *facts)
{
    const size_t n = facts->in->samples, k = facts->in->classes;
    sample_rank *ranks = jsni_alloc(n, sizeof *ranks);
    sample_rank *column = jsni_alloc(n, sizeof *column);
    size_t *starts = jsni_alloc_zero(k + 1, sizeof *starts);
    facts->transition = jsni_alloc_zero(k * k, sizeof *facts->transition);
    facts->joint = jsni_alloc_zero(k * k, sizeof *facts->joint);
    const bool room = ranks != NULL && column != NULL && starts != NULL &&
                      facts->transition != NULL && facts->joint != NULL;
    if (room) {
        sort_samples(facts, ranks, starts);
        for (size_t c = 0; c < k; c++)
            if (starts[c + 1] > starts[c])
                count_class(facts, c, ranks + starts[c], starts[c + 1] - starts[c],
                            column);
        smooth(facts->transition, k);
    }
    jsni_free(starts);
    jsni_free(column);
    jsni_free(ranks);
    return room ? JSN_OK : JSN_ERR_MEMORY;
}
