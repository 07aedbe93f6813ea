/* data/checksum.c - see data/checksum.h. */
#include "data/checksum.h"

#include <string.h>

/* Odd numbers with well mixed bits. */
static const uint64_t odd1 = 0x9e3779b97f4a7c15u, odd2 = 0xd6e8feb86659fd93u;

static uint64_t rotate(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static uint64_t step(uint64_t lane, uint64_t word)
{
    return rotate((lane ^ word) * odd2, 29) + word;
}

uint64_t jsni_checksum(uint64_t seed, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t lane[4] = {seed + odd1, seed ^ odd2, rotate(seed, 17) + bytes,
                        seed - odd1};
    size_t left = bytes;
    for (; left >= 32; left -= 32, p += 32)
        for (int i = 0; i < 4; i++) {
            uint64_t word;
            memcpy(&word, p + 8 * i, 8);
            lane[i] = step(lane[i], word);
        }
    for (int i = 0; left > 0; i++) {
        uint64_t word = 0;
        const size_t part = left < 8 ? left : 8;
        memcpy(&word, p, part);
        lane[i] = step(lane[i], word);
        p += part;
        left -= part;
    }
    uint64_t sum = bytes;
    for (int i = 0; i < 4; i++) {
        sum = step(sum, lane[i]);
        sum ^= sum >> 31;
    }
    return sum * odd1;
}
