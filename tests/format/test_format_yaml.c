/* YAML in and out. Types follow the tables of YAML 1.2's core schema (10.3.2). */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "core/json.h"
#include "format/yaml.h"
#include "jensen/option.h"
#include "jensen/version.h"

static bool with_yaml(void)
{
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++)
        if (strcmp(jsn_feature_describe(i)->name, "libyaml") == 0)
            return jsn_feature_describe(i)->version[0] != '\0';
    return false;
}

static jsn_status parse(jsni_json **doc, const char *text)
{
    return jsni_yaml_parse(doc, "c.yaml", text, strlen(text));
}

/* The document as JSON; the text is the caller's. */
static char *as_json(const char *yaml)
{
    jsni_json *doc = NULL;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    assert_ok(parse(&doc, yaml));
    assert_ok(jsni_json_writer_create(&w, 0));
    jsni_json_put_value(w, NULL, doc);
    assert_ok(jsni_json_writer_take(w, &text));
    jsni_json_writer_destroy(w);
    jsni_json_destroy(doc);
    return text;
}

static void test_documents_become_trees(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        const char *json;
    } cases[] = {
        {"lr: 0.1\nepochs: 30\nname: gjs:pi1=0.5\n",
         "{\"lr\":0.1,\"epochs\":30,\"name\":\"gjs:pi1=0.5\"}"},
        {"a:\n  b:\n    - 1\n    - two\n  c: [x, 'y', \"z\\n\"]\n",
         "{\"a\":{\"b\":[1,\"two\"],\"c\":[\"x\",\"y\",\"z\\n\"]}}"},
        {"[null, ~, Null, NULL, nUll]", "[null,null,null,null,\"nUll\"]"},
        {"a:\nb: ''\n", "{\"a\":null,\"b\":\"\"}"},
        {"[true, True, TRUE, false, False, FALSE, tRue, yes, no, on, off]",
         "[true,true,true,false,false,false,\"tRue\",\"yes\",\"no\",\"on\",\"off\"]"},
        {"[0, -19, +12, 007, 0o7, 0x3A, 0x3a, '0', -0o7]",
         "[0,-19,12,7,7,58,58,\"0\",\"-0o7\"]"},
        {"[0., -0.0, .5, +12e03, -2E+05, 1e-5, 1_000, 1:30, 1.2.3, e5, .]",
         "[0,-0.0,0.5,12000,-2E+05,1e-5,\"1_000\",\"1:30\",\"1.2.3\",\"e5\",\".\"]"},
        {"", "null"},
        {"# only a comment\n", "null"},
        {"--- \nx: 1\n...\n", "{\"x\":1}"},
        {"text: |\n  two\n  lines\n", "{\"text\":\"two\\nlines\\n\"}"},
        {"{\"json\": [1, 2.5, \"t\"], \"o\": {}}", "{\"json\":[1,2.5,\"t\"],\"o\":{}}"},
        {"k\xc3\xa9: \xe2\x82\xac\n", "{\"k\xc3\xa9\":\"\xe2\x82\xac\"}"},
        {"99999999999999999999: 1", "{\"99999999999999999999\":1}"},
    };
    if (!with_yaml())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *json = as_json(cases[i].yaml);
        assert_string_equal(json, cases[i].json);
        jsn_text_release(json);
    }
    jsni_json *doc = NULL;
    assert_ok(parse(&doc, "a: 1\n\nb:\n  c: 0x10\n"));
    const jsni_json *c = jsni_json_get(jsni_json_get(doc, "b"), "c");
    assert_int_equal(jsni_json_line(jsni_json_get(doc, "b")), 3);
    assert_int_equal(jsni_json_line(c), 4);
    assert_true(jsni_json_is_int(c) && jsni_json_int(c) == 16 &&
                jsni_json_real(c) == 16.0);
    assert_string_equal(jsni_json_text(c), "0x10");
    jsni_json_destroy(doc);
}

