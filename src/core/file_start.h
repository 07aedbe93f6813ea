/* core/file_start.h - the first bytes of a file, where the rest does not matter. */
#ifndef JSNI_CORE_FILE_START_H
#define JSNI_CORE_FILE_START_H

#include <stddef.h>

/* Reads at most `room` bytes from the start of a regular file and returns how many there
 * were: 0 also when there is no such file or it cannot be read. */
size_t jsni_file_start(const char *path, void *to, size_t room);

#endif /* JSNI_CORE_FILE_START_H */
