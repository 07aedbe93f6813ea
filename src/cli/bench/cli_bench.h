/* cli/bench/cli_bench.h - what every benchmark prints as JSON under the same names, and the
 * copy in memory that several of them have as their limit. */
#ifndef JENSEN_CLI_BENCH_H
#define JENSEN_CLI_BENCH_H

#include <stddef.h>

#include "core/json.h"
#include "jensen/status.h"

enum { CLI_BENCH_THREADS = 256 };

/* A case and what was measured of it. */
typedef struct cli_bench {
    double median, best; /* seconds of the case */
    double images;       /* in the case; a view of a sample is an image */
    double limit;        /* seconds that the case cannot go below; NaN: not measured */
    const char *how;     /* what the limit is and how it was measured */
    double peak_mib;     /* most memory; 0: of the process so far */
} cli_bench;

/* The members that all benchmarks share: "images", "median_seconds", "best_seconds",
 * "images_per_second" (of the median), "limit_seconds", "limit_share" (the limit's part
 * of the median, 1: reached), "limit" and "peak_mib". */
void cli_bench_put(const cli_bench *bench, jsni_json_writer *writer);

/* Sorts [count] times and takes median and best from them. */
void cli_bench_take(cli_bench *bench, double *seconds, size_t count);

/* Seconds of one copy by `threads` threads, 1 .. CLI_BENCH_THREADS; it is repeated so
 * that starting the threads does not count. */
double cli_bench_copy(void *to, const void *from, size_t bytes, size_t threads);

/* What reading `images` images of `bytes` bytes each takes at the least: the best of
 * several copies of them, of a part of them where they are many, one after another into
 * the memory of one image a thread. 0 for none.
 *   JSN_ERR_MEMORY */
jsn_status cli_bench_read(double images, double bytes, size_t threads, double *seconds);

/* Seconds of a clock that never goes back; most memory of the process so far. */
double cli_seconds(void);
double cli_peak_mib(void);

#endif /* JENSEN_CLI_BENCH_H */
