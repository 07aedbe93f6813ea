/* augment/operation_autocontrast.c - stretches the bytes of each channel to all of 0..255. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t autocontrast_byte(const jsni_pixel_op *op,
                                                const jsni_byte_stats *stats, int byte)
{
    (void)op;
    return jsni_autocontrast(byte, stats->low, stats->high);
}

JSNI_OPERATION_TABLE(autocontrast, "AutoContrast", 0, 1, 0, JSNI_NEEDS_RANGE,
                     autocontrast_byte);
