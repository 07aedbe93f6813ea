/* augment/operation_equalize.c - spreads the bytes of each channel evenly, by its
 * histogram. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t equalize_byte(const jsni_pixel_op *op,
                                            const jsni_byte_stats *stats, int byte)
{
    (void)op;
    const uint32_t step = jsni_equalize_step(stats->pixels, stats->at_highest);
    return step == 0 ? (uint8_t)byte : jsni_equalize(stats->below, step);
}

JSNI_OPERATION_TABLE(equalize, "Equalize", 0, 1, 0, JSNI_NEEDS_HISTOGRAM,
                     equalize_byte);
