/* data/checksum.h - a fast 64-bit checksum against damage on disk (not against forgery):
 * four lanes of multiply and rotate, about the speed of memory. */
#ifndef JSNI_DATA_CHECKSUM_H
#define JSNI_DATA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of `bytes` behind what `seed` stands for: the sum so far, or 0. */
uint64_t jsni_checksum(uint64_t seed, const void *data, size_t bytes);

#endif /* JSNI_DATA_CHECKSUM_H */
