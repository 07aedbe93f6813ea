/* The JSON reader. What is valid and what is not follows RFC 8259; the
 * numbers are those of IEEE 754, written with their exact hexadecimal value. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/json.h"
#include "jensen/option.h"

static jsn_status parse(jsni_json **doc, const char *text)
{
    return jsni_json_parse(doc, "t.json", text, strlen(text));
}

static int accepts(const char *text, size_t length)
{
    jsni_json *doc = NULL;
    /* A block of exactly this length, so that ASan sees a read behind it. */
    char *copy = jsni_alloc(length, 1);
    memcpy(copy, text, length);
    const jsn_status status = jsni_json_parse(&doc, "t.json", copy, length);
    jsni_free(copy);
    assert_true(status == JSN_OK ? doc != NULL : doc == NULL);
    assert_true(status == JSN_OK || status == JSN_ERR_DATA);
    jsni_json_destroy(doc);
    return status == JSN_OK;
}

static void test_valid_texts_are_accepted(void **state)
{
    (void)state;
    static const char *const valid[] = {
        "0",
        "-0",
        "-1",
        "1.5",
        "1e5",
        "1E+5",
        "1e-5",
        "-0.0e0",
        "123456789012345678901",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        " \t\r\n1 \t\r\n",
        "[1,2]",
        "[ 1 , 2 ]",
        "{\"a\":1}",
        "{\"\":0}",
        "{\"a\":1,\"b\":{\"a\":2}}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0041\"",
        "\"\\uD834\\udd1e\"",
        "\"\xc3\xa9\"",
        "\"\xe2\x82\xac\"",
        "\"\xf0\x9d\x84\x9e\"",
        "\"\x7f\"",
        "\"\xf4\x8f\xbf\xbf\"",
        "\"\\uffff\"",
        "1e-400",
        "[\"\\\\\"]",
        "{\"a\\u0062\":1}",
        "1.7976931348623157e308",
    };
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        if (!accepts(valid[i], strlen(valid[i])))
            fail_msg("refused: %s (%s)", valid[i], jsn_last_error());
}

static void test_invalid_texts_are_refused(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "",
        " ",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "--1",
        "-",
        "0x10",
        "1_0",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e999",
        "True",
        "nul",
        "nulll",
        "truefalse",
        "1 2",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "]",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{1:2}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "[1}",
        "{\"a\":1]",
        "\"",
        "\"a",
        "'a'",
        "\"\\\"",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800x\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\\u0000\"",
        "\"\n\"",
        "\"\t\"",
        "\"\x01\"",
        "\"\x80\"",
        "\"\xc3\"",
        "\"\xc0\xaf\"",
        "\"\xe0\x80\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf8\x88\x80\x80\x80\"",
        "\"\xff\"",
        "\xef\xbb\xbf{}",
        "// c\n1",
        "/* c */ 1",
        "1 // c",
        "[1]\f",
        "\v1",
        "{\"a\":1}}",
        "[\"a\":1]",
        "\"a\"\"b\"",
        "1,",
        "\\u0031",
        "[\"a\",\n\"b\"",
        "{\"a\":\"b}",
        "*",
        "\xc3\xa9",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        if (accepts(invalid[i], strlen(invalid[i])))
            fail_msg("accepted: %s", invalid[i]);
    assert_false(accepts("1\0", 2));
    assert_false(accepts("\"a\0b\"", 5));
    assert_false(accepts("[1,\0 2]", 7));
}

static void test_sentences_name_line_and_column(void **state)
{
    (void)state;
    jsni_json *doc = NULL;
    assert_fails(parse(&doc, "{\n  \"a\": 1,\n  \"b\": x\n}"), JSN_ERR_DATA,
                 "t.json:3:8: neither");
    assert_fails(parse(&doc, "[1,\n2,\n]"), JSN_ERR_DATA, "t.json:3:1: a value");
    assert_fails(parse(&doc, "{\"k\":1,\n\"k\":2}"), JSN_ERR_DATA,
                 "t.json:2: key 'k' occurs twice");
    assert_fails(parse(&doc, "[\"a\\q\"]"), JSN_ERR_DATA,
                 "t.json:1:5: an unknown escape");
}