static void test_what_a_configuration_has_no_use_for_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        const char *words;
    } bad[] = {
        {"a: 1\nb: 2\na: 3\n", "c.yaml:3: key 'a' occurs twice"},
        {"a: &x 1\nb: 2\n", "c.yaml:1: anchors"},
        {"a: &x [1]\nb: *x\n", "anchors"},
        {"b: *x\n", "aliases"},
        {"a: !!int 3\n", "tags"},
        {"a: !python/object:os.system x\n", "tags"},
        {"a: !!map {}\n", "tags"},
        {"<<: {a: 1}\n", "merge"},
        {"[a]: 1\n", "not a plain text"},
        {"? {a: 1}\n: 2\n", "not a plain text"},
        {"a: 1\n---\nb: 2\n", "more than one document"},
        {"a: [1, 2\n", "c.yaml:"},
        {"a: 1\n b: 2\n", "c.yaml:2:"},
        {"a: .inf\n", "infinity"},
        {"a: -.INF\n", "infinity"},
        {"a: .nan\n", "infinity"},
        {"a: 1e999\n", "range of double"},
        {"a: \"x\\0y\"\n", "U+0000"},
        {"\ta: 1\n", "c.yaml:1:"},
        {"a: \"\xff\"\n", "c.yaml:"},
        {"%TAG ! tag:example.com,2000:\n---\na: !x 1\n", "tags"},
    };
    jsni_json *doc = NULL;
    if (!with_yaml())
        skip();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_fails(parse(&doc, bad[i].yaml), JSN_ERR_DATA, bad[i].words);
        assert_null(doc);
    }
    char deep[2 * JSNI_JSON_MAX_DEPTH + 8] = "";
    memset(deep, '[', JSNI_JSON_MAX_DEPTH + 1);
    memset(deep + JSNI_JSON_MAX_DEPTH + 1, ']', JSNI_JSON_MAX_DEPTH + 1);
    assert_fails(parse(&doc, deep), JSN_ERR_DATA, "too deeply");
    assert_fails(jsni_yaml_parse(&doc, "big", "", JSNI_YAML_MAX_BYTES + 1),
                 JSN_ERR_DATA, "limit");
}

static void test_files_and_builds_without_the_library(void **state)
{
    (void)state;
    char path[300];
    jsni_json *doc = NULL;
    const char *folder = support_temporary_folder();
    (void)snprintf(path, sizeof path, "%s/c.json", folder);
    assert_ok(jsni_file_write(path, "{\"a\":1}", 7));
    assert_ok(jsni_yaml_read(&doc, path));
    assert_int_equal(jsni_json_int(jsni_json_get(doc, "a")), 1);
    jsni_json_destroy(doc);
    assert_ok(jsni_file_write(path, "a: 1", 4));
    assert_fails(jsni_yaml_read(&doc, path), JSN_ERR_DATA, "c.json:1:1");
    (void)snprintf(path, sizeof path, "%s/c.yaml", folder);
    assert_ok(jsni_file_write(path, " {\"a\":1}", 8));
    assert_ok(jsni_yaml_read(&doc, path));
    jsni_json_destroy(doc);
    assert_ok(jsni_file_write(path, "a: 1\n", 5));
    if (with_yaml()) {
        assert_ok(jsni_yaml_read(&doc, path));
        jsni_json_destroy(doc);
    } else {
        assert_fails(jsni_yaml_read(&doc, path), JSN_ERR_UNSUPPORTED, "libyaml");
    }
    support_remove_folder(folder);
}

