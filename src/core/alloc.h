/* core/alloc.h - all heap use of the library: overflow-checked, counted, and able to
 * fail on request so that tests can walk every failure path. */
#ifndef JSNI_CORE_ALLOC_H
#define JSNI_CORE_ALLOC_H

#include <stddef.h>

#include "jensen/status.h"

/* Memory for `count` elements of `size` bytes, 64-byte aligned so that any vector
 * type and cache line fits; NULL, with the sentence recorded, when there is none or
 * the product overflows. A zero-sized request gives a valid pointer. */
void *jsni_alloc(size_t count, size_t size);
void *jsni_alloc_zero(size_t count, size_t size);

/* Grows or shrinks a block of jsni_alloc(); on failure `old` is untouched and NULL is
 * returned. `old` may be NULL. */
void *jsni_realloc(void *old, size_t count, size_t size);

/* JSN_ERR_MEMORY when `bytes` are not there now. For calls into libraries that crash
 * when memory runs out inside them: asked before, most of it is answered here. */
JSN_MUST_CHECK jsn_status jsni_alloc_room(size_t bytes);

/* A copy of a text (of at most `length` bytes of it). */
char *jsni_text_copy(const char *text);
char *jsni_text_copy_n(const char *text, size_t length);

void jsni_free(void *block); /* accepts NULL */

/* For functions that return a status: `JSNI_TRY_ALLOC(p = jsni_alloc(...))`. */
#define JSNI_TRY_ALLOC(expression) \
    do {                           \
        if ((expression) == NULL)  \
            return JSN_ERR_MEMORY; \
    } while (0)

/* For tests. Bytes now allocated through this file; */
size_t jsni_alloc_live(void);
/* makes the n-th allocation from now (0: the next one) fail, once; */
void jsni_alloc_fail_at(size_t n);
/* never fail again; returns whether a failure was injected since fail_at. */
int jsni_alloc_fail_off(void);

#endif /* JSNI_CORE_ALLOC_H */
