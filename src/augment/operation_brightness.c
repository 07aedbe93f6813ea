/* augment/operation_brightness.c - away from or towards black. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t brightness_byte(const jsni_pixel_op *op,
                                              const jsni_byte_stats *stats, int byte)
{
    (void)stats;
    return jsni_blend(0, byte, op->factor);
}

JSNI_OPERATION_BLEND(brightness, "Brightness", 0.1, 1.9, JSNI_NEEDS_NOTHING,
                     brightness_byte);
