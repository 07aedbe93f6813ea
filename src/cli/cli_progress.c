/* cli/cli_progress.c - see cli_progress.h and cli.h. The program has one terminal, so
 * the state of the bar is static here; the library knows nothing of it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli_progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static int quiet, verbose;
static int bar_shown;
static char bar_what[64];          /* the unit of work the clock below belongs to */
static double bar_start, bar_last; /* seconds */
static int line_tenth;             /* plain lines: tenths already reported */

void cli_progress_quiet(void)
{
    quiet = 1;
}

void cli_progress_verbose(void)
{
    verbose = 1;
}

void cli_progress_clear(void)
{
    if (bar_shown)
        (void)fprintf(stderr, "\r\033[K");
    bar_shown = 0;
}

static void show_message(void *user, jsn_log_level level, const char *text)
{
    (void)user;
    if ((quiet && level != JSN_LOG_WARNING) || (level == JSN_LOG_DEBUG && !verbose))
        return;
    cli_progress_clear();
    const int colour = level == JSN_LOG_WARNING && isatty(2) && !getenv("NO_COLOR");
    const char *before = level != JSN_LOG_WARNING ? ""
                         : colour                 ? "\033[33mwarning:\033[0m "
                                                  : "warning: ";
    /* One write a line: those of two workers do not mix. */
    char line[2048];
    const int length = snprintf(line, sizeof line, "%s%s\n", before, text);
    if (length > 0 && (size_t)length < sizeof line)
        (void)fwrite(line, 1, (size_t)length, stderr);
    else
        (void)fprintf(stderr, "%s%s\n", before, text);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_bar(const char *what, double share, double elapsed, const char *detail)
{
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    const int full = (int)(share * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    char left[32] = "";
    if (share > 0.0) {
        const double seconds = elapsed / share - elapsed;
        (void)snprintf(left, sizeof left, "  %d:%02d left", (int)seconds / 60,
                       (int)seconds % 60);
    }
    (void)fprintf(stderr, "\r\033[K%s [%s] %3.0f%%%s  %s", what, bar, 100.0 * share,
                  left, detail);
    (void)fflush(stderr);
    bar_shown = 1;
}

static void show_progress(void *user, const char *what, uint64_t done, uint64_t total,
                          const char *detail)
{
    (void)user;
    if (quiet || total == 0)
        return;
    const double time = now();
    if (strncmp(bar_what, what, sizeof bar_what - 1) != 0) {
        (void)snprintf(bar_what, sizeof bar_what, "%s", what);
        bar_start = time;
        bar_last = 0.0;
        line_tenth = 0;
    }
    const double share = (double)done / (double)total;
    if (isatty(2)) {
        if (done < total && time - bar_last < 0.1)
            return;
        bar_last = time;
        if (done < total)
            show_bar(what, share, time - bar_start, detail);
        else
            cli_progress_clear();
    } else if (done < total && time - bar_start > 10.0 &&
               (int)(share * 10) > line_tenth) {
        /* Plain lines only for what takes long, at most ten of them. */
        line_tenth = (int)(share * 10);
        (void)fprintf(stderr, "%s: %.0f%%  %s\n", what, 100.0 * share, detail);
    }
}

const jsn_logger *cli_logger(void)
{
    static const jsn_logger logger = {NULL, show_message, show_progress};
    return &logger;
}

static atomic_int stop_signals;
static _Atomic double first_signal; /* seconds, by now() */

/* The second signal ends the program at once. timeout(1) and batch systems send one to the
 * process and one to its group, a moment apart: that is one wish to stop, and the
 * checkpoint must not be lost for it. */
static void note_signal(void)
{
    const double time = now();
    if (atomic_fetch_add(&stop_signals, 1) == 0)
        atomic_store(&first_signal, time);
    else if (time - atomic_load(&first_signal) > 0.5)
        _exit(CLI_INTERRUPTED);
}

static void *wait_for_signals(void *set)
{
    for (;;) {
        int number = 0;
        if (sigwait(set, &number) == 0)
            note_signal();
    }
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    note_signal();
}

static atomic_int input_ended;

/* What comes in means nothing: the end of it does. */
static void *wait_for_end(void *user)
{
    char nothing[64];
    ssize_t count = 1;
    (void)user;
    while (count > 0 || (count < 0 && errno == EINTR))
        count = read(STDIN_FILENO, nothing, sizeof nothing);
    atomic_store(&input_ended, 1);
    return NULL;
}

int cli_stop_requested(void)
{
    return atomic_load(&stop_signals) > 0 || atomic_load(&input_ended);
}

jsn_status cli_stop_at_eof(void)
{
    pthread_t thread;
    cli_catch_signals();
    if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0)
        return cli_fail(JSN_ERR_MEMORY, "no thread can be started to watch the input");
    (void)pthread_detach(thread);
    return JSN_OK;
}

/* A thread of its own waits for the signals, and all others block them: generated matrix
 * kernels of oneDNN move the stack pointer into small blocks of the heap, where the frame
 * of a handler would overwrite what lies before the block. */
void cli_catch_signals(void)
{
    static sigset_t set;
    static int caught;
    pthread_t thread;
    if (caught)
        return;
    caught = 1;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    /* A shell may have had them ignored; a handler also serves where no thread can be
     * started. */
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A terminal that is closed, which also ends a tee(1) behind us: a broken pipe must not
     * cost the checkpoint. nohup(1) has the first ignored, and means it. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaddset(&set, SIGHUP);
        (void)sigaction(SIGHUP, &action, NULL);
    }
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, wait_for_signals, &set) == 0)
        (void)pthread_detach(thread);
    else
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
