/* The rows of metrics.jsonl and metrics.csv, which are kept by who hears the events of a run:
 * added one by one they make the file that is written whole; half a row at the end is left
 * out, half a row elsewhere is a damaged file. Temporary files of killed processes go when
 * the folder is opened. */
#include "support/support.h"

#include <math.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/json.h"
#include "store/record_epoch.h"
#include "store/run_folder.h"
#include "store/run_rows.h"

/* Rows as the program of the first run folders wrote them. */
static const char *const lines[] = {
    "{\"epoch\":1,\"lr\":0.1,\"loss\":0.5,\"train_acc_true\":[0.1,0.2],"
    "\"train_acc_noisy\":[null,null],\"train_acc_all\":[0.1,0.2],"
    "\"label_true_share\":1,\"weight_norm2\":7.25,\"val_acc\":null,"
    "\"val_acc_noisy\":null,\"val_loss\":null,\"test_acc\":0.75,\"test_top5\":1,"
    "\"test_loss\":1.5,\"test_ece\":0.125,\"consistency\":null,"
    "\"consistency_true\":null,\"consistency_noisy\":null,"
    "\"images_per_second\":3566.6222643505503,\"seconds\":0.5,\"time\":1794822842}",
    "{\"epoch\":2,\"lr\":0.01,\"loss\":0.25,\"train_acc_true\":[0.3,0.4],"
    "\"train_acc_noisy\":[0.5,0],\"train_acc_all\":[0.3,0.4],"
    "\"label_true_share\":0.5,\"weight_norm2\":7.5,\"val_acc\":0.75,"
    "\"val_acc_noisy\":0.5,\"val_loss\":2,\"test_acc\":0.8,\"test_top5\":1,"
    "\"test_loss\":1,\"test_ece\":0.1,\"consistency\":0.9,"
    "\"consistency_true\":1,\"consistency_noisy\":0.8,"
    "\"images_per_second\":null,\"seconds\":1,\"time\":1794822843}"};
static const char csv[] =
    "epoch,lr,loss,train_acc_true_0,train_acc_true_1,train_acc_noisy_0,"
    "train_acc_noisy_1,train_acc_all_0,train_acc_all_1,label_true_share,weight_norm2,"
    "val_acc,val_acc_noisy,val_loss,test_acc,test_top5,test_loss,test_ece,consistency,"
    "consistency_true,consistency_noisy,images_per_second,seconds,time\n"
    "1,0.1,0.5,0.1,0.2,,,0.1,0.2,1,7.25,,,,0.75,1,1.5,0.125,,,,3566.6222643505503,"
    "0.5,1794822842\n"
    "2,0.01,0.25,0.3,0.4,0.5,0,0.3,0.4,0.5,7.5,0.75,0.5,2,0.8,1,1,0.1,0.9,1,0.8,,1,"
    "1794822843\n";

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
    char want[4000];
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

static jsn_epoch epoch_of(const char *line)
{
    jsni_json *row = NULL;
    jsn_epoch epoch;
    assert_ok(jsni_json_parse(&row, "row", line, strlen(line)));
    assert_ok(jsni_epoch_read(&epoch, row));
    jsni_json_destroy(row);
    return epoch;
}

static void tell_epoch(const jsni_run_folder *run, const jsn_epoch *epoch)
{
    const jsn_event event = {.size = sizeof event,
                             .kind = JSN_EVENT_EPOCH,
                             .run = run->path,
                             .epoch = epoch};
    assert_ok(jsni_run_rows_hear(NULL, &event));
}

static void tell_opened(const jsni_run_folder *run, const jsn_epoch *past, size_t count)
{
    const jsn_opened opened = {
        .size = sizeof opened, .past = past, .past_count = count};
    const jsn_event event = {.size = sizeof event,
                             .kind = JSN_EVENT_OPENED,
                             .run = run->path,
                             .opened = &opened};
    assert_ok(jsni_run_rows_hear(NULL, &event));
}

