/* Reports from run folders that somebody else made: numbers at the ends of double, names of
 * any length, wrong kinds and ranges, links to other files. */
#define _POSIX_C_SOURCE 200809L /* mkdir, symlink */
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hd.h"
#include "core/text.h"
#include "jensen/option.h"
#include "jensen/report.h"
#include "report/axis.h"
#include "report/run_page.h"

static char run[300]; /* the folder of the run at hand */

static void put(const char *name, const char *text)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", run, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* An empty run in place of the one before. */
static void begin_run(void)
{
    static int number;
    (void)snprintf(run, sizeof run, "%s/%d", support_folder, number++);
    assert_int_equal(mkdir(run, 0777), 0);
    put("config.yaml", "loss: ce\nepochs: 2\n");
}

static jsn_status render(char **html)
{
    const char *runs[] = {run};
    *html = NULL;
    return jsni_report_render(runs, 1, NULL, html);
}

static void test_values_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text, *words;
    } cases[] = {
        {"evaluation.json",
         "{\"classes\":[\"a\",\"b\"],\"doubtful\":[{\"label\":0,\"predicted\":1,\n"
         "\"confidence\":1.5e306}]}",
         "evaluation.json:2: key 'confidence' is 1.5e306, not from 0 to 1"},
        {"evaluation.json", "{\"classes\":[[],\"b\"]}", "a name is an array"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"doubtful\":[{\"label\":1}]}",
         "key 'label' is 1, not from 0 to 0"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"doubtful\":[{\"label\":-1}]}",
         "key 'label' is -1"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"doubtful\":[{\"label\":0.5}]}",
         "not a whole number"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"doubtful\":[7]}",
         "a doubtful label is not an object"},
        {"evaluation.json",
         "{\"classes\":[\"a\"],\"doubtful\":[{\"thumbnail\":\"../../x\"}]}",
         "outside of the run folder"},
        {"evaluation.json",
         "{\"classes\":[\"a\"],\"doubtful\":[{\"thumbnail\":\"/etc/x\"}]}",
         "outside of the run folder"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":[]}",
         "key 'test' is an array, not an object"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":{\"samples\":-3}}",
         "key 'samples' is -3"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":{\"confusion\":[[1,2]]}}",
         "not one number for each class"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":{\"confusion\":[]}}",
         "not one row for each class"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":{\"confusion\":[[-1]]}}",
         "a count of the confusion is -1"},
        {"evaluation.json",
         "{\"classes\":[\"a\"],\"test\":{\"calibration\":[[1,2,0.5]]}}",
         "a number of the calibration is 2"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"test\":{\"calibration\":[[1]]}}",
         "a bin of the calibration"},
        {"evaluation.json", "{\"classes\":[\"a\"],\"val\":{\"class_accuracy\":[1e9]}}",
         "an accuracy of a class is 1e9"},
        {"result.json", "{\"seconds\":1e300}", "key 'seconds' is 1e300"},
        {"result.json", "{\"test_acc\":\"high\"}", "key 'test_acc' is a text"},
        {"result.json", "{\"epochs\":1e30}", "key 'epochs'"},
        {"metrics.jsonl", "{\"loss\":1}\n{\"lr\":-1}\n",
         "metrics.jsonl:2: key 'lr' is -1"},
        {"metrics.jsonl", "{\"train_acc_noisy\":[0.5,17]}\n",
         "metrics.jsonl:1: train_acc_noisy is 17"},
    };
    for (size_t i = 0; i < JSNI_COUNT_OF(cases); i++) {
        char *html = NULL;
        begin_run();
        put(cases[i].file, cases[i].text);
        assert_fails(render(&html), JSN_ERR_DATA, cases[i].words);
        assert_null(html);
    }
}

static void test_names_may_be_empty_or_long(void **state)
{
    (void)state;
    char name[701], text[4000], *html = NULL;
    memset(name, 'n', 700);
    name[700] = '\0';
    name[90] = ' ';
    begin_run();
    jsni_text out = jsni_text_in(text, sizeof text);
    jsni_text_format(
        &out,
        "{\"classes\":[\"\",\"%s\",\" \"],\"test\":{\"samples\":2,"
        "\"class_accuracy\":[0.5,0.25,null],\"confusion\":[[1,0,0],[0,1,0],"
        "[0,0,0]]},\"doubtful\":[{\"path\":\"p\",\"label\":1,\"predicted\":1,"
        "\"true\":1,\"confidence\":1,\"thumbnail\":\"t.png\"}]}",
        name);
    put("evaluation.json", text);
    put("t.png", "\x89PNG\r\n\x1a\n");
    assert_ok(render(&html));
    assert_non_null(strstr(html, "data:image/png"));
    /* In figures such a name is cut. */
    assert_non_null(strstr(html, "nn\xE2\x80\xA6</text>"));
    jsn_text_release(html);
}

