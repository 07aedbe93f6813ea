/* Allocation, status texts, numbers, growing texts, SHA-256. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/isa.h"
#include "core/number.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/words.h"
#include "jensen/version.h"

static void test_every_status_has_a_text(void **state)
{
    (void)state;
#define CHECK(code, text) assert_string_equal(jsn_status_text(code), text);
    JSN_STATUS_LIST(CHECK)
#undef CHECK
    assert_string_equal(jsn_status_text((jsn_status)999), "unknown status");
}

static void test_a_sentence_may_quote_the_one_before(void **state)
{
    (void)state;
    assert_int_equal(jsni_fail(JSN_ERR_DATA, "inner %d", 1), JSN_ERR_DATA);
    (void)jsni_fail(JSN_ERR_DATA, "outer: %s", jsn_last_error());
    assert_string_equal(jsn_last_error(), "outer: inner 1");
}

static void test_allocation_is_counted_aligned_and_checked(void **state)
{
    (void)state;
    const size_t before = jsni_alloc_live();
    char *a = jsni_alloc(10, 3);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal(jsni_alloc_live() - before, 30);
    memset(a, 7, 30);
    char *b = jsni_realloc(a, 100, 1);
    assert_non_null(b);
    assert_int_equal(b[29], 7);
    assert_int_equal(jsni_alloc_live() - before, 100);
    assert_null(jsni_alloc(SIZE_MAX / 2, 3));
    assert_non_null(strstr(jsn_last_error(), "no memory"));
    jsni_free(b);
    jsni_free(NULL);
    assert_int_equal(jsni_alloc_live(), before);
}

/* Also where the system hands back memory that was written to before. */
static void test_zeros_are_zero_in_blocks_of_every_size(void **state)
{
    (void)state;
    const size_t before = jsni_alloc_live();
    const size_t sizes[] = {0, 1, 63, 4096, 1 << 20, (4 << 20) - 1, 4 << 20, 9 << 20};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const size_t bytes = sizes[i];
            unsigned char *dirty = jsni_alloc(bytes, 1);
            assert_non_null(dirty);
            memset(dirty, 0xa5, bytes);
            jsni_free(dirty);
            unsigned char *zeros = jsni_alloc_zero(1, bytes);
            assert_non_null(zeros);
            assert_int_equal((uintptr_t)zeros % 64, 0);
            assert_int_equal(jsni_alloc_live() - before, bytes);
            size_t sum = 0;
            for (size_t k = 0; k < bytes; k++)
                sum += zeros[k];
            assert_int_equal(sum, 0);
            memset(zeros, 7, bytes);
            zeros = jsni_realloc(zeros, bytes + 5, 1);
            assert_non_null(zeros);
            assert_int_equal(bytes == 0 ? 7 : zeros[bytes - 1], 7);
            jsni_free(zeros);
        }
    assert_null(jsni_alloc_zero(SIZE_MAX / 2, 3));
    assert_null(jsni_alloc_zero(SIZE_MAX - 100, 1));
    assert_int_equal(jsni_alloc_live(), before);
}

static void *forgotten; /* what the deliberate leak leaves behind */

static jsn_status two_allocations(void *leak)
{
    void *a = jsni_alloc(1, 1);
    if (a == NULL)
        return JSN_ERR_MEMORY;
    void *b = jsni_alloc(1, 1);
    if (b == NULL && *(int *)leak == 0)
        jsni_free(a);
    else if (b == NULL)
        forgotten = a;
    if (b == NULL)
        return JSN_ERR_MEMORY;
    jsni_free(b);
    jsni_free(a);
    return JSN_OK;
}

static void test_the_allocation_walk_reaches_every_failure(void **state)
{
    (void)state;
    int leak = 0;
    support_walk_allocations(two_allocations, &leak);
    /* The checker itself must see a leak: provoke one and look at the counter. */
    leak = 1;
    const size_t before = jsni_alloc_live();
    jsni_alloc_fail_at(1);
    assert_int_equal(two_allocations(&leak), JSN_ERR_MEMORY);
    assert_int_equal(jsni_alloc_fail_off(), 1);
    assert_int_equal(jsni_alloc_live(), before + 1);
    jsni_free(forgotten);
}

