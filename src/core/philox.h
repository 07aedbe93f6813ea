/* core/philox.h - Philox4x32-10, the counter-based generator that all randomness of
 * jensen comes from, for host and device.
 *
 * After Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * SC 2011. Four 32-bit words come out of a 128-bit counter and a 64-bit key by ten
 * rounds of multiplication; there is no state to carry, so any draw can be made
 * anywhere, in any order. Checked against Random123's known answers.
 */
#ifndef JSNI_CORE_PHILOX_H
#define JSNI_CORE_PHILOX_H

#include <stdint.h>

#include "core/hd.h"

typedef struct jsni_philox_block {
    uint32_t word[4];
} jsni_philox_block;

static inline JSNI_HD jsni_philox_block jsni_philox(jsni_philox_block counter,
                                                    uint32_t key0, uint32_t key1)
{
    jsni_philox_block c = counter;
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53u * c.word[0];
        const uint64_t b = (uint64_t)0xCD9E8D57u * c.word[2];
        const uint32_t w0 = (uint32_t)(b >> 32) ^ c.word[1] ^ key0;
        const uint32_t w2 = (uint32_t)(a >> 32) ^ c.word[3] ^ key1;
        c.word[1] = (uint32_t)b;
        c.word[3] = (uint32_t)a;
        c.word[0] = w0;
        c.word[2] = w2;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

#endif /* JSNI_CORE_PHILOX_H */
