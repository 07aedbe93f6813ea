/* tests/faults/fault_calls_memory.c - see fault_shim.h: memory and threads. */
#define _GNU_SOURCE
#include "faults/fault_shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    const bool file = (flags & MAP_ANONYMOUS) == 0;
    const fault_deed what = file ? fault_at_fd("map", fd) : fault_at("memory");
    if (what == FAULT_FAIL) {
        errno = file ? fault_error() : ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*fn)(void *),
                   void *user)
{
    const fault_deed what = fault_at("thread");
    return what == FAULT_FAIL
               ? fault_error()
               : ((__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create"))(
                     thread, how, fn, user);
}

/* Memory. What this library itself asks for while it counts is not counted. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t items, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static bool is_refused(void)
{
    static _Thread_local bool inside;
    if (inside)
        return false;
    inside = true;
    const bool refused = fault_at("memory") == FAULT_FAIL;
    inside = false;
    if (refused)
        errno = ENOMEM;
    return refused;
}

void *malloc(size_t bytes)
{
    return is_refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes)
{
    return is_refused() ? NULL : __libc_calloc(items, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return is_refused() ? NULL : __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return is_refused() ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = memalign(alignment, bytes);
    if (block == NULL)
        return ENOMEM;
    *out = block;
    return 0;
}