static void test_a_bounded_text_ends_with_its_array(void **state)
{
    (void)state;
    struct {
        char array[8], behind[8];
    } at;
    memset(&at, '#', sizeof at);
    jsni_text text = jsni_text_in(at.array, sizeof at.array);
    assert_string_equal(at.array, "");
    jsni_text_item(&text, "ab");
    jsni_text_item(&text, "cd");
    assert_string_equal(at.array, "ab, cd");
    jsni_text_format(&text, "%s%d", "e", 123);
    assert_string_equal(at.array, "ab, cde");
    jsni_text_add(&text, "f"); /* nothing behind a cut, even where room is left */
    assert_string_equal(at.array, "ab, cde");
    assert_int_equal(text.length, 7);
    assert_memory_equal(at.behind, "########", 8);
    /* The longest number that %f makes has 309 digits. */
    text = jsni_text_in(at.array, sizeof at.array);
    jsni_text_format(&text, "%.1f", 1.5e306);
    jsni_text_format(&text, "%s", "tail");
    assert_string_equal(at.array, "1500000");
    assert_memory_equal(at.behind, "########", 8);
    text = jsni_text_in(at.array, 1);
    jsni_text_add(&text, "x");
    assert_string_equal(at.array, "");
}

static void test_a_bounded_text_is_cut_between_characters(void **state)
{
    (void)state;
    static const char *const words[] = {"\xC3\xA9", "\xE2\x86\x92", "\xF0\x9F\x98\x80"};
    for (size_t w = 0; w < 3; w++)
        for (size_t size = 2; size < 10; size++) {
            char array[10], other[10];
            const size_t length = strlen(words[w]),
                         whole = (size - 2) / length * length;
            jsni_text text = jsni_text_in(array, size);
            jsni_text_format(&text, "a%s%s%s%s%s", words[w], words[w], words[w],
                             words[w], words[w]);
            assert_int_equal(text.length,
                             size >= 1 + 5 * length + 1 ? 5 * length + 1 : 1 + whole);
            assert_int_equal(strlen(array), text.length);
            text = jsni_text_in(other, size);
            jsni_text_add(&text, "a");
            for (int i = 0; i < 5; i++)
                jsni_text_add(&text, words[w]);
            assert_string_equal(other, array);
        }
    char array[4];
    jsni_text text = jsni_text_in(array, sizeof array);
    jsni_text_add(&text, "\x80\x80\x80\x80\x80"); /* not UTF-8: cut anywhere */
    assert_int_equal(text.length, 3);
}

static void add_piece(void *text, const char *piece, size_t length)
{
    jsni_text_add_n(text, piece, length);
}

static void test_what_a_terminal_obeys_is_made_visible(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80",
         "plain caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
        {"a\x1b[31mb\a\r", "a\\u001b[31mb\\u0007\\u000d"},
        {"\x7f\xc2\x80\xc2\x9b\xc2\xa0", "\\u007f\\u0080\\u009b\xc2\xa0"},
        {"\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
         "\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
         "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa"},
        {"caf\xe9 \x9b"
         "31m \xe2\x80",
         "caf\\xe9 \\x9b31m \\xe2\\x80"},
        {"one\n\ttwo", "one\\u000a\ttwo"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[200];
        jsni_text text = jsni_text_in(shown, sizeof shown);
        jsni_text_visible(cases[i].text, strlen(cases[i].text), false, add_piece,
                          &text);
        assert_string_equal(shown, cases[i].shown);
    }
    char shown[40];
    jsni_text text = jsni_text_in(shown, sizeof shown);
    jsni_text_visible("a\n\tb\r\0c", 7, true, add_piece, &text);
    assert_string_equal(shown, "a\n\tb\\u000d\\u0000c");
}

static void test_numbers_are_parsed_whole(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "1x",  " 1", "1 ", "0x10", "nan", "inf",
                                      "1e999", "--1", "1e", ".",  "1,5",  "+",   "-"};
    double real = 3.0;
    int64_t integer = 3;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(jsni_number_real(bad[i], strlen(bad[i]), &real));
        assert_false(jsni_number_int(bad[i], strlen(bad[i]), &integer));
    }
    assert_true(real == 3.0 && integer == 3);
    assert_true(jsni_number_real("-2.5e-3tail", 7, &real));
    assert_true(real == -2.5e-3);
    assert_true(jsni_number_int("9223372036854775", 16, &integer));
    assert_true(integer == 9223372036854775);
    assert_true(jsni_number_int("-1e3", 4, &integer));
    assert_true(integer == -1000);
    assert_false(jsni_number_int("2.5", 3, &integer));
}

static void test_number_texts_read_back(void **state)
{
    (void)state;
    static const double values[] = {0.1,         1.0 / 3.0, 5e-4,  1e300, -0.0,
                                    123456789.0, 60.0,      -3e14, 1e15};
    char text[JSNI_NUMBER_TEXT];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double back = 0.0;
        jsni_number_format(values[i], text);
        assert_true(jsni_number_real(text, strlen(text), &back));
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    jsni_number_format(5e-4, text);
    assert_string_equal(text, "0.0005");
    jsni_number_format(60.0, text);
    assert_string_equal(text, "60");
    jsni_number_format(-3e14, text);
    assert_string_equal(text, "-300000000000000");
    jsni_number_format(1e15, text);
    assert_string_equal(text, "1e+15");
}

