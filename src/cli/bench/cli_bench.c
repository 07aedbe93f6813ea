/* cli/bench/cli_bench.c - see cli_bench.h. */
#define _XOPEN_SOURCE 700
#include "cli/bench/cli_bench.h"
#include "core/json.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double cli_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_peak_mib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

void cli_bench_put(const cli_bench *b, jsni_json_writer *w)
{
    jsni_json_put_int(w, "images", (int64_t)b->images);
    jsni_json_put_real(w, "median_seconds", b->median);
    jsni_json_put_real(w, "best_seconds", b->best);
    jsni_json_put_real(w, "images_per_second", b->images / b->median);
    jsni_json_put_real(w, "limit_seconds", b->limit);
    jsni_json_put_real(w, "limit_share", b->limit / b->median);
    jsni_json_put_text(w, "limit", b->how);
    jsni_json_put_real(w, "peak_mib", b->peak_mib > 0 ? b->peak_mib : cli_peak_mib());
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cli_bench_take(cli_bench *b, double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, by_size);
    b->best = seconds[0];
    b->median = 0.5 * (seconds[(count - 1) / 2] + seconds[count / 2]);
}

/* A thread's share of the copy, repeated. */
typedef struct copy_work {
    const char *from;
    char *to; /* [piece] */
    size_t bytes, repeats;
    size_t piece; /* bytes that go to the same place as those before them */
    pthread_t thread;
} copy_work;

static void *copy_share(void *user)
{
    const copy_work *w = user;
    for (size_t r = 0; r < w->repeats; r++)
        for (size_t at = 0; at < w->bytes; at += w->piece) {
            memcpy(w->to, w->from + at,
                   w->bytes - at < w->piece ? w->bytes - at : w->piece);
#if defined(__GNUC__)
            __asm__ volatile("" ::: "memory"); /* each copy is made */
#endif
        }
    return NULL;
}

/* Seconds of one copy. Small ones are repeated, for about a millisecond and more, so
 * that starting the threads does not count. `piece` 0: everything to its own place. */
static double time_copy(char *to, const char *from, size_t bytes, size_t piece,
                        size_t threads)
{
    copy_work work[CLI_BENCH_THREADS];
    const size_t repeats = 1 + (size_t)(16.0 * 1024 * 1024 / (double)bytes);
    size_t started = 0;
    for (size_t t = 0; t < threads; t++) {
        const size_t first = bytes * t / threads;
        work[t] = (copy_work){.from = from + first,
                              .to = to + (piece > 0 ? piece * t : first),
                              .bytes = bytes * (t + 1) / threads - first,
                              .repeats = repeats,
                              .piece = piece > 0 ? piece : bytes};
    }
    const double start = cli_seconds();
    for (size_t t = 1; t < threads; t++, started++)
        if (pthread_create(&work[t].thread, NULL, copy_share, &work[t]) != 0)
            break;
    (void)copy_share(&work[0]);
    for (size_t t = 1; t <= started; t++)
        (void)pthread_join(work[t].thread, NULL);
    return (cli_seconds() - start) / (double)repeats;
}

double cli_bench_copy(void *to, const void *from, size_t bytes, size_t threads)
{
    return time_copy(to, from, bytes, 0, threads);
}

jsn_status cli_bench_read(double images, double bytes, size_t threads, double *seconds)
{
    enum { ROUNDS = 7, MOST = 1 << 25 };
    const double whole = images > 0.0 ? images * bytes : 0.0;
    const size_t part = whole < MOST ? (size_t)whole : MOST;
    const size_t piece = bytes < MOST ? (size_t)bytes + 1 : MOST;
    *seconds = 0.0;
    if (part == 0)
        return JSN_OK;
    char *memory = malloc(part + piece * threads);
    if (memory == NULL)
        return JSN_ERR_MEMORY;
    memset(memory, 1, part + piece * threads); /* so that it is there */
    double best = HUGE_VAL;
    for (int i = 0; i < ROUNDS; i++)
        best = fmin(best, time_copy(memory + part, memory, part, piece, threads));
    *seconds = best * (whole / (double)part);
    free(memory);
    return JSN_OK;
}
