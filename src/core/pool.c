/* core/pool.c - see core/pool.h.
 *
 * A run is announced by raising `round` and open while it lasts. A worker that comes in
 * time enters it (raises `busy`), draws pieces from `next` until none is left, and
 * lowers `busy`. When the caller finds no more pieces it closes the round and waits for
 * busy == 0 only: a worker that the system has not woken yet holds nobody up, which
 * matters when there are more threads than free cores.
 */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* sched_getaffinity */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "core/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/group_limit.h"

/* About 5 microseconds: longer than the gap between two phases of a training step,
 * far shorter than a scheduler's time slice. */
enum { SPINS = 2000, MOST_THREADS = 1024 };

typedef struct pool_worker {
    jsni_pool *pool; /* borrowed */
    size_t number;
    pthread_t thread;
} pool_worker;

struct jsni_pool {
    size_t threads;
    size_t started; /* workers with a thread: threads - 1 after create */
    pool_worker *workers;
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* round or stop changed */
    pthread_cond_t idle; /* busy became 0 */
    atomic_size_t round;
    bool open;          /* guarded by mutex: workers may enter the round */
    atomic_size_t busy; /* workers inside */
    atomic_size_t next;
    atomic_bool stop;
    size_t count;
    jsni_pool_fn *fn;
    void *user;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static size_t cores_of_the_machine(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (size_t)CPU_COUNT(&set);
#endif
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (size_t)cores : 1;
}

size_t jsni_usable_cores(void)
{
    const size_t cores = cores_of_the_machine();
    jsni_group_limit group;
    jsni_group_limit_read(&group, "/sys/fs/cgroup", "/proc/self/cgroup");
    return group.cores < cores ? group.cores : cores;
}

static void draw_pieces(jsni_pool *pool, size_t worker)
{
    for (;;) {
        const size_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->count)
            return;
        pool->fn(pool->user, index, worker);
    }
}

/* Waits until the round differs from *seen, which it then becomes; false when the pool
 * stops. */
static bool await_round(jsni_pool *pool, size_t *seen)
{
    size_t round = atomic_load(&pool->round);
    for (int i = 0; i < SPINS && round == *seen && !atomic_load(&pool->stop); i++) {
        relax();
        round = atomic_load(&pool->round);
    }
    if (round == *seen) {
        pthread_mutex_lock(&pool->mutex);
        while ((round = atomic_load(&pool->round)) == *seen &&
               !atomic_load(&pool->stop))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
    }
    *seen = round;
    return !atomic_load(&pool->stop);
}

static bool enter_round(jsni_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    const bool open = pool->open;
    if (open)
        atomic_fetch_add(&pool->busy, 1);
    pthread_mutex_unlock(&pool->mutex);
    return open;
}

static void *worker_main(void *argument)
{
    pool_worker *self = argument;
    jsni_pool *pool = self->pool;
    size_t seen = 0;
    while (await_round(pool, &seen)) {
        if (!enter_round(pool))
            continue;
        draw_pieces(pool, self->number);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->idle);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
    return NULL;
}

jsn_status jsni_pool_create(jsni_pool **out, size_t threads)
{
    *out = NULL;
    if (threads == 0)
        threads = jsni_usable_cores();
    if (threads > MOST_THREADS)
        return jsni_fail(JSN_ERR_RANGE, "%zu threads: at most %d", threads,
                         MOST_THREADS);
    jsni_pool *pool = jsni_alloc_zero(1, sizeof *pool);
    JSNI_TRY_ALLOC(pool);
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->workers = jsni_alloc_zero(threads, sizeof *pool->workers);
    if (pool->workers == NULL) {
        jsni_pool_destroy(pool);
        return JSN_ERR_MEMORY;
    }
    for (size_t i = 1; i < threads; i++) {
        pool_worker *worker = &pool->workers[i - 1];
        worker->pool = pool;
        worker->number = i;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
            jsni_pool_destroy(pool);
            return jsni_fail(JSN_ERR_MEMORY, "could not start thread %zu of %zu", i + 1,
                             threads);
        }
        pool->started++;
    }
    *out = pool;
    return JSN_OK;
}

void jsni_pool_destroy(jsni_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    jsni_free(pool->workers);
    jsni_free(pool);
}

size_t jsni_pool_threads(const jsni_pool *pool)
{
    return pool->threads;
}

void jsni_pool_run(jsni_pool *pool, size_t count, jsni_pool_fn *fn, void *user)
{
    if (pool->threads == 1 || count <= 1) {
        for (size_t i = 0; i < count; i++)
            fn(user, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->count = count;
    pool->fn = fn;
    pool->user = user;
    atomic_store(&pool->next, 0);
    pool->open = true;
    atomic_fetch_add(&pool->round, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);

    draw_pieces(pool, 0);

    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < SPINS && atomic_load(&pool->busy) != 0; i++)
        relax();
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->busy) != 0)
        pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
