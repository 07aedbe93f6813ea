/* The JSON writer: escapes, indentation, misuse. */
#include "support/support.h"

#include <math.h>

#include "jensen/json.h"
#include "jensen/option.h"

static void write_sample(jsn_json_writer *w)
{
    jsn_json_begin_object(w, NULL);
    jsn_json_put_text(w, "name", "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff");
    jsn_json_put_int(w, "n", INT64_MIN);
    jsn_json_begin_array(w, "list");
    jsn_json_put_real(w, NULL, 0.25);
    jsn_json_put_real(w, NULL, NAN);
    jsn_json_put_bool(w, NULL, true);
    jsn_json_put_null(w, NULL);
    jsn_json_put_text(w, NULL, NULL);
    jsn_json_end(w);
    jsn_json_begin_object(w, "empty");
    jsn_json_end(w);
    jsn_json_end(w);
}

static void test_the_writer_escapes_and_indents(void **state)
{
    (void)state;
    jsn_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsn_json_writer_create(&w, 0));
    for (int twice = 0; twice < 2; twice++) {
        write_sample(w);
        assert_ok(jsn_json_writer_take(w, &text));
        assert_string_equal(
            text, "{\"name\":\"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xc3\xa9 \xef\xbf\xbd\","
                  "\"n\":-9223372036854775808,\"list\":[0.25,null,true,null,null],"
                  "\"empty\":{}}");
        jsn_text_release(text);
    }
    jsn_json_writer_destroy(w);
    assert_ok(jsn_json_writer_create(&w, 2));
    jsn_json_begin_object(w, NULL);
    jsn_json_begin_array(w, "a");
    jsn_json_put_int(w, NULL, 1);
    jsn_json_put_int(w, NULL, 2);
    jsn_json_end(w);
    jsn_json_begin_array(w, "b");
    jsn_json_end(w);
    jsn_json_end(w);
    assert_ok(jsn_json_writer_take(w, &text));
    assert_string_equal(text, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    assert_fails(jsn_json_writer_create(&w, 9), JSN_ERR_RANGE, "indentation");
}

static void test_a_tree_is_copied_by_the_writer(void **state)
{
    (void)state;
    static const char source[] =
        "{\"a\":[1.50,true,false,null,\"x\\ny\"],\"b\":{\"c\":-0}}";
    jsn_json *doc = NULL;
    jsn_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsn_json_parse(&doc, "t.json", source, strlen(source)));
    assert_ok(jsn_json_writer_create(&w, 0));
    jsn_json_put_value(w, NULL, doc);
    assert_ok(jsn_json_writer_take(w, &text));
    assert_string_equal(text, source);
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    jsn_json_destroy(doc);
}

static void test_misuse_of_the_writer_comes_out_at_the_end(void **state)
{
    (void)state;
    jsn_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(jsn_json_writer_create(&w, 0));
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "no value");
    jsn_json_put_int(w, "k", 1);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "outside an object");
    jsn_json_begin_object(w, NULL);
    jsn_json_put_int(w, NULL, 1);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "without a key");
    jsn_json_begin_array(w, NULL);
    jsn_json_put_int(w, "k", 1);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "outside an object");
    jsn_json_begin_array(w, NULL);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "not ended");
    jsn_json_put_int(w, NULL, 1);
    jsn_json_put_int(w, NULL, 2);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "second value");
    jsn_json_end(w);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "without a begin");
    for (int i = 0; i <= JSN_JSON_MAX_DEPTH; i++)
        jsn_json_begin_array(w, NULL);
    assert_fails(jsn_json_writer_take(w, &text), JSN_ERR_ARGUMENT, "too deeply");
    assert_null(text);
    jsn_json_put_int(w, NULL, 3);
    assert_ok(jsn_json_writer_take(w, &text));
    assert_string_equal(text, "3");
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    jsn_json_writer_destroy(NULL);
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
