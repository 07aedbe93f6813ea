/* loss/prepare.c - constants that several losses make from their parameters. */
#include <math.h>

#include "core/fail.h"
#include "core/words.h"
#include "loss/dissect.h"
#include "loss/mixture.h"
#include "loss/negative.h"

jsn_status jsni_loss_flag(const char *spec, const char *name, double value)
{
    if (value != 0.0 && value != 1.0)
        return jsni_fail(JSN_ERR_RANGE, "'%s': %s is 0 or 1", spec, name);
    return JSN_OK;
}

jsn_status jsni_loss_whole(const char *spec, const char *name, double value)
{
    if (value != floor(value))
        return jsni_fail(JSN_ERR_RANGE, "'%s': %s is a whole number", spec, name);
    return JSN_OK;
}

jsn_status jsni_anl_prepare(const char *spec, const jsni_spec_value *values,
                            size_t views, jsni_loss_setup *setup)
{
    (void)spec;
    (void)views;
    const double least = values[JSNI_ANL_MIN].real;
    const double gamma = setup->constant[JSNI_ANL_GAMMA];
    setup->constant[JSNI_ANL_TOP] = -exp(gamma * log1p(-least)) * log(least);
    return JSN_OK;
}

jsn_status jsni_dissect_prepare(const char *spec, const jsni_spec_value *values,
                                size_t views, jsni_loss_setup *setup)
{
    (void)views;
    const double scale = values[0].real;
    JSNI_TRY(jsni_loss_flag(spec, "scale", scale));
    setup->constant[JSNI_DISSECT_FACTOR] = scale != 0.0 ? 2.0 / JSNI_LOG_2 : 1.0;
    return JSN_OK;
}

jsn_status jsni_dissect_clamp_prepare(const char *spec, const jsni_spec_value *values,
                                      size_t views, jsni_loss_setup *setup)
{
    JSNI_TRY(jsni_loss_flag(spec, "clamp", values[1].real));
    return jsni_dissect_prepare(spec, values, views, setup);
}

/* The weights of a `pi=...` list: label first, then one a view. The last is taken as 1
 * minus the others, so that the sum is exact. */
static jsn_status read_list(const char *spec, const jsni_spec_value *list,
                            size_t *views, double *pi)
{
    size_t count = 0;
    jsni_spec_reals(list, pi, &count);
    if (count < 2)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%s': pi needs the label's weight and one per view; pi1 sets "
                         "only the label's",
                         spec);
    if (*views != 0 && count != *views + 1)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': pi has %zu %s, %zu %s %zu", spec,
                         count, jsni_noun(count, "weight", "weights"), *views,
                         jsni_noun(*views, "view needs", "views need"), *views + 1);
    if (count > JSN_LOSS_MAX_VIEWS + 1)
        return jsni_fail(JSN_ERR_RANGE, "'%s': at most %d views", spec,
                         JSN_LOSS_MAX_VIEWS);
    double others = 0.0;
    for (size_t i = 0; i + 1 < count; i++)
        others += pi[i];
    const double last = 1.0 - others;
    if (!(fabs(last - pi[count - 1]) <= 1e-3) || !(last > 0.0))
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': the weights pi sum to %.10g, not 1",
                         spec, others + pi[count - 1]);
    pi[count - 1] = last;
    *views = count - 1;
    return JSN_OK;
}

jsn_status jsni_pi_prepare(const char *spec, const jsni_spec_value *values,
                           size_t views, jsni_loss_setup *setup)
{
    enum { PI1, PI, SCALE };
    double pi[JSNI_SPEC_MAX_REALS];
    const bool known = views != 0;
    JSNI_TRY(jsni_loss_flag(spec, "scale", values[SCALE].real));
    if (values[PI].given && values[PI1].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': give pi1 or pi, not both", spec);
    if (values[PI].given) {
        JSNI_TRY(read_list(spec, &values[PI], &views, pi));
    } else {
        views = known ? views : 2;
        pi[0] = values[PI1].real;
        for (size_t j = 0; j < views; j++)
            pi[1 + j] = (1.0 - pi[0]) / (double)views;
    }
    const double rest = 1.0 - pi[0];
    const double log_rest = log1p(-pi[0]);
    setup->constant[JSNI_PI_TARGET] = pi[0];
    setup->constant[JSNI_PI_REST] = rest;
    setup->constant[JSNI_PI_LOG_REST] = log_rest;
    setup->constant[JSNI_PI_FACTOR] =
        values[SCALE].real != 0.0 ? -1.0 / (rest * log_rest) : 1.0;
    setup->constant[JSNI_PI_CODE] = 1.0;
    for (size_t j = 0; j < views; j++)
        setup->constant[JSNI_PI_VIEW + j] = pi[1 + j];
    setup->views_wanted = views;
    setup->in_double = pi[0] < 0.01 || pi[0] > 0.99;
    return JSN_OK;
}

jsn_status jsni_pi_clamp(const char *spec, const jsni_spec_value *values,
                         size_t clamped, jsni_loss_setup *setup)
{
    enum { CLAMP = 3 };
    JSNI_TRY(jsni_loss_flag(spec, "clamp", values[CLAMP].real));
    if (values[CLAMP].real != 0.0)
        setup->row = clamped;
    return JSN_OK;
}

void jsni_pi_first_view(jsni_loss_setup *setup)
{
    setup->constant[JSNI_PI_VIEW] = setup->constant[JSNI_PI_REST];
}
