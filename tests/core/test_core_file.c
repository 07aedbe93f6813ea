/* Whole files in and out; failures leave the old content. Lines at the end. */
#define _GNU_SOURCE 1 /* renameat2 */
#include "support/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

static void assert_content(const char *path, const char *want)
{
    char *data = NULL;
    size_t length = 0;
    assert_ok(jsni_file_read(path, 1000, &data, &length));
    assert_int_equal(length, strlen(want));
    assert_string_equal(data, want);
    jsni_free(data);
}

static jsn_status replace(void *path)
{
    return jsni_file_write(path, "new", 3);
}

static void test_a_file_is_replaced_whole_or_not_at_all(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "a.txt");
    assert_ok(jsni_file_write(path, "old", 3));
    jsni_file_writer writer;
    assert_ok(jsni_file_begin(&writer, NULL, path));
    assert_ok(jsni_file_add(&writer, "half", 4));
    assert_content(path, "old");
    assert_int_equal(jsni_file_end(&writer, JSN_ERR_DATA), JSN_ERR_DATA);
    assert_content(path, "old");
    assert_false(jsni_folder_exists(path));
    assert_true(jsni_file_exists(path));
    support_walk_allocations(replace, path);
    assert_content(path, "new");
    assert_ok(jsni_file_write_unsynced(NULL, path, "newer", 5));
    assert_content(path, "newer");
    assert_fails(jsni_file_write_unsynced(NULL, "no/such/file", "x", 1), JSN_ERR_IO,
                 "no/such/file");
    jsni_free(path);
}

static void test_a_link_stays_and_the_file_behind_it_is_replaced(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "behind.txt");
    char *link = jsni_path_join(support_folder, "link.txt");
    assert_ok(jsni_file_write(path, "old", 3));
    assert_int_equal(symlink("behind.txt", link), 0);
    support_walk_allocations(replace, link);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content(path, "new");
    jsni_free(link);
    jsni_free(path);
}

/* What is no file is no place for a new file: /dev/null must stay what it is. */
static void test_a_pipe_is_written_to_and_not_replaced(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_ok(jsni_file_write(path, "through", 7));
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    char got[16] = "";
    assert_int_equal(read(reader, got, sizeof got), 7);
    assert_string_equal(got, "through");
    assert_int_equal(close(reader), 0);
    jsni_free(path);
}

static void test_lines_are_added_at_the_end(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "lines.txt");
    assert_ok(jsni_file_append(NULL, path, "one\n", 4));
    assert_ok(jsni_file_append(NULL, path, "two\n", 4));
    assert_ok(jsni_file_sync(NULL, path));
    assert_content(path, "one\ntwo\n");
    jsni_free(path);
    assert_fails(jsni_file_append(NULL, "no/such/file", "x", 1), JSN_ERR_IO,
                 "no/such/file");
    assert_fails(jsni_file_append(NULL, "/dev/full", "x", 1), JSN_ERR_DATA,
                 "/dev/full");
    assert_fails(jsni_file_sync(NULL, "no/such/file"), JSN_ERR_IO, "no/such/file");
}

static void test_reading_refuses_what_is_not_a_file_of_fair_size(void **state)
{
    (void)state;
    char *data = NULL;
    size_t length = 0;
    char *path = jsni_path_join(support_folder, "b.txt");
    assert_ok(jsni_file_write(path, "0123456789", 10));
    assert_fails(jsni_file_read(path, 9, &data, &length), JSN_ERR_DATA, "limit of 9");
    assert_fails(jsni_file_read(support_folder, 9, &data, &length), JSN_ERR_DATA,
                 "regular");
    jsni_free(path);
    assert_fails(jsni_file_read("/dev/zero", 9, &data, &length), JSN_ERR_DATA,
                 "regular");
    assert_fails(jsni_file_read("no/such", 9, &data, &length), JSN_ERR_DATA, "no/such");
}

static void test_folders_are_made_with_their_parents(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "x/y/z");
    assert_ok(jsni_folder_create(path));
    assert_ok(jsni_folder_create(path));
    assert_true(jsni_folder_exists(path));
    char *file = jsni_path_join(path, "f");
    assert_ok(jsni_file_write(file, "", 0));
    assert_content(file, "");
    char *below = jsni_path_join(file, "g");
    assert_fails(jsni_folder_create(below), JSN_ERR_IO, "cannot be created");
    assert_fails(jsni_file_write(below, "", 0), JSN_ERR_IO, "cannot be written");
    jsni_free(below);
    jsni_free(file);
    jsni_free(path);
}

/* Looks at two files until it is told to stop; counts how often the older one is not there,
 * and how often both are one. */
typedef struct watch {
    const char *now, *before;
    atomic_bool stop;
    size_t missing, same;
} watch;

static void *look(void *user)
{
    watch *w = user;
    struct stat before, now;
    while (!atomic_load(&w->stop)) {
        const int fd = open(w->before, O_RDONLY); /* so that its number is taken */
        w->missing += fd < 0;
        if (fd >= 0 && fstat(fd, &before) == 0 && stat(w->now, &now) == 0)
            w->same += before.st_ino == now.st_ino;
        if (fd >= 0)
            (void)close(fd);
    }
    return NULL;
}

/* Whether the file system of the two files can exchange them. */
static bool can_exchange(const char *a, const char *b)
{
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
#else
    (void)a, (void)b;
    return false;
#endif
}

static void test_files_are_rotated_and_there_all_the_time(void **state)
{
    (void)state;
    enum { TIMES = 2000 };
    char *fresh = jsni_path_join(support_folder, "fresh");
    char *now = jsni_path_join(support_folder, "now");
    char *before = jsni_path_join(support_folder, "before");
    char text[32], last[32] = "0";
    assert_ok(jsni_file_write(fresh, last, 1));
    assert_ok(jsni_file_rotate(support_folder, "fresh", "now", "before"));
    assert_content(now, "0");
    assert_false(jsni_file_exists(before));
    assert_ok(jsni_file_write(fresh, last, 1));
    assert_ok(jsni_file_rotate(support_folder, "fresh", "now", "before"));
    watch w = {.now = now, .before = before};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look, &w), 0);
    for (int i = 1; i <= TIMES; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        assert_ok(jsni_file_write(fresh, text, strlen(text)));
        assert_ok(jsni_file_rotate(support_folder, "fresh", "now", "before"));
        assert_content(now, text);
        assert_content(before, last);
        memcpy(last, text, sizeof last);
    }
    atomic_store(&w.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.missing, 0);
    if (can_exchange(now, before))
        assert_int_equal(w.same, 0);
    assert_false(jsni_file_exists(fresh));
    (void)remove(before);
    (void)remove(now);
    jsni_free(fresh);
    jsni_free(now);
    jsni_free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_is_replaced_whole_or_not_at_all),
        cmocka_unit_test(test_a_link_stays_and_the_file_behind_it_is_replaced),
        cmocka_unit_test(test_a_pipe_is_written_to_and_not_replaced),
        cmocka_unit_test(test_files_are_rotated_and_there_all_the_time),
        cmocka_unit_test(test_lines_are_added_at_the_end),
        cmocka_unit_test(test_reading_refuses_what_is_not_a_file_of_fair_size),
        cmocka_unit_test(test_folders_are_made_with_their_parents),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
