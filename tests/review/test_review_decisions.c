/* decisions.csv: rows of several writers, what a kill leaves, which decision counts. */
#define _POSIX_C_SOURCE 200809L
#include "review/decisions.h"

#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/file_log.h"
#include "review/review_impl.h"
#include "support/support.h"

enum { CELLS = JSNI_DECISIONS_CELLS };

static void put(const char *text)
{
    assert_ok(
        jsni_file_write_in(support_folder, JSNI_AUDIT_DECISIONS, text, strlen(text)));
}

static void assert_file(const char *want)
{
    char *text = NULL;
    size_t length = 0;
    assert_ok(
        jsni_file_read_in(support_folder, JSNI_AUDIT_DECISIONS, 10000, &text, &length));
    assert_string_equal(text, want);
    jsni_free(text);
}

static void test_whole_rows_end_outside_of_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t whole;
    } cases[] = {{"", 0},
                 {"a,b,c,d\n", 8},
                 {"a,b,c,d\na,b", 8},
                 {"a,b,c,d\na,b,c,", 14},     /* all cells, no end: a row */
                 {"a,b,c,d\n\"a\n,,,", 8},    /* inside quotes */
                 {"a,b,c,d\n\"a\n\",b,c", 8}, /* a cell is missing */
                 {"\"a\n\",b,c,d\nx", 11}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            jsni_file_log_whole(cases[i].text, strlen(cases[i].text), CELLS),
            cases[i].whole);
}

static void test_two_writers_see_each_other(void **state)
{
    (void)state;
    jsni_file_log one, two;
    jsni_text news = {0};
    put("");
    assert_ok(jsni_file_log_open(&one, support_folder, JSNI_AUDIT_DECISIONS, CELLS));
    assert_ok(jsni_file_log_open(&two, support_folder, JSNI_AUDIT_DECISIONS, CELLS));
    assert_ok(jsni_file_log_lock(&one, &news));
    assert_int_equal(news.length, 0);
    assert_ok(jsni_file_log_add(&one, "1,,,\n", 5));
    jsni_file_log_unlock(&one);
    assert_ok(jsni_file_log_lock(&two, &news));
    assert_string_equal(news.data, "1,,,\n");
    assert_ok(jsni_file_log_add(&two, "2,,,\n", 5));
    jsni_file_log_unlock(&two);
    jsni_text_release(&news);
    assert_ok(jsni_file_log_lock(&one, &news));
    assert_string_equal(news.data, "2,,,\n");
    jsni_file_log_unlock(&one);
    jsni_text_release(&news);
    assert_file("1,,,\n2,,,\n");
    jsni_file_log_close(&one);
    jsni_file_log_close(&two);
}

/* Opens, takes the rows, adds one. */
static void assert_goes_on(const char *before, const char *rows, const char *after)
{
    jsni_file_log log;
    jsni_text news = {0};
    put(before);
    assert_ok(jsni_file_log_open(&log, support_folder, JSNI_AUDIT_DECISIONS, CELLS));
    assert_ok(jsni_file_log_lock(&log, &news));
    assert_string_equal(news.data, rows);
    assert_ok(jsni_file_log_add(&log, "new,,,\n", 7));
    jsni_file_log_unlock(&log);
    jsni_file_log_close(&log);
    jsni_text_release(&news);
    assert_file(after);
}

static void test_half_a_row_is_cut_off_and_one_without_end_is_ended(void **state)
{
    (void)state;
    assert_goes_on("a,,,\nb,ke", "a,,,\n", "a,,,\nnew,,,\n");
    assert_goes_on("a,,,\n\"b\n", "a,,,\n", "a,,,\nnew,,,\n");
    assert_goes_on("a,,,\nb,,,1", "a,,,\nb,,,1\n", "a,,,\nb,,,1\nnew,,,\n");
}

static void test_a_log_that_became_shorter_or_is_a_link_is_refused(void **state)
{
    (void)state;
    jsni_file_log log;
    jsni_text news = {0};
    put("a,,,\n");
    assert_ok(jsni_file_log_open(&log, support_folder, JSNI_AUDIT_DECISIONS, CELLS));
    assert_ok(jsni_file_log_lock(&log, &news));
    jsni_file_log_unlock(&log);
    jsni_text_release(&news);
    char *path = jsni_path_join(support_folder, JSNI_AUDIT_DECISIONS);
    assert_int_equal(truncate(path, 2), 0);
    assert_fails(jsni_file_log_lock(&log, &news), JSN_ERR_DATA, "became shorter");
    jsni_file_log_close(&log);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_fails(jsni_file_log_open(&log, support_folder, JSNI_AUDIT_DECISIONS, CELLS),
                 JSN_ERR_DATA, "symbolic link");
    assert_int_equal(unlink(path), 0);
    jsni_free(path);
}

static jsn_status read_them(void *user)
{
    jsni_decisions made;
    (void)user;
    const jsn_status status = jsni_decisions_read(&made, support_folder);
    jsni_decisions_release(&made);
    return status;
}

static void test_the_last_decision_counts(void **state)
{
    (void)state;
    jsni_decisions made;
    put("path,decision,label,time\nb,relabel,cat,1\na,keep,,2\nb,remove,,3\na,undo,,4\n"
        "c,relabel,dog,5\nc,undo,,6\nc,unsure,,7\nhalf,re");
    assert_ok(jsni_decisions_read(&made, support_folder));
    assert_int_equal(made.count, 2);
    assert_null(jsni_decisions_of(&made, "a"));
    assert_null(jsni_decisions_of(&made, "half"));
    assert_int_equal(jsni_decisions_of(&made, "b")->what, JSNI_DECISION_REMOVE);
    assert_int_equal(jsni_decisions_of(&made, "c")->what, JSNI_DECISION_UNSURE);
    jsni_decisions_release(&made);
    support_walk_allocations(read_them, NULL);
    put("path,decision,label,time\nb,maybe,,1\n");
    assert_fails(jsni_decisions_read(&made, support_folder), JSN_ERR_DATA,
                 "decisions.csv:2: no decision 'maybe'");
    put("");
    assert_ok(jsni_decisions_read(&made, support_folder));
    assert_int_equal(made.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_rows_end_outside_of_quotes),
        cmocka_unit_test(test_two_writers_see_each_other),
        cmocka_unit_test(test_half_a_row_is_cut_off_and_one_without_end_is_ended),
        cmocka_unit_test(test_a_log_that_became_shorter_or_is_a_link_is_refused),
        cmocka_unit_test(test_the_last_decision_counts),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