static void test_depth_and_size_are_limited(void **state)
{
    (void)state;
    char text[2 * JSNI_JSON_MAX_DEPTH + 8];
    jsni_json *doc = NULL;
    for (size_t depth = JSNI_JSON_MAX_DEPTH; depth <= JSNI_JSON_MAX_DEPTH + 1;
         depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        if (depth == JSNI_JSON_MAX_DEPTH)
            assert_ok(parse(&doc, text));
        else
            assert_fails(parse(&doc, text), JSN_ERR_DATA, "too deeply");
        jsni_json_destroy(doc);
    }
    assert_fails(jsni_json_parse(&doc, "big", "1", ((size_t)16 << 20) + 1),
                 JSN_ERR_DATA, "big: more than 16777216 bytes of JSON; --limit json=N");
    assert_fails(jsni_json_read(&doc, "no/such.json"), JSN_ERR_DATA, "no/such.json");
}

static void test_values_come_out_as_written(void **state)
{
    (void)state;
    jsni_json *doc = NULL;
    assert_ok(parse(&doc,
                    "{\"n\": null, \"t\": true, \"f\": false,\n"
                    " \"s\": \"a\\u00e9\\ud834\\udd1e\\n\", \"i\": -12,\n"
                    " \"r\": 0.1, \"list\": [1, 2.0, 2.5, 1e3], \"o\": {\"x\": 1}}"));
    assert_int_equal(jsni_json_kind_of(doc), JSNI_JSON_OBJECT);
    assert_int_equal(jsni_json_count(doc), 8);
    assert_string_equal(jsni_json_key(jsni_json_at(doc, 3)), "s");
    assert_null(jsni_json_at(doc, 8));
    assert_int_equal(jsni_json_kind_of(jsni_json_get(doc, "n")), JSNI_JSON_NULL);
    assert_true(jsni_json_bool(jsni_json_get(doc, "t")));
    assert_false(jsni_json_bool(jsni_json_get(doc, "f")));
    assert_string_equal(jsni_json_text(jsni_json_get(doc, "s")),
                        "a\xc3\xa9\xf0\x9d\x84\x9e\n");
    assert_int_equal(jsni_json_line(jsni_json_get(doc, "i")), 2);
    assert_int_equal(jsni_json_line(jsni_json_get(doc, "o")), 3);
    const jsni_json *list = jsni_json_get(doc, "list");
    assert_int_equal(jsni_json_count(list), 4);
    assert_true(jsni_json_is_int(jsni_json_at(list, 1)));
    assert_false(jsni_json_is_int(jsni_json_at(list, 2)));
    assert_int_equal(jsni_json_int(jsni_json_at(list, 3)), 1000);
    assert_true(jsni_json_real(jsni_json_at(list, 2)) == 2.5);
    assert_null(jsni_json_get(doc, "absent"));
    assert_null(jsni_json_get(list, "x"));
    assert_int_equal(jsni_json_int(jsni_json_get(jsni_json_get(doc, "o"), "x")), 1);
    assert_int_equal(jsni_json_count(jsni_json_get(jsni_json_get(doc, "no"), "no")), 0);
    assert_string_equal(jsni_json_text(NULL), "");
    jsni_json_destroy(doc);
    jsni_json_destroy(NULL);
}

static void test_typed_look_ups_complain_with_the_line(void **state)
{
    (void)state;
    jsni_json *doc = NULL;
    double real = 0;
    int64_t whole = 0;
    bool truth = false;
    const char *text = NULL;
    const jsni_json *part = NULL;
    assert_ok(
        parse(&doc, "{\"r\":0.5,\"i\":7,\n\"b\":true,\"s\":\"x\",\"a\":[],\"o\":{}}"));
    assert_ok(jsni_json_get_real(doc, "r", &real));
    assert_ok(jsni_json_get_int(doc, "i", &whole));
    assert_ok(jsni_json_get_bool(doc, "b", &truth));
    assert_ok(jsni_json_get_text(doc, "s", &text));
    assert_ok(jsni_json_get_array(doc, "a", &part));
    assert_ok(jsni_json_get_object(doc, "o", &part));
    assert_true(real == 0.5 && whole == 7 && truth);
    assert_string_equal(text, "x");
    assert_fails(jsni_json_get_int(doc, "r", &whole), JSN_ERR_DATA,
                 "t.json:1: key 'r' is 0.5, not a whole number");
    assert_fails(jsni_json_get_real(doc, "s", &real), JSN_ERR_DATA,
                 "t.json:2: key 's' is a text, not a number");
    assert_fails(jsni_json_get_text(doc, "z", &text), JSN_ERR_DATA, "'z' is missing");
    assert_fails(jsni_json_get_text(NULL, "z", &text), JSN_ERR_DATA, "'z' is missing");
    assert_fails(jsni_json_refuse(jsni_json_get(doc, "b"), "unknown key 'b'"),
                 JSN_ERR_DATA, "t.json:2: unknown key 'b'");
    jsni_json_destroy(doc);
}

