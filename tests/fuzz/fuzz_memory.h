/* tests/fuzz/fuzz_memory.h - a folder whose files are in memory alone, for libFuzzer targets:
 * system calls would take most of their time. The code under test opens and reads them
 * with the ordinary calls. Writing works as far as whole files need it. */
#ifndef TESTS_FUZZ_MEMORY_H
#define TESTS_FUZZ_MEMORY_H

#include <stddef.h>

/* From now on what is in the folder of this path is in memory; on disk it stays empty. */
void fuzz_memory_begin(const char *folder);
void fuzz_memory_put(const char *name, const void *data, size_t size);
void fuzz_memory_remove(const char *name); /* one that is not there, too */

#endif /* TESTS_FUZZ_MEMORY_H */
