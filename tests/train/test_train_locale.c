/* The library inside a program that has chosen a locale with a decimal comma: numbers are
 * read and written as in any other, a run gives the same weights and files, a plot the
 * same bytes. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <stdio.h>

#include "core/number.h"
#include "core/text.h"
#include "jensen/report.h"
#include "jensen/train.h"
#include "support/support.h"

/* Whether a locale with a decimal comma could be set: one of the system's, else one made
 * here. */
static bool set_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                        "fr_FR.utf8",  "it_IT.UTF-8", "de_DE"};
    for (int made = 0; made < 2; made++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (setlocale(LC_ALL, names[i]) != NULL &&
                strcmp(localeconv()->decimal_point, ",") == 0)
                return true;
        char command[600];
        (void)snprintf(command, sizeof command,
                       "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
                       support_folder);
        if (system(command) == -1 || setenv("LOCPATH", support_folder, 1) != 0)
            return false;
    }
    return false;
}

static void comma_or_skip(void)
{
    if (!set_comma()) {
        print_message("SKIPPED: no locale with a decimal comma\n");
        skip();
    }
}

static void test_numbers_keep_their_point(void **state)
{
    (void)state;
    comma_or_skip();
    char text[32];
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* the locale is in force */
    (void)jsni_format(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1.5");
    jsni_text grown = {0};
    jsni_text_format(&grown, "<%.2f>", 0.25);
    assert_string_equal(grown.data, "<0.25>");
    jsni_text_release(&grown);
    assert_int_equal(jsni_fail(JSN_ERR_RANGE, "at %g", 0.5), JSN_ERR_RANGE);
    assert_string_equal(jsn_last_error(), "at 0.5");
    jsni_number_format(0.1, text);
    assert_string_equal(text, "0.1");
    double value = 0.0;
    assert_true(jsni_number_real("-2.5e-1", 7, &value) && value == -0.25);
    assert_false(jsni_number_real("2,5", 3, &value));
    assert_false(jsni_number_real("1.2.3", 5, &value));
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* and left as it was */
    (void)setlocale(LC_ALL, "C");
}

static char *read_all(const char *folder, const char *name)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is missing", path);
    char *data = calloc(1, 1 << 20);
    assert_non_null(data);
    assert_true(fread(data, 1, (1 << 20) - 1, file) > 0);
    (void)fclose(file);
    return data;
}

static void train(const char *folder, jsn_train_result *result)
{
    static const char *const options[][2] = {{"data", "builtin:size=60,test=20"},
                                             {"network", "mlp:width=4"},
                                             {"epochs", "1"},
                                             {"batch", "16"},
                                             {"augment", "none"},
                                             {"noise", "sym:rate=0.4"},
                                             {"device", "ref"},
                                             {"threads", "1"}};
    jsn_train_config config;
    jsn_train_config_clear(&config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&config, options[i][0], options[i][1]));
    assert_ok(jsn_train_config_set(&config, "out", folder));
    assert_ok(jsn_train_config_resolve(&config));
    assert_ok(jsn_train(&config, NULL, NULL, NULL, result));
    jsn_train_config_release(&config);
}

static void test_training_is_the_same(void **state)
{
    (void)state;
    char plain[300], comma[300];
    jsn_train_result want, got;
    (void)snprintf(plain, sizeof plain, "%s/plain", support_folder);
    (void)snprintf(comma, sizeof comma, "%s/comma", support_folder);
    train(plain, &want);
    comma_or_skip();
    train(comma, &got);
    (void)setlocale(LC_ALL, "C");
    assert_string_equal(got.weights_sha256, want.weights_sha256);
    static const char *const files[] = {"labels.csv", "doubtful.csv"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *a = read_all(plain, files[i]), *b = read_all(comma, files[i]);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
}

static void test_plot_is_the_same(void **state)
{
    (void)state;
    char plain[300], comma[300];
    (void)snprintf(plain, sizeof plain, "%s/plain.svg", support_folder);
    (void)snprintf(comma, sizeof comma, "%s/comma.svg", support_folder);
    assert_ok(jsn_plot_write("loss", "gjs:pi1=0.3", false, plain));
    comma_or_skip();
    assert_ok(jsn_plot_write("loss", "gjs:pi1=0.3", false, comma));
    (void)setlocale(LC_ALL, "C");
    char *a = read_all(support_folder, "plain.svg");
    char *b = read_all(support_folder, "comma.svg");
    assert_string_equal(a, b);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_keep_their_point),
        cmocka_unit_test(test_training_is_the_same),
        cmocka_unit_test(test_plot_is_the_same),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
