/* `jensen review` in a build without libmicrohttpd: names the library before it reads, audits
 * or makes anything. */
#include <string.h>

#include "jensen/review.h"
#include "review/review_server.h"
#include "support/support.h"

static int at_once(void *user)
{
    (void)user;
    return 1;
}

static void refused(const char *folder)
{
    jsn_review_job job;
    jsn_review_result result;
    char *place = NULL;
    jsn_review_job_init(&job);
    job.folder = folder;
    job.stop = at_once;
    assert_int_equal(jsn_review(&job, &place, &result), JSN_ERR_UNSUPPORTED);
    assert_non_null(strstr(jsn_last_error(), "libmicrohttpd-dev"));
    assert_null(place);
}

static void test_the_library_is_named_first(void **state)
{
    (void)state;
    refused("nowhere"); /* not: no such audit */
    refused(".");
}

static void test_nothing_is_served(void **state)
{
    (void)state;
    jsni_server *server = NULL;
    assert_int_equal(jsni_server_open(&server, NULL, 0), JSN_ERR_UNSUPPORTED);
    assert_null(server);
    assert_string_equal(jsni_server_address(server), "");
    jsni_server_close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_library_is_named_first),
        cmocka_unit_test(test_nothing_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
