/* Reports from run folders written by hand: the numbers that a page and a table must
 * show, folders with less in them, damaged ones, and lack of memory. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "support/support.h"

#include <sys/stat.h>

#include "core/text.h"
#include "jensen/option.h"
#include "jensen/report.h"
#include "report/run_page.h"

static char folder[512];

static const char *below(const char *name)
{
    static char path[4][1200];
    static int turn;
    turn = (turn + 1) % 4;
    (void)snprintf(path[turn], sizeof path[0], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *run, const char *name, const char *text)
{
    char path[160];
    (void)snprintf(path, sizeof path, "%s/%s", run, name);
    (void)mkdir(below(run), 0777);
    FILE *file = fopen(below(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A finished run of two epochs with accuracies that are easy to recognise. */
static void put_run(const char *run, const char *loss, const char *seed, double last,
                    double best)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "# options\ndata: \"a \\\"b\\\" <c>\"\nloss: %s\nnoise: "
                   "\"sym:rate=0.4\"\nepochs: 2\nseed: %s\n",
                   loss, seed);
    put(run, "config.yaml", text);
    (void)snprintf(text, sizeof text,
                   "{\"epoch\":1,\"lr\":0.1,\"loss\":2.5,\"test_acc\":%g,"
                   "\"train_acc_noisy\":[0.3,0.4]}\n{\"epoch\":2,\"lr\":0.001,"
                   "\"loss\":1.5,\"test_acc\":%g,\"train_acc_noisy\":[0.25,0.4]}\n",
                   best, last);
    put(run, "metrics.jsonl", text);
    (void)snprintf(text, sizeof text,
                   "{\"test_acc\":%g,\"test_acc_best\":%g,\"train_acc_noisy\":0.25,"
                   "\"noise_nominal\":0.4,\"noise_real\":0.3625,\"seconds\":7200,"
                   "\"weights_sha256\":\"abc\"}",
                   last, best);
    put(run, "result.json", text);
    put(run, "evaluation.json",
        "{\"classes\":[\"cat\",\"dog\"],\"test\":{\"samples\":8,\"ece\":0.125,"
        "\"class_accuracy\":[0.75,0.5],\"confusion\":[[3,1],[2,2]],"
        "\"calibration\":[[4,0.5,0.6],[4,0.75,0.9]]},\"doubtful\":[{\"path\":\"p/"
        "q.jpg\","
        "\"label\":0,\"predicted\":1,\"confidence\":0.987,\"true\":1,"
        "\"thumbnail\":\"doubtful/01.png\"}]}");
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    put_run("a", "ce", "1", 0.5, 0.625);
    (void)mkdir(below("a/doubtful"), 0777);
    put("a", "doubtful/01.png", "\x89PNG\r\n\x1a\n");
    put("a", "bad_images.csv", "path,reason\nx,y\n");
    put("a", "environment.json", "{\"jensen\":\"1\",\"libraries\":{\"x\":\"2\"}}");
    put_run("b", "ce", "2", 0.7, 0.75);
    put_run("c", "gjs", "1", 0.9, 0.9);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

static char *render(const char *run)
{
    char *html = NULL;
    assert_ok(jsni_report_render(&run, 1, NULL, &html));
    return html;
}

static void assert_shows(const char *html, const char *words)
{
    if (strstr(html, words) == NULL)
        fail_msg("the page does not show '%s'", words);
}

