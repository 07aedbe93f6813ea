/* cli/cli_progress.c - see cli_progress.h and cli.h. The program has one terminal, so
 * the state of the bar is static here; the library knows nothing of it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli_progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_cell.h"
#include "core/words.h"

enum {
    LINE = 8 * CLI_CELL_MOST,
    PARTS = 8,
    PART = 96,
    DETAIL = PARTS * (PART + 2),
    BAR = 27
};

/* What the terminal shows; the thread that waits for signals draws it again when the
 * terminal changes its width. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char what[96];          /* the unit of work that `start` belongs to */
    char part[PARTS][PART]; /* what is said of it, the most telling first */
    size_t part_count;
    double share;
    double start, last; /* seconds; `last`: when it was drawn */
    size_t columns;     /* of the line that is on the screen; 0: none */
} bar;

static int quiet, verbose;
static int line_tenth; /* plain lines: tenths already reported */

void cli_progress_quiet(void)
{
    quiet = 1;
}

void cli_progress_verbose(void)
{
    verbose = 1;
}

bool cli_progress_shows_all(void)
{
    return verbose != 0;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether stderr is a terminal that knows more than letters: colours, and lines drawn again. */
static bool can_draw(void)
{
    const char *kind = getenv("TERM");
    return isatty(2) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

static size_t terminal_columns(void)
{
    struct winsize size = {0};
    if (ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Removes the line from the screen. A terminal that became narrower has folded it: its
 * other rows are above. */
static void erase(size_t columns)
{
    if (bar.columns == 0)
        return;
    (void)fputc('\r', stderr);
    for (size_t row = 1; row * columns < bar.columns; row++)
        (void)fputs("\033[A", stderr);
    (void)fputs(bar.columns > columns ? "\033[J" : "\033[K", stderr);
    bar.columns = 0;
}

void cli_progress_clear(void)
{
    (void)pthread_mutex_lock(&lock);
    erase(terminal_columns());
    (void)pthread_mutex_unlock(&lock);
}

static void show_message(void *user, jsn_log_level level, const char *text)
{
    (void)user;
    if ((quiet && level != JSN_LOG_WARNING) || (level == JSN_LOG_DEBUG && !verbose))
        return;
    cli_progress_clear();
    if (level != JSN_LOG_WARNING)
        cli_say("%s\n", text);
    else if (can_draw() && !getenv("NO_COLOR"))
        cli_say("\033[33mwarning:\033[0m %s\n", text);
    else
        cli_say("warning: %s\n", text);
}

static void keep_part(const char *text)
{
    if (text[0] != '\0' && bar.part_count < PARTS)
        (void)snprintf(bar.part[bar.part_count++], PART, "%s", text);
}

/* Keeps what is said, with the time left in front: that of all the work, where it is told,
 * or that of this unit. */
static void keep_parts(const jsn_progress *p)
{
    const double elapsed = now() - bar.start;
    char left[32] = "";
    jsni_time_left(p->left, left, sizeof left);
    if (left[0] == '\0' && bar.share > 0.0)
        jsni_time_left(elapsed / bar.share - elapsed, left, sizeof left);
    bar.part_count = 0;
    keep_part(left);
    for (size_t i = 0; i < p->part_count; i++)
        keep_part(p->parts[i]);
}

/* The first `count` parts, two spaces between them. */
static void join_parts(size_t count, char out[DETAIL])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(bar.part[i]);
        memcpy(out + used, "  ", i > 0 ? 2 : 0);
        used += i > 0 ? 2 : 0;
        memcpy(out + used, bar.part[i], length + 1);
        used += length;
    }
}

/* How many parts, from the first on, fit into `room` columns with two spaces before each;
 * `out` becomes them. */
static size_t fit_parts(size_t room, char out[DETAIL])
{
    size_t count = bar.part_count;
    for (join_parts(count, out); count > 0 && cli_cell_width(out) + 2 > room;)
        join_parts(--count, out);
    return count;
}

/* " [####....]" of `room` columns, at most BAR in all; nothing where that is too few. */
static void put_graph(char out[BAR + 1], size_t room)
{
    enum { LEAST = 9 };
    const size_t size = room < BAR ? room : BAR;
    out[0] = '\0';
    if (size < LEAST)
        return;
    const size_t width = size - 3, full = (size_t)(bar.share * (double)width);
    memcpy(out, " [", 2);
    memset(out + 2, '.', width);
    memset(out + 2, '#', full < width ? full : width);
    memcpy(out + 2 + width, "]", 2);
}

/* "epoch 3/60 [####....]  40%  12:34 left  loss 0.41". The name and the first part, most
 * often the time left, are always there; the share, a short bar and the other parts follow as long as there is room, and the bar gets what is left over. */
static void compose(size_t columns, char line[LINE])
{
    enum { LEAST_NAME = 8, SHORT_BAR = 9 };
    char name[LINE / 2], graph[BAR + 1], share[16], detail[DETAIL];
    const size_t part = bar.part_count > 0 ? strlen(bar.part[0]) + 2 : 0;
    (void)snprintf(share, sizeof share, " %3.0f%%", 100.0 * bar.share);
    if (columns < LEAST_NAME + strlen(share) + part)
        share[0] = '\0';
    size_t room = columns > strlen(share) ? columns - strlen(share) : 0;
    cli_cell_cut(bar.what, room >= part + LEAST_NAME ? room - part : room, name,
                 sizeof name);
    room -= cli_cell_width(name);
    size_t kept = fit_parts(room > SHORT_BAR ? room - SHORT_BAR : 0, detail);
    if (kept == 0)
        kept = fit_parts(room, detail);
    room -= kept > 0 ? cli_cell_width(detail) + 2 : 0;
    put_graph(graph, room);
    (void)snprintf(line, LINE, "%s%s%s%s%s", name, graph, share, kept > 0 ? "  " : "",
                   detail);
}

static void draw(void)
{
    char line[LINE];
    const size_t columns = terminal_columns();
    erase(columns);
    /* Room for the "^C" that a terminal shows at the cursor. */
    const size_t most = columns < CLI_CELL_MOST ? columns : CLI_CELL_MOST;
    compose(most > 2 ? most - 2 : most, line);
    bar.columns = cli_cell_width(line);
    bar.last = now();
    (void)fputs(line, stderr);
    (void)fflush(stderr);
}

static void draw_again(void)
{
    (void)pthread_mutex_lock(&lock);
    if (bar.columns > 0)
        draw();
    (void)pthread_mutex_unlock(&lock);
}

static void show_progress(void *user, const jsn_progress *p)
{
    (void)user;
    if (quiet || p->total == 0)
        return;
    (void)pthread_mutex_lock(&lock);
    const double time = now();
    if (strncmp(bar.what, p->what, sizeof bar.what - 1) != 0) {
        (void)snprintf(bar.what, sizeof bar.what, "%s", p->what);
        bar.start = time;
        bar.last = 0.0;
        line_tenth = 0;
    }
    bar.share = (double)p->done / (double)p->total;
    if (can_draw()) {
        keep_parts(p);
        if (p->done < p->total && time - bar.last >= 0.1)
            draw();
        else if (p->done >= p->total)
            erase(terminal_columns());
    } else if (p->done < p->total && time - bar.start > 10.0 &&
               (int)(bar.share * 10) > line_tenth) {
        /* Plain lines only for what takes long, at most ten of them. */
        line_tenth = (int)(bar.share * 10);
        char detail[DETAIL];
        keep_parts(p);
        join_parts(bar.part_count, detail);
        cli_say("%s: %.0f%%  %s\n", p->what, 100.0 * bar.share, detail);
    }
    (void)pthread_mutex_unlock(&lock);
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
        if (sigwait(set, &number) != 0)
            continue;
        if (number == SIGWINCH)
            draw_again();
        else
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
    (void)sigaddset(&set, SIGWINCH);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, wait_for_signals, &set) == 0)
        (void)pthread_detach(thread);
    else
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
