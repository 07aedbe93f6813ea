/* format/crc32c.c - CRC-32C: polynomial 0x1EDC6F41, reflected, a nibble at a time. The
 * records that need it are a few dozen bytes, so a table of 16 is enough. */
#include "format/tfevents.h"

/* table[i] is the CRC register after four steps from i; made by
 *   for i in range(16):
 *       for _ in range(4): i = i >> 1 ^ (0x82F63B78 if i & 1 else 0) */
static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                   0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                   0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                   0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t jsni_crc32c(const void *data, size_t length)
{
    const uint8_t *at = data;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
