/* tests/store/test_store_folder.c - who holds a run folder, and what is left of one in
 * which nothing was done. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "core/file.h"
#include "store/run_folder.h"
#include "support/support.h"

static const char *below(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", support_folder, name);
    return path;
}

static bool exists(const char *name)
{
    return access(below(name), F_OK) == 0;
}

static void test_a_run_that_never_began_leaves_nothing(void **state)
{
    (void)state;
    jsni_run_folder run;
    assert_ok(jsni_run_folder_open(&run, below("new/deep/run")));
    assert_true(exists("new/deep/run/.lock"));
    jsni_run_log(&run, "said before it failed");
    jsni_run_folder_close(&run);
    assert_false(exists("new"));
    /* With a slash at its end, and beside somebody else's. */
    assert_ok(jsni_folder_create(below("runs/other")));
    assert_ok(jsni_run_folder_open(&run, below("runs/run/")));
    jsni_run_folder_close(&run);
    assert_false(exists("runs/run"));
    assert_true(exists("runs/other"));
}

static void test_what_was_there_before_stays(void **state)
{
    (void)state;
    jsni_run_folder run;
    assert_ok(jsni_folder_create(below("mine")));
    assert_ok(jsni_file_write(below("mine/log.txt"), "x", 1));
    assert_ok(jsni_run_folder_open(&run, below("mine")));
    jsni_run_folder_close(&run);
    assert_true(exists("mine/log.txt"));
    assert_false(exists("mine/.lock"));
}

static void test_a_run_that_began_stays(void **state)
{
    (void)state;
    jsni_run_folder run;
    assert_ok(jsni_run_folder_open(&run, below("begun/run")));
    assert_ok(jsni_run_write(&run, JSNI_RUN_CONFIG, "a: 1\n", 5));
    jsni_run_folder_close(&run);
    assert_true(exists("begun/run/config.yaml"));
    assert_true(exists("begun/run/.lock"));
}

static void test_one_holds_a_folder_at_a_time(void **state)
{
    (void)state;
    jsni_run_folder first, second;
    assert_ok(jsni_run_folder_open(&first, below("held")));
    assert_fails(jsni_run_folder_open(&second, below("held")), JSN_ERR_BUSY,
                 "another process");
    assert_true(exists("held/.lock")); /* not the second one's to remove */
    assert_fails(jsni_run_folder_open(&second, below("held")), JSN_ERR_BUSY,
                 "another process");
    jsni_run_folder_close(&first);
    assert_false(exists("held"));
    assert_ok(jsni_run_folder_open(&second, below("held")));
    jsni_run_folder_close(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_that_never_began_leaves_nothing),
        cmocka_unit_test(test_what_was_there_before_stays),
        cmocka_unit_test(test_a_run_that_began_stays),
        cmocka_unit_test(test_one_holds_a_folder_at_a_time),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
