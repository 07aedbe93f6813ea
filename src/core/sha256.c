/* core/sha256.c - see core/sha256.h. */
#include "core/sha256.h"

#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/text.h"

const uint32_t jsni_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        const uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t t1 = s[7] + sum1 + choose + jsni_sha256_constants[i] + w[i];
        const uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t1;
        s[0] = t1 + sum0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void jsni_sha256_plain(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        compress(state, blocks + 64 * i);
}

void jsni_sha256_init(jsni_sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, start, sizeof start);
    sha->length = 0;
    sha->take = jsni_isa_has_sha() ? jsni_sha256_x86 : jsni_sha256_plain;
}

void jsni_sha256_add(jsni_sha256 *sha, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    while (bytes > 0) {
        const size_t held = sha->length % 64;
        if (held == 0 && bytes >= 64) {
            const size_t whole = bytes / 64;
            sha->take(sha->state, at, whole);
            sha->length += 64 * whole;
            at += 64 * whole;
            bytes -= 64 * whole;
            continue;
        }
        const size_t n = bytes < 64 - held ? bytes : 64 - held;
        memcpy(sha->block + held, at, n);
        sha->length += n;
        at += n;
        bytes -= n;
        if (sha->length % 64 == 0)
            sha->take(sha->state, sha->block, 1);
    }
}

void jsni_sha256_hex(jsni_sha256 *sha, char out[JSNI_SHA256_HEX])
{
    const uint64_t bits = sha->length * 8;
    const uint8_t one = 0x80, zero = 0;
    jsni_sha256_add(sha, &one, 1);
    while (sha->length % 64 != 56)
        jsni_sha256_add(sha, &zero, 1);
    uint8_t tail[8];
    for (int i = 0; i < 8; i++)
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    jsni_sha256_add(sha, tail, sizeof tail);
    jsni_text hex = jsni_text_in(out, JSNI_SHA256_HEX);
    for (int i = 0; i < 8; i++)
        jsni_text_format(&hex, "%08x", (unsigned)sha->state[i]);
}
