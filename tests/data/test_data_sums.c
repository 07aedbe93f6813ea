/* Checksums, and the rules for paths out of archives and lists. */
#include "support/support.h"

#include "data/checksum.h"
#include "data/dataset_impl.h"
#include "data/listing.h"
#include "data/md5.h"
#include "jensen/fetch.h"

static void assert_md5(const char *text, const char *want)
{
    jsni_md5 md5;
    char hex[JSNI_MD5_HEX];
    for (size_t piece = 1; piece < 70; piece += 13) {
        jsni_md5_init(&md5);
        for (size_t at = 0; at < strlen(text); at += piece)
            jsni_md5_add(&md5, text + at,
                         strlen(text) - at < piece ? strlen(text) - at : piece);
        jsni_md5_hex(&md5, hex);
        assert_string_equal(hex, want);
    }
}

static void test_md5_gives_the_sums_of_its_standard(void **state)
{
    (void)state; /* RFC 1321, A.5 */
    assert_md5("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_md5("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    assert_md5(
        "12345678901234567890123456789012345678901234567890123456789012345678901234"
        "567890",
        "57edf4a22be3c955ac49da2e2107b67a");
}

static void test_the_checksum_notices_every_single_change(void **state)
{
    (void)state;
    uint8_t data[100];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37);
    for (size_t length = 0; length <= sizeof data; length += 7) {
        const uint64_t sum = jsni_checksum(5, data, length);
        assert_int_equal(sum, jsni_checksum(5, data, length));
        assert_int_not_equal(sum, jsni_checksum(6, data, length));
        assert_int_not_equal(sum, jsni_checksum(5, data, length == 0 ? 1 : length - 1));
        for (size_t bit = 0; bit < 8 * length; bit++) {
            data[bit / 8] = (uint8_t)(data[bit / 8] ^ 1u << bit % 8);
            assert_int_not_equal(sum, jsni_checksum(5, data, length));
            data[bit / 8] = (uint8_t)(data[bit / 8] ^ 1u << bit % 8);
        }
    }
}

static void test_paths_are_made_plain_or_refused(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"a/b.png", "a/b.png"}, {"./a//b/", "a/b"},      {"", ""}, {"./", ""},
        {"a/.../b", "a/.../b"}, {"\xc3\xa9", "\xc3\xa9"}};
    static const char *const bad[] = {
        "/a",   "../a",  "a/..", "a/../b",   "..",           "\\a",
        "a\nb", "a\x7f", "\xe9", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    char plain[JSNI_DATASET_MAX_NAME];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_ok(jsni_path_plain("x.tar", good[i][0], plain));
        assert_string_equal(plain, good[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(jsni_path_plain("x.tar", bad[i], plain), JSN_ERR_DATA, "x.tar");
    char huge[2 * JSNI_DATASET_MAX_NAME];
    memset(huge, 'a', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    assert_fails(jsni_path_plain("x.tar", huge, plain), JSN_ERR_DATA, "more than");
}

static void test_what_can_be_fetched_is_described(void **state)
{
    (void)state;
    assert_null(jsn_fetch_describe(SIZE_MAX));
    for (size_t i = 0; jsn_fetch_describe(i) != NULL; i++) {
        const jsn_fetch_info *info = jsn_fetch_describe(i);
        assert_int_equal(strncmp(info->url, "https://", 8), 0);
        assert_int_equal(strlen(info->md5), 32);
        assert_int_equal(strlen(info->sha256), 64);
    }
    assert_fails(jsn_fetch("mnist", NULL), JSN_ERR_UNKNOWN_NAME, "mnist");
    assert_fails(jsn_fetch(NULL, NULL), JSN_ERR_ARGUMENT, "name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_md5_gives_the_sums_of_its_standard),
        cmocka_unit_test(test_the_checksum_notices_every_single_change),
        cmocka_unit_test(test_paths_are_made_plain_or_refused),
        cmocka_unit_test(test_what_can_be_fetched_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
