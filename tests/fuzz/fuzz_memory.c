/* tests/fuzz/fuzz_memory.c - see fuzz_memory.h. The calls of libc on files, defined here in
 * their place: what is in the folder is answered from memory, everything else goes to the
 * system. One thread, a handful of files. */
#define _GNU_SOURCE
#include "fuzz/fuzz_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 24, OPEN = 64, FIRST = 1 << 20, NAME = 80, FOLDER = -1, CLOSED = -2 };

static struct {
    char name[NAME]; /* empty: none */
    char *data;
    size_t size, room;
} files[FILES];
static struct {
    int file; /* of files, FOLDER or CLOSED */
    off_t at;
} opened[OPEN];
static char memory_folder[64];
static size_t folder_length;

void fuzz_memory_begin(const char *folder)
{
    (void)snprintf(memory_folder, sizeof memory_folder, "%s", folder);
    for (size_t i = 0; i < OPEN; i++)
        opened[i].file = CLOSED;
    folder_length = strlen(memory_folder);
}

static int find(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (files[i].name[0] != '\0' && strcmp(files[i].name, name) == 0)
            return i;
    return -1;
}

static int make(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (files[i].name[0] == '\0' && strlen(name) < NAME) {
            (void)snprintf(files[i].name, NAME, "%s", name);
            files[i].size = 0;
            return i;
        }
    abort();
}

static void append(int file, const void *data, size_t size)
{
    if (files[file].size + size > files[file].room) {
        files[file].room = files[file].size + size + 4096;
        files[file].data = realloc(files[file].data, files[file].room);
        if (files[file].data == NULL)
            abort();
    }
    if (size > 0)
        memcpy(files[file].data + files[file].size, data, size);
    files[file].size += size;
}

void fuzz_memory_put(const char *name, const void *data, size_t size)
{
    const int there = find(name), file = there < 0 ? make(name) : there;
    files[file].size = 0;
    append(file, data, size);
}

void fuzz_memory_remove(const char *name)
{
    const int file = find(name);
    if (file >= 0)
        files[file].name[0] = '\0';
}

static bool is_ours(int fd)
{
    return fd >= FIRST && fd < FIRST + OPEN;
}

