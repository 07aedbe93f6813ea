/* augment/operation_posterize.c - keeps the leading binary digits of a byte. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t posterize_byte(const jsni_pixel_op *op,
                                             const jsni_byte_stats *stats, int byte)
{
    (void)stats;
    return jsni_posterize(byte, op->value);
}

JSNI_OPERATION_TABLE(posterize, "Posterize", 0, 4, 0, JSNI_NEEDS_NOTHING,
                     posterize_byte);
