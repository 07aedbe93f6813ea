/* The rows of metrics.jsonl: added one by one they make the file that is written whole; half
 * a row at the end is left out, half a row elsewhere is a damaged file. Temporary files of
 * killed processes go when the folder is opened. */
#include "support/support.h"

#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "store/run_folder.h"

static const char *const lines[] = {
    "{\"epoch\":1,\"loss\":0.5,\"train_acc\":[0.1,0.2],\"val_acc\":null}",
    "{\"epoch\":2,\"loss\":0.25,\"train_acc\":[0.3,0.4],\"val_acc\":0.75}"};
static const char csv[] = "epoch,loss,train_acc_0,train_acc_1,val_acc\n"
                          "1,0.5,0.1,0.2,\n"
                          "2,0.25,0.3,0.4,0.75\n";

static char *content(const jsni_run_folder *run, const char *name)
{
    char *path = jsni_run_file(run, name), *data = NULL;
    size_t length = 0;
    assert_ok(jsni_file_read(path, 10000, &data, &length));
    jsni_free(path);
    return data;
}

static void assert_both_files(const jsni_run_folder *run)
{
    char want[400];
    (void)snprintf(want, sizeof want, "%s\n%s\n", lines[0], lines[1]);
    char *rows = content(run, JSNI_RUN_METRICS);
    char *table = content(run, JSNI_RUN_METRICS_CSV);
    assert_string_equal(rows, want);
    assert_string_equal(table, csv);
    jsni_free(rows);
    jsni_free(table);
}

static void open_run(jsni_run_folder *run, const char *name)
{
    char *path = jsni_path_join(support_folder, name);
    assert_ok(jsni_run_folder_open(run, path));
    jsni_free(path);
}

static void test_added_rows_make_the_file_that_is_written_whole(void **state)
{
    (void)state;
    jsni_run_folder run;
    jsni_run_rows rows = {0};
    open_run(&run, "added");
    assert_ok(jsni_run_rows_sync(&run)); /* nothing to sync yet */
    for (size_t i = 0; i < 2; i++) {
        assert_ok(jsni_run_rows_add(&rows, lines[i]));
        assert_ok(jsni_run_rows_append(&rows, &run));
    }
    assert_ok(jsni_run_rows_sync(&run));
    assert_both_files(&run);
    assert_ok(jsni_run_rows_write(&rows, &run));
    assert_both_files(&run);
    jsni_run_rows_release(&rows);
    jsni_run_folder_close(&run);
}

static void test_half_a_row_at_the_end_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
    } files[] = {{"", 0},
                 {"{\"epoch\":1}\n", 1},
                 {"{\"epoch\":1}", 1},
                 {"{\"epoch\":1}\n{\"ep", 1},
                 {"{\"ep", 0}};
    jsni_run_folder run;
    open_run(&run, "cut");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        jsni_run_rows rows = {0};
        assert_ok(jsni_run_write(&run, JSNI_RUN_METRICS, files[i].text,
                                 strlen(files[i].text)));
        assert_ok(jsni_run_rows_read(&rows, run.path));
        assert_int_equal(rows.count, files[i].count);
        jsni_run_rows_release(&rows);
    }
    static const char *const damaged[] = {"{\"ep\n{\"epoch\":2}\n", "{\"ep\n", "[1]\n",
                                          "[1]"};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        jsni_run_rows rows = {0};
        assert_ok(
            jsni_run_write(&run, JSNI_RUN_METRICS, damaged[i], strlen(damaged[i])));
        assert_fails(jsni_run_rows_read(&rows, run.path), JSN_ERR_DATA,
                     "metrics.jsonl:1:");
        assert_null(rows.lines);
    }
    jsni_run_folder_close(&run);
}

/* Temporary files of writers that are gone, also below; nobody else's, and not those of a
 * writer that is at work. */
static void test_what_killed_processes_left_is_removed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool stays;
    } files[] = {
        {"jensen-0123456789abcdef.tmp", false},
        {"doubtful/jensen-fedcba9876543210.tmp", false},
        {"jensen-0123456789abcde.tmp", true},
        {"jensen-0123456789abcdefa.tmp", true},
        {"jensen-0123456789ABCDEF.tmp", true},
        {"jensen-0123456789abcdef.tmp.txt", true},
        {"my-jensen-0123456789abcdef.tmp", true},
        {"notes.tmp", true},
        {"checkpoint.new", true},
    };
    jsni_run_folder run;
    jsni_file_writer writer;
    open_run(&run, "left");
    assert_ok(jsni_folder_create_in(run.path, "doubtful"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_ok(jsni_run_write(&run, files[i].name, "x", 1));
    jsni_run_folder_close(&run);
    char *folder = jsni_path_join(support_folder, "left");
    assert_ok(jsni_file_begin(&writer, folder, "report.html"));
    open_run(&run, "left");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bool there = false;
        assert_ok(jsni_file_find(run.path, files[i].name, &there));
        assert_int_equal(there, files[i].stays);
    }
    assert_ok(jsni_file_add(&writer, "page", 4));
    assert_ok(jsni_file_end(&writer, JSN_OK));
    bool there = false;
    assert_ok(jsni_file_find(run.path, "report.html", &there));
    assert_true(there);
    jsni_free(folder);
    jsni_run_folder_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_rows_make_the_file_that_is_written_whole),
        cmocka_unit_test(test_half_a_row_at_the_end_is_left_out),
        cmocka_unit_test(test_what_killed_processes_left_is_removed),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
