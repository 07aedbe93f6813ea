/* augment/operation_invert.c - the negative. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t invert_byte(const jsni_pixel_op *op,
                                          const jsni_byte_stats *stats, int byte)
{
    (void)op;
    (void)stats;
    return (uint8_t)(255 - byte);
}

JSNI_OPERATION_TABLE(invert, "Invert", 0, 1, 0, JSNI_NEEDS_NOTHING, invert_byte);
