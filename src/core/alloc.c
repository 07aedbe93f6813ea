/* core/alloc.c - see core/alloc.h. Each block is preceded by a header of one cache
 * line that holds its size, so that the live-byte counter needs no table, and where the
 * memory that the system gave begins. */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* madvise */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "core/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
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

typedef struct header {
    size_t bytes;
    void *given; /* by the system */
} header;

/* Large blocks lie on large pages where the system has them: walking an activation
 * arena in small ones costs a tenth of a training step. */
static void want_large_pages(void *base, size_t bytes)
{
#if defined(__linux__)
    (void)madvise(base, bytes, MADV_HUGEPAGE); /* advice: failing does no harm */
#else
    (void)base;
    (void)bytes;
#endif
}

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
    if (base != NULL && align == HUGE_PAGE)
        want_large_pages(base, whole);
    return base;
}

/* A large block of zeros. New memory is zero as the system gives it: who writes zeros into
 * it pays for every page twice, and for those that are never used. */
static unsigned char *system_zeros(size_t bytes, void **given)
{
    unsigned char *base = *given = calloc(1, bytes + HUGE_PAGE);
    if (base == NULL)
        return NULL;
    base += HUGE_PAGE - (uintptr_t)base % HUGE_PAGE;
    want_large_pages(base, bytes / HUGE_PAGE * HUGE_PAGE);
    return base;
}

static bool is_large(size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    (void)bytes;
    return false;
#else
    return bytes >= LARGE;
#endif
}

static void *block_alloc(size_t count, size_t size, bool zero)
{
    if (size != 0 && count > (SIZE_MAX - HEADER - 2 * (size_t)HUGE_PAGE) / size)
        return out_of_memory(count, size);
    header head = {.bytes = count * size};
    unsigned char *base = NULL;
    const bool fresh = zero && is_large(head.bytes);
    if (must_fail())
        return out_of_memory(count, size);
    if (fresh)
        base = system_zeros(head.bytes + HEADER, &head.given);
    else
        base = head.given = system_alloc(head.bytes + HEADER);
    if (base == NULL)
        return out_of_memory(count, size);
    memcpy(base, &head, sizeof head);
    atomic_fetch_add(&live_bytes, head.bytes);
    if (zero && !fresh)
        memset(base + HEADER, 0, head.bytes);
    return base + HEADER;
}

void *jsni_alloc(size_t count, size_t size)
{
    return block_alloc(count, size, false);
}

void *jsni_alloc_zero(size_t count, size_t size)
{
    return block_alloc(count, size, true);
}

static header header_of(const void *block)
{
    header head;
    memcpy(&head, (const unsigned char *)block - HEADER, sizeof head);
    return head;
}

static size_t size_of(const void *block)
{
    return header_of(block).bytes;
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
    const header head = header_of(block);
    atomic_fetch_sub(&live_bytes, head.bytes);
    free(head.given);
}
