/* core/progress.c - see progress.h. */
#include "core/progress.h"

#include <math.h>

void jsni_progress(const jsn_logger *logger, const char *what, uint64_t done,
                   uint64_t total)
{
    if (logger == NULL || logger->progress == NULL)
        return;
    const jsn_progress p = {
        .size = sizeof p, .what = what, .done = done, .total = total, .left = NAN};
    logger->progress(logger->user, &p);
}
