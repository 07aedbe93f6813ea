/* review/review_server_none.c - in the place of review_server.c, for builds without
 * libmicrohttpd. */
#include "core/fail.h"
#include "review/review_server.h"

jsn_status jsni_server_check(void)
{
    return jsni_fail(JSN_ERR_UNSUPPORTED,
                     "this build serves no page, because libmicrohttpd was not found; "
                     "install libmicrohttpd-dev and build again");
}

jsn_status jsni_server_open(jsni_server **out, jsni_session *session, uint16_t port)
{
    (void)session;
    (void)port;
    *out = NULL;
    return jsni_server_check();
}

void jsni_server_close(jsni_server *server)
{
    (void)server;
}

const char *jsni_server_address(const jsni_server *server)
{
    (void)server;
    return "";
}
