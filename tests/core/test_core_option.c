/* Option tables: initial values, parsing, refusals, texts that read back. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/names.h"
#include "core/option.h"
#include "jensen/option.h"

typedef struct settings {
    bool json;
    int64_t epochs;
    double lr;
    char *out;
    char *device;
    jsn_texts logits;
} settings;

static const jsn_option_info table[] = {
    {"json", 'j', JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "machine output",
     offsetof(settings, json)},
    {"epochs", 'n', JSN_OPTION_INT, NULL, 1, 1000, NULL, "N", "passes",
     offsetof(settings, epochs)},
    {"lr", 0, JSN_OPTION_REAL, "0.1", -10, 10, NULL, "X", "learning rate",
     offsetof(settings, lr)},
    {"out", 'o', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE", "where",
     offsetof(settings, out)},
    {"device", 0, JSN_OPTION_CHOICE, "cpu", 0, 0, "cpu|cuda", "D", "device",
     offsetof(settings, device)},
    {"logits", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "FILE", "one a view",
     offsetof(settings, logits)},
};
enum { COUNT = sizeof table / sizeof table[0] };

static jsn_status parse(settings *s, jsn_texts *rest, int argc, const char **argv)
{
    const jsn_status status = jsni_options_init(table, COUNT, s);
    return status != JSN_OK
               ? status
               : jsni_options_parse(table, COUNT, s, argc, (char *const *)argv, rest);
}

static jsn_status parse_all_forms(void *user)
{
    (void)user;
    settings s;
    jsn_texts rest = {0};
    const char *argv[] = {"data",     "--json", "-n",       "5",   "--lr=-2.5", "--out",
                          "x",        "more",   "--logits", "a",   "--logits",  "b",
                          "--device", "cuda",   "--",       "--lr"};
    const jsn_status status = parse(&s, &rest, 16, argv);
    if (status == JSN_OK) {
        assert_true(s.json);
        assert_int_equal(s.epochs, 5);
        assert_true(s.lr == -2.5);
        assert_string_equal(s.out, "x");
        assert_string_equal(s.device, "cuda");
        assert_int_equal(s.logits.count, 2);
        assert_string_equal(s.logits.items[1], "b");
        assert_int_equal(rest.count, 3);
        assert_string_equal(rest.items[2], "--lr");
    }
    jsn_texts_release(&rest);
    jsni_options_release(table, COUNT, &s);
    return status;
}

static void test_all_forms_parse_and_no_failure_leaks(void **state)
{
    (void)state;
    support_walk_allocations(parse_all_forms, NULL);
}

static void test_unset_fields_say_so_and_texts_read_back(void **state)
{
    (void)state;
    settings s, t;
    assert_ok(jsni_options_init(table, COUNT, &s));
    assert_ok(jsni_options_init(table, COUNT, &t));
    assert_true(s.epochs == JSN_OPTION_INT_UNSET && s.out == NULL && s.lr == 0.1);
    assert_ok(jsni_options_set(table, COUNT, &s, "lr", "1e-7"));
    assert_ok(jsni_options_set(table, COUNT, &s, "json", "1"));
    for (size_t i = 0; i < COUNT; i++) {
        char *text = NULL;
        assert_ok(jsni_options_text(&table[i], &s, &text));
        if (table[i].kind != JSN_OPTION_TEXTS)
            assert_ok(jsni_options_set(table, COUNT, &t, table[i].name, text));
        jsn_text_release(text);
    }
    assert_true(t.lr == 1e-7 && t.json && t.epochs == JSN_OPTION_INT_UNSET);
    assert_null(t.out);
    jsni_options_release(table, COUNT, &s);
    jsni_options_release(table, COUNT, &t);
}

static void test_cleared_fields_are_unset_until_set(void **state)
{
    (void)state;
    settings s;
    jsni_options_clear(table, COUNT, &s);
    for (size_t i = 0; i < COUNT; i++) {
        assert_false(jsni_options_is_set(&table[i], &s));
        assert_ptr_equal(jsni_options_find(table, COUNT, table[i].name), &table[i]);
        assert_ok(jsni_options_set(table, COUNT, &s, table[i].name,
                                   table[i].kind == JSN_OPTION_CHOICE ? "cpu" : "1"));
        assert_true(jsni_options_is_set(&table[i], &s));
    }
    assert_null(jsni_options_find(table, COUNT, "lrx"));
    jsni_options_release(table, COUNT, &s);
}

static void refuse(const char *a, const char *b, jsn_status status, const char *words)
{
    settings s;
    jsn_texts rest = {0};
    const char *argv[] = {a, b};
    assert_fails(parse(&s, &rest, b == NULL ? 1 : 2, argv), status, words);
    jsn_texts_release(&rest);
    jsni_options_release(table, COUNT, &s);
}

static void test_distance_counts_slips_of_the_pen(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {{"gjs", "gjs", 0},
                 {"", "gjs", 3},
                 {"gjs", "", 3},
                 {"trian", "train", 1},
                 {"sdg", "sgd", 1},
                 {"GJS", "gjs", 0},
                 {"resnt18", "resnet18", 1},
                 {"kitten", "sitting", 3},
                 {"abcd", "badc", 2},
                 {"ca", "abc", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(jsni_name_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(jsni_name_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    char longest[64];
    memset(longest, 'a', sizeof longest);
    longest[41] = '\0';
    assert_int_equal(jsni_name_distance(longest, "a"), 40);
    size_t best = SIZE_MAX;
    assert_true(jsni_name_nearer("resnet", "resnet18", &best));
    assert_int_equal(best, 2);
    assert_false(jsni_name_nearer("resnet", "resnet50", &best)); /* no nearer */
    assert_true(jsni_name_nearer("resnet", "resne", &best));
    best = SIZE_MAX;
    assert_true(jsni_name_nearer("net", "network", &best)); /* it begins so */
    assert_false(jsni_name_nearer("net", "set", &best));
    best = SIZE_MAX;
    assert_false(jsni_name_nearer("ne", "network", &best));
    assert_false(jsni_name_nearer("loss", "loss-noisy", &best));
    assert_false(jsni_name_nearer("cat", "dog", &best));
    assert_false(jsni_name_nearer("x", "y", &best));
}

