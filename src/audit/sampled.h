/* audit/sampled.h - how many labels are wrong, from a random sample of them that was looked at. */
#ifndef JSNI_AUDIT_SAMPLED_H
#define JSNI_AUDIT_SAMPLED_H

#include <stddef.h>

#include "jensen/status.h"

/* How many of `population` labels are wrong, when `wrong` of `sample` are that were drawn from
 * them at random: an exact interval, *low to *high, both included.
 *   JSN_ERR_RANGE  no sample, one larger than the population (at most 2^32 - 1), more wrong
 *                  ones than it has, or a confidence that is not inside (0, 1) */
JSN_MUST_CHECK jsn_status jsni_audit_sampled(size_t population, size_t sample,
                                             size_t wrong, double confidence,
                                             size_t *low, size_t *high);

#endif /* JSNI_AUDIT_SAMPLED_H */
