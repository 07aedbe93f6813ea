/* tests/support/bare/bare_cmocka.c - see cmocka.h beside it. */
#include "cmocka.h"

jmp_buf bare_cmocka_end;

enum { FAILED = 1, SKIPPED = 2 };

void bare_cmocka_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    longjmp(bare_cmocka_end, FAILED);
}

void bare_cmocka_skip(void)
{
    longjmp(bare_cmocka_end, SKIPPED);
}

void print_message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

void print_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

/* 0, FAILED or SKIPPED. */
static int run_one(const struct CMUnitTest *test, void *group_state)
{
    void *volatile state = group_state;
    const int ended = setjmp(bare_cmocka_end);
    if (ended)
        return ended;
    void *mine = state;
    if (test->setup && test->setup(&mine))
        return FAILED;
    test->test(&mine);
    return test->teardown && test->teardown(&mine) ? FAILED : 0;
}

int bare_cmocka_run(const char *name, const struct CMUnitTest *tests, size_t count,
                    CMFixtureFunction setup, CMFixtureFunction teardown)
{
    volatile int failed = 0;
    volatile int skipped = 0;
    void *state = NULL;
    if (setjmp(bare_cmocka_end) || (setup && setup(&state))) {
        printf("%s: the set-up failed\n", name);
        return (int)count;
    }
    for (size_t i = 0; i < count; i++) {
        const int result = run_one(&tests[i], state);
        printf("[%s] %s\n",
               result == FAILED    ? "  FAILED  "
               : result == SKIPPED ? "  SKIPPED "
                                   : "       OK ",
               tests[i].name);
        fflush(stdout);
        failed = failed + (result == FAILED);
        skipped = skipped + (result == SKIPPED);
    }
    if (teardown && !setjmp(bare_cmocka_end))
        (void)teardown(&state);
    printf("%s: %zu passed, %d failed, %d skipped\n", name,
           count - (size_t)(failed + skipped), failed, skipped);
    return failed;
}
