/* core/file_start.c - see file_start.h. */
#define _POSIX_C_SOURCE 200809L
#include "core/file_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

size_t jsni_file_start(const char *path, void *to, size_t room)
{
    struct stat info;
    size_t have = 0;
    /* Opening a pipe must not wait for its writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    bool more = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    while (more && have < room) {
        const ssize_t n = read(fd, (uint8_t *)to + have, room - have);
        more = n > 0 || (n < 0 && errno == EINTR);
        have += n > 0 ? (size_t)n : 0;
    }
    (void)close(fd);
    return have;
}
