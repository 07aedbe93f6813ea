/* core/stats.c - see core/stats.h. */
#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"

/* A second pass takes up what the rounding of the first sum left. */
double jsni_stats_mean(const double *values, size_t count)
{
    if (values == NULL)
        return NAN;
    double sum = 0.0, rest = 0.0;
    if (count == 0)
        return NAN;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    const double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        rest += values[i] - mean;
    return mean + rest / (double)count;
}

/* sum of (x - mean)^2. */
static double squares(const double *values, size_t count)
{
    const double mean = jsni_stats_mean(values, count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

double jsni_stats_deviation(const double *values, size_t count)
{
    return count < 2 ? NAN : sqrt(squares(values, count) / (double)(count - 1));
}

static jsn_status check_sample(const char *name, const double *values, size_t count)
{
    if (count < 2)
        return jsni_fail(JSN_ERR_ARGUMENT, "sample %s has %zu %s, 2 are needed", name,
                         count, jsni_noun(count, "value", "values"));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return jsni_fail(JSN_ERR_ARGUMENT, "sample %s: value %zu is not finite",
                             name, i);
    return JSN_OK;
}

static jsn_status check_samples(const double *a, size_t a_count, const double *b,
                                size_t b_count, double confidence)
{
    JSNI_TRY(check_sample("a", a, a_count));
    JSNI_TRY(check_sample("b", b, b_count));
    if (!(confidence > 0.0 && confidence < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "confidence %g is not inside (0, 1)",
                         confidence);
    return JSN_OK;
}

/* From difference, error and freedom to the rest. */
static void finish(jsni_stats_test *test, double confidence)
{
    if (test->error > 0.0)
        test->t = test->difference / test->error;
    else
        test->t = test->difference == 0.0 ? 0.0 : copysign(INFINITY, test->difference);
    test->p = jsni_stats_t_two_sided(test->t, test->freedom);
    const double reach =
        test->error * jsni_stats_t_quantile(1.0 - confidence, test->freedom);
    test->low = test->difference - reach;
    test->high = test->difference + reach;
}

jsn_status jsni_stats_student(jsni_stats_test *out, const double *a, size_t a_count,
                              const double *b, size_t b_count, double confidence)
{
    JSNI_TRY(check_samples(a, a_count, b, b_count, confidence));
    jsni_stats_test test = {0};
    const double n = (double)a_count, m = (double)b_count;
    test.freedom = n + m - 2.0;
    test.difference = jsni_stats_mean(a, a_count) - jsni_stats_mean(b, b_count);
    const double variance = (squares(a, a_count) + squares(b, b_count)) / test.freedom;
    test.error = sqrt(variance * (1.0 / n + 1.0 / m));
    finish(&test, confidence);
    *out = test;
    return JSN_OK;
}

jsn_status jsni_stats_welch(jsni_stats_test *out, const double *a, size_t a_count,
                            const double *b, size_t b_count, double confidence)
{
    JSNI_TRY(check_samples(a, a_count, b, b_count, confidence));
    jsni_stats_test test = {0};
    const double n = (double)a_count, m = (double)b_count;
    const double u = squares(a, a_count) / (n - 1.0) / n;
    const double v = squares(b, b_count) / (m - 1.0) / m;
    test.difference = jsni_stats_mean(a, a_count) - jsni_stats_mean(b, b_count);
    test.error = sqrt(u + v);
    test.freedom = u + v > 0.0
                       ? (u + v) * (u + v) / (u * u / (n - 1.0) + v * v / (m - 1.0))
                       : n + m - 2.0;
    finish(&test, confidence);
    *out = test;
    return JSN_OK;
}

static jsn_status check_lists(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(x[i]) || isnan(y[i]))
            return jsni_fail(JSN_ERR_ARGUMENT, "value %zu is not a number", i);
    return JSN_OK;
}

typedef struct entry {
    double value;
    size_t index;
} entry;

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* ranks[i] in 1 .. count; ties share the mean of theirs. */
static void find_ranks(const double *values, size_t count, entry *sorted, double *ranks)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = (entry){values[i], i};
    qsort(sorted, count, sizeof *sorted, compare_entries);
    for (size_t start = 0; start < count;) {
        size_t end = start + 1;
        while (end < count && sorted[end].value == sorted[start].value)
            end++;
        for (size_t i = start; i < end; i++)
            ranks[sorted[i].index] = 0.5 * (double)(start + 1 + end);
        start = end;
    }
}

static double pearson(const double *x, const double *y, size_t count)
{
    const double mean = 0.5 * ((double)count + 1.0); /* of ranks */
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (size_t i = 0; i < count; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : NAN;
}

jsn_status jsni_stats_spearman(const double *x, const double *y, size_t count,
                               double *rho)
{
    JSNI_NEED(x);
    JSNI_NEED(y);
    JSNI_NEED(rho);
    JSNI_TRY(check_lists(x, y, count));
    entry *sorted = jsni_alloc(count, sizeof *sorted);
    double *ranks = jsni_alloc(2 * count, sizeof *ranks);
    jsn_status status = JSN_ERR_MEMORY;
    if (sorted != NULL && ranks != NULL) {
        find_ranks(x, count, sorted, ranks);
        find_ranks(y, count, sorted, ranks + count);
        *rho = pearson(ranks, ranks + count, count);
        status = JSN_OK;
    }
    jsni_free(sorted);
    jsni_free(ranks);
    return status;
}

/* All pairs: lists of results are short. */
jsn_status jsni_stats_kendall(const double *x, const double *y, size_t count,
                              double *tau)
{
    JSNI_NEED(x);
    JSNI_NEED(y);
    JSNI_NEED(tau);
    JSNI_TRY(check_lists(x, y, count));
    double score = 0.0, x_pairs = 0.0, y_pairs = 0.0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const int sx = (x[i] > x[j]) - (x[i] < x[j]);
            const int sy = (y[i] > y[j]) - (y[i] < y[j]);
            score += sx * sy;
            x_pairs += sx != 0;
            y_pairs += sy != 0;
        }
    *tau = x_pairs > 0.0 && y_pairs > 0.0 ? score / sqrt(x_pairs * y_pairs) : NAN;
    return JSN_OK;
}