static void test_written_texts_read_back_as_texts(void **state)
{
    (void)state;
    static const char *const values[] = {
        "gjs:pi1=0.5",
        "cifar10:/data/x.tar.xz",
        "",
        " ",
        "a b",
        "true",
        "No",
        "null",
        "~",
        "0.1",
        ".5",
        "1e3",
        "0x10",
        "-",
        "- a",
        "a: b",
        "a:",
        "#x",
        "x # y",
        "*a",
        "&a",
        "!t",
        "%d",
        "@x",
        "`x`",
        "\"q\"",
        "it's",
        "\\",
        "line\nbreak",
        "tab\t",
        "\x01",
        "caf\xc3\xa9",
        "[a]",
        "{a}",
        "a,b",
        "nan",
        ".inf",
        "=",
        "2026-01-01",
        "1:30",
        "y",
        "<<",
        "?",
        "|",
        ">",
        "on",
    };
    enum { COUNT = sizeof values / sizeof values[0] };
    jsni_text text = {0};
    char key[16], *yaml = NULL;
    jsni_json *doc = NULL;
    if (!with_yaml())
        skip();
    jsni_yaml_add_comment(&text, "resolved options");
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(key, sizeof key, "k%d", i);
        jsni_yaml_add_text(&text, key, values[i]);
    }
    jsni_yaml_add_word(&text, "lr", "0.1");
    jsni_yaml_add_list(&text, "list", values, COUNT);
    jsni_yaml_add_list(&text, "none", NULL, 0);
    jsni_yaml_add_text(&text, "odd key: #", "v");
    assert_ok(jsni_text_take(&text, &yaml));
    assert_non_null(strstr(yaml, "\nk0: gjs:pi1=0.5\n"));
    assert_ok(parse(&doc, yaml));
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(key, sizeof key, "k%d", i);
        const jsni_json *value = jsni_json_get(doc, key);
        assert_int_equal(jsni_json_kind_of(value), JSNI_JSON_TEXT);
        assert_string_equal(jsni_json_text(value), values[i]);
        value = jsni_json_at(jsni_json_get(doc, "list"), (size_t)i);
        assert_int_equal(jsni_json_kind_of(value), JSNI_JSON_TEXT);
        assert_string_equal(jsni_json_text(value), values[i]);
    }
    assert_true(jsni_json_real(jsni_json_get(doc, "lr")) == 0.1);
    assert_int_equal(jsni_json_kind_of(jsni_json_get(doc, "none")), JSNI_JSON_ARRAY);
    assert_string_equal(jsni_json_text(jsni_json_get(doc, "odd key: #")), "v");
    jsni_json_destroy(doc);
    jsni_free(yaml);
}

/* Quoted texts are texts of JSON, too: reports read them so in builds without libyaml. */
static void test_quoted_texts_are_json(void **state)
{
    (void)state;
    static const char *const values[] = {"tab\tbed", "\x01 \x1f", "a \"b\" \\ c",
                                         "two\nlines", "\x7f"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        jsni_text text = {0};
        char *yaml = NULL;
        jsni_json *doc = NULL;
        jsni_yaml_add_text(&text, "k", values[i]);
        assert_ok(jsni_text_take(&text, &yaml));
        assert_memory_equal(yaml, "k: ", 3);
        yaml[strcspn(yaml, "\n")] = '\0';
        assert_ok(jsni_json_parse(&doc, "value", yaml + 3, strlen(yaml + 3)));
        assert_string_equal(jsni_json_text(doc), values[i]);
        jsni_json_destroy(doc);
        jsni_free(yaml);
    }
}

static const char sample[] = "a: 1\nb: [x, {c: 'd', \"e\": 2.5}]\nf:\n  - |\n    t\n";

static void test_every_truncation_and_bit_flip_is_survived(void **state)
{
    (void)state;
    const size_t length = strlen(sample);
    if (!with_yaml())
        skip();
    for (size_t bit = 0; bit < length * 8; bit++) {
        char copy[sizeof sample];
        jsni_json *doc = NULL;
        memcpy(copy, sample, sizeof sample);
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
        for (int cut = 0; cut < 2; cut++) {
            const jsn_status status =
                jsni_yaml_parse(&doc, "t", cut ? sample : copy, cut ? bit / 8 : length);
            assert_true(status == JSN_OK || status == JSN_ERR_DATA);
            jsni_json_destroy(doc);
        }
    }
}

static jsn_status parse_sample(void *unused)
{
    (void)unused;
    jsni_json *doc = NULL;
    const jsn_status status = parse(&doc, sample);
    jsni_json_destroy(doc);
    return status;
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    if (!with_yaml())
        skip();
    support_walk_allocations(parse_sample, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_become_trees),
        cmocka_unit_test(test_what_a_configuration_has_no_use_for_is_refused),
        cmocka_unit_test(test_files_and_builds_without_the_library),
        cmocka_unit_test(test_written_texts_read_back_as_texts),
        cmocka_unit_test(test_quoted_texts_are_json),
        cmocka_unit_test(test_every_truncation_and_bit_flip_is_survived),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
