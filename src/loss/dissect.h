/* loss/dissect.h - what the dissection family (kl, kl-rev, jeffreys, k, k-rev, js-sqrt)
 * shares: the parameter `scale`, which multiplies by 2 / log 2 as the scaled variants of
 * the published experiments do. */
#ifndef JSNI_LOSS_DISSECT_H
#define JSNI_LOSS_DISSECT_H

#include "loss/row.h"

#define JSNI_LOG_2 0.69314718055994530942

enum { JSNI_DISSECT_FACTOR }; /* the constant: 1 or 2 / log 2 */

#define JSNI_DISSECT_PARAMS                                          \
    {                                                                \
        "scale", "1: multiply by 2 / log 2", 0, 0, 1, JSN_PARAM_REAL \
    }

jsn_status jsni_dissect_prepare(const char *spec, const jsni_spec_value *values,
                                size_t views, jsni_loss_setup *setup);

/* The same for those that have `clamp` behind it. */
jsn_status jsni_dissect_clamp_prepare(const char *spec, const jsni_spec_value *values,
                                      size_t views, jsni_loss_setup *setup);

#endif /* JSNI_LOSS_DISSECT_H */
