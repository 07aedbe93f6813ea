/* tests/fuzz/fuzz_file.h - for targets whose reader wants a file: the input as one, in the
 * folder for temporary files. */
#ifndef TESTS_FUZZ_FILE_H
#define TESTS_FUZZ_FILE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { FUZZ_PATH = 64 };

/* Writes the input to a new file whose name ends in `ending` ("" or ".csv"). */
static inline void fuzz_file(char path[FUZZ_PATH], const char *ending,
                             const uint8_t *data, size_t size)
{
    (void)snprintf(path, FUZZ_PATH, "/tmp/jensen-fuzz-XXXXXX%s", ending);
    const int fd = mkstemps(path, (int)strlen(ending));
    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
}

static inline void fuzz_file_remove(const char *path)
{
    (void)unlink(path);
}

#endif /* TESTS_FUZZ_FILE_H */
