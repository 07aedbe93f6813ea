/* Who may ask the server of a review for something. */
#include "review/review_request.h"

#include "support/support.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static int refuse(jsni_request request)
{
    const char *why = NULL;
    return jsni_request_refuse(&request, TOKEN, &why);
}

static jsni_request usual(void)
{
    return (jsni_request){
        .method = "GET", .path = "/" TOKEN "/data", .host = "127.0.0.1:8000"};
}

static void test_the_page_itself_may(void **state)
{
    (void)state;
    jsni_request r = usual();
    assert_int_equal(refuse(r), 0);
    assert_string_equal(jsni_request_rest(&r), "data");
    r.origin = "http://127.0.0.1:8000";
    r.fetch_site = "same-origin";
    assert_int_equal(refuse(r), 0);
    r.method = "POST";
    assert_int_equal(refuse(r), 415);
    r.content_type = "application/json; charset=utf-8";
    assert_int_equal(refuse(r), 0);
    r.path = "/" TOKEN "/";
    assert_string_equal(jsni_request_rest(&r), "");
}

static void test_only_loopback_names_are_hosts(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1", "localhost:1", "[::1]:65535"};
    static const char *const bad[] = {NULL,         "",           "localhos",
                                      "localhostx", "localhost:", "127.0.0.1:80:80",
                                      "[::1",       "[::1]x",     "LOCALHOST.evil"};
    jsni_request r = usual();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        r.host = good[i];
        assert_int_equal(refuse(r), 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        r.host = bad[i];
        assert_int_equal(refuse(r), 403);
    }
}

static void test_other_origins_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "null", "http://localhost:8000",
                                      "https://127.0.0.1:8000",
                                      "http://127.0.0.1:8000/"};
    jsni_request r = usual();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        r.origin = bad[i];
        assert_int_equal(refuse(r), 403);
    }
    r = usual();
    r.fetch_site = "none"; /* typed into the address bar */
    assert_int_equal(refuse(r), 0);
    r.fetch_site = "cross-site";
    assert_int_equal(refuse(r), 403);
    r.fetch_mode = "navigate";
    r.fetch_dest = "iframe";
    assert_int_equal(refuse(r), 403);
    r.fetch_dest = "document"; /* a window, by a link or by a file */
    assert_int_equal(refuse(r), 0);
    r.fetch_mode = "no-cors";
    assert_int_equal(refuse(r), 403);
    r.fetch_mode = "navigate";
    r.method = "POST"; /* a form */
    r.content_type = "application/json";
    assert_int_equal(refuse(r), 403);
    r = usual();
    r.fetch_site = "none";
    r.method = "POST";
    r.content_type = "application/json";
    assert_int_equal(refuse(r), 403);
}

static void test_the_token_is_whole(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "/",
                                      "data",
                                      "/" TOKEN,
                                      "/" TOKEN "x",
                                      "//" TOKEN "/",
                                      "/0123456789abcdef0123456789abcdee/data",
                                      "/0123456789abcdef0123456789abcde/data"};
    jsni_request r = usual();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        r.path = bad[i];
        assert_int_equal(refuse(r), 403);
    }
    char first[JSNI_TOKEN_DIGITS + 1], second[JSNI_TOKEN_DIGITS + 1];
    assert_true(jsni_token_draw(first));
    assert_true(jsni_token_draw(second));
    assert_int_equal(strspn(first, "0123456789abcdef"), JSNI_TOKEN_DIGITS);
    assert_string_not_equal(first, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_page_itself_may),
        cmocka_unit_test(test_only_loopback_names_are_hosts),
        cmocka_unit_test(test_other_origins_are_refused),
        cmocka_unit_test(test_the_token_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