/* The name in the folder, "" for the folder itself, NULL for what is elsewhere. */
static const char *name_of(int at, const char *path)
{
    if (is_ours(at))
        return strcmp(path, ".") == 0 ? "" : path;
    if (folder_length == 0 || strncmp(path, memory_folder, folder_length) != 0)
        return NULL;
    const char *name = path + folder_length;
    return *name == '/' ? name + 1 : *name == '\0' ? name : NULL;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static int hand_out(int file)
{
    for (int i = 0; i < OPEN; i++)
        if (opened[i].file == CLOSED) {
            opened[i].file = file;
            opened[i].at = 0;
            return FIRST + i;
        }
    abort(); /* somebody does not close what is opened */
}

static int open_any(int at, const char *path, int flags, mode_t mode)
{
    const char *name = name_of(at, path);
    /* Lists come from the folder on disk, which is empty. */
    if (name == NULL || (*name == '\0' && !is_ours(at) && (flags & O_PATH) == 0))
        return (int)syscall(SYS_openat, at, path, flags, mode);
    if (*name == '\0')
        return hand_out(FOLDER);
    int file = find(name);
    if ((flags & O_DIRECTORY) != 0)
        return fail(file < 0 ? ENOENT : ENOTDIR);
    if (file < 0 && (flags & O_CREAT) == 0)
        return fail(ENOENT);
    if (file >= 0 && (flags & O_EXCL) != 0)
        return fail(EEXIST);
    if (file < 0)
        file = make(name);
    else if ((flags & O_TRUNC) != 0)
        files[file].size = 0;
    return hand_out(file);
}

static mode_t mode_of(int flags, va_list rest)
{
    return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
}

/* The names of programs that were compiled for files above 2 GiB on any machine. */
#define ALSO(type, name, other, ...) \
    type other(__VA_ARGS__) __attribute__((alias(#name)))

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_any(at, path, flags, mode);
}

/* What open() is where a library was compiled with checks; it never creates. */
int open_fortified(const char *path, int flags)
{
    return open_any(AT_FDCWD, path, flags, 0);
}

int close(int fd)
{
    if (!is_ours(fd))
        return (int)syscall(SYS_close, fd);
    opened[fd - FIRST].file = CLOSED;
    return 0;
}

ssize_t pread(int fd, void *to, size_t length, off_t at)
{
    if (!is_ours(fd))
        return syscall(SYS_pread64, fd, to, length, at);
    const int file = opened[fd - FIRST].file;
    if (file < 0)
        return fail(file == FOLDER ? EISDIR : EBADF);
    const size_t from = (size_t)at < files[file].size ? (size_t)at : files[file].size;
    const size_t left = files[file].size - from;
    const size_t count = length < left ? length : left;
    if (count > 0)
        memcpy(to, files[file].data + from, count);
    return (ssize_t)count;
}

ssize_t read(int fd, void *to, size_t length)
{
    if (!is_ours(fd))
        return syscall(SYS_read, fd, to, length);
    const ssize_t count = pread(fd, to, length, opened[fd - FIRST].at);
    opened[fd - FIRST].at += count > 0 ? count : 0;
    return count;
}

ssize_t write(int fd, const void *from, size_t length)
{
    if (!is_ours(fd))
        return syscall(SYS_write, fd, from, length);
    if (opened[fd - FIRST].file < 0)
        return fail(EBADF);
    append(opened[fd - FIRST].file, from, length);
    return (ssize_t)length;
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at)
{
    if (!is_ours(fd))
        return syscall(SYS_pwrite64, fd, from, length, at);
    const int file = opened[fd - FIRST].file;
    if (file < 0 || (size_t)at > files[file].size)
        return fail(EBADF); /* nobody writes behind the end */
    const size_t size = files[file].size, end = (size_t)at + length;
    files[file].size = (size_t)at;
    append(file, from, length);
    files[file].size = size > end ? size : end;
    return (ssize_t)length;
}

int ftruncate(int fd, off_t length)
{
    if (!is_ours(fd))
        return (int)syscall(SYS_ftruncate, fd, length);
    const int file = opened[fd - FIRST].file;
    if (file < 0 || (size_t)length > files[file].size)
        return fail(EBADF);
    files[file].size = (size_t)length;
    return 0;
}

off_t lseek(int fd, off_t to, int whence)
{
    if (!is_ours(fd))
        return syscall(SYS_lseek, fd, to, whence);
    if (opened[fd - FIRST].file < 0)
        return fail(EBADF);
    const off_t base = whence == SEEK_SET ? 0
                       : whence == SEEK_CUR
                           ? opened[fd - FIRST].at
                           : (off_t)files[opened[fd - FIRST].file].size;
    if (base + to < 0)
        return fail(EINVAL);
    return opened[fd - FIRST].at = base + to;
}

/* A file of `files`, or FOLDER. */
static int describe(int file, struct stat *info)
{
    *info = (struct stat){.st_dev = 1,
                          .st_ino = (ino_t)(file + 2),
                          .st_nlink = 1,
                          .st_mode = file == FOLDER ? S_IFDIR | 0700 : S_IFREG | 0600,
                          .st_size = file == FOLDER ? 0 : (off_t)files[file].size,
                          .st_blksize = 4096};
    return 0;
}

int fstat(int fd, struct stat *info)
{
    if (!is_ours(fd))
        return (int)syscall(SYS_fstat, fd, info);
    const int file = opened[fd - FIRST].file;
    return file == CLOSED ? fail(EBADF) : describe(file, info);
}

int fstatat(int at, const char *path, struct stat *info, int flags)
{
    const char *name = name_of(at, path);
    if (name == NULL)
        return (int)syscall(SYS_newfstatat, at, path, info, flags);
    const int file = *name == '\0' ? FOLDER : find(name);
    return file < 0 && *name != '\0' ? fail(ENOENT) : describe(file, info);
}

int stat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int access(const char *path, int mode)
{
    const char *name = name_of(AT_FDCWD, path);
    if (name == NULL)
        return (int)syscall(SYS_access, path, mode);
    return *name == '\0' || find(name) >= 0 ? 0 : fail(ENOENT);
}

int fsync(int fd)
{
    return is_ours(fd) ? 0 : (int)syscall(SYS_fsync, fd);
}

int flock(int fd, int operation)
{
    return is_ours(fd) ? 0 : (int)syscall(SYS_flock, fd, operation);
}

int unlinkat(int at, const char *path, int flags)
{
    const char *name = name_of(at, path);
    if (name == NULL)
        return (int)syscall(SYS_unlinkat, at, path, flags);
    if (find(name) < 0)
        return fail(ENOENT);
    fuzz_memory_remove(name);
    return 0;
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    const char *name = name_of(from_at, from), *other = name_of(to_at, to);
    if (name == NULL || other == NULL)
        return (int)syscall(SYS_renameat, from_at, from, to_at, to);
    const int file = find(name);
    if (file < 0 || strlen(other) >= NAME)
        return fail(ENOENT);
    fuzz_memory_remove(other);
    (void)snprintf(files[file].name, NAME, "%s", other);
    return 0;
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (!is_ours(fd))
        return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
    void *copy = (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED)
        (void)pread(fd, copy, length, offset);
    return copy;
}

/* How much memory and how many processors there are is asked with every data set, in a dozen
 * files; without them the answer is what the system calls say. */
FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*next)(const char *, const char *);
    if (strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
        errno = ENOENT;
        return NULL;
    }
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "fopen");
    return next(path, mode);
}

ALSO(int, open, open64, const char *path, int flags, ...);
ALSO(int, openat, openat64, int at, const char *path, int flags, ...);
ALSO(ssize_t, pread, pread64, int fd, void *to, size_t length, off_t at);
ALSO(off_t, lseek, lseek64, int fd, off_t to, int whence);
ALSO(void *, mmap, mmap64, void *at, size_t length, int protection, int flags, int fd,
     off_t offset);
ALSO(int, open_fortified, __open_2, const char *path, int flags);
int fstat64(int fd, struct stat64 *info)
{
    return fstat(fd, (struct stat *)info);
}

int stat64(const char *path, struct stat64 *info)
{
    return stat(path, (struct stat *)info);
}
