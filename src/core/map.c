/* core/map.c - see core/map.h. */
#define _POSIX_C_SOURCE 200809L
#include "core/map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/file_place.h"

jsn_status jsni_file_map(jsni_map *out, const char *path)
{
    *out = (jsni_map){0};
    /* Not blocking: a FIFO must be refused, not waited for. */
    const int fd = jsni_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return jsni_fail(jsni_errno_status(errno), "%s: %s", path, strerror(errno));
    struct stat info;
    jsn_status status = JSN_OK;
    if (fstat(fd, &info) != 0) {
        status = jsni_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        status = jsni_fail(JSN_ERR_DATA, "%s: not a regular file", path);
    } else if (info.st_size == 0) {
        status = jsni_fail(JSN_ERR_DATA, "%s: the file is empty", path);
    } else {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            status = jsni_fail(JSN_ERR_IO, "%s: cannot be mapped: %s", path,
                               strerror(errno));
        else
            *out = (jsni_map){data, (size_t)info.st_size};
    }
    (void)close(fd);
    return status;
}

void jsni_file_unmap(jsni_map *map)
{
    if (map->data != NULL)
        (void)munmap((void *)(uintptr_t)map->data, map->length);
    *map = (jsni_map){0};
}