static jsn_status build_text(void *user)
{
    (void)user;
    jsni_text text = {0};
    for (int i = 0; i < 200; i++)
        jsni_text_format(&text, "%d,", i);
    jsni_text_add(&text, "end");
    char *out = NULL;
    JSNI_TRY(jsni_text_take(&text, &out));
    assert_int_equal(strlen(out), 10 * 2 + 90 * 3 + 100 * 4 + 3);
    assert_string_equal(out + strlen(out) - 7, "199,end");
    jsni_free(out);
    return JSN_OK;
}

static void test_texts_grow_and_survive_failed_allocations(void **state)
{
    (void)state;
    support_walk_allocations(build_text, NULL);
}

/* FIPS 180-4 examples (NIST, "SHA256.pdf") and the empty message. */
static void test_sha256_gives_the_published_digests(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t piece = 1; piece < 70; piece += 23) {
            jsni_sha256 sha;
            char hex[JSNI_SHA256_HEX];
            jsni_sha256_init(&sha);
            const size_t length = strlen(cases[i].message);
            for (size_t at = 0; at < length; at += piece)
                jsni_sha256_add(&sha, cases[i].message + at,
                                length - at < piece ? length - at : piece);
            jsni_sha256_hex(&sha, hex);
            assert_string_equal(hex, cases[i].digest);
        }
}

static void test_sha256_is_the_same_by_both_ways(void **state)
{
    (void)state;
    enum { MOST = 9 };
    uint8_t blocks[64 * MOST];
    uint32_t one[8], two[8], noise = 1;
    if (!jsni_isa_has_sha())
        return;
    for (size_t i = 0; i < sizeof blocks; i++) {
        noise = noise * 1664525u + 1013904223u;
        blocks[i] = (uint8_t)(noise >> 24);
    }
    for (size_t count = 0; count <= MOST; count++) {
        for (size_t i = 0; i < 8; i++)
            one[i] = two[i] = (uint32_t)(0x9e3779b9u * (i + count + 1));
        jsni_sha256_plain(one, blocks, count);
        jsni_sha256_x86(two, blocks, count);
        assert_memory_equal(one, two, sizeof one);
    }
}

static void test_closeness_is_signed_and_refuses_nan(void **state)
{
    (void)state;
    assert_true(support_close(1.0, 1.0 + 1e-9, 1e-8, 0.0));
    assert_false(support_close(-1.0, 1.0, 1e-8, 1e-8));
    assert_false(support_close(NAN, 1.0, 1.0, 1.0));
    assert_false(support_close(1.0, NAN, 1.0, 1.0));
}

static void test_features_have_names(void **state)
{
    (void)state;
    assert_non_null(jsn_feature_describe(0));
    assert_null(jsn_feature_describe(SIZE_MAX));
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++)
        assert_true(jsn_feature_describe(i)->name[0] != '\0');
    assert_string_equal(jsn_version(), "1.4.0");
}

static void test_nouns_follow_their_count(void **state)
{
    (void)state;
    assert_string_equal(jsni_noun(0, "image", "images"), "images");
    assert_string_equal(jsni_noun(1, "image", "images"), "image");
    assert_string_equal(jsni_noun(2, "image", "images"), "images");
    assert_string_equal(jsni_noun(UINT64_MAX, "is", "are"), "are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nouns_follow_their_count),
        cmocka_unit_test(test_every_status_has_a_text),
        cmocka_unit_test(test_a_sentence_may_quote_the_one_before),
        cmocka_unit_test(test_allocation_is_counted_aligned_and_checked),
        cmocka_unit_test(test_zeros_are_zero_in_blocks_of_every_size),
        cmocka_unit_test(test_the_allocation_walk_reaches_every_failure),
        cmocka_unit_test(test_a_bounded_text_ends_with_its_array),
        cmocka_unit_test(test_a_bounded_text_is_cut_between_characters),
        cmocka_unit_test(test_what_a_terminal_obeys_is_made_visible),
        cmocka_unit_test(test_numbers_are_parsed_whole),
        cmocka_unit_test(test_number_texts_read_back),
        cmocka_unit_test(test_texts_grow_and_survive_failed_allocations),
        cmocka_unit_test(test_sha256_gives_the_published_digests),
        cmocka_unit_test(test_sha256_is_the_same_by_both_ways),
        cmocka_unit_test(test_closeness_is_signed_and_refuses_nan),
        cmocka_unit_test(test_features_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
