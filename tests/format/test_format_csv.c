/* CSV after RFC 4180, and compressed files. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/file.h"
#include "format/compressed.h"
#include "format/csv_match.h"
#include "jensen/limit.h"
#include "jensen/version.h"

static jsn_status parse(jsni_csv **csv, const char *text)
{
    return jsni_csv_parse(csv, "t.csv", text, strlen(text), ',');
}

static void test_cells_come_out_unquoted(void **state)
{
    (void)state;
    jsni_csv *csv = NULL;
    size_t column = 9;
    assert_ok(parse(&csv, "path,given,note\r\n"
                          "a.png,3,\r\n"
                          "\"b,c.png\",-4,\"he said \"\"no\"\"\r\nand left\"\r\n"
                          "\"\",5,\" x \"\r\n\r\n"));
    assert_int_equal(jsni_csv_rows(csv), 3);
    assert_int_equal(jsni_csv_columns(csv), 3);
    assert_string_equal(jsni_csv_column_name(csv, 1), "given");
    assert_string_equal(jsni_csv_cell(csv, 0, 0), "a.png");
    assert_string_equal(jsni_csv_cell(csv, 0, 2), "");
    assert_string_equal(jsni_csv_cell(csv, 1, 0), "b,c.png");
    assert_string_equal(jsni_csv_cell(csv, 1, 2), "he said \"no\"\r\nand left");
    assert_string_equal(jsni_csv_cell(csv, 2, 0), "");
    assert_string_equal(jsni_csv_cell(csv, 2, 2), " x ");
    assert_int_equal(jsni_csv_line(csv, 1), 3);
    assert_int_equal(jsni_csv_line(csv, 2), 5);
    assert_ok(jsni_csv_find(csv, "note", &column));
    assert_int_equal(column, 2);
    assert_false(jsni_csv_has(csv, "Note", &column));
    int64_t whole = 0;
    double real = 0;
    assert_ok(jsni_csv_int(csv, 1, 1, &whole));
    assert_ok(jsni_csv_real(csv, 2, 1, &real));
    assert_true(whole == -4 && real == 5.0);
    assert_fails(jsni_csv_int(csv, 1, 0, &whole), JSN_ERR_DATA,
                 "t.csv:3: column 'path' is 'b,c.png', not a whole number");
    assert_fails(jsni_csv_real(csv, 0, 2, &real), JSN_ERR_DATA, "not a number");
    assert_fails(jsni_csv_find(csv, "true", &column), JSN_ERR_DATA,
                 "no column 'true' (there are: path, given, note)");
    jsni_csv_destroy(csv);
    assert_ok(jsni_csv_parse(&csv, "t.tsv",
                             "\xef\xbb\xbf"
                             "a\tb\n1,5\t2",
                             12, '\t'));
    assert_string_equal(jsni_csv_column_name(csv, 0), "a");
    assert_string_equal(jsni_csv_cell(csv, 0, 0), "1,5");
    jsni_csv_destroy(csv);
    assert_ok(parse(&csv, "a,b\n1,"));
    assert_string_equal(jsni_csv_cell(csv, 0, 1), "");
    jsni_csv_destroy(csv);
    assert_ok(parse(&csv, "a\n\nx\n"));
    assert_int_equal(jsni_csv_rows(csv), 2);
    assert_string_equal(jsni_csv_cell(csv, 0, 0), "");
    jsni_csv_destroy(csv);
}

static void test_bad_tables_are_refused_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } bad[] = {
        {"", "no header"},
        {"\n\n", "no header"},
        {"a,b\n1\n", "t.csv:2: 1 cell, the header has 2"},
        {"a,b\n1,2\n1,2,3\n", "t.csv:3: 3 cells"},
        {"a,b\n1,2\n\n3,4\n", "t.csv:3: 1 cell"},
        {"a,a\n", "two columns are named 'a'"},
        {"a\nx\"y\n", "t.csv:2: a quote inside"},
        {"a\n\"x\"y\n", "t.csv:2: text after"},
        {"a\n1\n\"x\ny\n", "t.csv:3: a cell without"},
        {"a\nx\ry\n", "t.csv:2: a carriage return"},
        {"a\nx\r\r\n", "t.csv:2: a carriage return"},
        {"a\nx\n\r\r\r", "t.csv:3: a carriage return"},
    };
    jsni_csv *csv = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_fails(parse(&csv, bad[i].text), JSN_ERR_DATA, bad[i].words);
        assert_null(csv);
    }
    assert_fails(jsni_csv_parse(&csv, "n", "a\0b", 3, ','), JSN_ERR_DATA, "NUL");
    char wide[2 * JSNI_CSV_MAX_COLUMNS + 2];
    memset(wide, ',', sizeof wide);
    wide[sizeof wide - 1] = '\0';
    assert_fails(parse(&csv, wide), JSN_ERR_DATA, "too many");
    assert_fails(jsni_csv_read(&csv, "no/such.csv"), JSN_ERR_DATA, "no/such.csv");
}

static const char sample[] = "a,\"b \"\"q\"\"\",c\r\n1,\"x\ny\",\r\n\"\",2,3\n";

static void test_every_truncation_and_bit_flip_is_survived(void **state)
{
    (void)state;
    const size_t length = strlen(sample);
    for (size_t n = 0; n <= length; n++)
        for (size_t bit = 0; bit <= n * 8; bit++) {
            jsni_csv *csv = NULL;
            char *copy = jsni_alloc(n, 1);
            memcpy(copy, sample, n);
            if (bit < n * 8)
                copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
            const jsn_status status = jsni_csv_parse(&csv, "t", copy, n, ',');
            assert_true(status == JSN_OK || status == JSN_ERR_DATA);
            jsni_free(copy);
            jsni_csv_destroy(csv);
        }
}

static jsn_status parse_sample(void *unused)
{
    (void)unused;
    jsni_csv *csv = NULL;
    const jsn_status status = parse(&csv, sample);
    jsni_csv_destroy(csv);
    return status;
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    support_walk_allocations(parse_sample, NULL);
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    static const char *const cells[] = {"a",  "",   "x,y",  "q\"q\"", "l\nm",
                                        "\r", " s", "end ", "\"",     "plain text"};
    enum { COUNT = sizeof cells / sizeof cells[0] };
    jsni_csv_writer w = {0};
    jsni_csv *csv = NULL;
    char *text = NULL, name[16];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(name, sizeof name, "c%d", i);
        jsni_csv_add(&w, name);
    }
    jsni_csv_end_row(&w);
    for (int shift = 0; shift < COUNT; shift++) {
        for (int i = 0; i < COUNT; i++)
            jsni_csv_add(&w, cells[(i + shift) % COUNT]);
        jsni_csv_end_row(&w);
    }
    assert_ok(jsni_text_take(&w.text, &text));
    assert_ok(parse(&csv, text));
    for (int shift = 0; shift < COUNT; shift++)
        for (int i = 0; i < COUNT; i++)
            assert_string_equal(jsni_csv_cell(csv, (size_t)shift, (size_t)i),
                                cells[(i + shift) % COUNT]);
    jsni_csv_destroy(csv);
    jsni_free(text);
    jsni_csv_add_int(&w, -7);
    jsni_csv_add_real(&w, 0.1);
    jsni_csv_add_real(&w, NAN);
    jsni_csv_add_real(&w, -INFINITY);
    jsni_csv_end_row(&w);
    assert_ok(jsni_text_take(&w.text, &text));
    assert_string_equal(text, "-7,0.1,nan,-inf\n");
    jsni_free(text);
}

/* printf 'a,b\n1,2\n' | gzip -n9 */
static const unsigned char gz[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4, 0x49, 0xe2,
    0x32, 0xd4, 0x31, 0xe2, 0x02, 0x00, 0x7b, 0x07, 0x97, 0x0a, 0x08, 0x00, 0x00, 0x00};

