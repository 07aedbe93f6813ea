/* Moving a file where another process puts one of its own at the last moment: the calls that move
 * are those of this file, and the other process comes before each. */
#define _GNU_SOURCE
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

static const char *appears;      /* where; NULL: nobody comes */
static bool no_rename, no_links; /* as on some file systems */

static void come(void)
{
    const int fd =
        appears == NULL ? -1 : open(appears, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) {
        assert_int_equal(write(fd, "theirs", 6), 6);
        (void)close(fd);
    }
}

#ifdef SYS_renameat2
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    come();
    errno = EINVAL;
    return no_rename && flags != 0
               ? -1
               : (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    come();
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, 0);
}
#endif

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    come();
    errno = EPERM;
    return no_links ? -1 : (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
}

static void assert_content(const char *name, const char *want)
{
    char *data = NULL;
    size_t length = 0;
    assert_ok(jsni_file_read_in(support_folder, name, 1000, &data, &length));
    assert_string_equal(data, want);
    jsni_free(data);
}

static void put(const char *name, const char *text)
{
    assert_ok(jsni_file_write_in(support_folder, name, text, strlen(text)));
}

static void assert_there(const char *name, bool want)
{
    bool there = !want;
    assert_ok(jsni_file_find(support_folder, name, &there));
    assert_int_equal(there, want);
}

static void remove_name(const char *name)
{
    char *path = jsni_path_join(support_folder, name);
    (void)unlink(path);
    jsni_free(path);
}

static void test_a_file_that_appears_is_not_written_over(void **state)
{
    (void)state;
    bool taken = false;
    char *path = jsni_path_join(support_folder, "to.jpg");
    for (int way = 0; way < 2; way++) {
        no_rename = way > 0;
        put("from.jpg", "ours");
        appears = path;
        assert_fails(jsni_file_move(support_folder, "from.jpg", "to.jpg", &taken),
                     JSN_ERR_DATA, "to.jpg: this file exists already");
        appears = NULL;
        assert_true(taken);
        assert_content("from.jpg", "ours");
        assert_content("to.jpg", "theirs");
        remove_name("to.jpg");
        assert_ok(jsni_file_move(support_folder, "from.jpg", "to.jpg", &taken));
        assert_false(taken);
        assert_there("from.jpg", false);
        assert_content("to.jpg", "ours");
        remove_name("to.jpg");
    }
    jsni_free(path);
}

static void test_a_file_system_without_links_moves_as_well(void **state)
{
    (void)state;
    bool taken = false;
    no_rename = no_links = true;
    put("from.jpg", "ours");
    put("to.jpg", "theirs");
    assert_fails(jsni_file_move(support_folder, "from.jpg", "to.jpg", &taken),
                 JSN_ERR_DATA, "exists already");
    assert_true(taken);
    remove_name("to.jpg");
    assert_ok(jsni_file_move(support_folder, "from.jpg", "to.jpg", &taken));
    assert_there("from.jpg", false);
    assert_content("to.jpg", "ours");
    no_rename = no_links = false;
}

/* A move by links that was killed has left two names. */
static void test_the_second_half_of_a_move_is_done(void **state)
{
    (void)state;
    bool taken = false;
    char *from = jsni_path_join(support_folder, "half.jpg");
    char *to = jsni_path_join(support_folder, "whole.jpg");
    put("half.jpg", "ours");
    assert_int_equal(link(from, to), 0);
    assert_ok(jsni_file_move(support_folder, "half.jpg", "whole.jpg", &taken));
    assert_there("half.jpg", false);
    assert_content("whole.jpg", "ours");
    jsni_free(from);
    jsni_free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_that_appears_is_not_written_over),
        cmocka_unit_test(test_a_file_system_without_links_moves_as_well),
        cmocka_unit_test(test_the_second_half_of_a_move_is_done),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
