/* The limits on what files may ask for. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "core/limit.h"

static int initial_values(void **state)
{
    (void)state;
    for (size_t i = 0; jsn_limit_describe(i) != NULL; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%s=%llu", jsn_limit_describe(i)->name,
                       (unsigned long long)jsn_limit_describe(i)->initial);
        assert_ok(jsn_limit_set(text));
    }
    return 0;
}

static void test_every_limit_has_a_name_and_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; jsn_limit_describe(i) != NULL; i++) {
        const jsn_limit_info *info = jsn_limit_describe(i);
        assert_true(info->name[0] != '\0' && info->help[0] != '\0');
        assert_true(info->initial >= 1 && info->initial <= info->highest);
        assert_true(info->highest <= INT64_MAX);
        assert_int_equal(jsni_limit((jsni_limit_name)i), info->initial);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(info->name, jsn_limit_describe(k)->name);
    }
    assert_null(jsn_limit_describe(JSNI_LIMITS));
}

/* ImageNet: its training archive and the classes of all of it. */
static void test_the_defaults_pass_imagenet(void **state)
{
    (void)state;
    assert_true(jsni_limit(JSNI_LIMIT_ARCHIVE) >= 150000000000u);
    assert_true(jsni_limit(JSNI_LIMIT_CLASSES) >= 22000);
    assert_true(jsni_limit(JSNI_LIMIT_ROWS) >= 14197122);
}

static void test_values_are_whole_numbers_with_or_without_a_unit(void **state)
{
    (void)state;
    assert_ok(jsn_limit_set("pixels=2e8"));
    assert_int_equal(jsni_limit(JSNI_LIMIT_PIXELS), 200000000);
    assert_ok(jsn_limit_set("archive=3TiB, file=5KiB  rows=7,"));
    assert_true(jsni_limit(JSNI_LIMIT_ARCHIVE) == (uint64_t)3 << 40);
    assert_int_equal(jsni_limit(JSNI_LIMIT_FILE), 5 << 10);
    assert_int_equal(jsni_limit(JSNI_LIMIT_ROWS), 7);
    assert_ok(jsn_limit_set("member=2GiB,json=6MiB"));
    assert_true(jsni_limit(JSNI_LIMIT_MEMBER) == (uint64_t)2 << 30);
    assert_int_equal(jsni_limit(JSNI_LIMIT_JSON), 6 << 20);
    assert_ok(jsn_limit_set(""));
}

static void test_bad_settings_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        jsn_status status;
        const char *words;
    } cases[] = {
        {"rows=5,pixel=3", JSN_ERR_UNKNOWN_NAME,
         "no limit 'pixel'; did you mean 'pixels'?"},
        {"rows=5,rows", JSN_ERR_ARGUMENT, "must be NAME=VALUE"},
        {"rows=5,ratio=", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=5,ratio=1.5", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=5,ratio=-3", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=5,file=3XiB", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=5,file=iB", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=5,file=3GB", JSN_ERR_ARGUMENT, "whole number"},
        {"rows=0", JSN_ERR_RANGE, "[1, 2147483647]"},
        {"rows=5,pixels=1e9", JSN_ERR_RANGE, "[1, 268435456]"},
        {"rows=5,archive=99999999TiB", JSN_ERR_RANGE, "must lie in"},
        {"=5", JSN_ERR_UNKNOWN_NAME, "no limit '' (there are: archive, member"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_fails(jsn_limit_set(cases[i].text), cases[i].status, cases[i].words);
        assert_int_equal(jsni_limit(JSNI_LIMIT_ROWS), 100000000);
    }
    assert_fails(jsn_limit_set(NULL), JSN_ERR_ARGUMENT, "NAME=VALUE");
}

static void test_sentences_name_the_limit_and_its_option(void **state)
{
    (void)state;
    assert_fails(jsni_limit_fail(JSNI_LIMIT_CLASSES, "%s", "a.csv"), JSN_ERR_DATA,
                 "a.csv: more than 25000 classes; --limit classes=N raises this limit");
    /* The ratio holds beyond the first 32 MiB. */
    const uint64_t free_bytes = (uint64_t)32 << 20;
    assert_ok(jsni_limit_ratio("a", 1, free_bytes));
    assert_fails(jsni_limit_ratio("a", 1, free_bytes + 1), JSN_ERR_DATA, "ratio=N");
    assert_ok(jsni_limit_ratio("a", 1000000, 100000000));
    assert_ok(jsni_limit_ratio("a", 1000000, 100000099));
    assert_fails(jsni_limit_ratio("a", 1000000, 100000100), JSN_ERR_DATA, "ratio=N");
}

static void test_files_are_read_up_to_the_limit(void **state)
{
    (void)state;
    char path[300], *bytes = NULL;
    size_t length = 0;
    const char *folder = support_temporary_folder();
    (void)snprintf(path, sizeof path, "%s/f", folder);
    assert_ok(jsni_file_write(path, "12345", 5));
    assert_ok(jsn_limit_set("member=5"));
    assert_ok(jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, path, &bytes, &length));
    assert_int_equal(length, 5);
    jsni_free(bytes);
    assert_ok(jsn_limit_set("member=4"));
    assert_fails(jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, path, &bytes, &length),
                 JSN_ERR_DATA, "more than 4 bytes; --limit member=N");
    assert_fails(jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, folder, &bytes, &length),
                 JSN_ERR_DATA, folder);
    support_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_limit_has_a_name_and_bounds),
        cmocka_unit_test(test_the_defaults_pass_imagenet),
        cmocka_unit_test_teardown(test_values_are_whole_numbers_with_or_without_a_unit,
                                  initial_values),
        cmocka_unit_test(test_bad_settings_change_nothing),
        cmocka_unit_test(test_sentences_name_the_limit_and_its_option),
        cmocka_unit_test_teardown(test_files_are_read_up_to_the_limit, initial_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
