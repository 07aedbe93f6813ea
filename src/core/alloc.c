/* core/alloc.c - see core/alloc.h. Each block is preceded by a header of one cache
 * line that holds its size, so that the live-byte counter needs no table. */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* madvise */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "core/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "core/fail.h"
#include "core/words.h"

enum { HEADER = 64, HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };

/* Mutable, as the error sentence and the limits (core/limit.c) are; tests alone read it. */
static atomic_size_t live_bytes;
static atomic_size_t fail_countdown; /* 0: off; n: the n-th allocation fails */
static atomic_int failures_injected;

size_t jsni_alloc_live(void)
{
    return atomic_load(&live_bytes);
}

void jsni_alloc_fail_at(size_t n)
{
    atomic_store(&failures_injected, 0);
    atomic_store(&fail_countdown, n + 1);
}

int jsni_alloc_fail_off(void)
{
    atomic_store(&fail_countdown, 0);
    return atomic_exchange(&failures_injected, 0);
}

static int must_fail(void)
{
    size_t n = atomic_load(&fail_countdown);
    while (n != 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &n, n - 1)) {
            if (n == 1)
                atomic_store(&failures_injected, 1);
            return n == 1;
        }
    return 0;
}

static void *out_of_memory(size_t count, size_t size)
{
    (void)jsni_fail(JSN_ERR_MEMORY, "no memory for %zu %s of %zu %s", count,
                    jsni_noun(count, "element", "elements"), size,
                    jsni_noun(size, "byte", "bytes"));
    return NULL;
}

/* Large blocks lie on large pages where the system has them: walking an activation
 * arena in small ones costs a tenth of a training step. */
static void *system_alloc(size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    /* The exact size, so that a step beyond it is seen. */
    void *exact = NULL;
    return posix_memalign(&exact, HEADER, bytes) == 0 ? exact : NULL;
#endif
    const size_t align = bytes >= LARGE ? HUGE_PAGE : HEADER;
    /* aligned_alloc() wants a multiple of the alignment. */
    const size_t whole = (bytes + align - 1) / align * align;
    void *base = aligned_alloc(align, whole);
#if defined(__linux__)
    if (base != NULL && align == HUGE_PAGE)
        (void)madvise(base, whole, MADV_HUGEPAGE); /* advice: failing does no harm */
#endif
    return base;
}

void *jsni_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - HEADER - HUGE_PAGE) / size)
        return out_of_memory(count, size);
    const size_t bytes = count * size;
    unsigned char *base = must_fail() ? NULL : system_alloc(bytes + HEADER);
    if (base == NULL)
        return out_of_memory(count, size);
    memcpy(base, &bytes, sizeof bytes);
    atomic_fetch_add(&live_bytes, bytes);
    return base + HEADER;
}

void *jsni_alloc_zero(size_t count, size_t size)
{
    void *block = jsni_alloc(count, size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

static size_t size_of(const void *block)
{
    size_t bytes = 0;
    memcpy(&bytes, (const unsigned char *)block - HEADER, sizeof bytes);
    return bytes;
}

void *jsni_realloc(void *old, size_t count, size_t size)
{
    void *block = jsni_alloc(count, size);
    if (block == NULL || old == NULL)
        return block;
    const size_t kept = size_of(old) < count * size ? size_of(old) : count * size;
    memcpy(block, old, kept);
    jsni_free(old);
    return block;
}

jsn_status jsni_alloc_room(size_t bytes)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* half the time of a small input */
    (void)bytes;
    return JSN_OK;
#endif
    void *block = jsni_alloc(bytes, 1);
    JSNI_TRY_ALLOC(block);
    jsni_free(block);
    return JSN_OK;
}

char *jsni_text_copy_n(const char *text, size_t length)
{
    const size_t n = strnlen(text, length);
    char *copy = jsni_alloc(n + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

char *jsni_text_copy(const char *text)
{
    return jsni_text_copy_n(text, SIZE_MAX);
}

void jsni_free(void *block)
{
    if (block == NULL)
        return;
    atomic_fetch_sub(&live_bytes, size_of(block));
    free((unsigned char *)block - HEADER);
}
