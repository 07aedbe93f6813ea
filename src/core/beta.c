/* core/beta.c - the incomplete beta function and Student's t (core/stats.h).
 *
 * I_x(a, b) = x^a (1-x)^b / B(a, b) times a continued fraction (DiDonato and Morris,
 * ACM TOMS 18, 1992), which converges fast for x < (a+1)/(a+b+2); above, I_x(a, b) =
 * 1 - I_{1-x}(b, a). Own
 * logarithm of B, because differences of large log-gammas would lose the digits that
 * tests with many degrees of freedom need, and because lgamma() writes to a global.
 */
#include <math.h>

#include "core/stats.h"

/* log Gamma(x) - [(x - 1/2) log x - x + log(2 pi)/2] for x >= 10. */
static double stirling(double x)
{
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    const double y = 1.0 / (x * x);
    double sum = 0.0;
    for (int i = 6; i >= 0; i--)
        sum = sum * y + c[i];
    return sum / x;
}

static const double half_log_2pi = 0.91893853320467274178;

/* log Gamma(x), x > 0, lifted to x >= 10 by Gamma(x+1) = x Gamma(x). */
static double log_gamma(double x)
{
    double product = 1.0;
    while (x < 10.0) {
        product *= x;
        x += 1.0;
    }
    return (x - 0.5) * log(x) - x + half_log_2pi + stirling(x) - log(product);
}

/* log B(a, b); the large terms of the three log-gammas are combined before they meet. */
static double log_beta(double a, double b)
{
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (large < 10.0)
        return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    const double shift = stirling(large) - stirling(large + small);
    const double stretch = -(large - 0.5) * log1p(small / large);
    if (small < 10.0)
        return log_gamma(small) + stretch - small * log(large + small) + small + shift;
    return half_log_2pi + stirling(small) + shift + stretch - 0.5 * log(small) +
           small * log(small / (large + small));
}

/* The factor behind x^a (1-x)^b / B(a, b), by Lentz's method:
 *     1 / (d_0 + n_1 / (d_1 + n_2 / (d_2 + ...))). */
static double fraction(double a, double b, double x, double y)
{
    const double tiny = 1e-300;
    /* a - (a+b) x, from the one of x and y that is small and keeps the digits. */
    const double lead = x < 0.5 ? a - (a + b) * x : (a + b) * y - b;
    double f = a * (lead + 1.0) / (a + 1.0);
    double c = fabs(f) < tiny ? tiny : f, d = 0.0;
    f = c;
    for (int m = 1; m <= 1000000; m++) {
        const double s = a + 2.0 * m - 1.0;
        const double n =
            (a + m - 1.0) / s * ((a + b + m - 1.0) / s) * (m * (b - m) * x * x);
        const double e = m + m * (b - m) * x / s +
                         (a + m) * (lead + 1.0 + m * (1.0 + y)) / (s + 2.0);
        d = e + n * d;
        c = e + n / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= c * d;
        if (fabs(c * d - 1.0) < 1e-16)
            break;
    }
    return 1.0 / f;
}

/* log(u) where v = 1 - u is known as well. */
static double log_of(double u, double v)
{
    return u > 0.5 ? log1p(-v) : log(u);
}

double jsni_stats_beta(double a, double b, double x, double one_minus_x)
{
    const double y = one_minus_x;
    if (!(a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0 && fabs(x + y - 1.0) < 1e-9))
        return NAN;
    if (x == 0.0 || y == 0.0)
        return x == 0.0 ? 0.0 : 1.0;
    const double front = exp(a * log_of(x, y) + b * log_of(y, x) - log_beta(a, b));
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * fraction(a, b, x, y);
    return 1.0 - front * fraction(b, a, y, x);
}

double jsni_stats_t_two_sided(double t, double freedom)
{
    if (!(freedom > 0.0) || isnan(t))
        return NAN;
    if (isinf(t))
        return 0.0;
    const double square = t * t;
    return jsni_stats_beta(0.5 * freedom, 0.5, freedom / (freedom + square),
                           square / (freedom + square));
}

double jsni_stats_t_quantile(double p, double freedom)
{
    if (!(p > 0.0 && p < 1.0 && freedom > 0.0))
        return NAN;
    /* The probability falls with t; bisection in log t needs no good start. */
    double low = -700.0, high = 700.0;
    for (int i = 0; i < 80; i++) {
        const double middle = 0.5 * (low + high);
        if (jsni_stats_t_two_sided(exp(middle), freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}
