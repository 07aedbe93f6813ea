/* theory/gradient_scale.c - losses that depend on p_y alone: the value of JS, the
 * gradient scales g(p_y), and the pi1 that matches GCE.
 *
 * With a = 1 - pi1 and m_y = pi1 + a p_y the other classes' terms add up to
 * h(a) (1 - p_y), and log m_y - log p_y = log1p(pi1 (1-p_y) / p_y); in this form nothing
 * cancels at either end of pi1 or p_y.
 */
#include <math.h>

#include "core/fail.h"
#include "jensen/theory.h"
#include "theory/entropy.h"
#include "theory/weights.h"

double jsn_theory_js(double pi1, double p_y)
{
    if (!(pi1 > 0.0 && pi1 < 1.0 && p_y >= 0.0 && p_y <= 1.0))
        return NAN;
    const double a = 1.0 - pi1;
    const double miss = 1.0 - p_y;
    const double z = jsni_entropy_of_complement(pi1);
    const double log_m = a * miss < 0.5 ? log1p(-a * miss) : log(pi1 + a * p_y);
    const double view = p_y > 0.0 ? a * p_y * log1p(pi1 * miss / p_y) : 0.0;
    return (-pi1 * log_m - view) / z + miss;
}

/* g of JS as a function of t = -log(1 - pi1), which resolves pi1 near 1. */
static double scale_of_t(double t, double p_y)
{
    if (t < 1.0)
        return log1p(expm1(t) / p_y) / t;
    return 1.0 + (log1p(-(1.0 - p_y) * exp(-t)) - log(p_y)) / t;
}

double jsn_theory_gradient_scale(jsn_theory_loss loss, double parameter, double p_y)
{
    if (!(p_y > 0.0 && p_y <= 1.0))
        return NAN;
    switch (loss) {
    case JSN_THEORY_CE:
        return 1.0 / p_y;
    case JSN_THEORY_MAE:
        return 1.0;
    case JSN_THEORY_GCE:
        return parameter > 0.0 && parameter <= 1.0 ? pow(p_y, parameter - 1.0) : NAN;
    case JSN_THEORY_JS:
        if (!(parameter > 0.0 && parameter < 1.0))
            return NAN;
        return scale_of_t(-log1p(-parameter), p_y);
    }
    return NAN;
}

jsn_status jsn_theory_match_gce(double q, double p_y, double *pi1,
                                double *one_minus_pi1)
{
    JSNI_TRY(jsni_theory_given(pi1, one_minus_pi1));
    if (!(q > 0.0 && q < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "q = %g is not inside (0, 1)", q);
    if (!(p_y > 0.0 && p_y < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "p_y = %g is not inside (0, 1)", p_y);
    /* scale_of_t falls from 1/p_y at 0 to 1 at infinity and GCE's scale lies between,
     * so bisection in log t always ends at the one solution. */
    const double wanted = pow(p_y, q - 1.0);
    double low = log(1e-300), high = log(1e300);
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (scale_of_t(exp(middle), p_y) > wanted)
            low = middle;
        else
            high = middle;
    }
    const double t = exp(0.5 * (low + high));
    *pi1 = -expm1(-t);
    *one_minus_pi1 = exp(-t);
    return JSN_OK;
}
