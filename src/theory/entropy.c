/* theory/entropy.c - see theory/entropy.h. */
#include "theory/entropy.h"

#include <math.h>

double jsni_entropy_term(double x)
{
    return x > 0.0 ? -x * log(x) : 0.0;
}

double jsni_entropy_of_complement(double one_minus_x)
{
    return one_minus_x < 1.0 ? -(1.0 - one_minus_x) * log1p(-one_minus_x) : 0.0;
}

double jsni_log_excess(double x)
{
    if (fabs(x) > 0.125)
        return x - log1p(x);
    /* x^2/2 - x^3/3 + ...; at |x| <= 1/8 the 18th term is below 2^-53 of the first. */
    double sum = 0.0;
    for (int n = 20; n >= 2; n--)
        sum = 1.0 / n - x * sum;
    return x * x * sum;
}