static bool with_archive(void)
{
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++)
        if (strcmp(jsn_feature_describe(i)->name, "libarchive") == 0)
            return jsn_feature_describe(i)->version[0] != '\0';
    return false;
}

static void test_compressed_files_are_read_or_refused(void **state)
{
    (void)state;
    char path[300], *data = NULL;
    size_t length = 0;
    const char *folder = support_temporary_folder();
    jsni_csv *csv = NULL;
    (void)snprintf(path, sizeof path, "%s/t.csv.gz", folder);
    assert_ok(jsni_file_write(path, gz, sizeof gz));
    if (with_archive()) {
        assert_ok(jsni_csv_read(&csv, path));
        assert_string_equal(jsni_csv_cell(csv, 0, 1), "2");
        jsni_csv_destroy(csv);
        assert_ok(jsn_limit_set("file=7"));
        assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA,
                     "t.csv.gz: more than 7 bytes; --limit file=N raises this limit");
        assert_ok(jsn_limit_set("file=100"));
        for (size_t n = 3; n < sizeof gz - 8; n++) {
            assert_ok(jsni_file_write(path, gz, n));
            assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA,
                         "cannot be decompressed");
        }
    } else {
        assert_fails(jsni_csv_read(&csv, path), JSN_ERR_UNSUPPORTED, "libarchive");
    }
    assert_ok(jsni_file_write(path, "plain", 5));
    assert_ok(jsni_file_read_any(path, &data, &length));
    assert_string_equal(data, "plain");
    jsni_free(data);
    assert_ok(jsni_file_write(path, "0123456", 7));
    assert_ok(jsn_limit_set("file=6"));
    assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA, "file=N");
    assert_ok(jsn_limit_set("file=1GiB"));
    assert_int_equal(jsni_compression_of("BZhang,b\n1,2", 12), JSNI_COMPRESSION_NONE);
    assert_int_equal(jsni_compression_of("BZh91AY&SY..", 12), JSNI_COMPRESSION_BZIP2);
    assert_int_equal(jsni_compression_of("\xfd", 1), JSNI_COMPRESSION_NONE);
    support_remove_folder(folder);
}

