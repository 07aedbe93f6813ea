/* jensen/stats.h - the statistics of result tables: means, deviations, t-tests, rank
 * correlations. Pure functions of their arguments; any thread may call them. */
#ifndef JENSEN_STATS_H
#define JENSEN_STATS_H

#include <stddef.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NaN when count is 0. */
JSN_API double jsn_stats_mean(const double *values, size_t count);
/* Sample standard deviation (divides by count - 1); NaN when count < 2. */
JSN_API double jsn_stats_deviation(const double *values, size_t count);

/* A two-sided comparison of the means of two samples, and a confidence interval of
 * mean(a) - mean(b). */
typedef struct jsn_stats_test {
    double difference; /* mean(a) - mean(b) */
    double error;      /* standard error of the difference */
    double t;          /* difference / error */
    double freedom;    /* degrees of freedom */
    double p;          /* two-sided */
    double low, high;  /* interval at the given confidence */
} jsn_stats_test;

/* Student's test, for equal variances, and Welch's, for any. `confidence` inside (0, 1),
 * e.g. 0.95, is that of the interval. Samples without any spread are compared by their
 * means alone: equal ones give t = 0, p = 1, others t = +-infinity, p = 0.
 *   JSN_ERR_ARGUMENT  fewer than 2 values in a sample, or one that is not finite
 *   JSN_ERR_RANGE     confidence not inside (0, 1) */
JSN_API JSN_MUST_CHECK jsn_status jsn_stats_student(jsn_stats_test *out,
                                                    const double *a, size_t a_count,
                                                    const double *b, size_t b_count,
                                                    double confidence);
JSN_API JSN_MUST_CHECK jsn_status jsn_stats_welch(jsn_stats_test *out, const double *a,
                                                  size_t a_count, const double *b,
                                                  size_t b_count, double confidence);

/* P(|T| >= |t|) of Student's t with `freedom` > 0 degrees of freedom; relative accuracy
 * about 1e-13 also where it is tiny. NaN outside the domain. */
JSN_API double jsn_stats_t_two_sided(double t, double freedom);
/* The t > 0 with jsn_stats_t_two_sided(t, freedom) = p, 0 < p < 1. */
JSN_API double jsn_stats_t_quantile(double p, double freedom);

/* The regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1; NaN outside.
 * `one_minus_x` is handed in, as it is often known better than x. */
JSN_API double jsn_stats_beta(double a, double b, double x, double one_minus_x);

/* Rank correlations of two lists: Spearman's rho (Pearson's correlation of the ranks,
 * ties share their mean rank) and Kendall's tau-b. NaN when count < 2 or a list has one
 * value only. JSN_ERR_ARGUMENT: a value is NaN; JSN_ERR_MEMORY. */
JSN_API JSN_MUST_CHECK jsn_status jsn_stats_spearman(const double *x, const double *y,
                                                     size_t count, double *rho);
JSN_API JSN_MUST_CHECK jsn_status jsn_stats_kendall(const double *x, const double *y,
                                                    size_t count, double *tau);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_STATS_H */