static void test_numbers_are_read_to_the_last_bit_and_written_back(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.1", 0x1.999999999999ap-4},
        {"1e23", 0x1.52d02c7e14af6p+76},
        {"5e-324", 0x1p-1074},
        {"1.7976931348623157e+308", 0x1.fffffffffffffp+1023},
        {"2.2250738585072014e-308", 0x1p-1022},
        {"9007199254740993", 0x1p+53}, /* ties to even */
        {"0.3333333333333333", 0x1.5555555555555p-2},
        {"-123456.789", -0x1.e240c9fbe76c9p+16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jsni_json *doc = NULL;
        jsni_json_writer *w = NULL;
        char *text = NULL;
        assert_ok(parse(&doc, cases[i].text));
        assert_true(jsni_json_real(doc) == cases[i].value);
        jsni_json_destroy(doc);
        assert_ok(jsni_json_writer_create(&w, 0));
        jsni_json_put_real(w, NULL, cases[i].value);
        assert_ok(jsni_json_writer_take(w, &text));
        assert_true(strtod(text, NULL) == cases[i].value);
        assert_true(strlen(text) <= strlen(cases[i].text) + 1);
        jsn_text_release(text);
        jsni_json_writer_destroy(w);
    }
    jsni_json *doc = NULL;
    assert_ok(parse(&doc, "[9223372036854775807, -9223372036854775808, 1e30, "
                          "9223372036854775808, -9223372036854775809]"));
    assert_true(jsni_json_int(jsni_json_at(doc, 0)) == INT64_MAX);
    assert_true(jsni_json_is_int(jsni_json_at(doc, 0)));
    assert_true(jsni_json_int(jsni_json_at(doc, 1)) == INT64_MIN);
    assert_false(jsni_json_is_int(jsni_json_at(doc, 2)));
    assert_false(jsni_json_is_int(jsni_json_at(doc, 3)));
    assert_false(jsni_json_is_int(jsni_json_at(doc, 4)));
    jsni_json_destroy(doc);
}

static const char rich[] =
    "{\"a\": [1, 2.5e-3, \"t\\u00e9\\ud834\\udd1e\", null], "
    "\"b\": {\"c\": true, \"d\": [[], {}]}, \"\xe2\x82\xac\": -1}";

static void test_every_truncation_and_bit_flip_is_survived(void **state)
{
    (void)state;
    const size_t length = strlen(rich);
    char text[sizeof rich];
    for (size_t n = 0; n < length; n++)
        assert_false(accepts(rich, n));
    assert_true(accepts(rich, length));
    for (size_t bit = 0; bit < length * 8; bit++) {
        memcpy(text, rich, sizeof rich);
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        (void)accepts(text, length);
    }
}

static jsn_status round_trip(void *unused)
{
    (void)unused;
    jsni_json *doc = NULL;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    jsn_status status = parse(&doc, rich);
    if (status == JSN_OK)
        status = jsni_json_writer_create(&w, 1);
    if (status == JSN_OK) {
        jsni_json_put_value(w, NULL, doc);
        status = jsni_json_writer_take(w, &text);
    }
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    jsni_json_destroy(doc);
    return status;
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    support_walk_allocations(round_trip, NULL);
}

static void test_many_keys_are_found(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    jsni_json_writer *w = NULL;
    jsni_json *doc = NULL;
    char *text = NULL, key[16];
    assert_ok(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(key, sizeof key, "k%d", i * 7919 % COUNT);
        jsni_json_put_int(w, key, i);
    }
    jsni_json_end(w);
    assert_ok(jsni_json_writer_take(w, &text));
    assert_ok(parse(&doc, text));
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(key, sizeof key, "k%d", i * 7919 % COUNT);
        assert_int_equal(jsni_json_int(jsni_json_get(doc, key)), i);
        assert_string_equal(jsni_json_key(jsni_json_at(doc, (size_t)i)), key);
    }
    assert_null(jsni_json_get(doc, "k5000"));
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    jsni_json_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_texts_are_accepted),
        cmocka_unit_test(test_invalid_texts_are_refused),
        cmocka_unit_test(test_sentences_name_line_and_column),
        cmocka_unit_test(test_depth_and_size_are_limited),
        cmocka_unit_test(test_values_come_out_as_written),
        cmocka_unit_test(test_typed_look_ups_complain_with_the_line),
        cmocka_unit_test(test_numbers_are_read_to_the_last_bit_and_written_back),
        cmocka_unit_test(test_every_truncation_and_bit_flip_is_survived),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
        cmocka_unit_test(test_many_keys_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
