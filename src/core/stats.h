/* core/stats.h - the statistics of result tables: means, deviations, t-tests, rank
 * correlations. Pure functions of their arguments; any thread may call them. */
#ifndef JSNI_CORE_STATS_H
#define JSNI_CORE_STATS_H

#include <stddef.h>

#include "jensen/status.h"

/* NaN when count is 0. */
double jsni_stats_mean(const double *values, size_t count);
/* Sample standard deviation (divides by count - 1); NaN when count < 2. */
double jsni_stats_deviation(const double *values, size_t count);

/* A two-sided comparison of the means of two samples, and a confidence interval of
 * mean(a) - mean(b). */
typedef struct jsni_stats_test {
    double difference; /* mean(a) - mean(b) */
    double error;      /* standard error of the difference */
    double t;          /* difference / error */
    double freedom;    /* degrees of freedom */
    double p;          /* two-sided */
    double low, high;  /* interval at the given confidence */
} jsni_stats_test;

/* Student's test, for equal variances, and Welch's, for any. `confidence` inside (0, 1),
 * e.g. 0.95, is that of the interval. Samples without any spread are compared by their
 * means alone: equal ones give t = 0, p = 1, others t = +-infinity, p = 0.
 *   JSN_ERR_ARGUMENT  fewer than 2 values in a sample, or one that is not finite
 *   JSN_ERR_RANGE     confidence not inside (0, 1) */
JSN_MUST_CHECK jsn_status jsni_stats_student(jsni_stats_test *out, const double *a,
                                             size_t a_count, const double *b,
                                             size_t b_count, double confidence);
JSN_MUST_CHECK jsn_status jsni_stats_welch(jsni_stats_test *out, const double *a,
                                           size_t a_count, const double *b,
                                           size_t b_count, double confidence);

/* P(|T| >= |t|) of Student's t with `freedom` > 0 degrees of freedom; relative accuracy
 * about 1e-13 also where it is tiny. NaN outside the domain. */
double jsni_stats_t_two_sided(double t, double freedom);
/* The t > 0 with jsni_stats_t_two_sided(t, freedom) = p, 0 < p < 1. */
double jsni_stats_t_quantile(double p, double freedom);

/* The regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1; NaN outside.
 * `one_minus_x` is handed in, as it is often known better than x. */
double jsni_stats_beta(double a, double b, double x, double one_minus_x);

/* Rank correlations of two lists: Spearman's rho (Pearson's correlation of the ranks,
 * ties share their mean rank) and Kendall's tau-b. NaN when count < 2 or a list has one
 * value only. JSN_ERR_ARGUMENT: a value is NaN; JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_stats_spearman(const double *x, const double *y,
                                              size_t count, double *rho);
JSN_MUST_CHECK jsn_status jsni_stats_kendall(const double *x, const double *y,
                                             size_t count, double *tau);

#endif /* JSNI_CORE_STATS_H */
