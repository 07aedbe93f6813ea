/* data/md5.h - MD5 (RFC 1321), only to compare with sums that publishers of data sets
 * state; it protects against accidents alone. */
#ifndef JSNI_DATA_MD5_H
#define JSNI_DATA_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { JSNI_MD5_HEX = 33 };

typedef struct jsni_md5 {
    uint32_t state[4];
    uint64_t length;
    uint8_t block[64];
} jsni_md5;

void jsni_md5_init(jsni_md5 *md5);
void jsni_md5_add(jsni_md5 *md5, const void *data, size_t bytes);
void jsni_md5_hex(jsni_md5 *md5, char out[JSNI_MD5_HEX]); /* ends it */

#endif /* JSNI_DATA_MD5_H */