static void test_a_page_shows_the_last_epoch_as_the_result(void **state)
{
    (void)state;
    char *html = render(below("a"));
    assert_shows(html, "<strong>50.00%</strong><span>last epoch (2): the result");
    assert_shows(html, "<strong>62.50%</strong><span>epoch 1, picked afterwards");
    assert_shows(html, "<strong>36.25%</strong><span>nominal rate 40.0%");
    assert_shows(html, "<strong>25.00%</strong>");
    assert_shows(html, "<strong>2.0 h</strong>");
    assert_shows(html, "calibration error 12.50%");
    assert_shows(html, "data:image/png;base64,iVBORw0KGgo=\""); /* its signature */
    assert_shows(html, "1 image could not be read and was left out; bad_images.csv in "
                       "the run folder lists it.");
    assert_shows(html, "cat \xe2\x86\x92 dog");
    assert_shows(html, "1 of 1 label is known to be wrong");
    assert_shows(html, "a &quot;b&quot; &lt;c&gt;");
    /* the command quotes what a shell would read otherwise */
    assert_shows(html, "jensen train &#39;a &quot;b&quot; &lt;c&gt;&#39;");
    jsn_text_release(html);
}

static void test_a_table_has_mean_and_deviation_of_the_seeds(void **state)
{
    (void)state;
    char a[1200], b[1200], c[1200], *text = NULL;
    (void)snprintf(a, sizeof a, "%s", below("a"));
    (void)snprintf(b, sizeof b, "%s", below("b"));
    (void)snprintf(c, sizeof c, "%s", below("c"));
    const char *runs[] = {a, c, b};
    assert_ok(jsn_report_table(runs, 3, NULL, "markdown", &text));
    /* (50 + 70) / 2 and |50 - 70| / sqrt 2 */
    assert_shows(text, "60.00 \xc2\xb1 14.14");
    assert_shows(text, "**90.00**");
    jsn_text_release(text);
    assert_fails(jsn_report_table(runs, 3, NULL, "xml", &text), JSN_ERR_UNKNOWN_NAME,
                 "xml");
    assert_fails(jsn_report_table(runs, 0, NULL, "csv", &text), JSN_ERR_ARGUMENT,
                 "no run");
}

/* The same as `c`, with another option. */
static void put_other(const char *run, const char *option, double last)
{
    char text[600];
    jsni_text config = jsni_text_in(text, sizeof text);
    put_run(run, "gjs", "1", last, last);
    jsni_text_add(&config,
                  "data: \"a \\\"b\\\" <c>\"\nloss: gjs\nnoise: \"sym:rate=0.4\"\n"
                  "epochs: 2\nseed: 1\n");
    char *at = strstr(text, option);
    if (at != NULL) /* data: and noise: become others */
        at[strlen(option) + 3] = 'x';
    else
        jsni_text_format(&config, "%s: x\n", option);
    put(run, "config.yaml", text);
}

static void assert_bold(const char *const *runs, size_t count, const char *words,
                        bool bold)
{
    char *text = NULL, cell[32];
    (void)snprintf(cell, sizeof cell, "**%s**", words);
    assert_ok(jsn_report_table(runs, count, NULL, "markdown", &text));
    assert_shows(text, words);
    if ((strstr(text, cell) != NULL) != bold)
        fail_msg("%s is%s bold in\n%s", words, bold ? " not" : "", text);
    jsn_text_release(text);
}

