/* One setting against another, from run folders written by hand. All cells have five runs
 * at mean - 2, -1, 0, 1, 2 percent: the standard error of a difference is 1, so Student's
 * t is the difference itself, and 2.306 of 8 degrees of freedom is where bold ends. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "support/support.h"

#include <sys/stat.h>

#include "jensen/option.h"
#include "jensen/report.h"

enum { MOST = 64, SEEDS = 5 };

static char folder[512];
static char paths[MOST][640];
static const char *runs[MOST];
static size_t run_count;

static void put(const char *run, const char *name, const char *text)
{
    char path[700];
    (void)snprintf(path, sizeof path, "%s/%s", run, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Five runs around `mean` percent; `more` is a line of the settings, or "". */
static void put_cell(const char *loss, const char *noise, const char *more, double mean)
{
    char text[512];
    for (int seed = 1; seed <= SEEDS; seed++) {
        char *run = paths[run_count];
        (void)snprintf(run, sizeof paths[0], "%s/r%zu", folder, run_count);
        runs[run_count++] = run;
        assert_int_equal(mkdir(run, 0777), 0);
        (void)snprintf(text, sizeof text,
                       "data: d\nloss: \"%s\"\nnoise: \"%s\"\nepochs: 1\n%sseed: %d\n",
                       loss, noise, more, seed);
        put(run, "config.yaml", text);
        (void)snprintf(text, sizeof text, "{\"epoch\":1,\"test_acc\":%.17g}\n",
                       (mean + seed - 3) / 100);
        put(run, "metrics.jsonl", text);
        put(run, "result.json", text);
    }
}

static int begin(void **state)
{
    (void)state;
    run_count = 0;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    return 0;
}

