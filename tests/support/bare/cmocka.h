/* tests/support/bare/cmocka.h - the small part of cmocka's interface that these tests
 * use, for machines without the library (a bare one with a GPU, say). A failed assertion
 * ends its test; the program ends with the number of tests that failed. */
#ifndef TESTS_SUPPORT_BARE_CMOCKA_H
#define TESTS_SUPPORT_BARE_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    CMFixtureFunction setup, teardown;
    void *initial_state;
};

extern jmp_buf bare_cmocka_end;
void bare_cmocka_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
void bare_cmocka_skip(void) __attribute__((noreturn));
int bare_cmocka_run(const char *name, const struct CMUnitTest *tests, size_t count,
                    CMFixtureFunction setup, CMFixtureFunction teardown);
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define cmocka_unit_test(f)     \
    {                           \
#f, f, NULL, NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(f, up, down) \
    {                                                \
#f, f, up, down, NULL                        \
    }
#define cmocka_unit_test_setup(f, up) \
    {                                 \
#f, f, up, NULL, NULL         \
    }
#define cmocka_unit_test_teardown(f, down) \
    {                                      \
#f, f, NULL, down, NULL            \
    }
#define cmocka_run_group_tests_name(name, tests, up, down) \
    bare_cmocka_run(name, tests, sizeof(tests) / sizeof((tests)[0]), up, down)
#define cmocka_run_group_tests(tests, up, down) \
    cmocka_run_group_tests_name(#tests, tests, up, down)

#define fail_msg(...)     bare_cmocka_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail()            bare_cmocka_fail(__FILE__, __LINE__, "failed")
#define _fail(file, line) bare_cmocka_fail((file), (line), "failed")
#define skip()            bare_cmocka_skip()

/* cmocka's look for leaks and overruns; here only the memory. */
#define test_malloc(size) malloc(size)
#define test_free(block)  free(block)

#define bare_check(condition) \
    ((condition) ? (void)0 : bare_cmocka_fail(__FILE__, __LINE__, "%s", #condition))
#define assert_true(c)                   bare_check(c)
#define assert_false(c)                  bare_check(!(c))
#define assert_null(p)                   bare_check((p) == NULL)
#define assert_non_null(p)               bare_check((p) != NULL)
#define assert_ptr_equal(a, b)           bare_check((a) == (b))
#define assert_ptr_not_equal(a, b)       bare_check((a) != (b))
#define assert_string_equal(a, b)        bare_check(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b)    bare_check(strcmp((a), (b)) != 0)
#define assert_memory_equal(a, b, n)     bare_check(memcmp((a), (b), (n)) == 0)
#define assert_memory_not_equal(a, b, n) bare_check(memcmp((a), (b), (n)) != 0)
#define assert_int_equal(a, b)           bare_check((intmax_t)(a) == (intmax_t)(b))
#define assert_int_not_equal(a, b)       bare_check((intmax_t)(a) != (intmax_t)(b))
#define assert_in_range(v, low, high)                \
    bare_check((uintmax_t)(v) >= (uintmax_t)(low) && \
               (uintmax_t)(v) <= (uintmax_t)(high))

#endif /* TESTS_SUPPORT_BARE_CMOCKA_H */
