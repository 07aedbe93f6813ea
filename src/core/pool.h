/* core/pool.h - a pool of threads that draw numbered pieces of work from a counter.
 *
 * The pieces are fixed by the caller, never by the number of threads, so results that
 * are stored by piece and combined in order do not depend on how many threads ran.
 * Waiting threads spin for a few microseconds and then sleep, so a shared machine is
 * not starved. One thread calls jsni_pool_run() at a time.
 */
#ifndef JSNI_CORE_POOL_H
#define JSNI_CORE_POOL_H

#include <stddef.h>

#include "jensen/status.h"

typedef struct jsni_pool jsni_pool;

/* Piece `index` of the work; `worker` in [0, threads) names the thread's scratch. */
typedef void jsni_pool_fn(void *user, size_t index, size_t worker);

/* `threads` >= 1 counts the calling thread; 0 asks for one a usable core. */
JSN_MUST_CHECK jsn_status jsni_pool_create(jsni_pool **out, size_t threads);
void jsni_pool_destroy(jsni_pool *pool); /* accepts NULL */

size_t jsni_pool_threads(const jsni_pool *pool);

/* Calls fn(user, 0 .. count-1, worker), each once, and returns when all are done. The
 * calling thread works, too, as worker 0. Allocates nothing. */
void jsni_pool_run(jsni_pool *pool, size_t count, jsni_pool_fn *fn, void *user);

/* Cores that this process may use. */
size_t jsni_usable_cores(void);

#endif /* JSNI_CORE_POOL_H */