/* The page may be given away; what is no picture stays at home. */
static void test_only_pictures_are_taken_into_the_page(void **state)
{
    (void)state;
    char path[400], *html = NULL;
    begin_run();
    put("secret.txt", "the secret");
    put("evaluation.json",
        "{\"classes\":[\"a\"],\"doubtful\":[{\"path\":\"p\",\"label\":0,"
        "\"predicted\":0,\"thumbnail\":\"t.png\"}]}");
    (void)snprintf(path, sizeof path, "%s/t.png", run);
    assert_int_equal(symlink("secret.txt", path), 0);
    assert_ok(render(&html));
    assert_null(strstr(html, "data:image/png"));
    jsn_text_release(html);
}

static const double ends[] = {0.0,    5e-324, 1e-310, DBL_MIN, 1e-300, 1e-290,
                              1e-200, 1e-150, 1e-20,  1.0,     7.0,    1e7,
                              1e150,  1e200,  1e299,  1e300,   1e307,  DBL_MAX};

/* Rows of all pairs of extreme numbers, as positive and as negative ones. */
static void test_curves_of_any_finite_numbers_are_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < JSNI_COUNT_OF(ends); i++)
        for (size_t k = 0; k < JSNI_COUNT_OF(ends); k++) {
            char text[600], *html = NULL;
            const double lr = ends[k] > 1e15 ? 1e15 : ends[k];
            jsni_text out = jsni_text_in(text, sizeof text);
            jsni_text_format(&out,
                             "{\"loss\":%.17g,\"lr\":%.17g,\"test_loss\":%.17g}\n"
                             "{\"loss\":%.17g,\"lr\":0.1,\"test_loss\":%.17g}\n",
                             ends[i], lr, -ends[i], ends[k], ends[k]);
            begin_run();
            put("metrics.jsonl", text);
            assert_ok(render(&html));
            assert_null(strstr(html, "nan"));
            assert_null(strstr(html, "=\"inf"));
            jsn_text_release(html);
        }
}

static void check_axis(double a, double b, bool log_scale)
{
    jsni_tick ticks[JSNI_TICKS];
    double low = a, high = b;
    jsni_axis_range(&low, &high, log_scale, 0.05);
    assert_true(isfinite(low) && isfinite(high) && low < high);
    assert_true(!log_scale || low > 0.0);
    for (size_t most = 2; most < 40; most += 9) {
        const size_t count = jsni_axis_ticks(low, high, log_scale, most, ticks);
        assert_true(count <= JSNI_TICKS);
        for (size_t i = 0; i < count; i++) {
            const double at = jsni_axis_place(ticks[i].value, low, high, log_scale);
            if (!(at > -0.01 && at < 1.01))
                fail_msg("%g to %g: a tick at %g", a, b, at);
            assert_true(memchr(ticks[i].text, '\0', sizeof ticks[i].text) != NULL);
        }
    }
    assert_close(jsni_axis_place(low, low, high, log_scale), 0.0, 1e-9, 0.0);
    assert_close(jsni_axis_place(high, low, high, log_scale), 1.0, 1e-9, 0.0);
    assert_true(!isnan(jsni_axis_place(a, low, high, log_scale)));
    assert_true(!isnan(jsni_axis_place(b, low, high, log_scale)));
}

static void test_axes_hold_any_finite_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < JSNI_COUNT_OF(ends); i++)
        for (size_t k = 0; k < JSNI_COUNT_OF(ends); k++)
            for (int sign = 0; sign < 4; sign++) {
                const double a = sign & 1 ? -ends[i] : ends[i];
                const double b = sign & 2 ? -ends[k] : ends[k];
                check_axis(a, b, false);
                check_axis(a, b, true);
            }
    check_axis(INFINITY, -INFINITY, false); /* no data */
    check_axis(INFINITY, -INFINITY, true);
    check_axis(NAN, NAN, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_out_of_range_are_refused_by_name),
        cmocka_unit_test(test_names_may_be_empty_or_long),
        cmocka_unit_test(test_only_pictures_are_taken_into_the_page),
        cmocka_unit_test(test_axes_hold_any_finite_numbers),
        cmocka_unit_test(test_curves_of_any_finite_numbers_are_drawn),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