static int end(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

static void assert_table(const char *pivot, const char *format, const char *want)
{
    char *text = NULL;
    assert_ok(jsn_report_table(runs, run_count, pivot, format, &text));
    if (strstr(text, want) == NULL)
        fail_msg("no\n%s\nin\n%s", want, text);
    jsn_text_release(text);
}

static void put_methods(void)
{
    put_cell("ce", "sym:rate=0.2", "", 77.695); /* t = 2.305: not told from gjs */
    put_cell("ce", "sym:rate=0.4", "", 60);
    put_cell("gjs", "sym:rate=0.2", "", 80);
    put_cell("gjs", "sym:rate=0.4", "", 70);
    put_cell("gce", "sym:rate=0.2", "", 77.69); /* t = 2.31 */
}

static void test_bold_ends_where_the_t_test_says(void **state)
{
    (void)state;
    put_methods();
    assert_table("loss:noise", "markdown",
                 "| loss | noise sym:rate=0.2 | noise sym:rate=0.4 |\n"
                 "|------|-------------------:|-------------------:|\n"
                 "| ce   |   **77.69 \xc2\xb1 1.58** |       60.00 \xc2\xb1 1.58 |\n"
                 "| gjs  |   **80.00 \xc2\xb1 1.58** |   **70.00 \xc2\xb1 1.58** |\n"
                 "| gce  |       77.69 \xc2\xb1 1.58 |                    |\n\n"
                 "Runs per cell: 5.\n");
    assert_table(
        "loss:noise", "latex",
        "gjs & $\\mathbf{80.00 \\pm 1.58}$ & $\\mathbf{70.00 \\pm 1.58}$ \\\\");
    assert_table("loss:noise", "latex", "\\cmidrule(lr){2-3}");
    assert_table("loss:noise", "csv",
                 "loss,noise sym:rate=0.2,noise sym:rate=0.2 deviation,");
    /* Rows and columns exchanged: the same cells, and the same of them bold. */
    assert_table(
        "noise:loss", "markdown",
        "| sym:rate=0.4 |     60.00 \xc2\xb1 1.58 | **70.00 \xc2\xb1 1.58** |");
}

static void test_what_differs_inside_a_cell_is_never_mixed(void **state)
{
    (void)state;
    put_cell("ce", "none", "lr: 0.1\nbatch: 8\n", 50);
    put_cell("ce", "none", "lr: 0.2\nbatch: 8\n", 60);
    put_cell("gjs", "none", "lr: 0.1\nbatch: 16\n", 70);
    assert_table("loss:noise", "csv",
                 "loss,lr,noise none,noise none deviation\nce,0.1,50,");
    assert_table("loss:noise", "csv", "\nce,0.2,60,");
    assert_table("loss:noise", "csv", "\ngjs,0.1,70,");
    assert_table("loss:noise", "markdown", "Cells differ in: batch.");
}

static void test_labels_of_files_compete_column_by_column(void **state)
{
    (void)state;
    put_cell("ce", "file:n.csv,column=worse", "", 50);
    put_cell("gjs", "file:n.csv,column=worse", "", 60);
    put_cell("ce", "file:n.csv,column=aggregate", "", 80);
    put_cell("gjs", "file:n.csv,column=aggregate", "", 90);
    assert_table("loss:noise", "latex",
                 "gjs & $\\mathbf{60.00 \\pm 1.58}$ & $\\mathbf{90.00 \\pm 1.58}$");
}

/* Spellings of one loss are one row, under the longest: runs of the same seeds repeat each
 * other, those of other losses stay apart, and so do texts that are no loss here. */
static void test_spellings_of_a_loss_are_one(void **state)
{
    (void)state;
    put_cell("gjs", "sym:rate=0.2", "", 80);
    put_cell("gjs:pi1=0.5", "sym:rate=0.4", "", 70);
    put_cell("gjs:pi1=.5,scale=1", "sym:rate=0.4", "", 70);
    put_cell("gjs:pi1=0.3", "sym:rate=0.4", "", 60);
    put_cell("own:a=1", "sym:rate=0.4", "", 50);
    put_cell("own", "sym:rate=0.4", "", 40);
    assert_table("loss:noise", "markdown",
                 "| gjs:pi1=.5,scale=1 |       80.00 \xc2\xb1 1.58 |"
                 "   **70.00 \xc2\xb1 1.58** |\n"
                 "| gjs:pi1=0.3        |                    |"
                 "       60.00 \xc2\xb1 1.58 |\n"
                 "| own:a=1            |                    |"
                 "       50.00 \xc2\xb1 1.58 |\n"
                 "| own                |                    |"
                 "       40.00 \xc2\xb1 1.58 |\n");
    char *text = NULL;
    assert_ok(jsn_report_table(runs, run_count, NULL, "csv", &text));
    assert_non_null(strstr(text, "gjs:pi1=.5,scale=1"));
    assert_null(strstr(text, "\ngjs,"));
    assert_null(strstr(text, "gjs:pi1=0.5"));
    jsn_text_release(text);
}

static void test_an_unfinished_cell_is_marked_and_not_bold(void **state)
{
    (void)state;
    char path[700];
    put_methods();
    (void)snprintf(path, sizeof path, "%s/result.json",
                   paths[3 * SEEDS]); /* gjs, 0.4 */
    assert_int_equal(remove(path), 0);
    assert_table("loss:noise", "markdown",
                 "| gjs  |   **80.00 \xc2\xb1 1.58** |"
                 "     70.50 \xc2\xb1 1.29\\* |");
    assert_table(
        "loss:noise", "markdown",
        "Runs per cell: 4 to 5. Some runs of the cells marked \\* are unfinished.");
}

static void test_wrong_pivots_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      "loss",          ":noise",
                                        "loss:", "loss:noise:lr", "loss:loss"};
    char *text = NULL;
    put_cell("ce", "none", "", 50);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_fails(jsn_report_table(runs, run_count, wrong[i], "csv", &text),
                     JSN_ERR_ARGUMENT, "two settings, such as loss:noise");
    assert_fails(jsn_report_table(runs, run_count, "loss:nois", "csv", &text),
                 JSN_ERR_UNKNOWN_NAME, "did you mean 'noise'?");
    assert_fails(jsn_report_table(runs, run_count, "loss:seed", "csv", &text),
                 JSN_ERR_ARGUMENT, "'seed' are one cell");
    assert_fails(jsn_report_table(runs, run_count, "loss:noise", "xml", &text),
                 JSN_ERR_UNKNOWN_NAME, "xml");
    for (size_t i = 0; i < run_count; i++)
        put(runs[i], "result.json", "{\"seconds\":1}");
    assert_fails(jsn_report_table(runs, run_count, "loss:noise", "csv", &text),
                 JSN_ERR_ARGUMENT, "no run has a test accuracy");
    assert_null(text);
}

static jsn_status make_table(void *user)
{
    char *text = NULL;
    (void)user;
    const jsn_status status =
        jsn_report_table(runs, run_count, "loss:noise", "latex", &text);
    jsn_text_release(text);
    return status;
}

static void test_lack_of_memory_is_reported(void **state)
{
    (void)state;
    put_cell("ce", "none", "lr: 0.1\n", 50);
    put_cell("ce", "none", "lr: 0.2\n", 60);
    put_cell("gjs", "none", "loss-noisy: gjs\n", 70);
    put_cell("gjs:pi1=0.5", "none", "loss-noisy: ce\n", 70);
    support_walk_allocations(make_table, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_bold_ends_where_the_t_test_says),
        TEST(test_what_differs_inside_a_cell_is_never_mixed),
        TEST(test_labels_of_files_compete_column_by_column),
        TEST(test_spellings_of_a_loss_are_one),
        TEST(test_an_unfinished_cell_is_marked_and_not_bold),
        TEST(test_wrong_pivots_are_refused),
        TEST(test_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
