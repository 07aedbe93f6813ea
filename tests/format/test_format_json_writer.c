/* The JSON writer: escapes, indentation, misuse. */
#include "support/support.h"

#include <math.h>

#include "core/json.h"
#include "jensen/option.h"

static void write_sample(jsni_json_writer *w)
{
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff");
    jsni_json_put_int(w, "n", INT64_MIN);
    jsni_json_begin_array(w, "list");
    jsni_json_put_real(w, NULL, 0.25);
    jsni_json_put_real(w, NULL, NAN);
    jsni_json_put_bool(w, NULL, true);
    jsni_json_put_null(w, NULL);
    jsni_json_put_text(w, NULL, NULL);
    jsni_json_end(w);
    jsni_json_begin_object(w, "empty");
    jsni_json_end(w);
    jsni_json_end(w);
}

static void test_the_writer_escapes_and_indents(void **state)
{
    (void)state;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsni_json_writer_create(&w, 0));
    for (int twice = 0; twice < 2; twice++) {
        write_sample(w);
        assert_ok(jsni_json_writer_take(w, &text));
        assert_string_equal(
            text, "{\"name\":\"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xc3\xa9 \xef\xbf\xbd\","
                  "\"n\":-9223372036854775808,\"list\":[0.25,null,true,null,null],"
                  "\"empty\":{}}");
        jsn_text_release(text);
    }
    jsni_json_writer_destroy(w);
    assert_ok(jsni_json_writer_create(&w, 2));
    jsni_json_begin_object(w, NULL);
    jsni_json_begin_array(w, "a");
    jsni_json_put_int(w, NULL, 1);
    jsni_json_put_int(w, NULL, 2);
    jsni_json_end(w);
    jsni_json_begin_array(w, "b");
    jsni_json_end(w);
    jsni_json_end(w);
    assert_ok(jsni_json_writer_take(w, &text));
    assert_string_equal(text, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    assert_fails(jsni_json_writer_create(&w, 9), JSN_ERR_RANGE, "indentation");
}

static void test_a_tree_is_copied_by_the_writer(void **state)
{
    (void)state;
    static const char source[] =
        "{\"a\":[1.50,true,false,null,\"x\\ny\"],\"b\":{\"c\":-0}}";
    jsni_json *doc = NULL;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsni_json_parse(&doc, "t.json", source, strlen(source)));
    assert_ok(jsni_json_writer_create(&w, 0));
    jsni_json_put_value(w, NULL, doc);
    assert_ok(jsni_json_writer_take(w, &text));
    assert_string_equal(text, source);
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    jsni_json_destroy(doc);
}

static void test_misuse_of_the_writer_comes_out_at_the_end(void **state)
{
    (void)state;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsni_json_writer_create(&w, 0));
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "no value");
    jsni_json_put_int(w, "k", 1);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT,
                 "outside an object");
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, NULL, 1);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "without a key");
    jsni_json_begin_array(w, NULL);
    jsni_json_put_int(w, "k", 1);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT,
                 "outside an object");
    jsni_json_begin_array(w, NULL);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "not ended");
    jsni_json_put_int(w, NULL, 1);
    jsni_json_put_int(w, NULL, 2);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "second value");
    jsni_json_end(w);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "without a begin");
    for (int i = 0; i <= JSNI_JSON_MAX_DEPTH; i++)
        jsni_json_begin_array(w, NULL);
    assert_fails(jsni_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "too deeply");
    assert_null(text);
    jsni_json_put_int(w, NULL, 3);
    assert_ok(jsni_json_writer_take(w, &text));
    assert_string_equal(text, "3");
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    jsni_json_writer_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_writer_escapes_and_indents),
        cmocka_unit_test(test_a_tree_is_copied_by_the_writer),
        cmocka_unit_test(test_misuse_of_the_writer_comes_out_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