static void test_bold_is_the_best_of_the_same_problem(void **state)
{
    (void)state;
    char a[1200], c[1200], other[1200], second[1200], *text = NULL;
    (void)snprintf(a, sizeof a, "%s", below("a"));
    (void)snprintf(c, sizeof c, "%s", below("c"));
    (void)snprintf(other, sizeof other, "%s", below("other"));
    (void)snprintf(second, sizeof second, "%s", below("second"));
    static const char *const options[] = {"data", "test", "noise"};
    const char *const runs[] = {a, c, other, second};
    for (size_t i = 0; i < 3; i++) {
        put_other("other", options[i], 0.97);
        assert_bold(runs, 3, "90.00", true);
        assert_bold(runs, 3, "97.00", false);
        assert_bold(runs + 1, 2, "90.00", false); /* one of each: nothing to compare */
        assert_bold(runs + 1, 2, "97.00", false);
    }
    assert_ok(jsn_report_table(runs, 3, NULL, "markdown", &text));
    assert_shows(text, "same test images and label noise");
    jsn_text_release(text);
    assert_ok(jsn_report_table(runs, 2, NULL, "markdown", &text));
    assert_null(strstr(text, "same test images and label noise"));
    jsn_text_release(text);
    /* Another number of tested images under the same names. */
    put_other("other", "lr", 0.97);
    assert_bold(runs, 3, "97.00", true);
    assert_bold(runs, 3, "90.00", false);
    put("other", "evaluation.json",
        "{\"classes\":[\"cat\",\"dog\"],\"test\":"
        "{\"samples\":9}}");
    assert_bold(runs, 3, "97.00", false);
    assert_bold(runs, 3, "90.00", true);
    /* Two problems of two runs each: one of each is bold. */
    put_other("other", "noise", 0.97);
    put_other("second", "noise", 0.96);
    FILE *file = fopen(below("second/config.yaml"), "a");
    assert_non_null(file);
    assert_true(fputs("lr: 1\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_bold(runs, 4, "90.00", true);
    assert_bold(runs, 4, "97.00", true);
    assert_bold(runs, 4, "96.00", false);
}

/* Five seeds each, 1, 2, ... 5 above a number: the deviation is sqrt(5/2), so that means
 * which differ by d have t = d with 8 degrees of freedom. SciPy: p is 0.35 at 1, 0.051 at
 * 2.3, 0.048 at 2.35. */
static void test_bold_is_what_the_test_does_not_tell_from_the_best(void **state)
{
    (void)state;
    static const struct {
        const char *loss;
        double base;
    } groups[] = {{"ce", 90.0}, {"js", 89.0}, {"gce", 87.7}, {"gjs", 87.65}};
    char names[20][1200];
    const char *runs[20];
    for (int i = 0; i < 20; i++) {
        char name[16], seed[8];
        const double value = (groups[i / 5].base + 1 + i % 5) / 100.0;
        (void)snprintf(name, sizeof name, "seed-%d", i);
        (void)snprintf(seed, sizeof seed, "%d", 1 + i % 5);
        put_run(name, groups[i / 5].loss, seed, value, value);
        (void)snprintf(names[i], sizeof names[i], "%s", below(name));
        runs[i] = names[i];
    }
    assert_bold(runs, 20, "93.00 \xc2\xb1 1.58", true);
    assert_bold(runs, 20, "92.00 \xc2\xb1 1.58", true);
    assert_bold(runs, 20, "90.70 \xc2\xb1 1.58", true);
    assert_bold(runs, 20, "90.65 \xc2\xb1 1.58", false);
}

/* A run of 30 epochs that has done 2, with the best accuracy of all so far. */
static void test_unfinished_runs_are_called_that(void **state)
{
    (void)state;
    put("half", "config.yaml", "loss: mae\nnoise: \"sym:rate=0.4\"\nepochs: 30\n");
    put("half", "metrics.jsonl",
        "{\"epoch\":1,\"test_acc\":0.5}\n{\"epoch\":2,\"test_acc\":0.95}\n");
    char a[1200], c[1200], half[1200], *text = NULL;
    (void)snprintf(a, sizeof a, "%s", below("a"));
    (void)snprintf(c, sizeof c, "%s", below("c"));
    (void)snprintf(half, sizeof half, "%s", below("half"));
    const char *runs[] = {a, c, half};
    for (int f = 0; f < 4; f++) {
        const char *formats[] = {"markdown", "csv", "latex", "html"};
        assert_ok(jsn_report_table(runs, 3, NULL, formats[f], &text));
        assert_shows(text, "epoch 2 of 30, unfinished");
        jsn_text_release(text);
    }
    assert_ok(jsn_report_table(runs, 3, NULL, "markdown", &text));
    assert_shows(text, "not yet their result");
    assert_shows(text, "**90.00**"); /* the best of the finished ones */
    assert_shows(text, " 95.00");
    jsn_text_release(text);
    assert_ok(jsni_report_render(runs, 3, NULL, &text));
    assert_shows(text, "3 runs, 3 settings, 1 unfinished");
    assert_shows(text, "epoch 2 of 30, unfinished");
    assert_shows(text, "not yet their result");
    jsn_text_release(text);
    text = render(half);
    assert_shows(text, "<strong>95.00%</strong><span>epoch 2 of 30, unfinished");
    assert_null(strstr(text, "the result"));
    jsn_text_release(text);
    /* A finished set has neither the column nor the words. */
    assert_ok(jsn_report_table(runs, 2, NULL, "markdown", &text));
    assert_null(strstr(text, "nfinished"));
    assert_null(strstr(text, "State"));
    jsn_text_release(text);
}

/* Seeds 1 and 2 have ended with 50 and 70% (best 62.5 and 75), seed 3 stands at 20%: both
 * columns are means of the first two. */
static void test_means_are_those_of_finished_runs(void **state)
{
    (void)state;
    put_run("third", "ce", "3", 0.2, 0.2);
    assert_int_equal(remove(below("third/result.json")), 0);
    char a[1200], b[1200], third[1200], *text = NULL;
    (void)snprintf(a, sizeof a, "%s", below("a"));
    (void)snprintf(b, sizeof b, "%s", below("b"));
    (void)snprintf(third, sizeof third, "%s", below("third"));
    const char *runs[] = {a, b, third};
    assert_ok(jsn_report_table(runs, 3, NULL, "markdown", &text));
    assert_shows(text, "| 1 of 3 runs: epoch 2 of 2, unfinished; not in the means |");
    assert_shows(text, " 60.00 ± 14.14 |");
    assert_shows(text, " 68.75 ± 8.84 |");
    jsn_text_release(text);
    assert_ok(jsn_report_table(&runs[2], 1, NULL, "markdown", &text));
    assert_shows(text, " 20.00 |");
    assert_null(strstr(text, "not in the means"));
    jsn_text_release(text);
}

static void test_short_times_have_digits(void **state)
{
    (void)state;
    static const char *const names[] = {"quick1", "quick2"};
    char path[2][1200], *text = NULL;
    for (int i = 0; i < 2; i++) {
        put_run(names[i], "ce", i == 0 ? "1" : "2", 0.5, 0.5);
        put(names[i], "result.json",
            i == 0 ? "{\"test_acc\":0.5,\"seconds\":0.21}"
                   : "{\"test_acc\":0.5,\"seconds\":0.25}");
        (void)snprintf(path[i], sizeof path[i], "%s", below(names[i]));
    }
    const char *runs[] = {path[0], path[1]};
    assert_ok(jsn_report_table(runs, 2, NULL, "markdown", &text));
    assert_shows(text, "| 0.23 ± 0.03 |");
    jsn_text_release(text);
    text = render(path[0]);
    assert_shows(text, "<strong>0.21 s</strong>");
    jsn_text_release(text);
}

/* Weights are one run's; what the environments differ in is nobody's. */
static void test_comparisons_show_what_all_share(void **state)
{
    (void)state;
    static const char *const names[] = {"env1", "env2"};
    char path[2][1200], *text = NULL;
    for (int i = 0; i < 2; i++) {
        put_run(names[i], "ce", i == 0 ? "1" : "2", 0.5, 0.5);
        put(names[i], "environment.json",
            i == 0
                ? "{\"jensen\":\"v7\",\"host\":\"one\",\"libraries\":{\"x\":\"2\"}}"
                : "{\"jensen\":\"v7\",\"host\":\"two\",\"libraries\":{\"x\":\"2\"}}");
        (void)snprintf(path[i], sizeof path[i], "%s", below(names[i]));
    }
    const char *runs[] = {path[0], path[1]};
    assert_ok(jsni_report_render(runs, 2, NULL, &text));
    assert_shows(text, "Environment that all runs share");
    assert_shows(text, "v7");
    assert_shows(text, ">x 2<");
    assert_null(strstr(text, ">one<"));
    assert_null(strstr(text, "weights sha256"));
    jsn_text_release(text);
    text = render(path[0]);
    assert_shows(text, ">one<");
    assert_shows(text, "weights sha256");
    jsn_text_release(text);
}

static void test_what_is_missing_is_left_out(void **state)
{
    (void)state;
    put("bare", "config.yaml", "loss: ce\nepochs: 9\n");
    char *html = render(below("bare"));
    assert_shows(html, "not finished: 0 of 9 epochs");
    jsn_text_release(html);
    put("odd", "config.yaml", "loss: ce\n");
    put("odd", "evaluation.json",
        "{\"classes\":[\"a\",\"b\"],\"test\":{\"class_accuracy\":[null,0.5],"
        "\"calibration\":[[0,null,null]]},\"doubtful\":[{}]}");
    put("odd", "metrics.jsonl", "{\"loss\":[],\"test_acc\":null}\n");
    html = render(below("odd"));
    assert_shows(html, "The 1 image whose label");
    jsn_text_release(html);
}

static void test_damaged_files_are_refused(void **state)
{
    (void)state;
    char bad[1200], *html = NULL;
    const char *run = "nowhere/at/all";
    (void)snprintf(bad, sizeof bad, "%s", below("bad"));
    assert_fails(jsni_report_render(&run, 1, NULL, &html), JSN_ERR_DATA,
                 "not a run folder");
    put("bad", "config.yaml", "loss ce\n");
    run = bad;
    assert_fails(jsni_report_render(&run, 1, NULL, &html), JSN_ERR_DATA,
                 "config.yaml:1");
    put("bad", "config.yaml", "loss: ce\n");
    put("bad", "metrics.jsonl", "{\"epoch\":1}\n{\"epoch\":\n");
    assert_fails(jsni_report_render(&run, 1, NULL, &html), JSN_ERR_DATA,
                 "/metrics.jsonl:2:10: ends where a value should be");
    put("bad", "metrics.jsonl", "");
    put("bad", "result.json", "[]");
    assert_fails(jsni_report_render(&run, 1, NULL, &html), JSN_ERR_DATA,
                 "result.json:1: not an object");
    assert_null(html);
}

static jsn_status render_two(void *user)
{
    char *html = NULL;
    const jsn_status status = jsni_report_render(user, 2, "title", &html);
    jsn_text_release(html);
    return status;
}

static jsn_status render_one(void *user)
{
    char *html = NULL;
    const jsn_status status = jsni_report_render(user, 1, NULL, &html);
    jsn_text_release(html);
    return status;
}

static void test_lack_of_memory_is_survived(void **state)
{
    (void)state;
    char a[1200], c[1200];
    (void)snprintf(a, sizeof a, "%s", below("a"));
    (void)snprintf(c, sizeof c, "%s", below("c"));
    const char *runs[] = {a, c};
    support_walk_allocations(render_one, runs);
    support_walk_allocations(render_two, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page_shows_the_last_epoch_as_the_result),
        cmocka_unit_test(test_a_table_has_mean_and_deviation_of_the_seeds),
        cmocka_unit_test(test_bold_is_the_best_of_the_same_problem),
        cmocka_unit_test(test_bold_is_what_the_test_does_not_tell_from_the_best),
        cmocka_unit_test(test_unfinished_runs_are_called_that),
        cmocka_unit_test(test_means_are_those_of_finished_runs),
        cmocka_unit_test(test_short_times_have_digits),
        cmocka_unit_test(test_comparisons_show_what_all_share),
        cmocka_unit_test(test_what_is_missing_is_left_out),
        cmocka_unit_test(test_damaged_files_are_refused),
        cmocka_unit_test(test_lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
