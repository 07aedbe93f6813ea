/* augment/operation_solarize.c - inverts the bytes from a threshold on. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t solarize_byte(const jsni_pixel_op *op,
                                            const jsni_byte_stats *stats, int byte)
{
    (void)stats;
    return jsni_solarize(byte, op->value);
}

JSNI_OPERATION_TABLE(solarize, "Solarize", 0, 256, 0, JSNI_NEEDS_NOTHING,
                     solarize_byte);
