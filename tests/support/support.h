/* tests/support/support.h - what every test includes: cmocka and the project's own
 * checkers. Comparisons are signed and fail on NaN. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jensen/status.h"

/* Fails with the library's sentence. */
#define assert_ok(call)                                                      \
    do {                                                                     \
        const jsn_status assert_ok_status = (call);                          \
        if (assert_ok_status != JSN_OK)                                      \
            fail_msg("%s: %s: %s", #call, jsn_status_text(assert_ok_status), \
                     jsn_last_error());                                      \
    } while (0)

/* The call must fail with `expected`, and its sentence must contain `words`. */
#define assert_fails(call, expected, words) \
    support_assert_fails((call), (expected), (words), #call, __FILE__, __LINE__)

void support_assert_fails(jsn_status got, jsn_status expected, const char *words,
                          const char *call, const char *file, int line);

/* Whether |got - want| <= absolute + relative * |want|; false when either is NaN. */
int support_close(double got, double want, double absolute, double relative);

#define assert_close(got, want, absolute, relative)                             \
    support_assert_close((got), (want), (absolute), (relative), #got, __FILE__, \
                         __LINE__)

void support_assert_close(double got, double want, double absolute, double relative,
                          const char *what, const char *file, int line);

/* The larger of two errors; NaN once either is, so that it cannot be lost in a loop. */
double support_worse(double worst, double error);

/* Calls fn(user) with the n-th allocation failing, for n = 0, 1, ... until it succeeds
 * untouched. fn must return JSN_ERR_MEMORY each time a failure was injected and leave
 * nothing allocated; this function checks both. */
void support_walk_allocations(jsn_status (*fn)(void *user), void *user);

/* A fresh folder below the system's temporary folder; the text is static. Removed with
 * all it holds by support_remove_folder(). */
const char *support_temporary_folder(void);
void support_remove_folder(const char *path);

/* One such folder for all tests of a program, where cmocka_run_group_tests() is given
 * these two as set-up and tear-down. */
extern char support_folder[256];
int support_folder_begin(void **state);
int support_folder_end(void **state);

/* The path of `name` in ../shared beside the project, or NULL after printing that the
 * test is skipped because it is absent. The text is static. */
const char *support_shared(const char *name);

#endif /* TESTS_SUPPORT_H */
