/* core/file_holes.c - see jsni_limit_holes() in core/limit.h. */
#define _GNU_SOURCE /* SEEK_DATA */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/limit.h"

/* The bytes of a file that the disk holds; all of them where the file system does not tell. */
static uint64_t filled_bytes(int fd, uint64_t size)
{
#ifdef SEEK_DATA
    uint64_t filled = 0;
    off_t at = 0;
    while ((uint64_t)at < size) {
        const off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? filled : size; /* a hole up to the end */
        at = lseek(fd, data, SEEK_HOLE);
        if (at < 0)
            return size;
        filled += (uint64_t)(at - data);
    }
    return filled;
#else
    (void)fd;
    return size;
#endif
}

jsn_status jsni_limit_holes(const char *folder, const char *name)
{
    struct stat info;
    int fd = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_file_open(&fd, folder, name, O_RDONLY | O_NONBLOCK);
    if (status == JSN_OK && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const uint64_t size = (uint64_t)info.st_size;
        const uint64_t filled = filled_bytes(fd, size);
        status = jsni_limit_ratio(path, filled, size);
        if (status == JSN_OK && folder == NULL &&
            size > filled + jsni_limit(JSNI_LIMIT_MEMBER))
            status = jsni_limit_fail(JSNI_LIMIT_MEMBER, "%s: holes in the file", path);
    }
    if (fd >= 0)
        (void)close(fd);
    jsni_free(path);
    return status;
}