static void test_a_record_has_the_numbers_of_its_row(void **state)
{
    (void)state;
    const jsn_epoch e = epoch_of(lines[1]);
    assert_int_equal(e.size, sizeof e);
    assert_int_equal(e.epoch, 2);
    assert_int_equal(e.views, 2);
    assert_close(e.train_acc_true[1], 0.4, 0.0, 0.0);
    assert_close(e.consistency_noisy, 0.8, 0.0, 0.0);
    assert_true(isnan(e.images_per_second));
    assert_close(jsni_epoch_number(&e, "train_acc_true"), 0.3, 0.0, 0.0);
    assert_close(jsni_epoch_number(&e, "val_acc_noisy"), 0.5, 0.0, 0.0);
    assert_true(isnan(jsni_epoch_number(&e, "test_acc_best")));
}

static void test_added_rows_make_the_file_that_is_written_whole(void **state)
{
    (void)state;
    jsni_run_folder run;
    const jsn_epoch epochs[] = {epoch_of(lines[0]), epoch_of(lines[1])};
    open_run(&run, "added");
    assert_ok(jsni_run_rows_sync(run.path)); /* nothing to sync yet */
    tell_opened(&run, NULL, 0);
    bool there = true;
    assert_ok(jsni_file_find(run.path, JSNI_RUN_METRICS, &there));
    assert_false(there);
    for (size_t i = 0; i < 2; i++)
        tell_epoch(&run, &epochs[i]);
    assert_ok(jsni_run_rows_sync(run.path));
    assert_both_files(&run);
    tell_opened(&run, epochs, 2);
    assert_both_files(&run);
    jsn_epoch *read = NULL;
    size_t count = 0;
    assert_ok(jsni_run_rows_read(run.path, &read, &count));
    assert_int_equal(count, 2);
    assert_close(read[1].test_ece, 0.1, 0.0, 0.0);
    jsni_free(read);
    jsni_run_folder_close(&run);
}

/* A run that continues from its first epoch makes the second row again. */
static void test_rows_behind_the_checkpoint_are_dropped(void **state)
{
    (void)state;
    jsni_run_folder run;
    const jsn_epoch epochs[] = {epoch_of(lines[0]), epoch_of(lines[1])};
    open_run(&run, "again");
    for (size_t i = 0; i < 2; i++)
        tell_epoch(&run, &epochs[i]);
    tell_opened(&run, epochs, 1);
    tell_epoch(&run, &epochs[1]);
    assert_both_files(&run);
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
    jsn_epoch *rows = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_ok(jsni_run_write(&run, JSNI_RUN_METRICS, files[i].text,
                                 strlen(files[i].text)));
        assert_ok(jsni_run_rows_read(run.path, &rows, &count));
        assert_int_equal(count, files[i].count);
        jsni_free(rows);
    }
    static const char *const damaged[] = {
        "{\"ep\n{\"epoch\":2}\n",
        "{\"ep\n",
        "[1]\n",
        "[1]",
        "{\"val_acc\":7}\n",
        "{\"loss\":\"x\"}\n",
        "{\"train_acc_all\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}\n"};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        assert_ok(
            jsni_run_write(&run, JSNI_RUN_METRICS, damaged[i], strlen(damaged[i])));
        assert_fails(jsni_run_rows_read(run.path, &rows, &count), JSN_ERR_DATA,
                     "metrics.jsonl:1:");
        assert_null(rows);
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
        cmocka_unit_test(test_a_record_has_the_numbers_of_its_row),
        cmocka_unit_test(test_added_rows_make_the_file_that_is_written_whole),
        cmocka_unit_test(test_rows_behind_the_checkpoint_are_dropped),
        cmocka_unit_test(test_half_a_row_at_the_end_is_left_out),
        cmocka_unit_test(test_what_killed_processes_left_is_removed),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
