/* augment/operation_solarize_add.c - adds to every byte, then inverts from 128 on. */
#include "augment/operation.h"

JSNI_HD static inline uint8_t solarize_add_byte(const jsni_pixel_op *op,
                                                const jsni_byte_stats *stats, int byte)
{
    (void)stats;
    return jsni_solarize_add(byte, op->value);
}

JSNI_OPERATION_TABLE(solarize_add, "SolarizeAdd", 0, 110, 0, JSNI_NEEDS_NOTHING,
                     solarize_add_byte);
