/* core/sha256.h - SHA-256 (FIPS 180-4), for weights, checkpoints and downloads. Own,
 * because the minimal build needs it without any library. */
#ifndef JSNI_CORE_SHA256_H
#define JSNI_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { JSNI_SHA256_HEX = 65 }; /* 64 digits and the terminator */

/* Takes `count` blocks of 64 bytes into the state. */
typedef void jsni_sha256_fn(uint32_t state[8], const uint8_t *blocks, size_t count);

typedef struct jsni_sha256 {
    jsni_sha256_fn *take; /* the fastest that this machine runs */
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
} jsni_sha256;

void jsni_sha256_init(jsni_sha256 *sha);
void jsni_sha256_add(jsni_sha256 *sha, const void *data, size_t bytes);
void jsni_sha256_hex(jsni_sha256 *sha, char out[JSNI_SHA256_HEX]); /* ends it */

extern const uint32_t jsni_sha256_constants[64]; /* of the rounds */

/* On any machine; and by the instructions that x86 has for it, where jsni_isa_has_sha(). */
jsni_sha256_fn jsni_sha256_plain, jsni_sha256_x86;

#endif /* JSNI_CORE_SHA256_H */
