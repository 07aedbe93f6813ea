/* core/sha256.h - SHA-256 (FIPS 180-4), for weights, checkpoints and downloads. Own,
 * because the minimal build needs it without any library. */
#ifndef JSNI_CORE_SHA256_H
#define JSNI_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { JSNI_SHA256_HEX = 65 }; /* 64 digits and the terminator */

typedef struct jsni_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
} jsni_sha256;

void jsni_sha256_init(jsni_sha256 *sha);
void jsni_sha256_add(jsni_sha256 *sha, const void *data, size_t bytes);
void jsni_sha256_hex(jsni_sha256 *sha, char out[JSNI_SHA256_HEX]); /* ends it */

#endif /* JSNI_CORE_SHA256_H */
