/* Whether the process of a worker is gone, from its name: living, ended and waiting for its
 * parent, ended; others under its number; other places. */
#define _POSIX_C_SOURCE 200809L
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/worker_process.h"

/* Starts a process that tells the name of its worker and waits. */
static pid_t begin(char name[JSNI_WORKER_NAME])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        jsni_worker_name(name);
        if (write(ends[1], name, JSNI_WORKER_NAME) == JSNI_WORKER_NAME)
            (void)pause();
        _exit(1);
    }
    assert_true(pid > 0);
    assert_int_equal(read(ends[0], name, JSNI_WORKER_NAME), JSNI_WORKER_NAME);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return pid;
}

static size_t parts(const char *name)
{
    size_t count = 1;
    for (const char *c = name; *c != '\0'; c++)
        count += *c == '-';
    return count;
}

/* The name with its part `from_end` replaced; 0 is the last. */
static const char *with(const char *name, size_t from_end, const char *part)
{
    static char out[2 * JSNI_WORKER_NAME];
    const char *begin = name + strlen(name), *end = begin;
    for (size_t i = 0; i <= from_end; i++) {
        end = i == 0 ? begin : begin - 1;
        for (begin = end; begin > name && begin[-1] != '-';)
            begin--;
    }
    (void)snprintf(out, sizeof out, "%.*s%s%s", (int)(begin - name), name, part, end);
    return out;
}

static void test_a_process_that_has_ended_is_gone(void **state)
{
    (void)state;
    char name[JSNI_WORKER_NAME] = "", mine[JSNI_WORKER_NAME] = "";
    jsni_worker_name(mine);
    assert_false(jsni_worker_is_gone(mine));
    const pid_t pid = begin(name);
    assert_string_not_equal(name, mine);
    assert_false(jsni_worker_is_gone(name));
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_false(jsni_worker_is_gone(name));
    assert_int_equal(kill(pid, SIGKILL), 0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    const bool told = parts(name) >= 5; /* a system that tells of its processes */
    assert_int_equal(jsni_worker_is_gone(name), told);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(jsni_worker_is_gone(name), told);
    if (!told)
        print_message("this system does not tell of its processes\n");
}

static void test_another_process_under_the_number_is_not_the_worker(void **state)
{
    (void)state;
    char mine[JSNI_WORKER_NAME];
    jsni_worker_name(mine);
    if (parts(mine) < 5)
        return;
    assert_true(jsni_worker_is_gone(with(mine, 0, "1")));
    assert_true(jsni_worker_is_gone(with(mine, 3, "1")));
}

static void test_of_other_places_nothing_is_known(void **state)
{
    (void)state;
    char name[JSNI_WORKER_NAME];
    const pid_t pid = begin(name);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(jsni_worker_is_gone(with(name, 1, "0123456789abcdef")));
    static const char *const others[] = {
        "",           "-",         "----",        "w1",
        "me",         "host-1-2",  "my-host-1-2", "a-b-c-999999-18ab",
        "-1-1-1-1-1", "h-0-1-2-3", "h--1-1-2-3",  "h-x-1-2-3",
        "h-1-1-2-",   "h-1-1-2-3x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(jsni_worker_is_gone(others[i]));
    static const char *const wrong[] = {"", "0", "x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(jsni_worker_is_gone(with(name, 3, wrong[i])));
    assert_false(jsni_worker_is_gone(with(name, 0, "")));
    assert_false(jsni_worker_is_gone(with(name, 0, "x")));
    char longer[3 * JSNI_WORKER_NAME];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_false(jsni_worker_is_gone(longer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_process_that_has_ended_is_gone),
        cmocka_unit_test(test_another_process_under_the_number_is_not_the_worker),
        cmocka_unit_test(test_of_other_places_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
