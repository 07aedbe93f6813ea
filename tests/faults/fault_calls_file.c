/* tests/faults/fault_calls_file.c - see fault_shim.h: files and folders. */
#define _GNU_SOURCE
#include "faults/fault_shim.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The function of that name in the libraries behind this one. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* The system call, or what happens in its place. */
static long run(fault_deed what, long number, long a, long b, long c, long d, long e)
{
    if (what == FAULT_FAIL) {
        errno = fault_error();
        return -1;
    }
    const long result = syscall(number, a, b, c, d, e);
    if (what == FAULT_KILL_AFTER)
        fault_die();
    return result;
}

static size_t length_of(fault_deed what, size_t length)
{
    return what != FAULT_NOTHING && length > 1 ? length / 2 : length;
}

static int open_any(int folder, const char *path, int flags, mode_t mode)
{
    const bool writes = (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0;
    const fault_deed what = fault_at_path(writes ? "create" : "open", folder, path);
    return (int)run(what, SYS_openat, folder, (long)path, flags, (long)mode, 0);
}

static mode_t mode_of(int flags, va_list rest)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_any(folder, path, flags, mode);
}

ssize_t read(int fd, void *to, size_t length)
{
    const fault_deed what = fault_at_fd("read", fd);
    return run(what, SYS_read, fd, (long)to, (long)length_of(what, length), 0, 0);
}

ssize_t pread(int fd, void *to, size_t length, off_t at)
{
    const fault_deed what = fault_at_fd("read", fd);
    return run(what, SYS_pread64, fd, (long)to, (long)length_of(what, length), at, 0);
}

ssize_t write(int fd, const void *from, size_t length)
{
    const fault_deed what = fault_at_fd("write", fd);
    return run(what, SYS_write, fd, (long)from, (long)length_of(what, length), 0, 0);
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at)
{
    const fault_deed what = fault_at_fd("write", fd);
    return run(what, SYS_pwrite64, fd, (long)from, (long)length_of(what, length), at,
               0);
}

int fsync(int fd)
{
    return (int)run(fault_at_fd("sync", fd), SYS_fsync, fd, 0, 0, 0, 0);
}

int fdatasync(int fd)
{
    return (int)run(fault_at_fd("sync", fd), SYS_fdatasync, fd, 0, 0, 0, 0);
}

/* A close that fails has closed the file. */
int close(int fd)
{
    const fault_deed what = fault_at_fd("close", fd);
    const long result = syscall(SYS_close, fd);
    return what == FAULT_NOTHING ? (int)result
                                 : (int)run(what, SYS_getpid, 0, 0, 0, 0, 0);
}

int ftruncate(int fd, off_t length)
{
    return (int)run(fault_at_fd("truncate", fd), SYS_ftruncate, fd, length, 0, 0, 0);
}

int flock(int fd, int operation)
{
    return (int)run(fault_at_fd("lock", fd), SYS_flock, fd, operation, 0, 0, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return (int)run(fault_at_path("rename", to_folder, to), SYS_renameat, from_folder,
                    (long)from, to_folder, (long)to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to,
              unsigned flags)
{
    return (int)run(fault_at_path("rename", to_folder, to), SYS_renameat2, from_folder,
                    (long)from, to_folder, (long)to, flags);
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return (int)run(fault_at_path("rename", to_folder, to), SYS_linkat, from_folder,
                    (long)from, to_folder, (long)to, flags);
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    return (int)run(fault_at_path("remove", folder, path), SYS_unlinkat, folder,
                    (long)path, flags, 0, 0);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char *path)
{
    const int result = unlink(path);
    return result != 0 && errno == EISDIR ? rmdir(path) : result;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    return (int)run(fault_at_path("mkdir", folder, path), SYS_mkdirat, folder,
                    (long)path, (long)mode, 0, 0);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict out, int flags)
{
    return (int)run(fault_at_path("stat", folder, path), SYS_newfstatat, folder,
                    (long)path, (long)out, flags, 0);
}

int stat(const char *restrict path, struct stat *restrict out)
{
    return fstatat(AT_FDCWD, path, out, 0);
}

int lstat(const char *restrict path, struct stat *restrict out)
{
    return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *out)
{
    return (int)run(fault_at_fd("stat", fd), SYS_newfstatat, fd, (long)"", (long)out,
                    AT_EMPTY_PATH, 0);
}

int access(const char *path, int mode)
{
    return (int)run(fault_at_path("stat", AT_FDCWD, path), SYS_faccessat, AT_FDCWD,
                    (long)path, mode, 0, 0);
}

int statvfs(const char *restrict path, struct statvfs *restrict out)
{
    return fault_at_path("stat", AT_FDCWD, path) == FAULT_FAIL
               ? (int)run(FAULT_FAIL, 0, 0, 0, 0, 0, 0)
               : NEXT(statvfs)(path, out);
}

DIR *opendir(const char *path)
{
    if (fault_at_path("open", AT_FDCWD, path) != FAULT_FAIL)
        return NEXT(opendir)(path);
    errno = fault_error();
    return NULL;
}

struct dirent *readdir(DIR *dir)
{
    if (fault_at_fd("list", dirfd(dir)) != FAULT_FAIL)
        return NEXT(readdir)(dir);
    errno = fault_error();
    return NULL;
}

/* FILEs over the calls above. */
static ssize_t cookie_read(void *cookie, char *to, size_t length)
{
    return read((int)(intptr_t)cookie, to, length);
}

/* libc takes less than all for a failure, so that the rest is written here. */
static ssize_t cookie_write(void *cookie, const char *from, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t n = write((int)(intptr_t)cookie, from + done, length - done);
        if (n <= 0)
            return 0;
        done += (size_t)n;
    }
    return (ssize_t)length;
}

static int cookie_seek(void *cookie, off64_t *at, int whence)
{
    *at = lseek((int)(intptr_t)cookie, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int cookie_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    if (!fault_is_counted("open") && !fault_is_counted("create") &&
        !fault_is_counted("read") && !fault_is_counted("write") &&
        !fault_is_counted("close"))
        return NEXT(fopen)(path, mode);
    const int way = strchr(mode, '+') != NULL ? O_RDWR
                    : mode[0] == 'r'          ? O_RDONLY
                                              : O_WRONLY;
    const int make = mode[0] == 'r'   ? 0
                     : mode[0] == 'w' ? O_CREAT | O_TRUNC
                                      : O_CREAT | O_APPEND;
    const int fd = open_any(
        AT_FDCWD, path, way | make | (strchr(mode, 'x') != NULL ? O_EXCL : 0), 0666);
    const cookie_io_functions_t calls = {cookie_read, cookie_write, cookie_seek,
                                         cookie_close};
    return fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, mode, calls);
}

/* The names of programs made for files of 64-bit length, which all are. */
#define SAME_AS(name) __attribute__((alias(name)))
int open64(const char *path, int flags, ...) SAME_AS("open");
int openat64(int folder, const char *path, int flags, ...) SAME_AS("openat");
ssize_t pread64(int fd, void *to, size_t length, off64_t at) SAME_AS("pread");
ssize_t pwrite64(int fd, const void *from, size_t length, off64_t at) SAME_AS("pwrite");
int ftruncate64(int fd, off64_t length) SAME_AS("ftruncate");
FILE *fopen64(const char *restrict path, const char *restrict mode) SAME_AS("fopen");
