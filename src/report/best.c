/* report/best.c - see best.h. */
#include "report/best.h"

#include <math.h>

#include "core/fail.h"
#include "core/stats.h"

jsn_status jsni_is_best(bool *out, const double *own, size_t own_count,
                        const double *best, size_t best_count)
{
    jsni_stats_test test = {.p = 0.0};
    *out = false;
    if (own_count == 0 || best_count == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "a comparison needs runs");
    const bool same =
        jsni_stats_mean(own, own_count) == jsni_stats_mean(best, best_count);
    if (!same && own_count > 1 && best_count > 1)
        JSNI_TRY(jsni_stats_student(&test, own, own_count, best, best_count, 0.95));
    *out = same || test.p >= 0.05;
    return JSN_OK;
}

jsn_status jsni_find_best(const jsni_contender *lines, size_t count, size_t own,
                          jsni_rivals *rivals, const void *user, bool *out)
{
    double best = -INFINITY;
    size_t competing = 0, leader = own;
    *out = false;
    for (size_t h = 0; h < count; h++) {
        if (lines[h].unfinished || lines[h].count == 0 || !rivals(user, own, h))
            continue;
        const double mean = jsni_stats_mean(lines[h].values, lines[h].count);
        competing++;
        if (mean > best) {
            best = mean;
            leader = h;
        }
    }
    if (competing < 2 || lines[own].unfinished || lines[own].count == 0)
        return JSN_OK;
    return jsni_is_best(out, lines[own].values, lines[own].count, lines[leader].values,
                        lines[leader].count);
}
