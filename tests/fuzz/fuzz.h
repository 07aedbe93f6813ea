/* tests/fuzz/fuzz.h - what a fuzz target is: one file fuzz_<name>.c that defines this
 * function, and a folder corpus/<name> with a few seeds; dictionary/<name> may have words
 * for libFuzzer.
 *
 * CMake builds each file twice: with libFuzzer (-DJSN_FUZZ=ON) to search for inputs
 * that break it, and with fuzz_replay.c into an ordinary test that runs it over its
 * corpus, cut short and with flipped bits.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "jensen/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A reader may succeed, or fail with the status that untrusted input deserves; anything
 * else is a finding. */
#define FUZZ_CHECK(condition) \
    do {                      \
        if (!(condition))     \
            abort();          \
    } while (0)

#endif /* TESTS_FUZZ_H */
