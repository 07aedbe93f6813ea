/* core/file_pieces.c - see file_pieces.h. */
#define _POSIX_C_SOURCE 200809L
#include "core/file_pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

static jsn_status read_failed(const char *path)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static jsn_status hand_over(int fd, const char *path, jsni_piece_fn *take, void *user)
{
    enum { PIECE = 1 << 16 };
    struct stat info;
    if (fstat(fd, &info) != 0)
        return read_failed(path);
    if (!S_ISREG(info.st_mode))
        return jsni_fail(JSN_ERR_DATA, "%s: not a regular file", path);
    char *piece = jsni_alloc(PIECE, 1);
    JSNI_TRY_ALLOC(piece);
    ssize_t got = 0;
    do {
        got = read(fd, piece, PIECE);
        if (got > 0)
            take(user, piece, (size_t)got);
    } while (got > 0 || (got < 0 && errno == EINTR));
    const jsn_status status = got < 0 ? read_failed(path) : JSN_OK;
    jsni_free(piece);
    return status;
}

jsn_status jsni_file_pieces(const char *folder, const char *name, jsni_piece_fn *take,
                            void *user)
{
    int fd = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    /* Not blocking: a FIFO must be refused, not waited for. */
    jsn_status status = jsni_file_open(&fd, folder, name, O_RDONLY | O_NONBLOCK);
    if (status == JSN_OK) {
        status = hand_over(fd, path, take, user);
        (void)close(fd);
    }
    jsni_free(path);
    return status;
}
