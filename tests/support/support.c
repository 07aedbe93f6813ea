/* tests/support/support.c - see support.h. */
#define _XOPEN_SOURCE 700
#include "support/support.h"

#include <ftw.h>
#include <math.h>
#include <unistd.h>

#include "core/alloc.h"

void support_assert_fails(jsn_status got, jsn_status expected, const char *words,
                          const char *call, const char *file, int line)
{
    if (got != expected) {
        print_error("%s: got '%s' (%s), expected '%s'\n", call, jsn_status_text(got),
                    got == JSN_OK ? "" : jsn_last_error(), jsn_status_text(expected));
        _fail(file, line);
    }
    if (strstr(jsn_last_error(), words) == NULL) {
        print_error("%s: the sentence '%s' lacks '%s'\n", call, jsn_last_error(),
                    words);
        _fail(file, line);
    }
}

int support_close(double got, double want, double absolute, double relative)
{
    return fabs(got - want) <= absolute + relative * fabs(want);
}

void support_assert_close(double got, double want, double absolute, double relative,
                          const char *what, const char *file, int line)
{
    if (support_close(got, want, absolute, relative))
        return;
    print_error("%s: got %.17g, want %.17g (absolute %g, relative %g)\n", what, got,
                want, absolute, relative);
    _fail(file, line);
}

double support_worse(double worst, double error)
{
    return isnan(worst) || error <= worst ? worst : error;
}

void support_walk_allocations(jsn_status (*fn)(void *user), void *user)
{
    const size_t live = jsni_alloc_live();
    for (size_t n = 0;; n++) {
        jsni_alloc_fail_at(n);
        const jsn_status status = fn(user);
        const int injected = jsni_alloc_fail_off();
        if (jsni_alloc_live() != live)
            fail_msg("allocation %zu: %zu bytes leaked", n, jsni_alloc_live() - live);
        if (!injected) {
            if (status != JSN_OK)
                fail_msg("fails without an injected failure: %s", jsn_last_error());
            return;
        }
        if (status != JSN_ERR_MEMORY)
            fail_msg("allocation %zu failed, yet the call returned '%s'", n,
                     jsn_status_text(status));
    }
}

const char *support_temporary_folder(void)
{
    static char path[256];
    const char *base = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%s/jensen-test-XXXXXX",
                   base == NULL ? "/tmp" : base);
    if (mkdtemp(path) == NULL)
        fail_msg("no temporary folder below %s", base == NULL ? "/tmp" : base);
    return path;
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void support_remove_folder(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

char support_folder[256];

int support_folder_begin(void **state)
{
    (void)state;
    (void)snprintf(support_folder, sizeof support_folder, "%s",
                   support_temporary_folder());
    return 0;
}

int support_folder_end(void **state)
{
    (void)state;
    support_remove_folder(support_folder);
    return 0;
}

const char *support_shared(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", JSN_TEST_SHARED, name);
    if (access(path, R_OK) == 0)
        return path;
    printf("[  SKIPPED ] ../shared/%s is not here\n", name);
    return NULL;
}