static void test_a_bomb_stops_at_the_limit(void **state)
{
    (void)state;
    const char *path = JSN_TEST_GOLDEN "/format/zeros.xz"; /* 64 MiB of zeros */
    char *data = NULL;
    size_t length = 0;
    if (!with_archive())
        skip();
    assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA,
                 "more than 100 times its size when expanded; --limit ratio=N");
    assert_ok(jsn_limit_set("ratio=1e6,file=1MiB"));
    assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA,
                 "more than 1048576 bytes; --limit file=N");
    assert_ok(jsn_limit_set("file=64MiB"));
    assert_ok(jsni_file_read_any(path, &data, &length));
    assert_int_equal(length, (size_t)64 << 20);
    jsni_free(data);
    assert_ok(jsn_limit_set("ratio=1e6,file=1GiB,archive=1MiB"));
    assert_fails(jsni_file_read_any(path, &data, &length), JSN_ERR_DATA,
                 "--limit archive=N");
    assert_ok(jsn_limit_set("ratio=100,archive=1TiB"));
}

static void test_real_label_files_are_read(void **state)
{
    (void)state;
    jsni_csv *csv = NULL;
    const char *path = support_shared("data/cifar10n.csv.xz");
    if (path == NULL || !with_archive())
        skip();
    assert_ok(jsni_csv_read(&csv, path));
    assert_int_equal(jsni_csv_rows(csv), 50000);
    jsni_csv_destroy(csv);
}

static void test_names_find_their_rows(void **state)
{
    (void)state;
    jsni_csv *csv = NULL;
    static const char *const names[] = {"b", "a", "none", "b", "b", ""};
    static const size_t want[] = {0, 1, JSNI_NO_ROW, 3, 3, JSNI_NO_ROW};
    size_t rows[6];
    assert_ok(parse(&csv, "n,path\n1,b\n2,a\n3,c\n4,b\n"));
    assert_ok(jsni_csv_match(csv, 1, names, 6, rows));
    assert_memory_equal(rows, want, sizeof rows);
    jsni_csv_destroy(csv);
    assert_ok(parse(&csv, "path\n"));
    assert_ok(jsni_csv_match(csv, 0, names, 6, rows));
    assert_true(rows[0] == JSNI_NO_ROW);
    jsni_csv_destroy(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_come_out_unquoted),
        cmocka_unit_test(test_bad_tables_are_refused_with_the_line),
        cmocka_unit_test(test_every_truncation_and_bit_flip_is_survived),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_compressed_files_are_read_or_refused),
        cmocka_unit_test(test_a_bomb_stops_at_the_limit),
        cmocka_unit_test(test_real_label_files_are_read),
        cmocka_unit_test(test_names_find_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