static void test_bad_words_are_refused_with_the_reason(void **state)
{
    (void)state;
    refuse("--epoch", "3", JSN_ERR_UNKNOWN_NAME, "did you mean 'epochs'");
    refuse("--epcohs", "3", JSN_ERR_UNKNOWN_NAME, "did you mean 'epochs'");
    refuse("--epcohs=12345", NULL, JSN_ERR_UNKNOWN_NAME,
           "no option 'epcohs'; did you mean 'epochs'");
    refuse("--jsn", NULL, JSN_ERR_UNKNOWN_NAME, "did you mean 'json'");
    refuse("--lrs", "3", JSN_ERR_UNKNOWN_NAME, "did you mean 'lr'");
    refuse("--device-id", "3", JSN_ERR_UNKNOWN_NAME, "did you mean 'device'");
    /* What is farther away is no help. */
    refuse("--detect", NULL, JSN_ERR_UNKNOWN_NAME, "no option 'detect'; --help");
    refuse("--lap", "3", JSN_ERR_UNKNOWN_NAME, "no option 'lap'; --help");
    refuse("-z", NULL, JSN_ERR_UNKNOWN_NAME, "no option 'z'; --help");
    refuse("-l", NULL, JSN_ERR_UNKNOWN_NAME, "no option 'l'; --help");
    refuse("--completely-other", NULL, JSN_ERR_UNKNOWN_NAME, "--help");
    refuse("-x", NULL, JSN_ERR_UNKNOWN_NAME, "'x'");
    refuse("--epochs", NULL, JSN_ERR_ARGUMENT, "needs a value (N)");
    refuse("--epochs", "--json", JSN_ERR_ARGUMENT, "needs a value");
    refuse("--epochs", "2.5", JSN_ERR_ARGUMENT, "whole number");
    refuse("--epochs", "0", JSN_ERR_RANGE, "[1, 1000]");
    refuse("--epochs", "1001", JSN_ERR_RANGE, "[1, 1000]");
    refuse("--lr", "fast", JSN_ERR_ARGUMENT, "not a number");
    refuse("--lr", "11", JSN_ERR_RANGE, "[-10, 10]");
    refuse("--device", "tpu", JSN_ERR_ARGUMENT, "cpu|cuda");
    refuse("--json=2", NULL, JSN_ERR_ARGUMENT, "0 or 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_forms_parse_and_no_failure_leaks),
        cmocka_unit_test(test_unset_fields_say_so_and_texts_read_back),
        cmocka_unit_test(test_cleared_fields_are_unset_until_set),
        cmocka_unit_test(test_distance_counts_slips_of_the_pen),
        cmocka_unit_test(test_bad_words_are_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
