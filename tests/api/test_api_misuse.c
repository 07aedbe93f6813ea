/* Every public function is called wrongly (misuse_*.c): without what it needs, with indices out
 * of range, with numbers that are none. Whatever C can see must be answered by a status and a
 * sentence; nothing may crash or hang. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/misuse.h"
#include "support/support.h"

enum { SECONDS = 60 };

bool misuse_is_next(misuse *m, const char *call)
{
    const bool chosen = m->at++ == m->chosen;
    if (chosen)
        (void)dprintf(m->report, "%s", call);
    return chosen;
}

void misuse_answered(misuse *m, jsn_status status, bool may_succeed)
{
    m->failed = (status == JSN_OK && !may_succeed) ||
                (status != JSN_OK && jsn_last_error()[0] == '\0');
    if (m->failed)
        (void)dprintf(m->report, ": %s",
                      status == JSN_OK ? "it succeeded" : "no sentence");
}

static void walk(misuse *m)
{
    misuse_values(m);
    misuse_learning(m);
    misuse_data(m);
    misuse_runs(m);
}

static void call_row(long number, int report)
{
    misuse m = {.chosen = number, .report = report};
    /* cmocka has handlers of its own */
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)signal(signals[i], SIG_DFL);
    (void)alarm(SECONDS);
    if (chdir(support_folder) != 0) /* for what names no folder */
        _exit(98);
    walk(&m);
    _exit(m.failed);
}

static bool is_fine(long number)
{
    char report[512] = "";
    int pipes[2], status = 0;
    size_t length = 0;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        call_row(number, pipes[1]);
    (void)close(pipes[1]);
    for (ssize_t n = 1; n > 0; length += (size_t)n)
        n = read(pipes[0], report + length, sizeof report - 1 - length);
    (void)close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        print_error("%s: signal %d%s\n", report, WTERMSIG(status),
                    WTERMSIG(status) == SIGALRM ? ", it hung" : "");
    else if (status != 0)
        print_error("%s (exit code %d)\n", report, WEXITSTATUS(status));
    return status == 0;
}

static void test_no_wrong_call_crashes_or_goes_unsaid(void **state)
{
    (void)state;
    misuse m = {.chosen = -1};
    walk(&m);
    size_t faults = 0;
    for (long i = 0; i < m.at; i++)
        faults += !is_fine(i);
    print_message("%ld wrong calls\n", m.at);
    assert_true(m.at >= 600);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_wrong_call_crashes_or_goes_unsaid),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
