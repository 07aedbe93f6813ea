/* loss/lane_io.h - how lane_driver.c reads logits and targets and writes gradients. The
 * float levels do so in groups; the double level converts to and from either type. */
#ifndef JSNI_LOSS_LANE_IO_H
#define JSNI_LOSS_LANE_IO_H

#include "loss/lanes.h"
#include "loss/loss_impl.h"

#if defined(JSNI_LEVEL_DOUBLE)

/* Entry `chunk` of the row that starts at element `offset`. */
static inline jsni_real jsni_read(const jsni_loss_job *job, const void *from,
                                  size_t offset, size_t chunk)
{
    const size_t at = offset + chunk;
    return job->f64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static inline void jsni_write(const jsni_loss_job *job, void *to, size_t at,
                              jsni_real x)
{
    if (job->f64)
        ((double *)to)[at] = x;
    else
        ((float *)to)[at] = (float)x;
}

/* With one lane there are no parts of groups, and nothing to write past the caches. */
static inline jsni_real jsni_read_part(const void *from, size_t offset, size_t chunk,
                                       size_t count, jsni_scalar fill)
{
    (void)from;
    (void)offset;
    (void)chunk;
    (void)count;
    return fill;
}

static inline jsni_real jsni_keep(jsni_real x, size_t count)
{
    (void)count;
    return x;
}

static inline size_t jsni_stream_head(const jsni_loss_job *job, size_t at)
{
    (void)job;
    (void)at;
    return 0;
}

static inline void jsni_write_around(const jsni_loss_job *job, size_t at, jsni_real x)
{
    jsni_write(job, job->grad, at, x);
}

static inline void jsni_write_part(const jsni_loss_job *job, void *to, size_t at,
                                   jsni_real x, size_t count)
{
    (void)count;
    jsni_write(job, to, at, x);
}

static inline void jsni_write_one(const jsni_loss_job *job, size_t at, jsni_scalar x)
{
    jsni_write(job, job->grad, at, x);
}

static inline void jsni_stream_end(void)
{
}

/* The arithmetic in double takes longer than memory does. */
enum { JSNI_LINE_CHUNKS = 1 };

static inline void jsni_fetch(const void *array, size_t at)
{
    (void)array;
    (void)at;
}

static inline void jsni_fetch_ends(const jsni_loss_job *job, size_t offset)
{
    (void)job;
    (void)offset;
}

static inline jsni_scalar jsni_first(jsni_real x)
{
    return x;
}

static inline const jsni_scalar *jsni_constants(const jsni_loss_job *job)
{
    return job->constant;
}

static inline const jsni_scalar *jsni_term_constants(const jsni_loss_term *term)
{
    return term->setup.constant;
}

#else

static inline jsni_real jsni_read(const jsni_loss_job *job, const void *from,
                                  size_t offset, size_t chunk)
{
    (void)job;
    return vec_load_any((const float *)from + offset + chunk * JSNI_LANES);
}

static inline jsni_real jsni_read_part(const void *from, size_t offset, size_t chunk,
                                       size_t count, jsni_scalar fill)
{
    return vec_load_part((const float *)from + offset + chunk * JSNI_LANES, count,
                         fill);
}

static inline jsni_real jsni_keep(jsni_real x, size_t count)
{
    return vec_keep_part(x, count);
}

static inline void jsni_stream_end(void)
{
    vec_stream_end();
}

/* Entries before the first one whose address suits jsni_write_around(). */
static inline size_t jsni_stream_head(const jsni_loss_job *job, size_t at)
{
    const uintptr_t address = (uintptr_t)((const float *)job->grad + at);
    const size_t over = address / sizeof(float) % JSNI_LANES;
    return over == 0 ? 0 : JSNI_LANES - over;
}

static inline void jsni_write(const jsni_loss_job *job, void *to, size_t at,
                              jsni_real x)
{
    (void)job;
    vec_store_any((float *)to + at, x);
}

static inline void jsni_write_around(const jsni_loss_job *job, size_t at, jsni_real x)
{
    vec_stream((float *)job->grad + at, x);
}

static inline void jsni_write_part(const jsni_loss_job *job, void *to, size_t at,
                                   jsni_real x, size_t count)
{
    (void)job;
    vec_store_part((float *)to + at, x, count);
}

static inline void jsni_write_one(const jsni_loss_job *job, size_t at, jsni_scalar x)
{
    ((float *)job->grad)[at] = x;
}

/* Groups in a line of the caches. */
enum { JSNI_LINE_CHUNKS = 64 / sizeof(jsni_real) };

/* Asks for the line of an entry. It may lie behind the array, where asking does nothing;
 * hence the sum of integers, not of pointers. Inlined, because gcc drops the call of a
 * function that does nothing else. */
__attribute__((always_inline)) static inline void jsni_fetch(const void *array,
                                                             size_t at)
{
    __builtin_prefetch((const void *)((uintptr_t)array + at * sizeof(float)));
}

/* Asks for the ends of a gradient row that are parts of groups: in a row that is written
 * past the caches they are the only stores that wait for memory, and all later ones wait
 * for them. */
__attribute__((always_inline)) static inline void
jsni_fetch_ends(const jsni_loss_job *job, size_t offset)
{
    const size_t end = offset + job->classes;
    if (jsni_stream_head(job, offset) != 0)
        jsni_fetch(job->grad, offset);
    if (jsni_stream_head(job, end) != 0)
        jsni_fetch(job->grad, end);
}

static inline jsni_scalar jsni_first(jsni_real x)
{
    return x[0];
}

static inline const jsni_scalar *jsni_constants(const jsni_loss_job *job)
{
    return job->constant_f;
}

static inline const jsni_scalar *jsni_term_constants(const jsni_loss_term *term)
{
    return term->constant_f;
}

#endif

#endif /* JSNI_LOSS_LANE_IO_H */
