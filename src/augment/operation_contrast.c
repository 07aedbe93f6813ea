/* augment/operation_contrast.c - away from or towards the mean grey. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t contrast_byte(const jsni_pixel_op *op,
                                            const jsni_byte_stats *stats, int byte)
{
    return jsni_blend(stats->gray, byte, op->factor);
}

JSNI_OPERATION_BLEND(contrast, "Contrast", 0.1, 1.9, JSNI_NEEDS_GRAY, contrast_byte);
